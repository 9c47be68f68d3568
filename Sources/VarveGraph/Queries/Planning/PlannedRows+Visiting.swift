extension PlannedRows {
    /// Calls `body` with each row of the answer in order, until it returns false.
    ///
    /// - Parameter isPassing: whether the addresses are not kept beyond the calls.
    @inlinable
    func forEachRow<Entity: EntityModelProtocol>(
        in table: Table<Entity>, isPassing: Bool,
        _ body: (UInt32, UnsafePointer<Entity>) -> Bool
    ) {
        withExtendedLifetime(table) {
            switch page {
            case .all:
                if orderings.isEmpty {
                    forEachMatch(in: table, isPassing: isPassing, body)
                } else {
                    visit(sorted(table, keeping: .max), in: table, isPassing: isPassing, body)
                }
            case .last:
                if let slot = lastSlot(in: table) {
                    visit([slot], in: table, isPassing: isPassing, body)
                }
            case .limit(let limit, let offset):
                guard limit > 0 else { return }
                if orderings.isEmpty {
                    forEachMatch(
                        in: table, limit: limit, offset: offset, isPassing: isPassing, body)
                } else {
                    let slots = sorted(table, keeping: limit.addingClamped(offset))
                    visit(
                        ContiguousArray(slots.dropFirst(offset)), in: table, isPassing: isPassing,
                        body)
                }
            }
        }
    }

    /// The matching rows as their source gives them.
    @inlinable
    func forEachMatch<Entity: EntityModelProtocol>(
        in table: Table<Entity>, isPassing: Bool,
        _ body: (UInt32, UnsafePointer<Entity>) -> Bool
    ) {
        let test = residual?.matches
        switch source {
        case .scan:
            table.forEachRow(isPassing: isPassing) { slot, row in
                if let test, !test(row) { return true }
                return body(slot.rawValue, row)
            }
        case .candidates(let candidates):
            let slots = table.slotsInOrder(of: candidates)
            if slots.count > 1, let residual, let test = packedTest(in: table) {
                var cursor = RowCursor(table)
                return cursor.forEachRow(
                    at: slots, meeting: residual, test, isPassing: isPassing, body)
            }
            visit(slots, in: table, isPassing: isPassing) {
                slot, row in
                if let test, !test(row) { return true }
                return body(slot, row)
            }
        case .ranking(let condition):
            visit(rankedSlots(condition, table), in: table, isPassing: isPassing) { slot, row in
                if let test, !test(row) { return true }
                return body(slot, row)
            }
        case .walk(let walk):
            var cursor = RowCursor(table)
            table.forEachPosting(of: walk.index, in: walk.range, order: walk.order) { slot, _ in
                let visit = { (row: UnsafePointer<Entity>) in
                    if let test, !test(row) { return true }
                    return body(slot, row)
                }
                guard isPassing else { return cursor.row(at: slot).map(visit) ?? true }
                return cursor.withRow(at: slot, visit) ?? true
            }
        }
    }

    /// What of the rest can be tested on rows' bytes.
    @usableFromInline
    func packedTest(in table: AnyTable) -> PackedTextTest? {
        residual.flatMap { PackedTextTest($0, among: table.descriptor.fields) }
    }

    /// How many rows there are, where indexes name candidates and a text tells which are some: counted without
    /// making more rows than the other conditions need.
    @inlinable
    func testedCount<Entity: EntityModelProtocol>(in table: Table<Entity>) -> Int? {
        guard case .candidates(let candidates) = source, case .all = page, let residual,
            let test = packedTest(in: table)
        else { return nil }
        var cursor = RowCursor(table)
        return cursor.countRows(
            at: table.slotsInOrder(of: candidates), meeting: residual, test)
    }

    @inlinable
    func forEachMatch<Entity: EntityModelProtocol>(
        in table: Table<Entity>, limit: Int, offset: Int, isPassing: Bool,
        _ body: (UInt32, UnsafePointer<Entity>) -> Bool
    ) {
        if residual == nil, case .walk(let walk) = source {
            // Every row counts, so they can be asked for in groups.
            let slots = table.slots(along: walk, limit: limit, offset: offset)
            return visit(slots, in: table, isPassing: isPassing, body)
        }
        var skipped = 0
        var taken = 0
        forEachMatch(in: table, isPassing: isPassing) { slot, row in
            if skipped < offset {
                skipped += 1
                return true
            }
            taken += 1
            return body(slot, row) && taken < limit
        }
    }

    @inlinable
    func visit<Entity: EntityModelProtocol>(
        _ slots: ContiguousArray<UInt32>, in table: Table<Entity>, isPassing: Bool,
        _ body: (UInt32, UnsafePointer<Entity>) -> Bool
    ) {
        var cursor = RowCursor(table)
        cursor.forEachRow(at: slots, isPassing: isPassing, body)
    }

    /// The matching rows' slots in the order of the sorts, the first `kept` of them.
    @inlinable
    func sorted<Entity: EntityModelProtocol>(_ table: Table<Entity>, keeping kept: Int)
        -> ContiguousArray<UInt32>
    {
        guard orderings.count == 1, case .properties(let comparator) = orderings[0] else {
            return reordered(matchingSlots(in: table), table, keeping: kept)
        }
        var selection = RowSelection(comparator, keeping: kept, expecting: 0)
        forEachMatch(in: table, isPassing: false) { slot, row in
            selection.add(slot, row)
            return true
        }
        return selection.finish()
    }

    @inlinable
    func matchingSlots<Entity: EntityModelProtocol>(in table: Table<Entity>) -> ContiguousArray<
        UInt32
    > {
        // No row is made to learn its slot.
        if residual == nil, case .scan = source { return table.liveSlots() }
        var slots = ContiguousArray<UInt32>()
        forEachMatch(in: table, isPassing: true) { slot, _ in
            slots.append(slot)
            return true
        }
        return slots
    }

    /// The rows that a text condition finds, best first, and no more than can be wanted.
    @usableFromInline
    func rankedSlots<Entity: EntityModelProtocol>(
        _ condition: TextCondition, _ table: Table<Entity>
    ) -> ContiguousArray<UInt32> {
        guard residual == nil, case .limit(let limit, let offset) = page else {
            return table.textRanking(for: condition)
        }
        return table.textRanking(for: condition, limit: limit.addingClamped(offset))
    }

    /// Sorts by one ordering behind the other.
    @usableFromInline
    func reordered<Entity: EntityModelProtocol>(
        _ slots: ContiguousArray<UInt32>, _ table: Table<Entity>, keeping kept: Int
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

    @inlinable
    func lastSlot<Entity: EntityModelProtocol>(in table: Table<Entity>) -> UInt32? {
        if orderings.isEmpty { return lastMatch(in: table) }
        guard orderings.count == 1, case .properties(let comparator) = orderings[0] else {
            return reordered(matchingSlots(in: table), table, keeping: .max).last
        }
        var last: (slot: UInt32, row: UnsafePointer<Entity>)?
        forEachMatch(in: table, isPassing: false) { slot, row in
            if last.map({ comparator.compare($0.row, row) <= 0 }) ?? true { last = (slot, row) }
            return true
        }
        return last?.slot
    }

    /// The last match in insertion order: looked for from the end.
    @inlinable
    func lastMatch<Entity: EntityModelProtocol>(in table: Table<Entity>) -> UInt32? {
        let slots: ContiguousArray<UInt32>
        switch source {
        case .candidates(let candidates): slots = table.slotsInOrder(of: candidates)
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

    @inlinable
    func lastMatch<Entity: EntityModelProtocol>(
        among slots: some Sequence<UInt32>, in table: Table<Entity>
    ) -> UInt32? {
        var cursor = RowCursor(table)
        for slot in slots {
            if cursor.withRow(at: slot, { row in residual.map { $0.matches(row) } ?? true })
                ?? false
            {
                return slot
            }
        }
        return nil
    }
}

extension Table {
    /// The first slots of a walk behind an offset.
    @inlinable
    func slots(along walk: IndexWalk, limit: Int, offset: Int) -> ContiguousArray<UInt32> {
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
