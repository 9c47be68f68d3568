// Rows as they are read where nobody needs their addresses: of a packed leaf, without making all of its rows.

extension Table {
    // MARK: - At a place

    /// The row's location, in the values of a packed leaf where these were made already. For callers that read
    /// more than whether there is a row.
    @inlinable @inline(__always)
    static func settled(_ place: ElementPlace) -> ElementPlace {
        guard place.isPacked, let made = PackedLeaf.unpacked(of: place.node) else { return place }
        return ElementPlace(element: PagedLeaf<Cell>.elements(of: made) + place.position)
    }

    /// Resolves the row's location. Decides first whether the row is made alone or with the rest of its leaf.
    @inlinable @inline(__always)
    func settledForReading(_ place: ElementPlace, _ slot: Slot) -> ElementPlace {
        let place = Table.settled(place)
        guard place.isPacked, PackedLeaf.isWorthUnpacking(place.node) else { return place }
        return unpacked(slot)
    }

    /// Resolves the row's location for callers that keep addresses of rows, unless they pass over all.
    @inlinable @inline(__always)
    func settledForReading(_ place: ElementPlace, _ slot: Slot, isPassing: Bool) -> ElementPlace {
        place.isPacked && !isPassing ? unpacked(slot) : settledForReading(place, slot)
    }

    /// Resolves the row's location for a pass over whole leaves: decided with the first of a leaf.
    @inlinable @inline(__always)
    func settledForPassing(_ place: ElementPlace, _ slot: Slot) -> ElementPlace {
        let place = Table.settled(place)
        guard place.isPacked, place.position == 0, PackedLeaf.isWorthUnpackingWhole(place.node)
        else { return place }
        return unpacked(slot)
    }

    @inlinable @inline(never)
    func unpacked(_ slot: Slot) -> ElementPlace {
        guard let cell = cells.nodes.pointer(at: slot.index) else {
            preconditionFailure("a place without a leaf")
        }
        return ElementPlace(element: cell)
    }

    /// Makes the rows beside one that is going to be changed, so that this is not done, and what it may run of the
    /// application's, where others wait for the table.
    @inlinable
    func prepareToChange(_ slot: Slot) {
        guard let place = cells.nodes.place(at: slot.index), place.isPacked else { return }
        _ = unpacked(slot)
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
        let place = settled(place)
        guard place.isPacked else {
            return place.element.assumingMemoryBound(to: Entity.self).pointee.id
        }
        return packedID(in: PackedLeaf.parts(at: place.position, of: place.node).id)
    }

    /// Whether the row at a place, where there is one, has an id.
    @inlinable
    static func hasID(_ id: Entity.ID, at place: ElementPlace) -> Bool {
        let place = settled(place)
        guard place.isPacked else {
            return Entity._sameID(
                place.element.assumingMemoryBound(to: Entity.self).pointee.id, id)
        }
        return packedID(in: PackedLeaf.parts(at: place.position, of: place.node).id, is: id)
    }

    /// Writes the id of a slot.
    @inlinable
    func storeID(of slot: Slot, into writer: inout ByteWriter) throws(CodecError) {
        guard let place = cells.nodes.place(at: slot.index).map(Table.settled),
            Table.hasRow(at: place)
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
        cells.nodes.place(at: slot.index).map(Table.hasRow) ?? false
    }

    /// A copy of the row at a slot, or nil where it holds none.
    @inlinable
    func copyOfRow(at slot: Slot) -> Entity? {
        guard let found = cells.nodes.place(at: slot.index) else { return nil }
        let place = settledForReading(found, slot)
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
            guard let found = cells.nodes.place(at: slot.index) else { continue }
            if found.isPacked { PackedLeaf.ask(for: found.position, of: found.node) }
            let place = Table.settled(found)
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
        return nil
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

    /// To be asked whenever a row was looked up and made of a packed leaf for the moment: whether to make all of its
    /// rows, to stay.
    ///
    /// In a small table at the eighth time, when that would have cost no more. Of a large table all rows, made, are more
    /// memory than the caches hold, and to wait for a row and each of its texts takes longer than to make it of its
    /// bytes: of 100,000 users that are looked up at random 4.0 million a second were found as bytes, and 2.4 as values.
    /// So there it is the leaves that are asked for again and again, and no more of them than a small table has.
    @inlinable
    func isWorthMaking(_ node: UnsafeRawPointer) -> Bool {
        guard isLarge else { return PackedLeaf.isWorthUnpacking(node) }
        return PackedLeaf.isOftenCopied(node) && madeLeaves.takeOne()
    }

    /// A copy of the row with an id, of a table that is not filled yet: read by itself, so that nothing waits for all
    /// others.
    ///
    /// Not inlinable: an app need not compile what is called until a table is filled.
    @usableFromInline @inline(never)
    func copyOfStoredRow(of id: Entity.ID) -> Entity? {
        var copy: Entity?
        let presence = readStored { (writer) throws(CodecError) in
            try Entity._storeID(id, into: &writer)
        } _: {
            copy = $0.assumingMemoryBound(to: Entity.self).pointee
        }
        if case .unknown = presence {
            ensureFilled()
            return copyOfRow(of: id)
        }
        return copy
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
    ///
    /// - Parameter isOnce: whether all rows are read and none of them again, so that a packed leaf is to stay one.
    @inlinable
    func withRow<Result, Failure: Error>(
        at slot: Slot, isOnce: Bool = false,
        _ body: (UnsafePointer<Entity>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let place = cells.nodes.place(at: slot.index) else { return nil }
        return try Table.withRow(
            at: isOnce ? Table.settled(place) : settledForReading(place, slot), body)
    }

    @inlinable
    static func withRow<Result, Failure: Error>(
        at place: ElementPlace, _ body: (UnsafePointer<Entity>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard place.isPacked else {
            guard let row = row(in: place.element.assumingMemoryBound(to: Cell.self)) else {
                return nil
            }
            return try body(row)
        }
        guard hasRow(at: place) else { return nil }
        // As a cell: behind a row stands its metadata.
        return try withUnsafeTemporaryAllocation(of: Cell.self, capacity: 1) {
            (cells) throws(Failure) in
            guard let cell = cells.baseAddress else { preconditionFailure("no room for a row") }
            Cell.make(at: place.position, of: place.node, in: cell)
            defer { cell.deinitialize(count: 1) }
            return try body(UnsafeRawPointer(cell).assumingMemoryBound(to: Entity.self))
        }
    }

    /// Calls `body` with each row of a packed leaf, made for the call alone.
    @inlinable
    static func passPacked(
        _ node: UnsafeRawPointer, _ first: Int,
        _ body: (Slot, UnsafePointer<Entity>) throws -> Bool
    ) rethrows -> Bool {
        for position in 0..<PackedLeaf.width {
            let goesOn = try withRow(at: ElementPlace(packedIn: node, at: position)) {
                try body(Slot(first + position), $0)
            }
            guard goesOn ?? true else { return false }
        }
        return true
    }

    // MARK: - Slots and metadata

    @inlinable
    func collectLiveSlots() -> ContiguousArray<UInt32> {
        var slots = ContiguousArray<UInt32>()
        slots.reserveCapacity(liveCount)
        guard let slotsByOrdinal = order.slotsByOrdinal else {
            cells.forEachNode { first, node in
                for position in 0..<PackedLeaf.width
                where Table.hasRow(at: Cell.place(at: position, of: node)) {
                    slots.append(UInt32(truncatingIfNeeded: first + position))
                }
                return true
            }
            return slots
        }
        slotsByOrdinal.forEachLeaf { _, ordered in
            for slot in ordered where slot != 0 && hasRow(at: Slot(slot - 1)) {
                slots.append(slot - 1)
            }
            return true
        }
        return slots
    }

    @inlinable
    func storedMetadata(of slot: Slot) -> RowMetadata {
        guard let place = cells.nodes.place(at: slot.index) else { return Cell.absent.metadata }
        return Table.metadata(at: place)
    }

    @inlinable
    static func metadata(at place: ElementPlace) -> RowMetadata {
        // In the cell itself: a copy of it would count every reference of its row.
        guard place.isPacked else {
            return place.element.assumingMemoryBound(to: Cell.self).pointee.metadata
        }
        guard Table.hasRow(at: place) else { return Cell.absent.metadata }
        return PackedLeaf.metadata(at: place.position, of: place.node)
    }
}
