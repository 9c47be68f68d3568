/// The slots whose rows a transaction has set, where that is asked for.
package struct SetRows: Sendable {
    /// What is behind a checkpoint seldom has more; then all rows are looked at.
    private static let countMax = 16_384

    /// By index of the type. Slots may be there more than once.
    private var slots: [Int: [Slot]] = [:]
    private var count = 0

    package init() {}

    /// Whether there are more than are noted.
    package var areTooMany: Bool { count > Self.countMax }

    /// Of a type, by its index.
    package subscript(type: Int) -> [Slot] { slots[type] ?? [] }

    mutating func note(_ slot: Slot, in type: Int) {
        guard !areTooMany else { return }
        count += 1
        if areTooMany { slots = [:] } else { slots[type, default: []].append(slot) }
    }
}
