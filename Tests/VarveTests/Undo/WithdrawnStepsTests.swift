import Testing
import VarveLog
import VarveTestSupport

@testable import Varve
@testable import VarveEvents

/// An undo leaves out what older steps had made that were withdrawn since, however many there are.
@Suite("Steps that were withdrawn since")
struct WithdrawnStepsTests {
    private func open(_ fileSystem: any FileSystem) throws -> Store {
        try Store(
            in: fileSystem, environment: SimulatedEnvironment(seed: 1), mode: .readWrite,
            durability: .none, retention: .everything, compactsAutomatically: false,
            types: [Author.self, Shelf.self])
    }

    private func write(
        _ store: Store, _ scope: String?, _ body: (inout Context) throws -> Void
    ) throws {
        try store.write(options: WriteOptions(scope: scope, undoable: scope != nil), body)
    }

    private func books(_ store: Store) -> [Int] {
        Book.query().resolve(in: store.context).map(\.id).sorted()
    }

    /// A store in which an undo of the newest step has to know what became of so many older ones, all withdrawn.
    private func withdrawn(_ count: Int, groupsOf groupCount: Int) throws -> Store {
        let store = try open(MemoryFileSystem())
        try write(store, nil) { try Author(id: "a", name: "a").save(to: &$0) }
        for step in 0..<count {
            try store.group {
                for part in 0..<groupCount {
                    try write(store, "\(step)") {
                        try Book(id: step * groupCount + part, title: "t", author: .id("a"))
                            .save(to: &$0)
                    }
                }
            }
        }
        try write(store, "B") { try Author.delete(id: "a", from: &$0) }
        for step in 0..<count { try store.undo(scope: "\(step)", force: true) }
        return store
    }

    @Test("An undo reads each transaction three times at most, however many of them there are")
    func reads() throws {
        for (count, groupCount) in [(3, 1), (40, 1), (40, 4)] {
            let store = try withdrawn(count, groupsOf: groupCount)
            let state = store.published.current
            let reads = Lock(0)
            try store.readingHistory { history in
                func counted(
                    _ body: @escaping (TransactionView) throws -> Bool
                ) -> (TransactionView) throws -> Bool {
                    { view in
                        reads.withLock { $0 += 1 }
                        return try body(view)
                    }
                }
                let step = try #require(state.timeline.undoStep(in: "B"))
                let running = TransactionHeader(
                    id: TransactionID(state.lastTransaction.rawValue + 1), time: state.lastTime,
                    kind: .undo(of: step.newest), isUndoable: false, scope: "B")
                let later = LaterTransactions(
                    step.transactions, running: running, timeline: state.timeline,
                    newest: state.lastTransaction, floor: history.floor, catalog: state.catalog
                ) { oldest, body in
                    try withoutActuallyEscaping(body) {
                        try history.forEach(from: oldest, counted($0))
                    }
                } readingBack: { newest, body in
                    try withoutActuallyEscaping(body) {
                        try history.forEachNewestFirst(from: newest, counted($0))
                    }
                }
                let type = try #require(state.catalog.definition(named: "Book")).number
                var id = ByteWriter()
                try Book._storeID(0, into: &id)
                #expect(later.isWithdrawn(.row(EncodedEntity(type: type, id: id.copyBytes()))))
                #expect(later.failure == nil)
            }
            let most = 3 * Int(state.lastTransaction.rawValue)
            #expect(reads.withLock { $0 } <= most, "\(count) steps of \(groupCount)")
            try store.undo(scope: "B")
            #expect(books(store).isEmpty && store.context.count(Author.self) == 1)
            store.context.checkInvariants()
        }
    }

    @Test("Of each step all transactions count, of a revert the one alone, and other steps do not")
    func everyStep() throws {
        let store = try open(MemoryFileSystem())
        func insert(_ scope: String, _ ids: ClosedRange<Int>) throws {
            try store.group {
                for id in ids {
                    try write(store, scope) { context in
                        try Book(id: id, title: "t", author: .id("a")).save(to: &context)
                        try Shelf(id: "\(id)", label: nil).save(to: &context)
                    }
                }
            }
        }
        try write(store, nil) { try Author(id: "a", name: "a").save(to: &$0) }
        try insert("A", 1...3)
        try insert("kept", 4...6)
        try insert("C", 7...7)
        try insert("D", 8...10)
        try insert("A", 11...12)
        try write(store, "B") { try Author.delete(id: "a", from: &$0) }
        try store.undo(scope: "C", force: true)
        // The second of three.
        try store.revert(10, UndoOptions(scope: "E", force: true))
        for _ in 0..<2 { try store.undo(scope: "A", force: true) }
        try store.redo(scope: "A", force: true)
        let expected = [1, 2, 3, 4, 5, 6, 8, 10]
        try store.undo(scope: "B", force: true)
        #expect(books(store) == expected)
        #expect(Author.query("a").id(\.$books).resolve(in: store.context)?.$books.ids == expected)
        store.context.checkInvariants()
        try store.redo(scope: "B")
        #expect(books(store).isEmpty)
        try store.undo(scope: "B")
        #expect(books(store) == expected)
    }
}
