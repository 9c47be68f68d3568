/// Reads rows by slot and remembers the page of the last one: neighbours cost no descent.
@usableFromInline
struct RowCursor<Entity: EntityModelProtocol> {
    @usableFromInline let table: Table<Entity>
    @usableFromInline let shift: Int
    @usableFromInline var page = -1
    @usableFromInline var leaf: UnsafeMutablePointer<Table<Entity>.Cell>?

    @inlinable
    init(_ table: Table<Entity>) {
        self.table = table
        shift = table.cells.leafShift
    }

    /// The address of the cell of a slot, or nil where no page holds it. Valid as long as the
    /// cursor lives and nothing mutates the table.
    @inlinable
    mutating func cell(at slot: UInt32) -> UnsafeMutablePointer<Table<Entity>.Cell>? {
        let index = Int(slot)
        if index >> shift != page {
            page = index >> shift
            leaf = table.cells.leaf(holding: index)
        }
        guard let leaf else { return nil }
        return leaf + (index & ((1 << shift) - 1))
    }

    /// The address of the row at a slot, or nil where the slot holds none. Valid as long as the
    /// cursor lives and nothing mutates the table.
    @inlinable
    mutating func row(at slot: UInt32) -> UnsafePointer<Entity>? {
        guard let cell = cell(at: slot) else { return nil }
        return Table.row(in: cell)
    }
}
