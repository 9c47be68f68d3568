/// Finds the slots of ids that were loaded, all at once and none later.
///
/// An entry is the tag of an id, the upper half of its hash, beside the slot. Entries are dealt out by
/// the leading bits of their tags into parts that take about one line of memory each. Made in two
/// passes, it takes nine bytes or so for an id, where ``SlotMap`` takes 21 to 43.
struct LoadedSlotMap: ~Copyable {
    /// Where each part begins, and where the last one ends.
    private var starts: RawColumn<UInt32>
    private var entries: RawColumn<UInt64>
    private let shift: UInt64

    /// A map that finds nothing.
    init() {
        starts = RawColumn(repeating: 0, count: 3)
        entries = RawColumn()
        shift = 63
    }

    /// - Parameter records: the loaded ones, by slot.
    init(_ records: UnsafeBufferPointer<ReplayTable.Record>) {
        let partBits = max(1, 60 - (records.count | 15).leadingZeroBitCount)
        shift = UInt64(64 - partBits)
        starts = RawColumn(repeating: 0, count: (1 << partBits) + 1)
        entries = RawColumn(uninitializedCount: records.count)
        guard !records.isEmpty else { return }
        let tagged = RawColumn<UInt64>(uninitializedCount: records.count)
        for slot in records.indices {
            let hash = KeyedHash.hash(records[slot].id.bytes)
            tagged.initialize(slot, to: Self.entry(hash, slot))
            starts.modify(part(of: hash)) { $0 += 1 }
        }
        var end: UInt32 = 0
        for part in 0..<starts.count {
            starts.modify(part) { count in
                end += count
                count = end
            }
        }
        // Each end moves to its part's start while the part is filled.
        for slot in records.indices.reversed() {
            let entry = tagged[slot]
            let place = starts.modify(part(of: entry)) { end in
                end -= 1
                return Int(end)
            }
            entries.initialize(place, to: entry)
        }
    }

    var isEmpty: Bool { entries.count == 0 }

    private static func entry(_ hash: UInt64, _ slot: Int) -> UInt64 {
        hash & 0xFFFF_FFFF_0000_0000 | UInt64(UInt32(truncatingIfNeeded: slot))
    }

    /// Of a hash or of an entry: leading bits are the same in both.
    private func part(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash &>> shift) }

    /// The slot of an id with this hash.
    ///
    /// - Parameter records: those that the map was made of, or more.
    func find(
        _ id: UnsafeRawBufferPointer, hash: UInt64,
        in records: borrowing RawColumn<ReplayTable.Record>
    ) -> UInt32? {
        let part = part(of: hash)
        for place in Int(starts[part])..<Int(starts[part + 1]) {
            let entry = entries[place]
            let slot = UInt32(truncatingIfNeeded: entry)
            if entry &>> 32 == hash &>> 32, records[Int(slot)].id.bytes.hasSameBytes(as: id) {
                return slot
            }
        }
        return nil
    }

    /// Asks for the memory that look-ups of these hashes will touch, like ``SlotMap/touch(_:_:)``.
    func touch(
        _ hashes: borrowing RawColumn<UInt64>, _ range: Range<Int>,
        in records: borrowing RawColumn<ReplayTable.Record>
    ) -> Int {
        guard !isEmpty else { return 0 }
        var touched = 0
        for index in range { touched &+= Int(starts[part(of: hashes[index])]) }
        for index in range {
            let place = min(Int(starts[part(of: hashes[index])]), entries.count - 1)
            touched &+= Int(records[Int(UInt32(truncatingIfNeeded: entries[place]))].rowCount)
        }
        return touched
    }
}
