/// The default order of a type: by insertion ordinal.
///
/// As long as entities arrive in the order in which their slots were given out, slot order is
/// that order and nothing is kept. The first insertion that breaks this builds the map from
/// ordinal to slot, which is maintained from then on.
@usableFromInline
struct RowOrder: Sendable {
    /// Slot + 1 by ordinal; 0 where no live row has the ordinal. Nil while slot order serves.
    @usableFromInline private(set) var slotsByOrdinal: PagedArray<UInt32>?
    /// The greatest slot that ever held a row.
    private var greatestSlot: Int = -1

    init() {}

    /// Whether `slot`, with an ordinal behind all others, keeps slot order and insertion order
    /// the same.
    @usableFromInline
    func isSequential(appending slot: UInt32) -> Bool { Int(slot) > greatestSlot }

    mutating func note(slot: UInt32) { greatestSlot = max(greatestSlot, Int(slot)) }

    @usableFromInline
    mutating func insert(_ slot: UInt32, ordinal: UInt64) {
        note(slot: slot)
        slotsByOrdinal?[Int(ordinal)] = slot + 1
    }

    @usableFromInline
    mutating func remove(ordinal: UInt64) { slotsByOrdinal?[Int(ordinal)] = 0 }

    /// Starts to keep the map. `rows` are all live rows: slot and ordinal.
    mutating func materialize(_ rows: [(slot: UInt32, ordinal: UInt64)]) {
        var map = PagedArray<UInt32>(
            filler: 0, leafShift: PagedArray<UInt32>.integerLeafShift)
        for row in rows { map[Int(row.ordinal)] = row.slot + 1 }
        slotsByOrdinal = map
    }
}
