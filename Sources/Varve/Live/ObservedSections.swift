public import Observation
public import VarveEvents
public import VarveGraph

/// What a query finds, in sections, as an object that a view observes.
///
/// ```swift
/// let songs = ObservedSections(of: Song.query(), by: .related(\.$album, \.title), in: store)
/// ForEach(songs.sections, id: \.key) { section in … }
/// ```
///
/// The sections are there at once; from then on they follow the store's transactions, as long as the object lives and
/// the store is open. Observers are notified on the main actor or another one. A list that needs every change in turn
/// iterates ``Store/results(of:sectionedBy:)`` instead: an observer may see two transactions as one.
public final class ObservedSections<Entity: EntityModelProtocol, Key: Sendable>: Observable,
    Sendable
{
    private let state: ObservedState<SectionedUpdate<Entity, Key>>

    /// Finds the results of now, and follows the store from then on.
    ///
    /// - Parameter actor: where observers are notified.
    /// - Complexity: that of resolving the query once, in the order of the keys.
    public convenience init(
        of query: QueryList<Entity>, by key: SectionKey<Entity, Key>, in store: Store,
        on actor: any Actor = MainActor.shared
    ) {
        self.init(LiveSections(query, by: key), StateSource(store), on: actor)
    }

    init(_ live: LiveSections<Entity, Key>, _ source: StateSource, on actor: any Actor) {
        let watching = Watching(source)
        let sections = live.sections(in: watching.shown.context)
        let first = SectionedUpdate(
            sections: sections, changes: SectionChanges(),
            transaction: watching.shown.lastTransaction)
        state = ObservedState(first, on: actor) {
            var updates = SectionedResults.Iterator(watching, live, sections: sections)
            return { await updates.next() }
        }
    }

    /// What the query finds now.
    public var sections: ResultSections<Entity, Key> { state.value.sections }
    /// How the sections before became these; empty at first.
    public var changes: SectionChanges { state.value.changes }
    /// The newest transaction that the sections show.
    public var transaction: TransactionID { state.value.transaction }
}
