internal import VarveEvents

/// Rows of one type that the app's type cannot read, by slot. The table has no row at these slots.
///
/// They are kept as their bytes, for looks at the past. Only these change them; a transaction that would is refused.
struct WithheldRows: Sendable {
    struct Row: Sendable {
        /// As the log has it, with the fields that the app does not know.
        let bytes: [UInt8]
        /// Live or a tombstone.
        let presence: EntityPresence
        let stamps: EntityStamps
        /// The lists that a tombstone keeps.
        let lists: [(relation: RelationNumber, slots: [UInt32])]
        let value: UnreadableValue
    }

    private var rows: [UInt32: Row] = [:]

    var isEmpty: Bool { rows.isEmpty }

    subscript(slot: UInt32) -> Row? {
        get { rows[slot] }
        set { rows[slot] = newValue }
    }

    /// The first value of each row, in order of slots.
    var values: [UnreadableValue] { rows.sorted { $0.key < $1.key }.map(\.value.value) }

    mutating func merge(_ other: WithheldRows) {
        rows.merge(other.rows) { _, new in new }
    }
}
