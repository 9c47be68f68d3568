/// Buffers for a scan of an image's blocks: each block is read into a buffer, which later blocks reuse. So a scan needs no
/// memory for all blocks.
///
/// There are several buffers, because the pages of two neighbouring blocks may be read in turns.
final class ScanBuffers {
    private struct Place {
        /// Nil for none.
        var block: Int?
        var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        var lastUse = 0
    }

    private static let countMax = 4

    private var places: [Place] = []
    /// How often a buffered page was read.
    private(set) var useCount = 0
    /// The blocks that were read. A block that is read again is loaded: then the rows are not in the order of the blocks.
    private var scanned: Set<Int> = []

    deinit { for place in places { place.memory.deallocate() } }

    /// The buffer of a block, if it still has one.
    func memory(of block: Int) -> UnsafeMutableRawPointer? {
        for position in places.indices where places[position].block == block {
            useCount += 1
            places[position].lastUse = useCount
            return places[position].memory.baseAddress
        }
        return nil
    }

    /// Lets `read` fill a buffer with a block, and returns it. Nil if the block was read before, or if `read` fails.
    func memory(
        of block: Int, byteCount: Int, read: (UnsafeMutableRawPointer) -> Bool
    ) -> UnsafeMutableRawPointer? {
        guard scanned.insert(block).inserted else { return nil }
        let position = freePlace()
        places[position].block = nil
        if places[position].memory.count < byteCount {
            places[position].memory.deallocate()
            places[position].memory = .allocate(byteCount: byteCount, alignment: 64)
        }
        guard let start = places[position].memory.baseAddress, read(start) else { return nil }
        useCount += 1
        places[position].block = block
        places[position].lastUse = useCount
        return start
    }

    /// Whether the next block may replace one that was used after `useCount`.
    func replacesNext(usedAfter useCount: Int) -> Bool {
        places.count == Self.countMax && places.allSatisfy { $0.lastUse > useCount }
    }

    /// The least recently used buffer.
    private func freePlace() -> Int {
        if places.count < Self.countMax {
            places.append(Place())
            return places.count - 1
        }
        return places.indices.min { places[$0].lastUse < places[$1].lastUse } ?? 0
    }
}
