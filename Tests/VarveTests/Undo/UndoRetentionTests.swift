import Testing
import Varve
import VarveLog
import VarveTestSupport

/// What can be undone and redone is one history: going back in it makes it no longer.
@Suite("Retention of steps that can be undone and redone")
struct UndoRetentionTests {
    private func store(
        _ disk: MemoryFileSystem = MemoryFileSystem(), _ retention: Retention = .everything
    ) throws -> Store {
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(4_096)
        configuration.frameBytesMax = ByteCount(1_024)
        return try Store(
            in: disk, configuration: configuration, mode: .readWrite, durability: .none,
            retention: retention, compactsAutomatically: false, types: [Author.self])
    }

    private func write(_ store: Store, _ number: Int, _ scope: String? = nil) throws {
        try store.write(options: WriteOptions(scope: scope)) {
            try Author(id: scope ?? "a", name: "\(number)").save(to: &$0)
        }
    }

    private func name(_ store: Store, _ scope: String? = nil) -> String? {
        Author.query(scope ?? "a").resolve(in: store.context)?.name
    }

    @Test("After many undos a compaction leaves the way forward whole, and the newest steps back")
    func forward() throws {
        let disk = MemoryFileSystem()
        var store = try store(disk)
        for number in 1...10 { try write(store, number) }
        for _ in 0..<6 { try store.undo() }
        try store.compact(retaining: .transactions(3))
        try store.close()
        store = try self.store(disk)
        #expect(store.redoSteps().count == 6)
        while store.canRedo { try store.redo() }
        #expect(name(store) == "10")
        // Six undone steps are more than three: none is kept beyond them.
        for _ in 0..<6 { try store.undo() }
        #expect(name(store) == "4")
    }

    @Test("Undos push no step out that retention would have kept without them")
    func back() throws {
        let store = try store()
        for number in 1...200 { try write(store, number) }
        for _ in 0..<60 {
            try store.undo()
            try store.compact(retaining: .transactions(100))
        }
        #expect(store.undoSteps().count >= 40 && store.redoSteps().count == 60)
        for _ in 0..<40 { try store.undo() }
        #expect(name(store) == "100")
        try store.compact(retaining: .transactions(100))
        while store.canRedo {
            try store.redo()
            try store.compact(retaining: .transactions(100))
        }
        #expect(name(store) == "200")
        #expect(store.undoSteps().count >= 100)
        // What was undone and redone is no longer history than what was written.
        for _ in 0..<100 { try store.undo() }
        #expect(name(store) == "100")
    }

    @Test("What can be redone goes as a whole, when its newest undo is older than what is kept")
    func wholeOrNothing() throws {
        let store = try store()
        for number in 1...20 { try write(store, number, "old") }
        for _ in 0..<10 { try store.undo(scope: "old") }
        for number in 1...400 { try write(store, number) }
        try store.compact(retaining: .transactions(100), for: .size)
        #expect(store.floor > 30)
        #expect(!store.canRedo(scope: "old") && store.redoSteps(scope: "old").isEmpty)
        #expect(!store.canUndo(scope: "old"))
        do {
            try store.redo(scope: "old")
            Issue.record("its history is gone")
        } catch StoreError.nothingToRedo {}
        #expect(name(store, "old") == "10" && store.undoSteps().count >= 100)
    }

    @Test("Whenever compactions run, all steps that were undone can be redone")
    func atAnyTime() throws {
        for seed in 1...6 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let store = try store()
            for number in 1...120 { try write(store, number) }
            var place = 120
            for _ in 0..<60 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: try store.compact(retaining: .transactions(50))
                case 1 where store.canRedo:
                    try store.redo()
                    place += 1
                default:
                    guard store.canUndo else { continue }
                    try store.undo()
                    place -= 1
                }
                #expect(name(store) == "\(place)", "seed \(seed)")
                #expect(store.redoSteps().count == 120 - place, "seed \(seed)")
            }
            while store.canRedo { try store.redo() }
            #expect(name(store) == "120", "seed \(seed)")
        }
    }
}
