import Synchronization
import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// A state whose pages are evicted reads what it would read if they stayed.
@Suite("Generations of pages")
struct PageGenerationTests {
    /// Of a store's own loader, which reads little here.
    static func memory(_ byteCount: Int = 0) -> ReplayMemory {
        ReplayMemory(unchangedBytesMax: byteCount, changedBytesMax: .max) { nil }
    }

    @Test(
        "Each generation reads what the state holds, whatever transactions follow",
        arguments: 1...15)
    func everyGeneration(seed: Int) throws {
        var history = StateHistory(seed: seed)
        try history.advance(30 + 3 * seed)
        let (bytes, _, _) = try history.state.image()
        history.move(to: try State.open(MemorySource(bytes), memory: Self.memory()).state)
        // Some pages of the image are replaced.
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

    @Test("What is loaded stays near the limit, and what is read again and again is rarely evicted")
    func limit() throws {
        let limit = 512 << 10
        let image = try UserLog.state(count: 20_000).image()
        let source = MemorySource(image.bytes)
        let whole = try State.open(source, memory: Self.memory()).state
        #expect(whole.pageBytes > 3 * limit)
        #expect(!whole.isFull && whole.limited(to: PageMemoryLimit(1), from: .max).isFull == false)
        var state = whole.limited(to: PageMemoryLimit(limit), from: limit)
        var generator = SeededGenerator(seed: 7)
        #expect(try Self.age(of: 77, state) == 77)
        var (evictionCount, rereadCount) = (0, 0)
        for _ in 0..<3_000 {
            let number = generator.below(20_000)
            #expect(try Self.age(of: number, state) == number % 90)
            let before = source.ranges.count
            #expect(try Self.age(of: 77, state) == 77)
            rereadCount += source.ranges.count - before
            // Half of the limit for a generation, idle blocks up to all of it, and what one operation loads in addition.
            #expect(state.loadedBytes < limit / 2 + 16 * (32 << 10))
            #expect(try #require(state.cachedPages).byteCount < limit + 16 * (32 << 10))
            if state.isFull {
                state = state.inNextGeneration()
                evictionCount += 1
            }
        }
        #expect(evictionCount > 10)
        // The hand may be there just behind the beginning of a generation.
        #expect(rereadCount < evictionCount / 10)
        #expect(whole.loadedBytes < limit)
    }

    @Test("What fits the limit is read once, through any number of generations and transactions")
    func sharing() throws {
        let source = MemorySource(try UserLog.state(count: 5_000).image().bytes)
        var whole = try State.open(source, memory: Self.memory()).state
        let limit = PageMemoryLimit(2 * whole.pageBytes)
        var state = whole.limited(to: limit, from: 0)
        var ages = (0..<5_000).map { $0 % 90 }
        func readAll() throws {
            for number in stride(from: 0, to: 5_000, by: 7) {
                #expect(try Self.age(of: number, state) == ages[number])
            }
        }
        try readAll()
        let count = source.ranges.count
        for number in stride(from: 0, to: 21, by: 7) {
            state = state.inNextGeneration()
            #expect(state.loadedBytes == 0)
            try readAll()
            // The transaction reads what the generation has read, and the next generation what both have.
            whole = try UserLog.update(number..<number + 1, of: whole)
            ages[number] = 101
            whole.store.evictBlocks(above: 0)
            #expect(whole.loadedBytes == 0)
            state = whole.limited(to: limit, from: 0)
            #expect(state.cachedPages == whole.cachedPages)
        }
        // A row's definition and its lists may be in blocks of their own.
        #expect(source.ranges.count <= count + 2)
    }

    @Test("A page that cannot be read is met as damage in each generation, and can be read later")
    func damage() throws {
        let source = MemorySource(try UserLog.state(count: 2_000).image().bytes)
        let opened = try State.open(source, memory: Self.memory()).state
        var state = opened.limited(to: PageMemoryLimit(0), from: 0)
        source.setFault { _ in .failure }
        let loader = try #require(opened.store.cold?.loader as? ImageLoader)
        let buffers = try #require(loader.cache.buffers)
        for _ in 0..<3_000 {
            #expect(throws: StateReadError<Never>.self) { try Self.age(of: 5, state) }
            state = state.inNextGeneration()
        }
        // A block that cannot be read keeps no buffer: they would be 3,000 of 4 KiB.
        #expect(buffers.mappedBytes <= 8 << 20)
        source.setFault(nil)
        #expect(try Self.age(of: 5, state) == 5)
    }

    @Test("Threads read a state while generations end, and transactions drop what they read")
    func threads() async throws {
        let image = try UserLog.state(count: 4_000).image()
        let whole = try State.open(MemorySource(image.bytes), memory: Self.memory(64 << 10)).state
        let limit = PageMemoryLimit(64 << 10)
        let current = Current(whole.limited(to: limit, from: 0))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(task))
                    var isRight = true
                    for _ in 0..<400 {
                        let state = current.state.withLock { $0 }
                        let number = generator.below(4_000)
                        let age = try Self.age(of: number, state)
                        isRight = isRight && (age == number % 90 || age == 101)
                        current.state.withLock { if $0.isFull { $0 = $0.inNextGeneration() } }
                    }
                    return isRight
                }
            }
            group.addTask {
                var (state, generator) = (whole, SeededGenerator(seed: 9))
                for _ in 0..<60 {
                    let number = generator.below(4_000)
                    state = try UserLog.update(number..<number + 1, of: state)
                    state.store.evictBlocks()
                    let next = state.limited(to: limit, from: 0)
                    current.state.withLock { $0 = next }
                }
                return true
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    @Test("Idle blocks take what generations may, and less behind the last one")
    func idleBlocks() throws {
        let (own, shared) = (256 << 10, 768 << 10)
        let source = MemorySource(try UserLog.state(count: 20_000).image().bytes)
        let whole = try State.open(source, memory: Self.memory(own)).state
        #expect(whole.pageBytes > 2 * shared)
        let bytes = { whole.cachedPages?.byteCount ?? 0 }
        try Self.readSome(of: whole.limited(to: PageMemoryLimit(shared), from: 0)) {
            #expect(bytes() <= shared + 16 * (32 << 10))
        }
        #expect(bytes() <= own)
        try Self.readSome(of: whole.limited(to: PageMemoryLimit(shared), from: 0)) {}
        #expect(bytes() <= own)
    }

    @Test("Blocks that no state has any more are not read again, as far as they fit into memory")
    func droppedBlocks() throws {
        let source = MemorySource(try UserLog.state(count: 20_000).image().bytes)
        let whole = try State.open(source, memory: Self.memory(1 << 20)).state
        #expect(whole.pageBytes > 1 << 20)
        func readTen() throws {
            for number in 0..<10 {
                #expect(try Self.age(of: number * 1_800, whole) == number * 1_800 % 90)
            }
        }
        try readTen()
        let count = source.ranges.count
        whole.store.evictBlocks(above: 0)
        #expect(whole.loadedBytes == 0)
        try readTen()
        #expect(source.ranges.count == count)
    }

    @Test(
        "An image that fits into memory is not limited, and reads of what is loaded need no loader")
    func fittingImage() throws {
        let source = MemorySource(try UserLog.state(count: 2_000).image().bytes)
        let pageBytes = try State.open(source).state.pageBytes
        for (bytesMax, fits) in [(pageBytes, false), (pageBytes + 1, true)] {
            let opened = try State.open(source, memory: Self.memory(bytesMax)).state
            let limited = opened.limited(to: PageMemoryLimit(bytesMax), from: bytesMax)
            #expect((limited.store === opened.store) == fits)
            #expect(try Self.age(of: 5, limited) == 5)
            let content = try limited.reading { StateContent(limited) }
            #expect(content == StateContent(opened))
            let isHere = opened.pages.chunk(1) != nil
            #expect(isHere == fits)
        }
    }

    /// Reads users at random, through one generation behind the other.
    private static func readSome(of first: State, _ body: () -> Void) throws {
        var (state, generator) = (first, SeededGenerator(seed: 3))
        for _ in 0..<1_000 {
            let number = generator.below(20_000)
            #expect(try age(of: number, state) == number % 90)
            if state.isFull { state = state.inNextGeneration() }
            body()
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
