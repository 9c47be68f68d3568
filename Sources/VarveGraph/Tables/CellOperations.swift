public import VarveEvents

/// Where cells are in a leaf, and the metadata in a cell.
@frozen
@usableFromInline
package struct CellLayout: Sendable {
    /// From the address of a leaf to that of its first cell.
    @usableFromInline let cellsOffset: Int
    /// From one cell to the next.
    @usableFromInline let stride: Int
    /// From the address of a cell, which is that of its row, to its metadata.
    @usableFromInline let metadataOffset: Int

    @inlinable
    init(cellsOffset: Int, stride: Int, metadataOffset: Int) {
        self.cellsOffset = cellsOffset
        self.stride = stride
        self.metadataOffset = metadataOffset
    }

    @inlinable @inline(__always)
    func cell(_ position: Int, of leaf: UnsafeRawPointer) -> UnsafeRawPointer {
        leaf + (cellsOffset &+ position &* stride)
    }

    /// Where a cell of a leaf is. A packed leaf stays one.
    @inlinable @inline(__always)
    func place(at position: Int, of leaf: LeafWord) -> ElementPlace {
        leaf.isPacked
            ? ElementPlace(packedIn: leaf.node, at: position)
            : ElementPlace(element: cell(position, of: leaf.node))
    }

    /// The row's location, in the values of a packed leaf where these were made already. For callers that read
    /// more than whether there is a row.
    @inlinable @inline(__always)
    func settled(_ place: ElementPlace) -> ElementPlace {
        guard place.isPacked, let made = PackedLeaf.unpacked(of: place.node) else { return place }
        return ElementPlace(element: cell(place.position, of: made))
    }
}

/// What is done to the cells and rows of one type at their addresses, compiled in the module that declares the type.
///
/// Each table keeps a copy: reading them from the descriptor would count two references for each call.
@usableFromInline
package struct CellOperations: Sendable {
    @usableFromInline let layout: CellLayout
    /// Makes a leaf of cells.
    @usableFromInline let makeLeaf: @Sendable (UnsafeRawPointer?, Int) -> AnyObject
    /// Whether the cell at an address has a row.
    @usableFromInline let hasRow: @Sendable (UnsafeRawPointer) -> Bool
    /// Which of the cells of a leaf have rows, one bit for each, given the address of the first.
    @usableFromInline let liveCells: @Sendable (UnsafeRawPointer) -> UInt8
    /// Calls the body with a row of a packed leaf, made for the call alone.
    @usableFromInline let withPackedRow:
        @Sendable (ElementPlace, (UnsafeRawPointer) -> Bool) -> Bool
    /// Writes the row at an address.
    @usableFromInline let store:
        @Sendable (UnsafeRawPointer, inout ByteWriter) throws(CodecError) -> Void
    /// Compares the rows at two addresses, the older one first, field by field.
    @usableFromInline let compare:
        @Sendable (UnsafeRawPointer, UnsafeRawPointer, inout FieldChanges) throws(CodecError)
            -> Void

    @inlinable
    init<Entity: EntityModelProtocol>(_ type: Entity.Type) {
        layout = Table<Entity>.layout
        makeLeaf = { PagedLeaf<Table<Entity>.Cell>.make(of: $0, count: $1) }
        hasRow = { $0.assumingMemoryBound(to: Entity?.self).pointee != nil }
        liveCells = { Table<Entity>.liveCells($0) }
        withPackedRow = { Table<Entity>.withPackedRow($0, $1) }
        store = { (row, writer) throws(CodecError) in
            try row.assumingMemoryBound(to: Entity.self).borrowing {
                (row: borrowing Entity) throws(CodecError) in try row._store(into: &writer)
            }
        }
        compare = { (old, new, changes) throws(CodecError) in
            // Borrowed: a row that is passed on is copied, and each of its texts counted.
            try old.assumingMemoryBound(to: Entity.self).borrowing(
                with: new.assumingMemoryBound(to: Entity.self)
            ) { (old: borrowing Entity, new: borrowing Entity) throws(CodecError) in
                try Entity._changes(from: old, to: new, into: &changes)
            }
        }
    }
}
