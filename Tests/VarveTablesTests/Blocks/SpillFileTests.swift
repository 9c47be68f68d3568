import Foundation
import Synchronization
import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Pages beyond the memory that they may take are in a file.
@Suite("Spilled pages")
struct SpillFileTests {
    /// Opens files without a name, and counts them.
    private final class Files: Sendable {
        private let count = Mutex(0)

        var openedCount: Int { count.withLock { $0 } }

        func open() -> Int32? {
            count.withLock { $0 += 1 }
            return UnnamedFile.open()
        }
    }

    private static func memory(above byteCount: Int = 0, in files: Files) -> ReplayMemory {
        ReplayMemory(unchangedBytesMax: 0, changedBytesMax: byteCount) { files.open() }
    }

    @Test("A state with spilled pages is equal to one without", arguments: 1...8)
    func histories(seed: Int) throws {
        let files = Files()
        var kept = StateHistory(seed: seed)
        var spilled = StateHistory(seed: seed)
        spilled.move(to: State(memory: Self.memory(in: files)))
        try kept.advance(20 + 2 * seed)
        try spilled.advance(20 + 2 * seed)
        #expect(spilled.state.store.spilledBytes > 0)
        let former = StateContent(kept.state)
        let snapshot = spilled.state
        // Behind an image as well, whose places are used again.
        let (bytes, _, _) = try spilled.state.image()
        spilled.move(to: try State.open(MemorySource(bytes), memory: Self.memory(in: files)).state)
        for round in 0..<20 {
            try kept.advance(1)
            try spilled.advance(1)
            if round % 3 == seed % 3 { spilled.reclaim() }
            spilled.state.store.evictBlocks()
            spilled.state.store.pageOut()
            guard round % 4 == 0 else { continue }
            #expect(
                StateContent(spilled.state) == StateContent(kept.state),
                "seed \(seed), round \(round)")
        }
        #expect(StateContent(snapshot) == former)
        // The second one is needed where the image has no free places.
        #expect((1...2).contains(files.openedCount))
        let image = try spilled.state.image().bytes
        #expect(try State.open(MemorySource(image)).state.digest() == kept.digest())
    }

    @Test("The first pages stay in memory, and need no file")
    func small() throws {
        let files = Files()
        var history = StateHistory(seed: 3)
        history.move(to: State(memory: Self.memory(above: 64 << 20, in: files)))
        try history.advance(40)
        #expect(files.openedCount == 0 && history.state.store.spilledBytes == 0)
    }

    @Test(
        "Without a file, and without space in it, pages stay in memory",
        arguments: [nil, "/dev/null"])
    func noSpace(path: String?) throws {
        let memory = ReplayMemory(unchangedBytesMax: 0, changedBytesMax: 0) {
            path.map { Foundation.open($0, O_RDWR) }
        }
        var history = StateHistory(seed: 4)
        history.move(to: State(memory: memory))
        try history.advance(40)
        #expect(history.state.store.spilledBytes == 0)
        #expect(try history.state.digest() == history.digest())
    }

    @Test("The place of a large row is released with it")
    func largeRows() {
        let store = PageStore(memory: Self.memory(in: Files()))
        let transaction = PageTransaction(store, base: nil)
        let (small, _) = transaction.allocate(PageKind(.rowLeaf), 1_024)
        let before = store.spilledBytes
        let (large, page) = transaction.allocate(PageKind(.largeContent), 3 << 20)
        page.clear()
        #expect(store.spilledBytes >= before + 3 << 20)
        transaction.release(large)
        #expect(store.spilledBytes == before)
        transaction.release(small)
        transaction.rollBack()
    }

    @Test("What is paged out is read as it was, and can be changed")
    func pagedOut() throws {
        var file = SpillFile(try #require(Files().open()))
        let (mappedFirst, mappedSecond) = (file.map(10_000), file.map(5_000_000))
        let (first, second) = (try #require(mappedFirst), try #require(mappedSecond))
        #expect(first.load(as: UInt64.self) == 0)
        for offset in stride(from: 0, to: 4_999_000, by: 4_000) {
            second.storeBytes(of: UInt64(offset), toByteOffset: offset, as: UInt64.self)
        }
        file.pageOut()
        first.storeBytes(of: 7, as: UInt64.self)
        for offset in stride(from: 0, to: 4_999_000, by: 4_000) {
            #expect(second.load(fromByteOffset: offset, as: UInt64.self) == UInt64(offset))
        }
        file.pageOut()
        #expect(first.load(as: UInt64.self) == 7)
        let wasMapped = file.unmap(first)
        let isMapped = file.holds(first)
        #expect(wasMapped && !isMapped)
        let mappedThird = file.map(20_000)
        let third = try #require(mappedThird)
        #expect(third.load(as: UInt64.self) == 0)
        #expect(second.load(fromByteOffset: 4_000, as: UInt64.self) == 4_000)
    }
}
