/// Reads rows by slot and remembers the page of the last one: neighbours are not looked up.
///
/// A row of a packed leaf is made when it is read. A caller that keeps addresses, and the eighth read of a leaf, make all
/// of its rows, which are kept.
///
/// In a scanned table (``AnyTable/isScanned``) it pins the last leaves, and caches none.
@usableFromInline
struct RowCursor {
    /// The table, or a copy of it for this reader.
    @usableFromInline let table: AnyTable
    @usableFromInline let shift: Int
    @usableFromInline var page = -1
    @usableFromInline var leaf: LeafWord?

    @usableFromInline
    init(_ table: AnyTable) {
        self.table = table.isFilled ? table : table.forOneReader()
        shift = table.cells.nodes.leafShift
    }

    /// Where the cell of a slot stands, or nil where no page holds it. Valid as long as the cursor lives and
    /// nothing mutates the table.
    @inlinable
    mutating func place(at slot: UInt32) -> ElementPlace? {
        let index = Int(slot)
        if index &>> shift != page { turn(to: index) }
        guard let leaf else { return nil }
        return table.layout.place(at: index & ((1 &<< shift) &- 1), of: leaf)
    }

    /// Turns to the page of an index.
    @usableFromInline
    mutating func turn(to index: Int) {
        page = index &>> shift
        leaf = table.cells.nodes.word(holding: index)
    }

    @usableFromInline
    mutating func hasRow(at slot: UInt32) -> Bool {
        guard let place = place(at: slot) else { return false }
        return table.isLive(at: place)
    }

    /// Calls `body` with the row at a slot, or returns nil where it holds none. The address is valid for the call alone.
    mutating func withRow<Result>(
        at slot: UInt32, _ body: (UnsafeRawPointer) -> Result
    ) -> Result? {
        guard let place = place(at: slot) else { return nil }
        var result: Result?
        _ = table.withRow(at: table.settledForReading(place, Slot(slot))) {
            result = body($0)
            return true
        }
        return result
    }

    /// Stamps and order of the row or the former row at a slot.
    mutating func metadata(at slot: UInt32) -> RowMetadata {
        guard let place = place(at: slot) else { return .absent }
        guard place.isPacked else { return table.metadata(besideRow: place.element) }
        guard table.isLive(at: place) else { return .absent }
        return PackedLeaf.metadata(at: place.position, of: place.node)
    }

    /// Copies the row at a slot; returns false where the slot holds none.
    @inlinable
    mutating func copyRow<Entity: EntityModelProtocol>(
        at slot: UInt32, to target: UnsafeMutablePointer<Entity>
    ) -> Bool {
        guard let place = place(at: slot) else { return false }
        return Table.copyRow(at: table.settledForReading(place, Slot(slot)), to: target)
    }

    /// How many rows lie between asking for a row, asking for what it refers to, and looking at it.
    @usableFromInline static var leadCount: Int { 12 }

    /// Calls `body` with the place of each slot that is in a page, until it returns false.
    ///
    /// A row is asked for well before it is looked at, and what it refers to when it has come: rows
    /// in random places come twice as fast for it.
    @inlinable
    mutating func forEachPlace(
        at slots: UnsafeBufferPointer<UInt32>, _ body: (UInt32, ElementPlace) -> Bool
    ) {
        let lead = min(RowCursor.leadCount, slots.count)
        // Of the rows asked for last, more than twice the lead.
        withUnsafeTemporaryAllocation(of: ElementPlace?.self, capacity: 32) { recent in
            for step in 0..<slots.count + 2 * lead {
                if step < slots.count {
                    let place = place(at: slots[step])
                    recent.initializeElement(at: step & 31, to: place)
                    if let place { ask(for: place) }
                }
                let come = step - lead
                if come >= 0, come < slots.count, let place = recent[come & 31] {
                    askForParts(of: place)
                }
                let ready = come - lead
                if ready >= 0, let place = recent[ready & 31] {
                    guard body(slots[ready], place) else { return }
                }
            }
        }
    }

    @inlinable @inline(__always)
    func ask(for place: ElementPlace) {
        if place.isPacked {
            Prefetch.lines(at: place.node, byteCount: 64)
        } else {
            Prefetch.lines(at: place.element, byteCount: table.layout.metadataOffset)
        }
    }

    @inlinable @inline(__always)
    func askForParts(of place: ElementPlace) {
        if place.isPacked {
            let bytes = PackedLeaf.bytes(at: place.position, of: place.node)
            if let start = bytes.baseAddress { Prefetch.lines(at: start, byteCount: bytes.count) }
        } else {
            Prefetch.references(in: place.element, byteCount: table.layout.metadataOffset)
        }
    }

    /// Copies the rows at these slots to a place with room for as many; returns how many there are.
    ///
    /// - Parameter isWhole: whether these are all rows of most leaves.
    @inlinable
    mutating func copyRows<Entity: EntityModelProtocol>(
        at slots: UnsafeBufferPointer<UInt32>, isWhole: Bool,
        to base: UnsafeMutablePointer<Entity>
    ) -> Int {
        var count = 0
        let table = table
        forEachPlace(at: slots) { slot, place in
            let place =
                isWhole
                ? table.settledForScan(place, Slot(slot))
                : table.settledForReading(place, Slot(slot))
            if Table.copyRow(at: place, to: base + count) { count += 1 }
            return true
        }
        return count
    }
}
