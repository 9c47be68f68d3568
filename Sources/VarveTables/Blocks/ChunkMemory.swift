import CVarve
import Synchronization

/// The memory of an image's chunks: addresses from the first touch on, and real memory where it was touched. Where blocks are
/// evicted, they are in ``BlockBuffers``, and only pages that lie in no block are here.
///
/// With it, one bit for each unit says whether a page begins there that another page names.
// Sendable unchecked: entries are atomic, and memory belongs to the block or the page that lies there.
final class ChunkMemory: @unchecked Sendable {
    private struct Entry: ~Copyable {
        let byteCount: Int
        /// Of the marks, where those of the chunk begin: a word for 64 units.
        let firstWord: Int
        let address = Atomic<UInt>(0)
        let mapping = Mutex<Void>(())

        init(byteCount: Int, firstWord: Int) {
            self.byteCount = byteCount
            self.firstWord = firstWord
        }
    }

    private let entries: UnsafeMutablePointer<Entry>
    private let count: Int
    /// Those of all chunks, side by side: what one page names is anywhere, and memory of one chunk more takes addresses of
    /// its own and a page of the system's tables.
    private let marks: UnsafeMutablePointer<Atomic<UInt64>>?
    private let markCount: Int
    private static let wordBytes = MemoryLayout<UInt64>.size

    init(_ directory: BlockDirectory) {
        count = directory.chunks.count
        entries = .allocate(capacity: count)
        var firstWord = 0
        for (position, chunk) in directory.chunks.enumerated() {
            (entries + position).initialize(
                to: Entry(byteCount: chunk.memoryBytes, firstWord: firstWord))
            firstWord += (chunk.spanCount << PageSpan.unitBits + 63) / 64
        }
        markCount = firstWord
        marks = varve_map_memory(max(firstWord, 1) * Self.wordBytes)?
            .assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    deinit {
        for position in 0..<count {
            let address = entries[position].address.load(ordering: .acquiring)
            guard let memory = UnsafeMutableRawPointer(bitPattern: address) else { continue }
            varve_unmap_memory(memory, entries[position].byteCount)
        }
        entries.deinitialize(count: count).deallocate()
        if let marks { varve_unmap_memory(marks, max(markCount, 1) * Self.wordBytes) }
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
            guard let memory = varve_map_memory(entries[position].byteCount) else { return 0 }
            entries[position].address.store(UInt(bitPattern: memory), ordering: .releasing)
            return UInt(bitPattern: memory)
        }
        return UnsafeMutableRawPointer(bitPattern: address)
    }

    /// Marks a unit. False where it was marked, or no memory can be had.
    func mark(_ unit: Int, ofChunk position: Int) -> Bool {
        guard let marks else { return false }
        let word = marks + entries[position].firstWord + unit >> 6
        let bit: UInt64 = 1 << UInt64(unit & 63)
        return word.pointee.bitwiseOr(bit, ordering: .relaxed).oldValue & bit == 0
    }
}
