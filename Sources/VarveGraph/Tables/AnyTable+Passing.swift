// A table that waits, and of which the filled table has no room, is passed over as it is: its own leaves, and stored ones
// that are made for the pass and gone behind it.

extension AnyTable {
    // MARK: - Leaves for one reader

    /// The table for one reader, whom it outlives by nothing: stored leaves are made for it alone. Else the table itself.
    ///
    /// A reader that is handed slots one after another, ``RowCursor``, has its own.
    final func forOneReader() -> AnyTable {
        guard passesOnly else { return self }
        let table = cloned()
        table.cells.beForOneReader()
        return table
    }

    /// The lists of a relation for one reader; see ``forOneReader()``.
    final func linksForOneReader(relation: Int) -> LinkColumn {
        passesOnly ? links[relation].forOneReader() : links[relation]
    }

    /// Calls `body` with each row in the order of the slots, until it returns false. The addresses are good for the calls
    /// alone.
    final func passRows(_ body: RowVisit) {
        cells.forEachPassedNode { visit($1, $0, isPassing: true, body) }
    }

    /// Calls `body` with each leaf, the last one first, until it returns false: with what calls another with each row of the
    /// leaf, forwards.
    final func passLeavesBackwards(_ body: ((RowVisit) -> Void) -> Bool) {
        cells.forEachPassedNode(isReversed: true) { first, node in
            body { _ = visit(node, first, isPassing: true, $0) }
        }
    }

    /// Calls `body` with each row, of a table that waits in the order of the slots: for what does not depend on the order.
    final func visitAnyOrder(_ body: RowVisit) {
        if isFilled { visitRows(isPassing: false, body) } else { passRows(body) }
    }

    /// Calls `body` with the slot and the ordinal of each row in the order of the slots. No row is made.
    final func passOrdinals(_ body: (UInt32, UInt64) -> Void) {
        cells.forEachPassedNode { first, node in
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

    /// How many leaves were made of what is stored, and are kept. O(n)
    package final var madeLeafCount: Int {
        let trees = [cells.stored, vacantIDs.stored] + links.map(\.storedLeaves)
        return trees.reduce(0) { $0 + ($1?.madeCount ?? 0) }
    }

    // MARK: - Order

    /// Whether the rows of a table that waits are in insertion order where they are in the order of their slots. The first
    /// call looks at all that are stored.
    final var passesInOrder: Bool {
        guard !mayLeaveOrder, let storedOrder else { return false }
        if let known = storedOrder.isAscending { return known }
        var last: UInt64 = 0
        var isAscending = true
        cells.forEachLeafOfSource { node in
            isAscending = forEachOrdinal(in: node) { _, ordinal in
                defer { last = ordinal }
                return ordinal > last
            }
            return isAscending
        }
        storedOrder.note(isAscending: isAscending)
        return isAscending
    }

    /// Whether ``passesInOrder`` is known, or needs no look.
    final var isPassOrderKnown: Bool {
        mayLeaveOrder || storedOrder == nil || storedOrder?.isAscending != nil
    }

    /// A row that is not behind all others has come to a table that waits.
    final func noteStray(_ slot: Slot, ordinal: UInt64) {
        // To look at its neighbours loads them, which is worth it where rows are passed over.
        guard passesOnly, isBetweenNeighbours(slot, ordinal: ordinal) else {
            mayLeaveOrder = true
            return
        }
    }
}
