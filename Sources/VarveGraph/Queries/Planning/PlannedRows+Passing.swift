// What a plan does with a table that passes over its rows (``AnyTable/passesOnly``): no address stays good behind a call.

extension PlannedRows {
    func pass(_ table: AnyTable) -> RowPass { RowPass(table, meeting: residual) }

    /// How many rows are passed on at most; nil for all, or where all are looked at before one is.
    var passedCount: Int? {
        guard orderings.isEmpty, case .limit(let limit, let offset) = page else { return nil }
        return limit.addingClamped(offset)
    }

    /// How many rows a pass finds: their order does not matter, and none is listed.
    func countPassed(in table: AnyTable) -> Int? {
        guard case .pass = source else { return nil }
        let wanted: Int
        switch page {
        case .all: wanted = .max
        case .last: wanted = 1
        case .limit(let limit, let offset): wanted = limit > 0 ? limit.addingClamped(offset) : 0
        }
        return page.count(of: pass(table).count(upTo: wanted))
    }

    /// The matching rows' slots in the order of a sort, the first `kept` of them.
    func selected(
        _ table: AnyTable, _ comparator: RowComparator, keeping kept: Int
    ) -> ContiguousArray<UInt32> {
        var selection = PassedSelection(table, comparator, keeping: kept)
        forEachMatch(in: table, isPassing: true) { slot, row in
            selection.add(slot, row)
            return true
        }
        return selection.finish()
    }

    /// The last of the matching rows in the order of a sort.
    func lastPassed(_ table: AnyTable, _ comparator: RowComparator) -> UInt32? {
        var held = HeldRows(table)
        var last: (slot: UInt32, row: UnsafeRawPointer)?
        forEachMatch(in: table, isPassing: true) { slot, row in
            guard last.map({ comparator.compare($0.row, row) <= 0 }) ?? true else { return true }
            held.keepOnly(slot)
            last = (slot, held.row(at: slot))
            return true
        }
        return last?.slot
    }
}
