/// The default order of a type: by insertion ordinal.
///
/// As long as entities arrive in the order in which their slots were given out, slot order is
/// that order and nothing is kept. The first insertion that breaks this builds the map from
/// ordinal to slot, which is maintained from then on.
@usableFromInline
struct RowOrder: Sendable {
    /// Slot + 1 by ordinal; 0 where no live row has the ordinal. Nil while slot order serves.
    var slotsByOrdinal: PagedArray<UInt32>?
    /// The greatest slot and the greatest ordinal that ever met in a row.
    var greatestSlot: Int = -1
    var greatestOrdinal: UInt64 = 0

    init() {}

    /// What is needed to take an insertion back.
    @frozen
    @usableFromInline
    struct Mark: Sendable {
        @usableFromInline let greatestSlot: Int32
        @usableFromInline let greatestOrdinal: UInt64

        @inlinable
        init(greatestSlot: Int32, greatestOrdinal: UInt64) {
            self.greatestSlot = greatestSlot
            self.greatestOrdinal = greatestOrdinal
        }
    }

    var mark: Mark {
        Mark(
            greatestSlot: Int32(truncatingIfNeeded: greatestSlot),
            greatestOrdinal: greatestOrdinal)
    }

    /// An insertion was rolled back: what was greatest before it is so again.
    mutating func restore(_ mark: Mark) {
        greatestSlot = Int(mark.greatestSlot)
        greatestOrdinal = mark.greatestOrdinal
    }

    /// Whether slot order still serves with a new row at `slot`: it must lie behind all others in
    /// both orders.
    func isSequential(adding slot: UInt32, ordinal: UInt64) -> Bool {
        if slotsByOrdinal != nil { return true }
        return Int(slot) > greatestSlot && ordinal > greatestOrdinal
    }

    mutating func insert(_ slot: UInt32, ordinal: UInt64) {
        greatestSlot = max(greatestSlot, Int(slot))
        greatestOrdinal = max(greatestOrdinal, ordinal)
        slotsByOrdinal?[Int(ordinal)] = slot + 1
    }

    /// Notes a new row in a part of a table, in which no reader looks for ordinals: what counts is whether slot order serves.
    mutating func noteInPart(_ slot: UInt32, ordinal: UInt64) {
        if !isSequential(adding: slot, ordinal: ordinal) {
            slotsByOrdinal = PagedArray(leafShift: PagedArray<UInt32>.integerLeafShift)
        }
        greatestSlot = max(greatestSlot, Int(slot))
        greatestOrdinal = max(greatestOrdinal, ordinal)
    }

    mutating func remove(ordinal: UInt64) { slotsByOrdinal?[Int(ordinal)] = 0 }

    /// Starts to keep the map. `rows` are all live rows: slot and ordinal.
    mutating func materialize(_ rows: [(slot: UInt32, ordinal: UInt64)]) {
        var map = PagedArray<UInt32>(
            leafShift: PagedArray<UInt32>.integerLeafShift)
        for row in rows { map[Int(row.ordinal)] = row.slot + 1 }
        slotsByOrdinal = map
    }
}
