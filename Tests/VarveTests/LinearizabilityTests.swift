import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

/// Many threads and tasks count in one row. Whatever happens, the store must look like one that
/// does one thing after the other, each between its call and its return.
@Suite("Concurrent writers and readers", .timeLimit(.minutes(5)))
struct LinearizabilityTests {
    private struct Observation {
        let began: UInt64
        let ended: UInt64
        /// The counter that the write left, or that the read saw.
        let value: Int
        let isWrite: Bool
    }

    /// A clock that only says what came before what.
    private final class Order: Sendable {
        private let next = Lock<UInt64>(0)

        func tick() -> UInt64 {
            next.withLock { next in
                next += 1
                return next
            }
        }
    }

    private static func increment(_ context: inout Context) throws -> Int {
        let value = (Note.query(1).resolve(in: context).flatMap { Int($0.text) } ?? 0) + 1
        try Note(id: 1, text: "\(value)").save(to: &context)
        return value
    }

    private static func read(_ store: Store) -> Int {
        Note.query(1).resolve(in: store.context).flatMap { Int($0.text) } ?? 0
    }

    private static func options(_ random: inout SeededGenerator) -> WriteOptions {
        WriteOptions(
            durability: [nil, .commit, Durability.none, .interval(.microseconds(300))]
                .randomElement(using: &random) ?? nil)
    }

    @Test(
        "Every write is seen by whatever begins after its end, once and in one order",
        arguments: [Durability.commit, .none, .interval(.microseconds(500))])
    func history(durability: Durability) async throws {
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(8_192)
        let disk = SimulatedDisk()
        let store = try Store(
            in: disk, environment: SimulatedEnvironment(), configuration: configuration,
            mode: .readWrite, durability: durability, types: [Note.self])
        let observations = Lock<[Observation]>([])
        let order = Order()
        // Signalled behind each write, one for each reader.
        let readers = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        let note = { @Sendable (began: UInt64, value: Int, isWrite: Bool) in
            let observation = Observation(
                began: began, ended: order.tick(), value: value, isWrite: isWrite)
            observations.withLock { $0.append(observation) }
            if isWrite { for written in readers { written.signal() } }
        }
        let group = DispatchGroup()
        for thread in 0..<4 {
            group.enter()
            Thread.detachNewThread {
                var random = SeededGenerator(seed: UInt64(thread))
                for _ in 0..<60 {
                    let began = order.tick()
                    let options = Self.options(&random)
                    let value = (try? store.write(options: options, Self.increment)) ?? -1
                    note(began, value, true)
                    let isStrict = durability == .commit || options.durability == .commit
                    // One transaction for each increment.
                    if isStrict { #expect(store.durableTransaction.rawValue >= UInt64(value)) }
                    #expect(Self.read(store) >= value)
                }
                group.leave()
            }
        }
        for written in readers {
            group.enter()
            Thread.detachNewThread {
                var last = 0
                for _ in 0..<480 {
                    // Without a rest they would take the processors from the writers, and from other tests.
                    written.wait()
                    for _ in 0..<20 {
                        let began = order.tick()
                        let value = Self.read(store)
                        #expect(value >= last, "what is shown went backwards")
                        if value != last { note(began, value, false) }
                        last = value
                    }
                }
                group.leave()
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for task in 0..<8 {
                tasks.addTask {
                    var random = SeededGenerator(seed: UInt64(100 + task))
                    for _ in 0..<30 {
                        let began = order.tick()
                        let options = Self.options(&random)
                        let value = try await store.write(options: options, Self.increment)
                        note(began, value, true)
                        #expect(Self.read(store) >= value)
                    }
                }
            }
            try await tasks.waitForAll()
        }
        await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
        check(observations.withLock { $0 })
        try store.close()
        let again = try Store(
            in: disk, environment: SimulatedEnvironment(seed: 2), configuration: configuration,
            mode: .readWrite, durability: .commit, types: [Note.self])
        #expect(Self.read(again) == 480)
        #expect(again.lastTransaction == 480)
    }

    private func check(_ observations: [Observation]) {
        let writes = observations.filter(\.isWrite).sorted { $0.value < $1.value }
        #expect(writes.map(\.value) == Array(1...480))
        // Nobody who began after a write's end may have seen less.
        var newestEnded = 0
        let events =
            observations.map { (time: $0.ended, ended: true, $0) }
            + observations.map { (time: $0.began, ended: false, $0) }
        var floor: [UInt64: Int] = [:]
        for (_, ended, observation) in events.sorted(by: { $0.time < $1.time }) {
            if ended {
                newestEnded = max(newestEnded, observation.value)
                let least = floor[observation.began] ?? 0
                let isLate =
                    observation.isWrite ? observation.value > least : observation.value >= least
                #expect(isLate, "\(observation) began after \(least) was there")
            } else {
                floor[observation.began] = newestEnded
            }
        }
    }
}
