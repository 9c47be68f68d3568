// What a plan does with a table that passes over its rows (``AnyTable/isScanned``): no address stays good behind a call.

extension PlannedRows {
    func storedScan(_ table: AnyTable) -> StoredScan { StoredScan(table, meeting: residual) }

    /// How many rows are passed on at most; nil for all, or where all are looked at before one is.
    var scanLimit: Int? {
        guard orderings.isEmpty, case .limit(let limit, let offset) = page else { return nil }
        return limit.addingClamped(offset)
    }

    /// How many rows a pass finds: their order does not matter, and none is listed.
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

    /// The matching rows' slots in the order of a sort, the first `kept` of them.
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

    /// The last of the matching rows in the order of a sort.
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
