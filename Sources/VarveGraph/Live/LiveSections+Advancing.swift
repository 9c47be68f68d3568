extension LiveSections {
    private typealias Row = LiveOrder<Entity>.Row

    /// A row that leaves its place in the old list.
    private struct Departure {
        let slot: UInt32
        /// In the whole list.
        let index: Int
        let place: SectionPosition
    }

    /// A row that is to be put somewhere.
    private struct Arrival {
        let slot: UInt32
        let row: Row
        let key: Key
        var place = SectionPosition(section: 0, row: 0)
        var isUpdated = true
    }

    /// What some rows come to.
    private struct Difference {
        var gone: [Departure] = []
        var come: [Arrival] = []
        /// Rows with other values and the old place.
        var updated: [Arrival] = []
    }

    /// The sections of a list that is being changed.
    private struct Layout {
        var slots: SlotList
        var keys: [Key] = []
        var bounds = [0]
        /// By the old section, the new one; nil where it is gone.
        var successors: [Int?] = []
        var inserted: [Int] = []
    }

    /// The next sections, where some rows have changed; nil where the list turns out not to be in the order, as with
    /// values that no order has a place for.
    func advance(
        _ old: Sections, to context: Context, _ affected: ContiguousArray<UInt32>
    ) -> (sections: Sections, changes: SectionChanges)? {
        guard let order = query.order, let before = old.list.context.table(of: Entity.self),
            let after = context.table(of: Entity.self),
            var difference = sortOut(affected, old, before, order, to: context, after),
            let layout = layOut(old, &difference, order, after)
        else { return nil }
        let sections = Sections(
            ResultList(context, layout.slots, query.shape), layout.keys, layout.bounds)
        var result = SectionDifference()
        result.deletedSections = layout.successors.indices.filter { layout.successors[$0] == nil }
        result.insertedSections = layout.inserted
        for row in difference.updated {
            guard let section = sections.section(of: row.key, key.compare),
                let index = index(of: row.row, row.slot, section, in: sections, order, after)
            else { return nil }
            let start = sections.range(of: section).lowerBound
            result.updated.append(SectionPosition(section: section, row: index - start))
        }
        pair(difference, layout, into: &result)
        let changes = result.changes(oldCount: old.count(of:), newCount: sections.count(of:))
        return (sections, changes)
    }

    /// Where a row is in the whole list; nil where it is not where its values lead to.
    private func index(
        of row: Row, _ slot: UInt32, _ section: Int, in sections: Sections,
        _ order: LiveOrder<Entity>, _ table: Table<Entity>
    ) -> Int? {
        let range = sections.range(of: section)
        let slots = sections.list.slots
        let index = order.position(of: row, in: slots, range, table)
        guard index >= 0, index < range.upperBound, slots.slot(at: index) == slot else {
            return nil
        }
        return index
    }

    private func sortOut(
        _ affected: ContiguousArray<UInt32>, _ old: Sections, _ before: Table<Entity>,
        _ order: LiveOrder<Entity>, to context: Context, _ after: Table<Entity>
    ) -> Difference? {
        var difference = Difference()
        for slot in affected {
            let (was, now) = order.found(slot, before, after)
            let arrival = now.map { row in
                Arrival(
                    slot: slot, row: row, key: key.key(of: row, slot, after, in: context),
                    isUpdated: was.map {
                        Table.metadata(besideRow: $0) != Table.metadata(besideRow: row)
                    } ?? true)
            }
            guard let was else {
                if let arrival { difference.come.append(arrival) }
                continue
            }
            let wasKey = key.key(of: was, slot, before, in: old.list.context)
            if let arrival, key.compare(wasKey, arrival.key) == 0,
                order.compare(was, arrival.row) == 0
            {
                if arrival.isUpdated { difference.updated.append(arrival) }
                continue
            }
            guard let section = old.section(of: wasKey, key.compare),
                let index = index(of: was, slot, section, in: old, order, before)
            else { return nil }
            let row = index - old.range(of: section).lowerBound
            difference.gone.append(
                Departure(
                    slot: slot, index: index, place: SectionPosition(section: section, row: row)))
            if let arrival { difference.come.append(arrival) }
        }
        difference.gone.sort { $0.index < $1.index }
        difference.come.sort { first, second in
            let keys = key.compare(first.key, second.key)
            return keys != 0 ? keys < 0 : order.compare(first.row, second.row) < 0
        }
        return difference
    }

    /// Takes rows out of their old places and puts rows into their new ones, section by section.
    private func layOut(
        _ old: Sections, _ difference: inout Difference, _ order: LiveOrder<Entity>,
        _ after: Table<Entity>
    ) -> Layout? {
        var layout = Layout(slots: old.list.slots)
        var counts = old.keys.indices.map(old.count(of:))
        for departure in difference.gone.reversed() {
            layout.slots.remove(at: departure.index)
            counts[departure.place.section] -= 1
        }
        var next = 0
        var arrival = 0
        while next < counts.count || arrival < difference.come.count {
            let comparison =
                next == counts.count
                ? 1
                : arrival == difference.come.count
                    ? -1 : key.compare(old.keys[next], difference.come[arrival].key)
            let sectionKey =
                comparison <= 0 ? old.keys[next] : difference.come[arrival].key
            let start = layout.bounds[layout.keys.count]
            var end = start + (comparison <= 0 ? counts[next] : 0)
            if comparison >= 0 {
                guard
                    let came = insert(
                        &difference.come, from: arrival, start..<end, order, after, &layout)
                else { return nil }
                arrival += came
                end += came
            }
            if comparison <= 0 {
                layout.successors.append(end > start ? layout.keys.count : nil)
                next += 1
            } else {
                layout.inserted.append(layout.keys.count)
            }
            guard end > start else { continue }
            layout.keys.append(sectionKey)
            layout.bounds.append(end)
        }
        return layout
    }

    /// Puts the arrivals of one key into their section. Returns their number.
    private func insert(
        _ come: inout [Arrival], from first: Int, _ range: Range<Int>,
        _ order: LiveOrder<Entity>, _ after: Table<Entity>, _ layout: inout Layout
    ) -> Int? {
        var range = range
        var next = first
        var last = -1
        while next < come.count, key.compare(come[first].key, come[next].key) == 0 {
            let index = order.position(of: come[next].row, in: layout.slots, range, after)
            guard index > last else { return nil }
            layout.slots.insert(come[next].slot, at: index)
            come[next].place = SectionPosition(
                section: layout.keys.count, row: index - range.lowerBound)
            range = range.lowerBound..<range.upperBound + 1
            last = index
            next += 1
        }
        return next - first
    }

    // MARK: - Naming

    /// Tells rows that moved from those that came, went or kept their place.
    private func pair(
        _ difference: Difference, _ layout: Layout, into result: inout SectionDifference
    ) {
        // A row among those that stayed: how many of its section are in front of it.
        var ranks: [Int: Int] = [:]
        func rank(_ section: Int) -> Int {
            defer { ranks[section, default: 0] += 1 }
            return ranks[section, default: 0]
        }
        var origins: [UInt32: (place: SectionPosition, gap: Int)] = [:]
        for departure in difference.gone {
            let gap = departure.place.row - rank(departure.place.section)
            origins[departure.slot] = (departure.place, gap)
        }
        ranks = [:]
        var lastKept: [Int: Int] = [:]
        for arrival in difference.come {
            let gap = arrival.place.row - rank(arrival.place.section)
            guard let origin = origins.removeValue(forKey: arrival.slot) else {
                result.inserted.append(arrival.place)
                continue
            }
            let section = origin.place.section
            if layout.successors[section] == arrival.place.section, gap == origin.gap,
                origin.place.row > lastKept[section] ?? -1
            {
                lastKept[section] = origin.place.row
                if arrival.isUpdated { result.updated.append(arrival.place) }
            } else {
                result.moved.append(
                    .init(from: origin.place, to: arrival.place, isUpdated: arrival.isUpdated))
            }
        }
        result.deleted = difference.gone.filter { origins[$0.slot] != nil }.map(\.place)
    }
}

// MARK: - Comparing

extension LiveSections {
    /// How two lists of sections differ, found by looking at all rows.
    func compare(
        _ old: Sections, to new: Sections, isSameLineage: Bool
    ) -> (sections: Sections, changes: SectionChanges) {
        let (comparison, isUpdated) = query.difference(
            old.list, new.list, isSameLineage: isSameLineage)
        var result = SectionDifference()
        let successors = successors(of: old.keys, in: new.keys)
        result.deletedSections = old.keys.indices.filter { successors[$0] == nil }
        let known = Set(successors.compactMap { $0 })
        result.insertedSections = new.keys.indices.filter { !known.contains($0) }
        result.deleted = comparison.deleted.map(old.position(of:))
        result.inserted = comparison.inserted.map(new.position(of:))
        for move in comparison.moved {
            result.moved.append(
                .init(
                    from: old.position(of: move.from), to: new.position(of: move.to),
                    isUpdated: isUpdated(move.from, move.to)))
        }
        for pair in comparison.kept {
            let from = old.position(of: pair.old)
            let to = new.position(of: pair.new)
            let isChanged = isUpdated(pair.old, pair.new)
            if successors[from.section] != to.section {
                result.moved.append(.init(from: from, to: to, isUpdated: isChanged))
            } else if isChanged {
                result.updated.append(to)
            }
        }
        result.moved.sort { $0.to < $1.to }
        return (new, result.changes(oldCount: old.count(of:), newCount: new.count(of:)))
    }

    /// By the old section, the new one that has its key.
    private func successors(of old: [Key], in new: [Key]) -> [Int?] {
        var next = 0
        return old.map { former in
            while next < new.count, key.compare(new[next], former) < 0 { next += 1 }
            return next < new.count && key.compare(new[next], former) == 0 ? next : nil
        }
    }
}
