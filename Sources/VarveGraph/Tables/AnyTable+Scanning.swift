// A stored table is scanned if the filled table does not fit the memory budget: a scan reads leaves of the table's own, and
// stored ones, which it decodes and does not cache.

extension AnyTable {
    // MARK: - Leaves for one reader

    /// A copy of a scanned table for one reader, whose stored leaves are decoded for that reader alone; else the table itself.
    ///
    /// ``RowCursor``, which reads one slot after another, makes its own copy.
    final func forOneReader() -> AnyTable {
        guard isScanned else { return self }
        let table = cloned()
        table.cells.beForOneReader()
        return table
    }

    /// The lists of a relation for one reader; see ``forOneReader()``.
    final func linksForOneReader(relation: Int) -> LinkColumn {
        isScanned ? links[relation].forOneReader() : links[relation]
    }

    /// Calls `body` with each row in the order of the slots, until it returns false. The addresses are valid for the calls
    /// alone.
    final func scanRows(_ body: RowVisit) {
        cells.forEachScannedNode { visit($1, $0, isTransient: true, body) }
    }

    /// Calls `body` with each leaf, the last one first, until it returns false. The leaf is a function that visits its rows
    /// forwards.
    final func scanLeavesBackwards(_ body: ((RowVisit) -> Void) -> Bool) {
        cells.forEachScannedNode(isReversed: true) { first, node in
            body { _ = visit(node, first, isTransient: true, $0) }
        }
    }

    /// Calls `body` with each row, for results that do not depend on the order: in a stored table, that is the order of the
    /// slots.
    final func visitAnyOrder(_ body: RowVisit) {
        if isFilled { visitRows(isTransient: false, body) } else { scanRows(body) }
    }

    /// Calls `body` with the slot and the ordinal of each row in the order of the slots. No row is decoded.
    final func scanOrdinals(_ body: (UInt32, UInt64) -> Void) {
        cells.forEachScannedNode { first, node in
            forEachOrdinal(in: node) { position, ordinal in
                body(UInt32(truncatingIfNeeded: first + position), ordinal)
                return true
            }
        }
    }

    private final func forEachOrdinal(
        in node: UnsafeRawPointer, _ body: (Int, UInt64) -> Bool
    ) -> Bool {
        let leaf = LeafWord(node)
        return forEachLive(in: node) { position in
            let metadata =
                leaf.isPacked
                ? PackedLeaf.metadata(at: position, of: node)
                : self.metadata(besideRow: layout.cell(position, of: node))
            return body(position, metadata.ordinal)
        }
    }

    /// Slots without a row that have a place in the order, as those with a tombstone do.
    package final func keptPlaces() -> ContiguousArray<UInt32> {
        var slots = ContiguousArray<UInt32>()
        func note(_ first: Int, _ node: UnsafeRawPointer) -> Bool {
            // A packed leaf has rows alone.
            guard !PackedLeaf.isPacked(node) else { return true }
            for position in 0..<PackedLeaf.width {
                let cell = layout.cell(position, of: node)
                let metadata = metadata(besideRow: cell)
                guard !cellOperations.hasRow(cell), metadata.isFormer,
                    metadata.ordinal != RowMetadata.noOrdinal
                else { continue }
                slots.append(UInt32(truncatingIfNeeded: first + position))
            }
            return true
        }
        if isFilled { cells.forEachNode(note) } else { cells.forEachScannedNode { note($0, $1) } }
        return slots
    }

    /// How many stored leaves are cached.
    package final var cachedLeafCount: Int {
        let trees = [cells.stored, vacantIDs.stored] + links.map(\.storedLeaves)
        return trees.reduce(0) { $0 + ($1?.cachedCount ?? 0) }
    }

    // MARK: - Order

    /// Whether the rows of a stored table are in insertion order if they are read in the order of their slots. The first
    /// call scans all stored rows.
    final var isScannedInOrder: Bool {
        guard !mayLeaveOrder, let storedFindings else { return false }
        if let known = storedFindings.isAscending { return known }
        var last: UInt64 = 0
        var isAscending = true
        cells.forEachLeafOfSource { _, node in
            isAscending = forEachOrdinal(in: node) { _, ordinal in
                defer { last = ordinal }
                return ordinal > last
            }
            return isAscending
        }
        storedFindings.note(isAscending: isAscending)
        return isAscending
    }

    /// Whether ``isScannedInOrder`` is known without a scan.
    final var isScanOrderKnown: Bool {
        mayLeaveOrder || storedFindings == nil || storedFindings?.isAscending != nil
    }

    /// Notes that a row was inserted into a stored table, not behind all others.
    final func noteStray(_ slot: Slot, ordinal: UInt64) {
        // The comparison decodes its neighbours, which pays off in a scanned table.
        guard isScanned, isBetweenNeighbours(slot, ordinal: ordinal) else {
            mayLeaveOrder = true
            return
        }
    }
}

extension AnyTable {
    // MARK: - Unique values

    /// Stored rows whose values in an index have a hash, and perhaps others. The first call for an index scans all stored
    /// rows.
    final func storedSlots(underHash hash: UInt64, ofIndex index: Int) -> [Slot] {
        storedFindings?.slots(underHash: hash, ofIndex: index) { keysOfSource(index) } ?? []
    }

    private func keysOfSource(_ index: Int) -> StoredKeys {
        let definition = indexDefinitions[index]
        var keys = StoredKeys(expecting: liveCount)
        cells.forEachLeafOfSource { first, node in
            visit(node, first, isTransient: true) { slot, row in
                if definition.uniqueness?.ignoresNil(in: row) != true {
                    keys.add(slot, definition.key(row).key)
                }
                return true
            }
        }
        keys.finish()
        return keys
    }

    /// The first other row in insertion order with the values of a row that is to be saved, found by a scan.
    final func scannedRival(of row: UnsafeRawPointer, at slot: Slot?, in index: Int) -> Slot? {
        let definition = indexDefinitions[index]
        var first: (slot: UInt32, ordinal: UInt64)?
        scanRows { other, otherRow in
            guard other != slot?.rawValue, definition.isSame(row, otherRow) else { return true }
            let ordinal = metadata(besideRow: otherRow).ordinal
            if first.map({ ordinal < $0.ordinal }) ?? true { first = (other, ordinal) }
            return true
        }
        return first.map { Slot($0.slot) }
    }
}
