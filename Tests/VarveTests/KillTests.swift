import Foundation
import Testing
import Varve
import VarveTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Killed processes", .serialized)
struct KillTests {
    /// What transaction `number` of the workload writes: ten books, one of which is new.
    static func apply(_ number: Int, to context: inout Context) throws {
        for offset in 0..<10 {
            let id = (number * 7 + offset) % (number + 10)
            try Book(
                id: id, title: "book \(id) by \(number)",
                text: String(repeating: "text \(number) ", count: 20 + offset),
                author: .relation(Author(id: "a\(id % 5)", name: "after \(number)"))
            ).save(to: &context)
        }
        if number % 4 == 3 { try Author.delete(id: "a\(number % 5)", from: &context) }
    }

    /// The books after each transaction: the reference that a reopened store is held against.
    static func model(_ transactions: UInt64) throws -> Context {
        var context = Context()
        for number in 0..<Int(transactions) { try apply(number, to: &context) }
        return context
    }

    private func content(_ context: Context) -> [String] {
        Author.query().with(\.$books).resolve(in: context).map { author in
            "\(author.name) \(author.books?.map { "\($0.id) \($0.title)" } ?? [])"
        } + Deleted<Author>.query().resolve(in: context).map(\.entity.name)
    }

    @Test(
        "After kill -9 at any moment a store holds a prefix of whole transactions, and none that was acknowledged is missing",
        arguments: 1...20 as ClosedRange<Int>)
    func killed(round: Int) async throws {
        let place = StoreTests.Place()
        try Store(at: place.url, Author.self).close()
        let acknowledged = place.url.appendingPathExtension("acknowledged")
        defer { try? FileManager.default.removeItem(at: acknowledged) }
        let path = place.url.path
        let isRelaxed = round.isMultiple(of: 3)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, round = round as Int, isRelaxed = isRelaxed as Bool] in
            var random = SeededGenerator(seed: UInt64(round))
            let delay = UInt32.random(in: 0..<60_000, using: &random)
            Thread.detachNewThread {
                usleep(delay)
                kill(getpid(), SIGKILL)
            }
            let store = try Store(
                at: URL(fileURLWithPath: path), durability: isRelaxed ? .none : .commit,
                Author.self)
            let log = open(path + ".acknowledged", O_CREAT | O_WRONLY | O_APPEND, 0o600)
            for number in 0..<100_000 {
                try store.write { try KillTests.apply(number, to: &$0) }
                _ = write(log, "x", 1)
            }
        }
        let acknowledgedCount = (try? Data(contentsOf: acknowledged).count) ?? 0
        let store = try Store(at: place.url, Author.self)
        let recovered = store.lastTransaction.rawValue
        #expect(recovered >= UInt64(acknowledgedCount), "round \(round): \(store.recovery)")
        #expect(recovered <= UInt64(acknowledgedCount) + 1, "round \(round)")
        #expect(content(store.context) == content(try Self.model(recovered)), "round \(round)")
        store.context.checkInvariants()
        try await store.write { try Author(id: "after", name: "the kill").save(to: &$0) }
    }
}
