/// Reads rows by slot and remembers the page of the last one: neighbours are not looked up.
@usableFromInline
struct RowCursor<Entity: EntityModelProtocol> {
    @usableFromInline let table: Table<Entity>
    @usableFromInline let shift: Int
    @usableFromInline var page = -1
    @usableFromInline var leaf: UnsafeMutablePointer<Table<Entity>.Cell>?

    @inlinable
    init(_ table: Table<Entity>) {
        self.table = table
        shift = table.cells.nodes.leafShift
    }

    /// The address of the cell of a slot, or nil where no page holds it. Valid as long as the
    /// cursor lives and nothing mutates the table.
    @inlinable
    mutating func cell(at slot: UInt32) -> UnsafeMutablePointer<Table<Entity>.Cell>? {
        let index = Int(slot)
        if index &>> shift != page { turn(to: index) }
        guard let leaf else { return nil }
        return leaf + (index & ((1 &<< shift) &- 1))
    }

    /// Turns to the page of an index.
    @inlinable
    mutating func turn(to index: Int) {
        page = index &>> shift
        leaf = table.cells.nodes.leaf(holding: index)
    }

    /// The address of the row at a slot, or nil where the slot holds none. Valid as long as the
    /// cursor lives and nothing mutates the table.
    @inlinable
    mutating func row(at slot: UInt32) -> UnsafePointer<Entity>? {
        guard let cell = cell(at: slot) else { return nil }
        return Table.row(in: cell)
    }

    /// How many rows lie between asking for a row, asking for what it refers to, and looking at it.
    @usableFromInline static var leadCount: Int { 12 }

    /// Calls `body` with the row at each slot that has one, until it answers false.
    ///
    /// A row is asked for well before it is looked at, and what it refers to when it has come: rows
    /// in random places come twice as fast for it.
    @inlinable
    mutating func forEachRow(
        at slots: ContiguousArray<UInt32>, _ body: (UInt32, UnsafePointer<Entity>) -> Bool
    ) {
        slots.withUnsafeBufferPointer { forEachRow(at: $0, body) }
    }

    @inlinable
    mutating func forEachRow(
        at slots: UnsafeBufferPointer<UInt32>, _ body: (UInt32, UnsafePointer<Entity>) -> Bool
    ) {
        let lead = min(RowCursor.leadCount, slots.count)
        // Of the rows asked for last, more than twice the lead.
        withUnsafeTemporaryAllocation(
            of: UnsafeMutablePointer<Table<Entity>.Cell>?.self, capacity: 32
        ) { recent in
            for step in 0..<slots.count + 2 * lead {
                if step < slots.count {
                    let cell = cell(at: slots[step])
                    recent.initializeElement(at: step & 31, to: cell)
                    if let cell { Prefetch.lines(at: cell, byteCount: MemoryLayout<Entity>.size) }
                }
                let come = step - lead
                if come >= 0, come < slots.count, let cell = recent[come & 31] {
                    Prefetch.references(in: cell, byteCount: MemoryLayout<Entity>.size)
                }
                let ready = come - lead
                if ready >= 0, let cell = recent[ready & 31], let row = Table.row(in: cell) {
                    guard body(slots[ready], row) else { return }
                }
            }
        }
    }

    /// Copies the rows at these slots to a place with room for as many; answers how many there are.
    @inlinable
    mutating func copyRows(
        at slots: UnsafeBufferPointer<UInt32>, to base: UnsafeMutablePointer<Entity>
    ) -> Int {
        var count = 0
        forEachRow(at: slots) { _, row in
            (base + count).initialize(to: row.pointee)
            count += 1
            return true
        }
        return count
    }
}
