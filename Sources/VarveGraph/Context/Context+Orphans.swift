/// An entity that left a list which deletes its orphans, and whose list that was.
@usableFromInline
struct Orphan: Sendable {
    let slot: UInt32
    let relation: Int
    let owner: UInt32
    /// The table of the owner.
    let table: Int
}

extension Context {
    /// Notes what leaves a list, where the list deletes its orphans.
    mutating func noteOrphans(
        _ children: some Sequence<UInt32>, of owner: UInt32, relation: Int, table: Int
    ) {
        guard tables.tables[rows: table].relations[relation].deletesOrphans else { return }
        for child in children {
            session.orphans.append(
                Orphan(slot: child, relation: relation, owner: owner, table: table))
        }
    }

    /// Deletes what no list holds any more, at the end of the outermost change: meanwhile it may have moved to another.
    ///
    /// What a deletion takes along may orphan others, which come next.
    @usableFromInline
    mutating func deleteOrphans(behind mark: JournalMark) throws {
        guard mark.isOutermost else { return }
        var next = 0
        while next < session.orphans.count {
            let orphan = session.orphans[next]
            next += 1
            let resolved = tables.tables[rows: orphan.table].relations[orphan.relation]
            guard let inverse = resolved.inverse else { continue }
            let holders = links(of: orphan.slot, relation: inverse, table: resolved.childTable)
            guard holders.count == 0 else { continue }
            try deleteRow(
                at: Slot(orphan.slot), table: resolved.childTable,
                cause: .cascade(table: orphan.table, slot: orphan.owner))
        }
        session.orphans.removeAll()
    }

    /// Deletes what no list holds any more, but for what `isSpared` says of a table, a slot and the side of the relation
    /// that leads to the lists.
    package mutating func deleteOrphans(
        behind mark: JournalMark, except isSpared: (Int, UInt32, Int) -> Bool
    ) throws {
        guard !session.orphans.isEmpty else { return }
        session.orphans = session.orphans.filter { orphan in
            let resolved = tables.tables[rows: orphan.table].relations[orphan.relation]
            guard let inverse = resolved.inverse else { return false }
            return !isSpared(resolved.childTable, orphan.slot, inverse)
        }
        try deleteOrphans(behind: mark)
    }
}
