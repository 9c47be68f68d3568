package import VarveEvents

/// The slots whose rows a transaction has set, of the types that are asked for.
package struct SetRows: Sendable {
    /// What is behind a checkpoint seldom has more; then all rows are looked at.
    private static let countMax = 16_384

    /// By index of the type.
    private var slots: [Int: Set<Slot>]
    private var count = 0

    package init(of types: some Sequence<TypeNumber>) {
        slots = [:]
        for type in types { slots[Int(type.rawValue) - 1] = [] }
    }

    /// Whether there are more than are noted.
    package var areTooMany: Bool { count > Self.countMax }

    /// Of a type, in their order.
    package subscript(type: TypeNumber) -> [Slot] {
        (slots[Int(type.rawValue) - 1] ?? []).sorted()
    }

    /// The types that are asked for; none where there are too many rows.
    package var types: [TypeNumber] { slots.keys.map { TypeNumber(UInt32($0 + 1)) } }

    /// Adds what another transaction has set.
    package mutating func formUnion(_ other: SetRows) {
        guard !areTooMany else { return }
        if other.areTooMany { (slots, count) = ([:], other.count) }
        for (type, set) in other.slots {
            for slot in set { note(slot, in: type) }
        }
    }

    mutating func note(_ slot: Slot, in type: Int) {
        guard !areTooMany, slots[type]?.insert(slot).inserted ?? false else { return }
        count += 1
        if areTooMany { slots = [:] }
    }
}
