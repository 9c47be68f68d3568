/// A list of slots that costs what it is long to change.
package struct SlotArray: ReversalList {
    package var slots: [UInt32]

    package init(slots: [UInt32]) { self.slots = slots }

    package var count: Int { slots.count }
    package func slot(at position: Int) -> UInt32 { slots[position] }
    package func position(of slot: UInt32) -> Int? { slots.firstIndex(of: slot) }
    package mutating func insert(_ slot: UInt32, at position: Int) {
        slots.insert(slot, at: position)
    }
    package mutating func remove(at position: Int) { slots.remove(at: position) }
}
