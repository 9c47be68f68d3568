// Rows as they are read where nobody needs their addresses: of a packed leaf, without making all of its rows.

extension Table {
    /// Where cells of the type are.
    @inlinable static var layout: CellLayout {
        CellLayout(
            cellsOffset: PagedLeaf<Cell>.elementsOffset, stride: MemoryLayout<Cell>.stride,
            metadataOffset: metadataOffset)
    }

    /// Whether there is a row at a place.
    @inlinable @inline(__always)
    static func hasRow(at place: ElementPlace) -> Bool {
        guard place.isPacked else {
            return row(in: place.element.assumingMemoryBound(to: Cell.self)) != nil
        }
        return !PackedLeaf.bytes(at: place.position, of: place.node).isEmpty
    }

    /// The id of the row at a place, where there is one.
    @inlinable
    static func id(at place: ElementPlace) -> Entity.ID {
        guard place.isPacked else {
            return place.element.assumingMemoryBound(to: Entity.self).pointee.id
        }
        return packedID(in: PackedLeaf.parts(at: place.position, of: place.node).id)
    }

    /// Whether the row at a place, where there is one, has an id.
    @inlinable
    static func hasID(_ id: Entity.ID, at place: ElementPlace) -> Bool {
        guard place.isPacked else {
            return Entity._sameID(
                place.element.assumingMemoryBound(to: Entity.self).pointee.id, id)
        }
        return packedID(in: PackedLeaf.parts(at: place.position, of: place.node).id, is: id)
    }

    /// Writes the id of a slot.
    @inlinable
    func storeID(of slot: Slot, into writer: inout ByteWriter) throws(CodecError) {
        if !isFilled, writeUnreadID(of: slot, into: &writer) { return }
        guard let place = settledPlace(at: slot), Table.hasRow(at: place)
        else { return try Entity._storeID(id(of: slot), into: &writer) }
        if place.isPacked {
            writer.write(PackedLeaf.parts(at: place.position, of: place.node).id)
        } else {
            try UnsafePointer(place.element.assumingMemoryBound(to: Entity.self)).borrowing {
                (row: borrowing Entity) throws(CodecError) in
                try Entity._storeID(row.id, into: &writer)
            }
        }
    }

    /// Whether the slot holds a row.
    @inlinable
    func hasRow(at slot: Slot) -> Bool {
        place(at: slot).map(Table.hasRow) ?? false
    }

    /// A copy of the row at a slot, or nil where it holds none.
    @inlinable
    func copyOfRow(at slot: Slot) -> Entity? {
        guard let place = placeForReading(at: slot) else { return nil }
        guard place.isPacked else {
            return place.element.assumingMemoryBound(to: Entity?.self).pointee
        }
        return Table.hasRow(at: place)
            ? Table.packedRow(at: place.position, of: place.node) : nil
    }

    /// A copy of the row with an id, or nil where there is none. O(log n).
    ///
    /// - Parameter isInTransaction: whether the row is probably read to be changed. What the change will look at
    ///   comes then while the row is waited for.
    // Inlined, so that a caller who reads one property copies one property.
    @inlinable @inline(__always)
    func copyOfRow(of id: Entity.ID, isInTransaction: Bool = false) -> Entity? {
        for entry in ids.candidates(for: Entity._hashID(id)) {
            let slot = IDEntry.slot(entry)
            if isInTransaction { cells.nodes.askForPath(to: slot.index, level: 2) }
            guard let found = place(at: slot) else { continue }
            if found.isPacked { PackedLeaf.ask(for: found.position, of: found.node) }
            let place = layout.settled(found)
            if place.isPacked {
                if let row = copyOfPackedRow(of: id, slot, place) {
                    if isInTransaction { cells.nodes.askForPath(to: slot.index, level: 1) }
                    return row
                }
            } else if let row = Table.row(in: place.element.assumingMemoryBound(to: Cell.self)) {
                // The caller wants more of the row than its id, whose text is waited for meanwhile.
                if isLarge { Prefetch.row(at: row, byteCount: MemoryLayout<Entity>.size) }
                if Entity._sameID(row.pointee.id, id) {
                    if isInTransaction { cells.nodes.askForPath(to: slot.index, level: 1) }
                    return row.pointee
                }
            }
        }
        // A stored table has only the ids that it assigned itself.
        return isFilled ? nil : copyOfStoredRow(of: id)
    }

    /// A copy of the row at a place of a packed leaf, if it has the id. Comparing ids that are there compares one
    /// row, which is also the answer.
    ///
    /// Whether the leaf's other rows are made as well, `isWorthMaking(_:)` says.
    @inlinable @inline(never)
    func copyOfPackedRow(of id: Entity.ID, _ slot: Slot, _ place: ElementPlace) -> Entity? {
        guard Table.hasRow(at: place),
            let row = Table.packedRow(at: place.position, of: place.node, withID: id)
        else { return nil }
        if isWorthMaking(place.node) { _ = unpacked(slot) }
        return row
    }

    /// A copy of the row with an id, of a stored table: loaded by itself or with its leaf.
    ///
    /// Not inlinable: an app need not compile what is called until a table is filled.
    @usableFromInline @inline(never)
    func copyOfStoredRow(of id: Entity.ID) -> Entity? {
        if isChanged {
            // The source knows the slot, and the table what has become of the row.
            guard source?.isWorthFilling == true else {
                return storedSlot(of: id).flatMap { copyOfRow(at: $0) }
            }
        } else {
            var copy: Entity?
            let presence = readStored { (writer) throws(CodecError) in
                try Entity._storeID(id, into: &writer)
            } _: {
                copy = $0.assumingMemoryBound(to: Entity.self).pointee
            }
            guard case .unknown = presence else { return copy }
        }
        return filled().rows(of: Entity.self).copyOfRow(of: id)
    }

    /// Copies the row at a place; returns false where there is none.
    @inlinable @inline(__always)
    static func copyRow(
        at place: ElementPlace, to target: UnsafeMutablePointer<Entity>
    ) -> Bool {
        if place.isPacked {
            guard hasRow(at: place) else { return false }
            let row = packedRow(at: place.position, of: place.node)
            target.initialize(to: consume row)
        } else {
            guard let row = row(in: place.element.assumingMemoryBound(to: Cell.self)) else {
                return false
            }
            target.initialize(to: row.pointee)
        }
        return true
    }

    /// Calls `body` with the row at a slot, or returns nil where it holds none. The address is good for the call
    /// alone.
    func withRow<Result>(
        at slot: Slot, isOnce: Bool = false, _ body: (UnsafePointer<Entity>) -> Result
    ) -> Result? {
        withRawRow(at: slot, isOnce: isOnce) { body($0.assumingMemoryBound(to: Entity.self)) }
    }

    /// Calls `body` with a row of a packed leaf, made for the call alone.
    @inlinable
    static func withPackedRow(_ place: ElementPlace, _ body: (UnsafeRawPointer) -> Bool) -> Bool {
        // As a cell: behind a row are its metadata.
        withUnsafeTemporaryAllocation(of: Cell.self, capacity: 1) { cells in
            guard let cell = cells.baseAddress else { preconditionFailure("no room for a row") }
            Cell.make(at: place.position, of: place.node, in: cell)
            defer { cell.deinitialize(count: 1) }
            return body(UnsafeRawPointer(cell))
        }
    }

    /// Which of the cells of a leaf have rows, one bit for each.
    @inlinable
    static func liveCells(_ cells: UnsafeRawPointer) -> UInt8 {
        let cells = UnsafeMutableRawPointer(mutating: cells).assumingMemoryBound(to: Cell.self)
        var live: UInt8 = 0
        for position in 0..<PackedLeaf.width where row(in: cells + position) != nil {
            live |= 1 &<< UInt8(truncatingIfNeeded: position)
        }
        return live
    }
}
