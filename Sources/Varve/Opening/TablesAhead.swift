internal import Foundation
internal import Synchronization
internal import VarveGraph

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
        var waiting = context.tables.tables.unfilled.filter { !$0.isFilled }
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

    /// Fills tables that wait for files which are about to go: then nothing of them could be made again.
    static func fill(_ context: Context, unlessKept files: some Sequence<String>) {
        let files = Set(files)
        for table in context.tables.tables.unfilled {
            if let file = table.sourceFile, !files.contains(file) { table.fillAhead() }
        }
    }

    func end() { course.isEnded.store(true, ordering: .relaxed) }

    deinit { end() }
}
