extension Context {
    /// The links of one relation of one parent, in order, to live and other slots alike.
    @usableFromInline
    func links(of slot: UInt32, relation: Int, table: Int) -> SlotList {
        tables.unretained(at: table, as: AnyTable.self)._withUnsafeGuaranteedRef {
            $0.slotList(relation: relation, of: slot)
        }
    }

    /// The children of one relation that have rows, in order.
    @usableFromInline
    func liveChildren(of slot: UInt32, relation: Int, table: Int) -> ContiguousArray<UInt32> {
        let list = links(of: slot, relation: relation, table: table)
        let child = tables.tables[rows: tables.tables[rows: table].relations[relation].childTable]
        switch list {
        case .empty: return []
        case .one(let slot): return child.isLive(Slot(slot)) ? [slot] : []
        case .many:
            var slots = list.slots
            // Where every entity that is mentioned is there, none of its rows is looked at.
            guard child.liveCount < child.slotCount else { return slots }
            slots.removeAll { !child.isLive(Slot($0)) }
            return slots
        }
    }

    /// How many children of one relation have rows.
    ///
    /// - Complexity: O(1) where every entity of the child's type that is mentioned is there; else O(n), n links.
    func liveChildCount(of slot: UInt32, relation: Int, table: Int) -> Int {
        tables.unretained(at: table, as: AnyTable.self)._withUnsafeGuaranteedRef { parent in
            let position = parent.relations[relation].childTable
            let isWhole = tables.unretained(at: position, as: AnyTable.self)
                ._withUnsafeGuaranteedRef { $0.liveCount == $0.slotCount }
            guard isWhole else {
                return liveChildren(of: slot, relation: relation, table: table).count
            }
            return parent.slotList(relation: relation, of: slot).count
        }
    }

    /// Makes `children`, which are distinct, the links of one relation of one parent. The other
    /// side of a mutual relation follows: who is no longer listed forgets the parent, and who is
    /// listed by a to-one relation of its own leaves the parent it had.
    @usableFromInline
    package mutating func replaceLinks(
        with children: ContiguousArray<UInt32>, of slot: UInt32, relation: Int, table: Int
    ) {
        let before = links(of: slot, relation: relation, table: table)
        guard !before.isEqual(to: children) else { return }
        let resolved = tables.tables[rows: table].relations[relation]
        if let inverse = resolved.inverse {
            let (lost, gained) = Context.difference(from: before.slots, to: children)
            noteOrphans(lost, of: slot, relation: relation, table: table)
            for child in lost {
                removeLink(to: slot, of: child, relation: inverse, table: resolved.childTable)
            }
            for child in gained {
                linkBack(from: child, to: slot, relation: relation, table: table, resolved)
            }
        }
        // Last, because in a relation that is its own inverse the steps above may touch this list.
        setLinks(SlotList(children), of: slot, relation: relation, table: table)
    }

    /// Makes one child the only link of a relation of a parent.
    @usableFromInline
    mutating func replaceLinks(
        withOnly child: UInt32, of slot: UInt32, relation: Int, table: Int
    ) {
        switch links(of: slot, relation: relation, table: table) {
        case .one(child): return
        case .empty:
            let resolved = tables.unretained(at: table, as: AnyTable.self)
                ._withUnsafeGuaranteedRef { $0.relations[relation] }
            guard let inverse = resolved.inverse, resolved.inverseIsToMany,
                resolved.childTable != table
            else {
                linkBack(from: child, to: slot, relation: relation, table: table, resolved)
                return setLinks(.one(child), of: slot, relation: relation, table: table)
            }
            // What most saves of a link do, as `linkBack` would: both sides under one lock.
            var back = links(of: child, relation: inverse, table: resolved.childTable)
            back.append(slot)
            session.journal.append(JournalEntry(table: resolved.childTable, isLink: true))
            session.journal.append(JournalEntry(table: table, isLink: true))
            lockFormer(toChange: table)
            defer { unlockFormer() }
            setLockedLinks(back, of: child, relation: inverse, table: resolved.childTable)
            setLockedLinks(.one(child), of: slot, relation: relation, table: table)
        case .one, .many:
            replaceLinks(with: [child], of: slot, relation: relation, table: table)
        }
    }

    /// The slots that only the first list has and those that only the second has, in order. Each
    /// list has a slot once, so only between what both begin and end with can they differ.
    static func difference(
        from old: ContiguousArray<UInt32>, to new: ContiguousArray<UInt32>
    ) -> (lost: ArraySlice<UInt32>, gained: ArraySlice<UInt32>) {
        var start = 0
        while start < min(old.count, new.count) && old[start] == new[start] { start += 1 }
        var common = 0
        while common < min(old.count, new.count) - start
            && old[old.count - 1 - common] == new[new.count - 1 - common]
        { common += 1 }
        let lost = old[start..<old.count - common]
        let gained = new[start..<new.count - common]
        // A set of nothing is asked nothing.
        let kept = lost.isEmpty ? [] : Set(gained)
        let present = gained.isEmpty ? [] : Set(lost)
        return (
            lost: kept.isEmpty ? ArraySlice(lost) : ArraySlice(lost.filter { !kept.contains($0) }),
            gained: present.isEmpty
                ? ArraySlice(gained) : ArraySlice(gained.filter { !present.contains($0) })
        )
    }

    /// Adds children, which are distinct, behind the links of one relation of one parent; those that
    /// are there stay where they are.
    @usableFromInline
    mutating func appendLinks(
        _ children: ContiguousArray<UInt32>, to slot: UInt32, relation: Int, table: Int
    ) {
        let resolved = tables.tables[rows: table].relations[relation]
        guard resolved.isToMany else {
            guard !children.isEmpty else { return }
            return replaceLinks(with: children, of: slot, relation: relation, table: table)
        }
        if resolved.childTable == table, resolved.inverse == relation {
            return appendLinksToItself(children, to: slot, relation: relation, table: table)
        }
        // The list is set once: every change in between would be journaled and copy its path.
        var list = links(of: slot, relation: relation, table: table)
        var isChanged = false
        for child in children
        where !isLinked(slot, to: child, relation: relation, table: table) {
            if resolved.inverse != nil {
                linkBack(from: child, to: slot, relation: relation, table: table, resolved)
            }
            list.append(child)
            isChanged = true
        }
        if isChanged { setLinks(list, of: slot, relation: relation, table: table) }
    }

    /// Adds children to a relation that is its own inverse, where linking a child may touch the list.
    private mutating func appendLinksToItself(
        _ children: ContiguousArray<UInt32>, to slot: UInt32, relation: Int, table: Int
    ) {
        let resolved = tables.tables[rows: table].relations[relation]
        for child in children
        where !isLinked(slot, to: child, relation: relation, table: table) {
            linkBack(from: child, to: slot, relation: relation, table: table, resolved)
            var list = links(of: slot, relation: relation, table: table)
            if child == slot, list.contains(child) { continue }
            list.append(child)
            setLinks(list, of: slot, relation: relation, table: table)
        }
    }

    /// Whether the parent lists the child, asked from whichever side has less to look through.
    private func isLinked(_ slot: UInt32, to child: UInt32, relation: Int, table: Int) -> Bool {
        let list = links(of: slot, relation: relation, table: table)
        let resolved = tables.tables[rows: table].relations[relation]
        guard let inverse = resolved.inverse, list.count > 8 else { return list.contains(child) }
        let back = links(of: child, relation: inverse, table: resolved.childTable)
        return back.count < list.count ? back.contains(slot) : list.contains(child)
    }

    /// Sets the child's side of a new link. A child with a to-one relation leaves the parent it
    /// had: that parent's list loses it.
    private mutating func linkBack(
        from child: UInt32, to slot: UInt32, relation: Int, table: Int,
        _ resolved: ResolvedRelation
    ) {
        guard let inverse = resolved.inverse else { return }
        let childTable = resolved.childTable
        var back = links(of: child, relation: inverse, table: childTable)
        if resolved.inverseIsToMany {
            if !(childTable == table && child == slot && back.contains(slot)) {
                back.append(slot)
                setLinks(back, of: child, relation: inverse, table: childTable)
            }
            return
        }
        if let owner = back.first, owner != slot {
            removeLink(to: child, of: owner, relation: relation, table: table)
        }
        setLinks(.one(slot), of: child, relation: inverse, table: childTable)
    }

    /// Removes one child from one list, on that side only.
    mutating func removeLink(
        to child: UInt32, of slot: UInt32, relation: Int, table: Int
    ) {
        var list = links(of: slot, relation: relation, table: table)
        guard let position = list.position(of: child) else { return }
        list.remove(at: position)
        noteOrphans(CollectionOfOne(child), of: slot, relation: relation, table: table)
        setLinks(list, of: slot, relation: relation, table: table)
    }

    mutating func setLinks(
        _ list: SlotList, of slot: UInt32, relation: Int, table position: Int
    ) {
        session.journal.append(JournalEntry(table: position, isLink: true))
        lockFormer(toChange: position)
        defer { unlockFormer() }
        setLockedLinks(list, of: slot, relation: relation, table: position)
    }

    /// Removes one child from one list, behind its before-image and with the lock held.
    @inline(__always)
    private mutating func setLockedLinks(
        _ list: SlotList, of slot: UInt32, relation: Int, table position: Int
    ) {
        let table = uniqueTable(at: position)
        table.linkJournal.append(
            LinkListChange(
                relation: relation, slot: slot,
                before: table.linkList(relation: relation, of: slot)))
        table.links[relation][slot] = list
    }
}
