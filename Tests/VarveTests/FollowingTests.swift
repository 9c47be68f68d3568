import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

@Suite("Readers that follow", .timeLimit(.minutes(2)))
struct FollowingTests {
    private let disk = SimulatedDisk()

    private func open(_ mode: Store.Mode, segmentBytesMax: UInt64 = 4_096) throws -> Store {
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(segmentBytesMax)
        return try Store(
            in: disk, environment: SimulatedEnvironment(seed: mode == .readWrite ? 1 : 2),
            configuration: configuration, mode: mode, durability: .none, types: [Author.self])
    }

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
