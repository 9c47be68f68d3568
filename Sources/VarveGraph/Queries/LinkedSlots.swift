/// The slots that a query starts from where a relation, or another query, leads to them.
@usableFromInline
struct LinkedSlots: Sendable {
    /// Calls the body with slots, one by one.
    @usableFromInline typealias Visit = @Sendable (Context, (UInt32) -> Void) -> Void

    private enum Source: Sendable {
        case found(@Sendable (Context) -> ContiguousArray<UInt32>)
        /// The links of the parents that a visit names.
        case links(EntityDescriptor, relation: Int, Visit)
    }

    private let source: Source

    @usableFromInline
    init(_ find: @escaping @Sendable (Context) -> ContiguousArray<UInt32>) {
        source = .found(find)
    }

    /// - Parameters:
    ///   - relation: the position of the relation among those of its parent's type.
    ///   - parents: names the slots of the parents.
    @usableFromInline
    init(_ relation: Int, of parent: EntityDescriptor, _ parents: @escaping Visit) {
        source = .links(parent, relation: relation, parents)
    }

    /// The slots, all of which have rows, parent after parent.
    @usableFromInline
    func slots(in context: Context) -> ContiguousArray<UInt32> {
        switch source {
        case .found(let find): return find(context)
        case .links(let parent, let relation, let visit):
            guard let table = context.tables.position(of: parent) else { return [] }
            var children = ContiguousArray<UInt32>()
            let live = LiveLinks.make(relation: relation, table: table, in: context)
            visit(context) {
                let links =
                    live?.children(of: $0)
                    ?? context.liveChildren(of: $0, relation: relation, table: table)
                if children.isEmpty { children = links } else { children += links }
            }
            return children
        }
    }

    /// How many slots there are.
    ///
    /// - Complexity: O(p), p parents, where all entities that are linked to are there; else O(p + n), n links.
    @usableFromInline
    func count(in context: Context) -> Int {
        switch source {
        case .found(let find): return find(context).count
        case .links(let parent, let relation, let visit):
            guard let table = context.tables.position(of: parent) else { return 0 }
            var count = 0
            let live = LiveLinks.make(relation: relation, table: table, in: context)
            visit(context) {
                count +=
                    live?.children(of: $0).count
                    ?? context.liveChildCount(of: $0, relation: relation, table: table)
            }
            return count
        }
    }
}
