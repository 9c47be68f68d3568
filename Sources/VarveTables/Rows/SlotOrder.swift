import VarveEvents

/// Whether rows that are read by their slots come in insertion order: by ordinal.
///
/// They do as long as each new row is behind all others in both orders. What follows from it is read without a look at ordinals.
struct SlotOrder: Hashable, Sendable {
    /// The slots up to the last that ever had a row; nil where a row may have come before another one.
    private(set) var end: Int?

    /// Of a table without rows.
    static let empty = SlotOrder(end: 0)
    static let unknown = SlotOrder(end: nil)

    private init(end: Int?) { self.end = end }

    /// As an image has it: one more than ``end``, or 0.
    init(encoded: Int) { end = encoded == 0 ? nil : encoded - 1 }

    var encoded: Int { end.map { $0 + 1 } ?? 0 }

    /// A row comes to a slot that had none of its ordinal.
    ///
    /// - Parameter next: greater than the ordinals of all rows before.
    mutating func insert(_ slot: Slot, _ ordinal: Ordinal, next: Ordinal) {
        guard let end else { return }
        self.end = slot.index >= end && ordinal >= next ? slot.index + 1 : nil
    }
}
