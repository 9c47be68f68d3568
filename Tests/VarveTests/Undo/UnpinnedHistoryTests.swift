import Foundation
import Testing
import VarveEvents
import VarveLog
import VarveTestSupport

@testable import Varve

@Suite("Undo that reads the log only where memory does not hold what it needs")
struct UnpinnedHistoryTests {
    private func store(_ disk: MemoryFileSystem = MemoryFileSystem()) throws -> Store {
        try Store(
            in: disk, mode: .readWrite, durability: .none, retention: .everything,
            compactsAutomatically: false, types: [Author.self, Shelf.self])
    }

    private func edit(_ store: Store, _ number: Int, scope: String? = nil) throws {
        try store.write(options: WriteOptions(scope: scope)) {
            try Author(id: "a\(number % 20)", name: "edit \(number)").save(to: &$0)
        }
    }

    /// More transactions than memory keeps.
    private func pushOut(_ store: Store, scope: String) throws {
        for number in 0..<12 {
            // Noise: of text that repeats itself, the log keeps less.
            var random = SeededGenerator(seed: UInt64(number))
            let text = String(
                decoding: (0..<(100 << 10)).map { _ in UInt8.random(in: 97...122, using: &random) },
                as: UTF8.self)
            try store.write(options: WriteOptions(scope: scope)) {
                try Author(id: "big \(number)", name: text).save(to: &$0)
            }
        }
    }

    /// The log of a store, for a test that is alone with it.
    private func log(of store: Store) throws -> (log: Log, recent: RecentTransactions) {
        nonisolated(unsafe) var found: (Log, RecentTransactions)?
        try #require(store.writer).inTurn { core in
            if case .open(let open) = core.access { found = (open.log, core.recent) }
        }
        return try #require(found)
    }

    private func numbers(_ history: LogHistory, from oldest: TransactionID) throws -> [UInt64] {
        var numbers: [UInt64] = []
        try history.forEach(from: oldest) {
            numbers.append($0.id.rawValue)
            return numbers.count < 3
        }
        return numbers
    }

    @Test("What memory has let go is read from the log, and so is what came since")
    func pushedOut() throws {
        let store = try store()
        try edit(store, 1, scope: "small")
        try edit(store, 21, scope: "small")
        try pushOut(store, scope: "large")
        #expect(!(try log(of: store).recent.holds(2)))
        try store.undo(scope: "small")
        #expect(Author.query("a1").resolve(in: store.context)?.name == "edit 1")
        // What would vanish was linked to behind it, which the log alone says.
        try store.write(options: WriteOptions(scope: "large")) {
            try Book(id: 1, title: "b", author: .id("a1")).save(to: &$0)
        }
        #expect {
            try store.undo(scope: "small")
        } throws: { error in
            guard case StoreError.conflicts(let conflicts) = error else { return false }
            return conflicts.contains { $0.type == "Author" && $0.id.contains("a1") }
        }
        try store.undo(scope: "large")
        try store.undo(scope: "small")
        #expect(Author.query("a1").resolve(in: store.context) == nil)
        try store.redo(scope: "small")
        try store.redo(scope: "small")
        #expect(Author.query("a1").resolve(in: store.context)?.name == "edit 21")
    }

    @Test("From the first file that is read, a compaction keeps what is there")
    func keeps() throws {
        let store = try store()
        for number in 0..<200 { try edit(store, number) }
        let (log, _) = try log(of: store)
        do {
            let history = LogHistory(
                inTurnOf: log, forgotten: 0, recent: RecentTransactions())
            #expect(try history.with(50) { $0.id } == 50)
            try store.compact(retaining: .transactions(20))
            #expect(store.floor == 1 && history.floor == 1)
            #expect(try history.with(7) { $0.id } == 7)
            #expect(try numbers(history.another(), from: 7) == [7, 8, 9])
        }
        try store.compact(retaining: .transactions(20))
        #expect(store.floor > 100)
    }

    @Test("What has gone before a file is read is below the floor, in memory or not")
    func goes() throws {
        let store = try store()
        for number in 0..<200 { try edit(store, number) }
        let (log, recent) = try log(of: store)
        for memory in [recent, RecentTransactions()] {
            let history = LogHistory(inTurnOf: log, forgotten: 0, recent: memory)
            #expect(history.newest == 200)
            try store.compact(retaining: .transactions(20))
            let floor = store.floor
            #expect(floor > 100 && history.floor == floor)
            func refuses(_ body: () throws -> Void) {
                #expect {
                    try body()
                } throws: { error in
                    guard case StoreError.belowFloor(let id, let known) = error else {
                        return false
                    }
                    return id == 50 && known == floor
                }
            }
            #expect(recent.holds(50))
            refuses { try history.with(50) { _ in } }
            refuses { try history.forEach(of: [50]) { _ in } }
            refuses { _ = try numbers(history, from: 50) }
            refuses { _ = try numbers(history.another(), from: 50) }
            #expect(try history.with(190) { $0.id } == 190)
            #expect(try numbers(history, from: 190) == [190, 191, 192])
        }
    }

    @Test("Undo and redo beside compactions take back what they say, or say that it has gone")
    func besideCompactions() throws {
        let store = try store()
        try edit(store, 0)
        let isDone = Lock(false)
        let failures = Lock<[String]>([])
        let moves = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            do {
                if thread == 0 {
                    defer { isDone.withLock { $0 = true } }
                    for number in 1...300 {
                        let count = try takeBack(store, number, failures)
                        moves.withLock { $0 += count }
                    }
                } else {
                    while !isDone.withLock({ $0 }) {
                        try store.compact(retaining: .transactions(3))
                    }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(moves.withLock { $0 } > 0)
    }

    /// Edits, and takes that and what was before it back. Answers how often that was possible.
    private func takeBack(
        _ store: Store, _ number: Int, _ failures: Lock<[String]>
    ) throws -> Int {
        func name() -> String? { Author.query("a0").resolve(in: store.context)?.name }
        let names = (0..<3).map { "\(number).\($0)" }
        for name in names {
            try store.write { try Author(id: "a0", name: name).save(to: &$0) }
        }
        var moves = 0
        do {
            for expected in [names[1], names[0]] {
                try store.undo()
                moves += 1
                if name() != expected {
                    failures.withLock { $0.append("\(name() ?? "-"), not \(expected)") }
                }
            }
        } catch StoreError.nothingToUndo, StoreError.belowFloor {}
        return moves
    }
}
