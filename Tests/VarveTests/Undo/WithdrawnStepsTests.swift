import Testing
import Varve
import VarveLog
import VarveTestSupport

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

    /// How often an undo reads from segments, where it follows so many steps that were withdrawn.
    private func reads(withdrawn count: Int, groupsOf groupCount: Int) throws -> Int {
        let reads = Lock(0)
        let fileSystem = HookedFileSystem(MemoryFileSystem())
        let store = try open(fileSystem)
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
        fileSystem.setHook { operation, name, _ in
            if operation == .read, name.hasPrefix("segment-") { reads.withLock { $0 += 1 } }
        }
        try store.undo(scope: "B")
        #expect(books(store).isEmpty && store.context.count(Author.self) == 1)
        store.context.checkInvariants()
        return reads.withLock { $0 }
    }

    @Test("An undo reads the log as often for many of them as for a few")
    func reads() throws {
        for groupCount in [1, 4] {
            let few = try reads(withdrawn: 3, groupsOf: groupCount)
            let many = try reads(withdrawn: 40, groupsOf: groupCount)
            #expect(few > 0 && many <= few * 2, "\(few) and \(many) reads")
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
