import CVarve
import Synchronization

/// The memory of an image's chunks: addresses from the first touch on, and real memory block by block.
///
/// With it, one bit for each unit says whether a page begins there that another page names.
// Sendable unchecked: entries are atomic, and memory belongs to whom the loader gives it.
final class ChunkMemory: @unchecked Sendable {
    private struct Entry: ~Copyable {
        let byteCount: Int
        let unitCount: Int
        /// Of the chunk's blocks, those that are not here.
        let missing: Atomic<Int>
        let address = Atomic<UInt>(0)
        let mapping = Mutex<Void>(())

        init(byteCount: Int, unitCount: Int, blockCount: Int) {
            self.byteCount = byteCount
            self.unitCount = unitCount
            missing = Atomic(blockCount)
        }

        var markBytes: Int { (unitCount + 63) / 64 * 8 }
    }

    private let entries: UnsafeMutablePointer<Entry>
    private let count: Int

    init(_ directory: BlockDirectory) {
        count = directory.chunks.count
        entries = .allocate(capacity: count)
        var blockCounts = [Int](repeating: 0, count: count)
        for block in directory.blocks {
            guard let chunk = directory.chunkPosition(block.run.first.chunk) else { continue }
            blockCounts[chunk] += 1
        }
        for (position, chunk) in directory.chunks.enumerated() {
            let unitCount = chunk.spanCount << PageSpan.unitBits
            (entries + position).initialize(
                to: Entry(
                    byteCount: directory.byteCount(ofChunk: position), unitCount: unitCount,
                    blockCount: blockCounts[position]))
        }
    }

    deinit {
        for position in 0..<count {
            let address = entries[position].address.load(ordering: .acquiring)
            guard let memory = UnsafeMutableRawPointer(bitPattern: address) else { continue }
            varve_unmap_memory(
                memory, entries[position].byteCount + entries[position].markBytes)
        }
        entries.deinitialize(count: count).deallocate()
    }

    /// Nil where there are no addresses left.
    func memory(_ position: Int) -> UnsafeMutableRawPointer? {
        let address = entries[position].address.load(ordering: .acquiring)
        return UnsafeMutableRawPointer(bitPattern: address) ?? map(position)
    }

    private func map(_ position: Int) -> UnsafeMutableRawPointer? {
        let address = entries[position].mapping.withLock { _ -> UInt in
            let known = entries[position].address.load(ordering: .acquiring)
            if known != 0 { return known }
            let byteCount = entries[position].byteCount + entries[position].markBytes
            guard let memory = varve_map_memory(byteCount) else { return 0 }
            entries[position].address.store(UInt(bitPattern: memory), ordering: .releasing)
            return UInt(bitPattern: memory)
        }
        return UnsafeMutableRawPointer(bitPattern: address)
    }

    /// Takes in that one more block is here; true for the last.
    func isComplete(with position: Int) -> Bool {
        entries[position].missing.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
            == 0
    }

    /// Marks a unit. False where it was marked, or no memory can be had.
    func mark(_ unit: Int, ofChunk position: Int) -> Bool {
        guard let memory = memory(position) else { return false }
        let words = (memory + entries[position].byteCount)
            .assumingMemoryBound(to: Atomic<UInt64>.self)
        let bit: UInt64 = 1 << UInt64(unit & 63)
        return words[unit >> 6].bitwiseOr(bit, ordering: .relaxed).oldValue & bit == 0
    }
}
