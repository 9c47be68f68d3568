/// Blocks of an image that are passed over: each is read into memory that others are read into later, and is not kept.
/// What reads each row once then needs no memory for all of them.
///
/// There are several at a time, because the pages of two neighbouring blocks may be asked for in turns.
final class ScanBuffers {
    private struct Place {
        /// Nil for none.
        var block: Int?
        var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        var lastUse = 0
    }

    private static let countMax = 4

    private var places: [Place] = []
    /// How often a page of them was asked for.
    private(set) var useCount = 0
    /// The blocks that were passed over. Another time they are loaded: what is passed over does not lie in their order.
    private var scanned: Set<Int> = []

    deinit { for place in places { place.memory.deallocate() } }

    /// The memory of a block that was read and is still there.
    func memory(of block: Int) -> UnsafeMutableRawPointer? {
        for position in places.indices where places[position].block == block {
            useCount += 1
            places[position].lastUse = useCount
            return places[position].memory.baseAddress
        }
        return nil
    }

    /// Lets `read` fill memory for a block, and returns it. Nil where that was done before, or fails.
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

    /// Whether the next block may be read into memory that was used behind `useCount`.
    func replacesNext(usedAfter useCount: Int) -> Bool {
        places.count == Self.countMax && places.allSatisfy { $0.lastUse > useCount }
    }

    /// The place that was not used for the longest time.
    private func freePlace() -> Int {
        if places.count < Self.countMax {
            places.append(Place())
            return places.count - 1
        }
        return places.indices.min { places[$0].lastUse < places[$1].lastUse } ?? 0
    }
}
