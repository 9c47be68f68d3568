import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

@Suite("Readers that follow", .timeLimit(.minutes(5)))
struct FollowingTests {
    private let disk: SimulatedDisk

    init() { disk = SimulatedDisk() }

    private init(disk: SimulatedDisk) { self.disk = disk }

    private func open(
        _ mode: Store.Mode, in fileSystem: (any FileSystem)? = nil, segmentBytesMax: UInt64 = 4_096
    ) throws -> Store {
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(segmentBytesMax)
        return try Store(
            in: fileSystem ?? disk,
            environment: SimulatedEnvironment(seed: mode == .readWrite ? 1 : 2),
            configuration: configuration, mode: mode, durability: .none, types: [Author.self])
    }

    /// From where `await` is possible.
    private func adding(_ number: Int, to store: Store) throws { try add(number, to: store) }

    private func add(_ number: Int, to store: Store) throws {
        try store.write("Add \(number)") { context in
            try Author(
                id: "a\(number % 4)", name: "after \(number)",
                books: .appending(relation: [Book(id: number, title: "book \(number)")])
            ).save(to: &context)
            if number % 5 == 4 { try Book.delete(id: number - 2, from: &context) }
        }
    }

    @Test(
        "Row 46: after the writer's flush a refresh shows at least that, and never a part of a transaction"
    )
    func refreshing() throws {
        let writer = try open(.readWrite)
        let reader = try open(.readOnly)
        #expect(try reader.refresh().course == .unchanged)
        for number in 0..<40 {
            try add(number, to: writer)
            guard number % 3 == 0 else {
                _ = try reader.refresh()
                continue
            }
            try writer.flush()
            let refresh = try reader.refresh()
            #expect(refresh.course == .advanced)
            #expect(refresh.lastTransaction == writer.lastTransaction)
            #expect(refresh.promisedTransaction == writer.durableTransaction)
            #expect(difference(describe(writer.context), describe(reader.context)) == nil)
            #expect(try reader.refresh().course == .unchanged)
        }
        reader.context.checkInvariants()
        #expect(try writer.refresh().course == .unchanged, "it is up to date by itself")
        try add(40, to: writer)
        try writer.close()
        try reader.refresh()
        #expect(difference(describe(writer.context), describe(reader.context)) == nil)
    }

    @Test("A compaction's floor is that of a reader too, from its next refresh on")
    func floor() throws {
        let writer = try open(.readWrite)
        for number in 0..<20 { try add(number, to: writer) }
        try writer.flush()
        let reader = try open(.readOnly)
        #expect(reader.floor == writer.floor)
        try writer.compact(retaining: .transactions(3))
        #expect(writer.floor > reader.floor)
        try reader.refresh()
        #expect(reader.floor == writer.floor)
    }

    @Test("Unpromised transactions of a writer that is gone are shown, and marked")
    func unpromised() throws {
        do {
            let writer = try open(.readWrite)
            try add(1, to: writer)
            try writer.flush()
            try add(2, to: writer)
        }
        let reader = try open(.readOnly)
        #expect(reader.lastTransaction == 2)
        #expect(reader.durableTransaction == 1)
    }

    @Test("Rows 45 and 59: what a power cut took is called back, and the state is that of the log")
    func rewinding() throws {
        do {
            let writer = try open(.readWrite)
            try add(1, to: writer)
            try writer.flush()
            try add(2, to: writer)
        }
        let reader = try open(.readOnly)
        try reader.refresh()
        #expect(reader.lastTransaction == 2)
        disk.corrupt("segment-0000000001") { $0.removeLast(16) }
        do {
            let writer = try open(.readWrite)
            #expect(writer.lastTransaction == 1)
            try add(3, to: writer)
            try add(4, to: writer)
            try writer.close()
        }
        let refresh = try reader.refresh()
        #expect(refresh.course == .rewound(to: 1))
        #expect(refresh.lastTransaction == 3)
        #expect(Book.query().resolve(in: reader.context).map(\.id) == [1, 3, 4])
        #expect(try reader.refresh().course == .unchanged)
    }

    @Test("Row 45: a refresh that fails at any operation tells what happened the next time")
    func failingRefresh() throws {
        for operation in 0..<400 {
            let disk = SimulatedDisk()
            let faulty = FaultyFileSystem(disk)
            let law = FollowingTests(disk: disk)
            do {
                let writer = try law.open(.readWrite)
                try law.add(1, to: writer)
                try writer.flush()
                try law.add(2, to: writer)
                try law.add(3, to: writer)
            }
            let reader = try law.open(.readOnly, in: faulty)
            #expect(reader.lastTransaction == 3)
            // Following has begun.
            do {
                let writer = try law.open(.readWrite)
                try law.add(4, to: writer)
            }
            try reader.refresh()
            let segment = try #require(disk.image.files.keys.filter { $0.hasPrefix("seg") }.max())
            disk.corrupt(segment) { $0.removeLast(16) }
            let writer = try law.open(.readWrite)
            #expect(writer.lastTransaction == 3)
            try writer.flush()
            let before = faulty.operations
            faulty.setFault(.init(operation: before + operation, code: 5))
            var courses: [StoreRefresh.Course] = []
            var hasFailed = false
            do { courses.append(try reader.refresh().course) } catch { hasFailed = true }
            let wasTried = faulty.operations > before + operation
            faulty.setFault(nil)
            courses.append(try reader.refresh().course)
            courses.append(try reader.refresh().course)
            let expected: [StoreRefresh.Course] = [.rewound(to: 3), .unchanged, .unchanged]
            #expect(
                courses == (hasFailed ? Array(expected.dropLast()) : expected),
                "operation \(operation)")
            #expect(difference(describe(writer.context), describe(reader.context)) == nil)
            if !wasTried { return #expect(operation > 10) }
        }
        Issue.record("a refresh takes more operations than this test tries")
    }

    @Test("What is below the floor is told as missed, also where its segment is still there")
    func belowTheFloor() async throws {
        let writer = try open(.readWrite, segmentBytesMax: 64 << 20)
        for number in 0..<20 { try adding(number, to: writer) }
        let pin = try writer.pin(5)
        try writer.dropHistory()
        #expect(writer.floor == 5)
        #expect(try ScannedLog.scan(disk, mode: .readOnly).snapshot.firstSequence == LogSequence(1))
        let reader = try open(.readOnly)
        var feed = reader.transactions(after: 0, lookingEvery: .milliseconds(1)).makeAsyncIterator()
        #expect(try await feed.next() == .missed(through: 4))
        guard case .transaction(let first)? = try await feed.next() else {
            return #expect(Bool(false), "a transaction")
        }
        #expect(first.id == 5)
        withExtendedLifetime(pin) {}
    }

    @Test("What is forgotten is told as missed, not transaction by transaction")
    func forgotten() async throws {
        let writer = try open(.readWrite)
        for number in 0..<8 { try adding(number, to: writer) }
        let reader = try open(.readOnly)
        let last = try writer.forget(Author.self, id: "a1")
        try adding(9, to: writer)
        try writer.close()
        var feed = reader.transactions(after: 2, lookingEvery: .milliseconds(1)).makeAsyncIterator()
        #expect(try await feed.next() == .missed(through: last))
        guard case .transaction(let first)? = try await feed.next() else {
            return #expect(Bool(false), "a transaction")
        }
        #expect(first.id.rawValue == last.rawValue + 1)
    }

    @Test("A number behind every transaction is no trap")
    func numberOutOfRange() async throws {
        let writer = try open(.readWrite)
        try adding(0, to: writer)
        try writer.flush()
        let last = TransactionID(UInt64.max)
        var feed = writer.transactions(after: last).makeAsyncIterator()
        #expect(try await feed.next() == .rewound(to: 1))
    }

    @Test("A writer that compacts right behind the first look does not keep a reader out")
    func writerBehindTheLook() throws {
        let disk = SimulatedDisk()
        do {
            let writer = try CompactionTests.open(disk)
            for round in 0..<2 {
                try CompactionTests.fill(writer, (round * 10)..<(round * 10 + 10))
                try writer.compact()
            }
            try writer.close()
        }
        let hasWritten = Lock(false)
        let hooked = HookedFileSystem(disk) { operation, name, _ in
            guard operation == .open, name.hasPrefix("checkpoint"),
                hasWritten.withLock({ had in
                    defer { had = true }
                    return !had
                })
            else { return }
            do {
                let writer = try CompactionTests.open(disk, seed: 7)
                for round in 2..<4 {
                    try CompactionTests.fill(writer, (round * 10)..<(round * 10 + 10))
                    try writer.compact()
                }
                try writer.close()
            } catch {
                Issue.record("\(error)")
            }
        }
        let looks = Lock(0)
        let reader = try Store(
            in: hooked, environment: SimulatedEnvironment(seed: 8), mode: .readOnly,
            durability: .none,
            progress: { if $0.phase == .checkpoint { looks.withLock { $0 += 1 } } },
            types: [Author.self, Shelf.self])
        #expect(reader.lastTransaction == 40 && reader.recovery.checkpointProblems.isEmpty)
        #expect(looks.withLock { $0 } == 1, "progress went back")
    }

    @Test("A sequence tells each transaction once, in order, and the context shows it by then")
    func sequence() async throws {
        let writer = try open(.readWrite)
        for number in 0..<5 { try add(number, to: writer) }
        try writer.flush()
        let reader = try open(.readOnly)
        let following = Task {
            var ids: [UInt64] = []
            for try await event in reader.transactions(after: 2, lookingEvery: .milliseconds(1)) {
                guard case .transaction(let transaction) = event else {
                    Issue.record("\(event)")
                    continue
                }
                #expect(reader.lastTransaction >= transaction.id)
                #expect(transaction.label == "Add \(transaction.id.rawValue - 1)")
                ids.append(transaction.id.rawValue)
                if ids.count == 28 { break }
            }
            return ids
        }
        for number in 5..<30 {
            try add(number, to: writer)
            if number % 4 == 1 { try writer.flush() }
            await Task.yield()
        }
        try writer.close()
        #expect(try await following.value == Array(3...30))
    }

    @Test("A cancelled task ends its sequence")
    func cancellation() async throws {
        let writer = try open(.readWrite)
        try add(1, to: writer)
        let task = Task {
            var count = 0
            for try await _ in writer.transactions(after: 0, lookingEvery: .seconds(3_600)) {
                count += 1
            }
            return count
        }
        task.cancel()
        #expect(try await task.value <= 1)
    }
}
