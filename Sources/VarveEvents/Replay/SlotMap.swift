/// Finds slots by the hash of their ids: open addressing with linear steps. Ids are not in the
/// map; the caller compares them. Nothing is ever removed.
struct SlotMap: ~Copyable {
    /// Slot numbers stay below this, so that slot + 1 fits beside 32 bits of hash.
    static let slotLimit = UInt32.max - 1

    /// The upper half of the hash and slot + 1; 0 where free. The size is a power of two.
    private var buckets = RawColumn<UInt64>(repeating: 0, count: 64)
    private var count = 0

    /// The slot with this hash that `isMatch` accepts.
    func find(_ hash: UInt64, where isMatch: (UInt32) -> Bool) -> UInt32? {
        let mask = buckets.count - 1
        let tag = hash >> 32
        var bucket = Int(truncatingIfNeeded: tag) & mask
        while true {
            let entry = buckets[bucket]
            if entry == 0 { return nil }
            let slot = UInt32(truncatingIfNeeded: entry) - 1
            if entry >> 32 == tag, isMatch(slot) { return slot }
            bucket = (bucket + 1) & mask
        }
    }

    mutating func insert(_ hash: UInt64, _ slot: UInt32) {
        count += 1
        if count * 4 > buckets.count * 3 { grow() }
        Self.place((hash >> 32) << 32 | UInt64(slot + 1), in: &buckets)
    }

    // The tag alone says where an entry goes, so growing reads no id.
    private static func place(_ entry: UInt64, in buckets: inout RawColumn<UInt64>) {
        let mask = buckets.count - 1
        var bucket = Int(truncatingIfNeeded: entry >> 32) & mask
        while buckets[bucket] != 0 { bucket = (bucket + 1) & mask }
        buckets[bucket] = entry
    }

    private mutating func grow() {
        var wider = RawColumn<UInt64>(repeating: 0, count: buckets.count * 2)
        for index in 0..<buckets.count where buckets[index] != 0 {
            Self.place(buckets[index], in: &wider)
        }
        buckets = wider
    }
}
