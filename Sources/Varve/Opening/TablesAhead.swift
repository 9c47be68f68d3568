internal import Foundation
internal import Synchronization
internal import VarveGraph
internal import VarveLog

/// Fills the tables that an opening has left empty, while the app goes on with the store: the first query of a type then
/// waits for less, or for nothing.
///
/// It ends with the object, behind the table that it is at.
final class TablesAhead: Sendable {
    private final class Course: Sendable {
        let isEnded = Atomic(false)
    }

    private let course = Course()

    /// - Parameter context: a copy of what the store has opened. Nothing else of it is kept than its tables, each until it is
    ///   filled: one that two contexts hold is copied by the first change.
    init?(of context: Context) {
        var waiting = context.tables.tables.unfilled.filter { !$0.isFilled && $0.mayFill }
        guard !waiting.isEmpty else { return nil }
        // The first that was named is filled first.
        waiting.reverse()
        // Unchecked: a table that is shared is not changed, and filled by one thread alone.
        nonisolated(unsafe) var tables = consume waiting
        DispatchQueue.global(qos: .utility).async { [course] in
            while !course.isEnded.load(ordering: .relaxed), let table = tables.popLast() {
                table.fillAhead()
            }
        }
    }

    /// Called before files are removed: afterwards the content of stored tables could not be rebuilt, or not be found at all.
    ///
    /// Fills the tables of the newest context that fit the memory budget. For others, and for states of the past, whose
    /// contexts seldom live long, the checkpoint is compared with its checksums: an open file stays readable without its
    /// name.
    static func prepare(
        _ context: Context, _ waiting: WaitingStates, for manifest: Manifest,
        isCancelled: () -> Bool
    ) {
        let files = Set(waiting.threatened(by: manifest).compactMap(\.file))
        for table in context.tables.tables.unfilled {
            guard !table.isScanned, let file = table.sourceFile, files.contains(file) else {
                continue
            }
            table.fillAhead()
        }
        for state in waiting.threatened(by: manifest) { state.secure(isCancelled: isCancelled) }
    }

    func end() { course.isEnded.store(true, ordering: .relaxed) }

    deinit { end() }
}
