// How a plan reads a scanned table (``AnyTable/isScanned``): addresses of rows are valid for a call alone.

extension PlannedRows {
    func storedScan(_ table: AnyTable) -> StoredScan { StoredScan(table, meeting: residual) }

    /// How many rows a scan returns at most; nil for all, and where a sort reads all of them first.
    var scanLimit: Int? {
        guard orderings.isEmpty, case .limit(let limit, let offset) = page else { return nil }
        return limit.addingClamped(offset)
    }

    /// How many rows a scan finds. Their order does not matter, so none is listed. Nil for other plans.
    func countScanned(in table: AnyTable) -> Int? {
        guard case .storedScan = source else { return nil }
        let wanted: Int
        switch page {
        case .all: wanted = .max
        case .last: wanted = 1
        case .limit(let limit, let offset): wanted = limit > 0 ? limit.addingClamped(offset) : 0
        }
        return page.count(of: storedScan(table).count(upTo: wanted))
    }

    /// The slots of the matching rows in sorted order, the first `kept` of them.
    func selected(
        _ table: AnyTable, _ comparator: RowComparator, keeping kept: Int
    ) -> ContiguousArray<UInt32> {
        var selection = ExternalSort(table, comparator, keeping: kept)
        forEachMatch(in: table, isTransient: true) { slot, row in
            selection.add(slot, row)
            return true
        }
        return selection.finish()
    }

    /// The last of the matching rows in sorted order.
    func lastScanned(_ table: AnyTable, _ comparator: RowComparator) -> UInt32? {
        var pinned = PinnedRows(table)
        var last: (slot: UInt32, row: UnsafeRawPointer)?
        forEachMatch(in: table, isTransient: true) { slot, row in
            guard last.map({ comparator.compare($0.row, row) <= 0 }) ?? true else { return true }
            pinned.keepOnly(slot)
            last = (slot, pinned.row(at: slot))
            return true
        }
        return last?.slot
    }
}
