import Synchronization
import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// A state whose pages are evicted reads what it would read if they stayed.
@Suite("Generations of pages")
struct PageGenerationTests {
    @Test(
        "Each generation reads what the state holds, whatever transactions follow",
        arguments: 1...15)
    func everyGeneration(seed: Int) throws {
        var history = StateHistory(seed: seed)
        try history.advance(30 + 3 * seed)
        let (bytes, _, _) = try history.state.image()
        history.move(to: try State.open(MemorySource(bytes)).state)
        // Some pages of the image are replaced, and their places may be used again.
        try history.advance(seed % 3 == 0 ? 0 : 20)
        history.reclaim()
        let expected = StateContent(history.state)
        var limited = history.state.limited(to: PageMemoryLimit(16 << 10), from: 0)
        for round in 0..<4 {
            let content = try limited.reading { StateContent(limited) }
            #expect(content == expected, "seed \(seed), round \(round)")
            #expect(limited.health?.damages == [])
            #expect(limited.isFull == (limited.loadedBytes > 8 << 10))
            limited = limited.inNextGeneration()
            #expect(limited.loadedBytes == 0)
            try history.advance(5)
        }
    }

    @Test("What is loaded stays near the limit, and what is read again and again is read once")
    func limit() throws {
        let limit = 512 << 10
        let image = try UserLog.state(count: 20_000).image()
        let source = MemorySource(image.bytes)
        let whole = try State.open(source).state
        #expect(whole.pageBytes > 3 * limit)
        #expect(!whole.isFull && whole.limited(to: PageMemoryLimit(1), from: .max).isFull == false)
        var state = whole.limited(to: PageMemoryLimit(limit), from: limit)
        var generator = SeededGenerator(seed: 7)
        #expect(try Self.age(of: 77, state) == 77)
        var evictionCount = 0
        for _ in 0..<3_000 {
            let number = generator.below(20_000)
            #expect(try Self.age(of: number, state) == number % 90)
            let before = source.ranges.count
            #expect(try Self.age(of: 77, state) == 77)
            #expect(source.ranges.count == before)
            // Half of the limit for each of two generations, and what one operation loads in addition.
            #expect(state.loadedBytes < limit / 2 + 16 * (32 << 10))
            if state.isFull {
                state = state.inNextGeneration()
                evictionCount += 1
            }
        }
        #expect(evictionCount > 10)
        #expect(whole.loadedBytes < limit)
    }

    @Test("A page that cannot be read is met as damage in each generation, and can be read later")
    func damage() throws {
        let source = MemorySource(try UserLog.state(count: 2_000).image().bytes)
        var state = try State.open(source).state.limited(to: PageMemoryLimit(0), from: 0)
        source.setFault { _ in .failure }
        for _ in 0..<3 {
            #expect(throws: StateReadError<Never>.self) { try Self.age(of: 5, state) }
            state = state.inNextGeneration()
        }
        source.setFault(nil)
        #expect(try Self.age(of: 5, state) == 5)
    }

    @Test("Threads read a state while one generation after the other takes its place")
    func threads() async throws {
        let image = try UserLog.state(count: 4_000).image()
        let whole = try State.open(MemorySource(image.bytes)).state
        let current = Current(whole.limited(to: PageMemoryLimit(64 << 10), from: 0))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(task))
                    var isRight = true
                    for _ in 0..<400 {
                        let state = current.state.withLock { $0 }
                        let number = generator.below(4_000)
                        isRight = try Self.age(of: number, state) == number % 90 && isRight
                        current.state.withLock { if $0.isFull { $0 = $0.inNextGeneration() } }
                    }
                    return isRight
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    private final class Current: Sendable {
        let state: Mutex<State>
        init(_ state: State) { self.state = Mutex(state) }
    }

    static func age(of number: Int, _ state: State) throws -> Int {
        try state.reading {
            UserLog.id(number).withUnsafeBytes { id in
                state.entry(of: UserLog.type, id: id).map { UserLog.age(in: $0.row) } ?? -1
            }
        }
    }
}
