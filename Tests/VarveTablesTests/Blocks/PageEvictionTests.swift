import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// A state of one thread, whose unchanged pages are evicted between its transactions, as that of a compaction.
@Suite("Eviction of pages")
struct PageEvictionTests {
    /// A history that goes on behind a state opened from an image of it.
    private struct OpenedHistory: ~Copyable {
        var history: StateHistory
        let image: StoredImage

        /// - Parameter memory: nil for no limit: nothing is evicted then, and places of pages that were replaced are used again.
        init(seed: Int, memory: ReplayMemory? = nil) throws {
            history = StateHistory(seed: seed)
            try history.advance(30 + 3 * seed)
            let (bytes, _, _) = try history.state.image()
            let opened = try State.open(MemorySource(bytes), memory: memory)
            history.move(to: opened.state)
            image = opened.image
        }
    }

    @Test("Evicted pages are read again, whatever was changed before and behind", arguments: 1...20)
    func transactions(seed: Int) throws {
        var kept = try OpenedHistory(seed: seed)
        // In one of five all of the image fits, and nothing is evicted.
        let memory = PageGenerationTests.memory(seed % 5 == 0 ? .max : 0)
        var evicted = try OpenedHistory(seed: seed, memory: memory)
        for round in 0..<40 {
            try kept.history.advance(1)
            try evicted.history.advance(1)
            if round % 5 == seed % 5 {
                kept.history.reclaim()
                evicted.history.reclaim()
            }
            evicted.history.state.store.evictBlocks(above: 0)
            guard round % 4 == 0 else { continue }
            #expect(
                StateContent(evicted.history.state) == StateContent(kept.history.state),
                "seed \(seed), round \(round)")
        }
        #expect(evicted.history.state.health?.damages == [])
        evicted.history.state.store.evictBlocks(above: 0)
        let image = try evicted.history.state.image(on: evicted.image)
        let reopened = try State.open(MemorySource(image.bytes)).state
        #expect(StateContent(reopened) == StateContent(kept.history.state), "seed \(seed)")
        #expect(try reopened.digest() == kept.history.state.digest(), "seed \(seed)")
    }

    @Test("Pages are evicted while a transaction is open, which keeps its own", arguments: 1...10)
    func insideTransaction(seed: Int) throws {
        var kept = try OpenedHistory(seed: seed)
        var evicted = try OpenedHistory(seed: seed, memory: PageGenerationTests.memory())
        var log: [[UInt8]] = []
        for _ in 0..<30 { log.append(try evicted.history.next()) }
        func apply(_ state: State, evicting: Bool) throws -> State {
            try state.changed { transaction in
                for bytes in log {
                    try bytes.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
                    if evicting { transaction.transaction.store.evictBlocks(above: 0) }
                }
            }
        }
        kept.history.move(to: try apply(kept.history.state, evicting: false))
        evicted.history.move(to: try apply(evicted.history.state, evicting: true))
        #expect(evicted.history.state.loadedBytes < kept.history.state.loadedBytes)
        // The departed pages are noted without reading them again.
        let image = try evicted.history.state.image(on: evicted.image)
        let reopened = try State.open(MemorySource(image.bytes)).state
        #expect(StateContent(reopened) == StateContent(kept.history.state), "seed \(seed)")
    }

    @Test("What is loaded stays near the limit, and the blocks are read again from the image")
    func limit() throws {
        let limit = 256 << 10
        let source = MemorySource(try UserLog.state(count: 20_000).image().bytes)
        let state = try State.open(source, memory: PageGenerationTests.memory()).state
        #expect(state.pageBytes > 6 * limit)
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let number = generator.below(20_000)
            #expect(try PageGenerationTests.age(of: number, state) == number % 90)
            state.store.evictBlocks(above: limit)
            #expect(state.loadedBytes <= limit)
        }
        state.store.evictBlocks(above: 0)
        #expect(state.loadedBytes == 0)
        let before = source.ranges.count
        #expect(try PageGenerationTests.age(of: 77, state) == 77)
        #expect(source.ranges.count > before)
        #expect(state.health?.damages == [])
    }

    @Test("Pages that were replaced keep none of their blocks in memory")
    func replacedPages() throws {
        let limit = 64 << 10
        let memory = ReplayMemory(unchangedBytesMax: limit, changedBytesMax: .max) { nil }
        let source = MemorySource(try UserLog.state(count: 20_000).image().bytes)
        var state = try State.open(source, memory: memory).state
        var reference = try UserLog.state(count: 20_000)
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<300 {
            let number = generator.below(20_000)
            // Beginning the next transaction frees what the last one has replaced.
            state = try UserLog.update(number..<number + 1, of: state)
            state.store.evictBlocks()
            #expect(state.loadedBytes <= limit)
            reference = try UserLog.update(number..<number + 1, of: reference)
        }
        #expect(try state.digest() == reference.digest())
    }

    @Test("An index is dropped without reading its leaves")
    func droppedIndex() throws {
        let byName = IndexDeclaration([.init(FieldNumber(1))])
        let indexed = try UserLog.state(count: 20_000).changed { transaction in
            _ = try transaction.declareIndex(of: UserLog.type, byName)
        }
        let source = MemorySource(try indexed.image().bytes)
        let state = try State.open(source).state
        let before = source.ranges.count
        let dropped = state.changed { $0.dropIndex(of: UserLog.type, byName) }
        #expect(dropped.declaredIndexes(of: UserLog.type).isEmpty)
        // Those of inner nodes, of rows and of their definitions; leaves of the index are in 20 more.
        #expect(source.ranges.count - before < 8)
    }

    @Test(
        "Blocks are smaller where not all of the image fits into memory, and blocks of ids are always small",
        arguments: [(0, 16 << 10), (Int.max, 32 << 10)])
    func blockBytes(unchangedBytesMax: Int, rowBlockBytes: Int) throws {
        let first = try UserLog.state(count: 20_000).image()
        let memory = PageGenerationTests.memory(unchangedBytesMax)
        let opened = try State.open(MemorySource(first.bytes), memory: memory)
        let state = try UserLog.update(0..<20_000, of: opened.state)
        let next = try state.image(on: opened.image)
        let blocks = try ImageRoot.read(from: MemorySource(next.bytes)).directory.allBlocks()
        func longest(_ kind: PageKind) -> Int {
            blocks.filter { $0.run.kind == kind }.map(\.run.spanCount).max() ?? 0
        }
        #expect(longest(PageKind(.rowLeaf)) * PageSpan.bytes == rowBlockBytes)
        #expect(longest(PageKind(.idBucket)) * PageSpan.bytes == 8 << 10)
    }
}
