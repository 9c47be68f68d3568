/// A query whose results are kept up to date in sections, from state to state.
package struct LiveSections<Entity: EntityModelProtocol, Key: Sendable>: Sendable {
    package typealias Sections = ResultSections<Entity, Key>

    let query: LiveQuery<Entity>
    let key: SectionKey<Entity, Key>

    package init(_ query: QueryList<Entity>, by key: SectionKey<Entity, Key>) {
        self.query = LiveQuery(query)
        self.key = key
    }

    /// What the query finds, in sections.
    package func sections(in context: Context) -> Sections {
        guard let table = context.table(of: Entity.self) else {
            return Sections(.empty(context), [], [0])
        }
        let (slots, starts) =
            switch key.source {
            case .row(let read, let order): sections(in: context, table, read, order)
            case .related(let relation, let read):
                sections(in: context, relation: relation, read)
            }
        let list = ResultList(context, SlotList(slots), query.shape)
        return Sections(
            list, starts.map(\.key), starts.map(\.position) + [slots.count])
    }

    /// What the query finds in a later state, and how that differs from an earlier one.
    ///
    /// - Parameter changed: what was touched in between; nil where that is not known, and where slots may mean
    ///   other ids.
    /// - Complexity: for conditions and orders by properties, O(log n) for each row that changed or whose key did, and
    ///   O(s) for s sections. Otherwise that of the query, where what changed can make a difference.
    package func advance(
        _ old: Sections, to context: Context, _ changed: ChangedRows?
    ) -> (sections: Sections, changes: SectionChanges) {
        guard let changed else {
            return compare(old, to: sections(in: context), isSameLineage: false)
        }
        guard let position = context.tables.position(of: Entity._descriptor) else {
            return (sections(in: context), SectionChanges())
        }
        if !query.reaches(changed, from: position, in: context),
            let slots = affected(by: changed, from: old.list.context, to: context, position)
        {
            let isFollowed = query.order != nil && query.page == nil
            if slots.isEmpty, isFollowed || query.staysSame(old.list, in: context, position) {
                let list = ResultList(context, old.list.slots, query.shape)
                return (old.following(list), SectionChanges())
            }
            if isFollowed, LiveQuery<Entity>.isWorthFollowing(slots.count, of: old.list.count),
                let next = advance(old, to: context, slots)
            {
                return next
            }
        }
        return compare(old, to: sections(in: context), isSameLineage: true)
    }

    /// The rows of the query's type whose values or key may differ; nil where only the query can tell.
    private func affected(
        by changed: ChangedRows, from before: Context, to after: Context, _ position: Int
    ) -> ContiguousArray<UInt32>? {
        let own = changed.tables[position]
        let rows = own?.rows ?? []
        guard case .related(let relation, let read) = key.source else { return rows }
        var slots = Set(rows)
        slots.formUnion(own?.holders ?? [])
        let resolved = after.tables.tables[rows: position].relations[relation]
        for child in changed.tables[resolved.childTable]?.rows ?? []
        where key.compare(read(child, before), read(child, after)) != 0 {
            guard let inverse = resolved.inverse else { return nil }
            let table = after.tables.tables[rows: resolved.childTable]
            slots.formUnion(table.slotList(relation: inverse, of: child).slots)
        }
        return ContiguousArray(slots)
    }
}

// MARK: - Finding sections anew

extension LiveSections {
    private typealias Start = (key: Key, position: Int)

    /// The slots in the order of a property, and where each of its values begins. O(s log² n) behind the sort.
    private func sections(
        in context: Context, _ table: Table<Entity>,
        _ read: (UnsafeRawPointer) -> Key, _ order: RowComparator
    ) -> (slots: ContiguousArray<UInt32>, starts: [Start]) {
        let slots = query.query.adding(.sort(order)).slots(in: context)
        var rows = RowCursor(table)
        func key(_ position: Int) -> Key {
            guard let key = rows.withRow(at: slots[position], { read($0) }) else {
                preconditionFailure("a result without a row")
            }
            return key
        }
        var starts: [Start] = []
        var position = 0
        while position < slots.count {
            let current = key(position)
            starts.append((current, position))
            position = slots.end(ofSectionAt: position) {
                self.key.compare(current, key($0)) == 0
            }
        }
        return (slots, starts)
    }

    /// The slots in the order of a related entity's property. Each related entity is read once.
    private func sections(
        in context: Context, relation: Int,
        _ read: (UInt32?, Context) -> Key
    ) -> (slots: ContiguousArray<UInt32>, starts: [Start]) {
        var groups: [UInt32?: Int] = [:]
        var keys: [Key] = []
        let slots = query.query.slots(in: context)
        guard let position = context.tables.position(of: Entity._descriptor) else {
            return ([], [])
        }
        let links = LinkReader(relation: relation, table: position, in: context)
        let groupOfRow = slots.map { slot -> Int in
            let child = links.first(of: slot)
            if let group = groups[child] { return group }
            groups[child] = keys.count
            keys.append(read(child, context))
            return keys.count - 1
        }
        // Related entities with one key are one section.
        var sectionOfGroup = [Int](repeating: 0, count: keys.count)
        var sections: [Key] = []
        for group in keys.indices.sorted(by: { key.compare(keys[$0], keys[$1]) < 0 }) {
            if sections.last.map({ key.compare($0, keys[group]) != 0 }) ?? true {
                sections.append(keys[group])
            }
            sectionOfGroup[group] = sections.count - 1
        }
        var next = [Int](repeating: 0, count: sections.count + 1)
        for group in groupOfRow { next[sectionOfGroup[group] + 1] += 1 }
        for section in sections.indices { next[section + 1] += next[section] }
        let starts = zip(sections, next).map { ($0, $1) }
        var sorted = ContiguousArray<UInt32>(repeating: 0, count: slots.count)
        for (slot, group) in zip(slots, groupOfRow) {
            let section = sectionOfGroup[group]
            sorted[next[section]] = slot
            next[section] += 1
        }
        return (sorted, starts)
    }
}

extension ContiguousArray<UInt32> {
    /// The first position behind `start` that is not of its section; those that are come first.
    fileprivate func end(ofSectionAt start: Int, _ isInside: (Int) -> Bool) -> Int {
        var inside = start
        var step = 1
        while inside + step < count, isInside(inside + step) {
            inside += step
            step *= 2
        }
        var outside = Swift.min(inside + step, count)
        while inside + 1 < outside {
            let middle = (inside + outside) / 2
            if isInside(middle) { inside = middle } else { outside = middle }
        }
        return outside
    }
}
