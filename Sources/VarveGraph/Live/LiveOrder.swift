/// A query whose result can be kept up to date row by row: conditions on rows of one type, also such as
/// several queries together make, and orders by their properties. Whether a row is found, and where,
/// depends on no other row.
struct LiveOrder<Entity: EntityModelProtocol>: Sendable {
    typealias Row = UnsafePointer<Entity>

    /// Whether the query finds a row.
    private(set) var matches: @Sendable (Row) -> Bool = { _ in true }
    /// Less than, equal to or greater than zero, as the first row comes before, with or behind. No two
    /// rows of one state are equal.
    private(set) var compare: @Sendable (Row, Row) -> Int = { first, second in
        let ordinals = (
            Table.metadata(besideRow: first).ordinal, Table.metadata(besideRow: second).ordinal
        )
        return ordinals.0 == ordinals.1 ? 0 : ordinals.0 < ordinals.1 ? -1 : 1
    }

    /// Nil where the query has steps that look at more than one row.
    init?(_ query: QueryList<Entity>) {
        self.init(query, steps: query.plan.steps[...])
    }

    /// The order of the first steps of a query; nil as above.
    init?(_ query: QueryList<Entity>, steps: ArraySlice<RowStep>) {
        guard case .all = query.source else { return nil }
        self.init(steps)
    }

    private init?(_ other: RowQuery) {
        guard case .all = other.source else { return nil }
        self.init(other.steps.all[...])
    }

    private init?(_ steps: ArraySlice<RowStep>) {
        var filters: RowCondition?
        var nesting = 0
        for step in steps {
            if case .filter(let condition) = step {
                guard condition.rankings.isEmpty else { return nil }
                filters = filters.map { $0 && condition } ?? condition
                continue
            }
            if let condition = filters { filter(condition) }
            filters = nil
            // Each of these asks the ones before it in turn.
            nesting += 1
            guard nesting <= 64 else { return nil }
            switch step {
            case .filter: break
            case .sort(let comparator): sort(comparator)
            case .distinct: break
            case .union(let other):
                guard let other = LiveOrder(other) else { return nil }
                unite(with: other)
            case .intersection(let other):
                guard let other = LiveOrder(other) else { return nil }
                let (own, others) = (matches, other.matches)
                matches = { own($0) && others($0) }
            case .limit, .last, .transform: return nil
            }
        }
        if let condition = filters { filter(condition) }
    }

    private mutating func filter(_ condition: RowCondition) {
        let (known, test) = (matches, condition.matches)
        matches = { known($0) && test($0) }
    }

    /// The last sort counts first.
    private mutating func sort(_ comparator: RowComparator) {
        let next = compare
        compare = { first, second in
            let order = comparator.compare(first, second)
            return order != 0 ? order : next(first, second)
        }
    }

    /// What the other finds comes behind what this one finds.
    private mutating func unite(with other: LiveOrder) {
        let (own, next) = (matches, compare)
        matches = { own($0) || other.matches($0) }
        compare = { first, second in
            let isOwn = (own(first), own(second))
            if isOwn.0 != isOwn.1 { return isOwn.0 ? -1 : 1 }
            return isOwn.0 ? next(first, second) : other.compare(first, second)
        }
    }

    /// How many slots of a list, which is in order, come before a row. O(log n) comparisons.
    func position(
        of row: Row, in slots: SlotList, _ table: Table<Entity>
    ) -> Int {
        position(of: row, in: slots, 0..<slots.count, table)
    }

    /// Where a row belongs in a part of a list that is in order. -1 where a slot has no row.
    func position(
        of row: Row, in slots: SlotList, _ range: Range<Int>, _ table: Table<Entity>
    ) -> Int {
        var low = range.lowerBound
        var high = range.upperBound
        while low < high {
            let middle = (low + high) / 2
            let slot = Slot(slots.slot(at: middle))
            guard let order = table.withRow(at: slot, { compare($0, row) }) else { return -1 }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension LiveOrder {
    /// The next list, with the changes, where some rows have changed; nil where the list turns out not
    /// to be in the order, as with values that no order has a place for.
    func advance(
        _ old: SlotList, from before: Table<Entity>, to after: Table<Entity>,
        _ changed: ContiguousArray<UInt32>
    ) -> (slots: SlotList, changes: ResultChanges)? {
        guard let difference = sortOut(old, before, after, changed) else { return nil }
        let gone = difference.gone.sorted { $0.position < $1.position }
        var slots = old
        for removal in gone.reversed() { slots.remove(at: removal.position) }
        guard let arrivals = insert(difference.come, into: &slots, after) else { return nil }
        guard let changes = changes(gone, arrivals, difference.updated, in: slots, after) else {
            return nil
        }
        return (slots, changes)
    }

    /// Where a row stands. Nil where it is not found at the place that its values lead to, as when
    /// an application's `<` is no order.
    private func place(
        of row: UnsafePointer<Entity>, _ slot: UInt32, in slots: SlotList, _ table: Table<Entity>
    ) -> Int? {
        let position = position(of: row, in: slots, table)
        guard position >= 0, position < slots.count, slots.slot(at: position) == slot else {
            return nil
        }
        return position
    }

    typealias Place = (slot: UInt32, position: Int)

    struct Difference {
        /// What has to leave its place in the old list.
        var gone: [Place] = []
        /// What has to be put somewhere.
        var come: [UInt32] = []
        /// What stays, with other values.
        var updated: [UInt32] = []
    }

    /// The rows of a slot before and after, where the query finds them.
    func found(
        _ slot: UInt32, _ before: Table<Entity>, _ after: Table<Entity>
    ) -> (was: Row?, now: Row?) {
        let was = Int(slot) < before.slotCount ? before.row(at: Slot(slot)) : nil
        let now = after.row(at: Slot(slot))
        return (was.flatMap { matches($0) ? $0 : nil }, now.flatMap { matches($0) ? $0 : nil })
    }

    private func sortOut(
        _ old: SlotList, _ before: Table<Entity>, _ after: Table<Entity>,
        _ changed: ContiguousArray<UInt32>
    ) -> Difference? {
        var difference = Difference()
        for slot in changed {
            let (was, now) = found(slot, before, after)
            if let was, let now, compare(was, now) == 0 {
                if Table.metadata(besideRow: was) != Table.metadata(besideRow: now) {
                    difference.updated.append(slot)
                }
                continue
            }
            if let was {
                guard let position = place(of: was, slot, in: old, before) else { return nil }
                difference.gone.append((slot, position))
            }
            if now != nil { difference.come.append(slot) }
        }
        return difference
    }

    /// Puts rows where they belong, in ascending order. Returns their positions.
    private func insert(
        _ come: [UInt32], into slots: inout SlotList, _ table: Table<Entity>
    ) -> [Place]? {
        let rows = come.compactMap { slot in table.row(at: Slot(slot)).map { (slot, $0) } }
            .sorted { compare($0.1, $1.1) < 0 }
        var arrivals: [Place] = []
        for (slot, row) in rows {
            let position = self.position(of: row, in: slots, table)
            guard position >= 0, position > arrivals.last?.position ?? -1 else { return nil }
            slots.insert(slot, at: position)
            arrivals.append((slot, position))
        }
        return arrivals
    }

    private func changes(
        _ gone: [Place], _ arrivals: [Place], _ updated: [UInt32], in slots: SlotList,
        _ table: Table<Entity>
    ) -> ResultChanges? {
        let rows = updated
        var updated: [Int] = []
        for slot in rows {
            guard let row = table.row(at: Slot(slot)),
                let position = place(of: row, slot, in: slots, table)
            else { return nil }
            updated.append(position)
        }
        if gone.count == 1, arrivals.count == 1, gone[0].slot == arrivals[0].slot,
            gone[0].position == arrivals[0].position
        {
            // Another key, the same place.
            updated.append(arrivals[0].position)
            return ResultChanges(updated: updated.sorted())
        }
        let origins = Dictionary(uniqueKeysWithValues: gone.map { ($0.slot, $0.position) })
        let targets = Set(arrivals.map(\.slot))
        return ResultChanges(
            deleted: gone.filter { !targets.contains($0.slot) }.map(\.position),
            inserted: arrivals.filter { origins[$0.slot] == nil }.map(\.position),
            moved: arrivals.compactMap { arrival in
                origins[arrival.slot].map {
                    ResultChanges.Move(from: $0, to: arrival.position)
                }
            },
            updated: updated.sorted())
    }
}
