extension PlannedRows {
    /// Calls `body` with each row of the answer in order, until it returns false.
    ///
    /// - Parameter isTransient: whether the addresses are not kept beyond the calls.
    @usableFromInline
    func forEachRow(in table: AnyTable, isTransient: Bool, _ body: RowVisit) {
        withExtendedLifetime(table) {
            switch page {
            case .all:
                if orderings.isEmpty {
                    forEachMatch(in: table, isTransient: isTransient, body)
                } else {
                    table.visitRows(
                        at: sorted(table, keeping: .max), isTransient: isTransient, body)
                }
            case .last:
                if let slot = lastSlot(in: table) {
                    table.visitRows(at: [slot], isTransient: isTransient, body)
                }
            case .limit(let limit, let offset):
                guard limit > 0 else { return }
                if orderings.isEmpty {
                    forEachMatch(
                        in: table, limit: limit, offset: offset, isTransient: isTransient, body)
                } else {
                    let slots = sorted(table, keeping: limit.addingClamped(offset))
                    table.visitRows(
                        at: ContiguousArray(slots.dropFirst(offset)), isTransient: isTransient, body
                    )
                }
            }
        }
    }

    /// The matching rows as their source gives them.
    func forEachMatch(in table: AnyTable, isTransient: Bool, _ body: RowVisit) {
        if case .candidates(let candidates) = source {
            let slots = table.slotsInOrder(of: candidates)
            if slots.count > 1, let test = packedTest(in: table) {
                return table.visitRows(at: slots, meeting: test, isTransient: isTransient, body)
            }
            return visit(slots, in: table, isTransient: isTransient, body)
        }
        switch source {
        case .listed(let rows): visit(rows.slots, in: table, isTransient: isTransient, body)
        case .storedScan: storedScan(table).forEach(upTo: scanLimit, body)
        case .scan, .candidates:
            // What has nothing to be tested is handed on as it comes.
            guard let test = residual?.matches else {
                return table.visitRows(isTransient: isTransient, body)
            }
            table.visitRows(isTransient: isTransient) { test($1) ? body($0, $1) : true }
        case .ranking(let condition):
            visit(rankedSlots(condition, table), in: table, isTransient: isTransient, body)
        case .walk(let walk):
            let test = residual?.matches
            table.forEachPosting(of: walk.index, in: walk.range, order: walk.order) { slot, _ in
                let visit = { (row: UnsafeRawPointer) in
                    test?(row) ?? true ? body(slot, row) : true
                }
                guard isTransient else { return table.rawRow(at: Slot(slot)).map(visit) ?? true }
                return table.withRawRow(at: Slot(slot), visit) ?? true
            }
        }
    }

    /// The rows at these slots that meet the rest of the conditions.
    private func visit(
        _ slots: ContiguousArray<UInt32>, in table: AnyTable, isTransient: Bool, _ body: RowVisit
    ) {
        guard let test = residual?.matches else {
            return table.visitRows(at: slots, isTransient: isTransient, body)
        }
        table.visitRows(at: slots, isTransient: isTransient) { test($1) ? body($0, $1) : true }
    }

    /// What of the rest can be tested on rows' bytes.
    private func packedTest(in table: AnyTable) -> RowTest? {
        residual.flatMap { residual in
            PackedTextTest(residual, among: table.descriptor.fields).map { RowTest(residual, $0) }
        }
    }

    /// How many rows there are, where indexes name candidates and a text tells which are some: counted without
    /// making more rows than the other conditions need.
    func testedCount(in table: AnyTable) -> Int? {
        guard case .candidates(let candidates) = source, case .all = page,
            let test = packedTest(in: table)
        else { return nil }
        return table.countRows(at: table.slotsInOrder(of: candidates), meeting: test)
    }

    private func forEachMatch(
        in table: AnyTable, limit: Int, offset: Int, isTransient: Bool, _ body: RowVisit
    ) {
        if residual == nil, case .walk(let walk) = source {
            // Every row counts, so they can be asked for in groups.
            let slots = table.slots(along: walk, limit: limit, offset: offset)
            return table.visitRows(at: slots, isTransient: isTransient, body)
        }
        var skipped = 0
        var taken = 0
        forEachMatch(in: table, isTransient: isTransient) { slot, row in
            if skipped < offset {
                skipped += 1
                return true
            }
            taken += 1
            return body(slot, row) && taken < limit
        }
    }

    /// The matching rows' slots in the order of the sorts, the first `kept` of them.
    private func sorted(_ table: AnyTable, keeping kept: Int) -> ContiguousArray<UInt32> {
        guard orderings.count == 1, case .properties(let comparator) = orderings[0] else {
            return reordered(matchingSlots(in: table), table, keeping: kept)
        }
        if !table.isFilled, table.isScanned { return selected(table, comparator, keeping: kept) }
        var selection = RowSelection(comparator, keeping: kept, expecting: 0)
        forEachMatch(in: table, isTransient: false) { slot, row in
            selection.add(slot, row)
            return true
        }
        return selection.finish()
    }

    private func matchingSlots(in table: AnyTable) -> ContiguousArray<UInt32> {
        // No row is made to learn its slot.
        if residual == nil, case .scan = source { return table.liveSlots() }
        var slots = ContiguousArray<UInt32>()
        forEachMatch(in: table, isTransient: true) { slot, _ in
            slots.append(slot)
            return true
        }
        return slots
    }

    /// The rows that a text condition finds, best first, and no more than can be wanted.
    private func rankedSlots(
        _ condition: TextCondition, _ table: AnyTable
    ) -> ContiguousArray<UInt32> {
        guard residual == nil, case .limit(let limit, let offset) = page else {
            return table.textRanking(for: condition)
        }
        return table.textRanking(for: condition, limit: limit.addingClamped(offset))
    }

    /// Sorts by one ordering behind the other.
    private func reordered(
        _ slots: ContiguousArray<UInt32>, _ table: AnyTable, keeping kept: Int
    ) -> ContiguousArray<UInt32> {
        var slots = slots
        for ordering in orderings {
            switch ordering {
            case .properties(let comparator): slots = comparator.sorted(slots, in: table)
            case .rank(let condition): slots = table.ranked(slots, by: condition)
            }
        }
        return kept < slots.count ? ContiguousArray(slots.prefix(kept)) : slots
    }

    // MARK: - The last row

    private func lastSlot(in table: AnyTable) -> UInt32? {
        if orderings.isEmpty { return lastMatch(in: table) }
        guard orderings.count == 1, case .properties(let comparator) = orderings[0] else {
            return reordered(matchingSlots(in: table), table, keeping: .max).last
        }
        if !table.isFilled, table.isScanned { return lastScanned(table, comparator) }
        var last: (slot: UInt32, row: UnsafeRawPointer)?
        forEachMatch(in: table, isTransient: false) { slot, row in
            if last.map({ comparator.compare($0.row, row) <= 0 }) ?? true { last = (slot, row) }
            return true
        }
        return last?.slot
    }

    /// The last match in insertion order: looked for from the end.
    private func lastMatch(in table: AnyTable) -> UInt32? {
        let slots: ContiguousArray<UInt32>
        switch source {
        case .candidates(let candidates): slots = table.slotsInOrder(of: candidates)
        case .listed(let rows): slots = rows.slots
        case .storedScan: return storedScan(table).last()
        case .ranking(let condition): slots = rankedSlots(condition, table)
        case .walk: slots = matchingSlots(in: table)
        case .scan:
            guard table.isInSlotOrder else {
                slots = table.liveSlots()
                break
            }
            return lastMatch(among: (0..<UInt32(table.slotCount)).reversed(), in: table)
        }
        return lastMatch(among: slots.reversed(), in: table)
    }

    private func lastMatch(among slots: some Sequence<UInt32>, in table: AnyTable) -> UInt32? {
        let test = residual?.matches
        var last: UInt32?
        table.visitInChunks(slots) { slot, row in
            if test?(row) ?? true { last = slot }
            return last == nil
        }
        return last
    }
}

extension AnyTable {
    /// The first slots of a walk behind an offset.
    final func slots(
        along walk: IndexWalk, limit: Int, offset: Int
    ) -> ContiguousArray<UInt32> {
        var slots = ContiguousArray<UInt32>()
        slots.reserveCapacity(min(limit, walk.range.count))
        var skipped = 0
        forEachPosting(of: walk.index, in: walk.range, order: walk.order) { slot, _ in
            if skipped < offset {
                skipped += 1
            } else {
                slots.append(slot)
            }
            return slots.count < limit
        }
        return slots
    }
}
