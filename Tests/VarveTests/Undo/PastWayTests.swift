import Testing
import Varve
import VarveLog
import VarveTestSupport

/// Which way a state of the past is reached: counted in events and rows, not in time.
@Suite("Ways to the past")
struct PastWayTests {
    /// A store in which imports of many entities lie between small edits, and what each state was.
    private struct Recording {
        var disk = SimulatedDisk()
        var store: Store
        var states: [String]
        /// About how many events each transaction has; the first entry is of none.
        var events: [UInt64] = [0]
        /// The transactions behind which checkpoints lie, and how many entities these hold.
        var checkpoints: [(behind: Int, rows: UInt64)] = []
        private var nextID = 0

        init() throws {
            store = try Self.open(disk)
            states = [describe(store.context)]
        }

        static func open(_ disk: SimulatedDisk, _ mode: Store.Mode = .readWrite) throws -> Store {
            try Store(
                in: disk, environment: SimulatedEnvironment(seed: 1), mode: mode,
                durability: .commit, retention: .everything, compactsAutomatically: false,
                types: [Author.self, Shelf.self])
        }

        mutating func write(_ count: Int, _ body: (inout Context) throws -> Void) throws {
            try store.write { try body(&$0) }
            states.append(describe(store.context))
            events.append(UInt64(count))
        }

        mutating func load(_ count: Int) throws {
            let ids = nextID..<(nextID + count)
            nextID += count
            try write(count) { context in
                for id in ids { try Author(id: "a\(id)", name: "n").save(to: &context) }
            }
        }

        mutating func edit(_ count: Int) throws {
            for number in 0..<count {
                let stamp = states.count
                try write(1) { try Author(id: "a\(number)", name: "edit \(stamp)").save(to: &$0) }
            }
        }

        mutating func compact() throws {
            try store.compact()
            checkpoints.append((states.count - 1, UInt64(store.context.count(Author.self))))
        }

        /// What is not worth opening a checkpoint for, and a little for the definitions of types.
        static let tolerance: UInt64 = 300

        /// The least work of all ways.
        func leastWork(to target: Int) -> UInt64 {
            func events(_ first: Int, _ last: Int) -> UInt64 {
                self.events[(first + 1)..<(last + 1)].reduce(0, +)
            }
            func work(from start: Int, _ rows: UInt64) -> UInt64 {
                start <= target
                    ? rows + 2 * events(start, target) : rows + 6 * events(target, start)
            }
            let ways =
                [work(from: states.count - 1, 0), work(from: 0, 0)]
                + checkpoints.suffix(2).map { work(from: $0.behind, $0.rows) }
            return (ways.min() ?? 0) + Self.tolerance
        }

        /// What opening the store takes.
        var openingWork: UInt64 {
            let newest = checkpoints.last ?? (behind: 0, rows: 0)
            return newest.rows + 2 * events[(newest.behind + 1)...].reduce(0, +)
                + Self.tolerance
        }
    }

    private func record() throws -> Recording {
        var result = try Recording()
        try result.load(300)
        try result.edit(6)
        try result.load(400)
        try result.compact()
        try result.edit(3)
        try result.load(500)
        try result.edit(2)
        try result.compact()
        try result.load(200)
        // A type that the log did not know before.
        try result.write(1) { try Shelf(id: "s", label: nil).save(to: &$0) }
        try result.edit(5)
        return result
    }

    @Test(
        "The way that takes the least work is taken, and none behind a checkpoint more than opening"
    )
    func leastWork() throws {
        let recording = try record()
        for number in recording.states.indices {
            let work = try recording.store.work(asOf: .transaction(TransactionID(UInt64(number))))
            #expect(work <= recording.leastWork(to: number), "\(number)")
            if number >= recording.checkpoints[1].behind {
                #expect(work <= recording.openingWork, "\(number)")
            }
        }
        #expect(try recording.store.work(asOf: .transaction(0)) == 0)
    }

    @Test("Every way leads to the same state, in a store that writes and in one that reads")
    func states() throws {
        let recording = try record()
        try recording.store.flush()
        for store in [recording.store, try Recording.open(recording.disk, .readOnly)] {
            for (number, state) in recording.states.enumerated() {
                let point = HistoryPoint.transaction(TransactionID(UInt64(number)))
                for route in [PastRoute.shorter, .forth, .back] {
                    let context = try store.context(asOf: point, route)
                    #expect(difference(state, describe(context)) == nil, "\(number), \(route)")
                    context.checkInvariants()
                }
            }
        }
    }

    @Test("Damage in the newest log leaves the states to which another way leads")
    func damagedNewestLog() throws {
        let recording = try record()
        let names = try recording.disk.list() ?? []
        let newest = try #require(names.filter { $0.hasPrefix("segment-") }.max())
        // All that lies behind the newest checkpoint, but what the writer added last.
        recording.disk.corrupt(newest) { bytes in
            for index in 128..<(bytes.count * 3 / 4) { bytes[index] ^= 1 }
        }
        for number in 0...recording.checkpoints[1].behind {
            let point = HistoryPoint.transaction(TransactionID(UInt64(number)))
            let context = try recording.store.context(asOf: point)
            #expect(difference(recording.states[number], describe(context)) == nil, "\(number)")
            context.checkInvariants()
            #expect(throws: StoreError.self) { try recording.store.context(asOf: point, .back) }
        }
    }

    @Test("A difference from the empty store takes no more than reading it, and names everything")
    func fromNothing() throws {
        let recording = try record()
        let store = recording.store
        let diff = try store.diff(from: .transaction(0), to: .transaction(store.lastTransaction))
        #expect(diff.changes.count == 1_401 && diff.changes.allSatisfy { $0.kind == .inserted })
        #expect(
            diff.changes[7].type == "Author" && diff.changes[7].fields.map(\.name).contains("name"))
        #expect(try diff.changes(of: Shelf.self).map(\.id) == ["s"])
        #expect(diff.before.count(Author.self) == 0)
        let back = try store.diff(from: .transaction(store.lastTransaction), to: .transaction(0))
        #expect(back.changes.count == 1_401 && back.changes.allSatisfy { $0.kind == .deleted })
        // From one checkpoint's side to the other's.
        let middle = try store.diff(from: .transaction(8), to: .transaction(12))
        #expect(middle.changes.count { $0.kind == .inserted } == 500)
        #expect(middle.changes.allSatisfy { $0.kind != .deleted })
    }
}
