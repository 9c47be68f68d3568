package import VarveEvents

extension State {
    /// A state with the entities of some types alone, and with the lists of some relations of the others, in pages of
    /// its own. Slots are as they were. O(n) in what it holds.
    ///
    /// - Parameter relations: by type.
    package func part(
        types: Set<TypeNumber>, relations: [TypeNumber: [RelationNumber]]
    ) -> State {
        let transaction = StateTransaction(State(after: lastTransaction))
        transaction.catalog = catalog
        transaction.lastTime = lastTime
        transaction.timeline = timeline
        for table in tables {
            let type = table.definition.number
            let isWhole = types.contains(type)
            transaction.tables.append(
                Table(
                    table, of: self, isWhole: isWhole,
                    relations: isWhole
                        ? table.definition.relations.map(\.number) : relations[type] ?? [],
                    in: transaction.transaction))
        }
        return transaction.publish()
    }
}

extension Table {
    /// A copy of what a table of another store has.
    ///
    /// - Parameter isWhole: whether it has rows, ids and the lists of tombstones.
    fileprivate init(
        _ table: Table, of state: State, isWhole: Bool, relations: [RelationNumber],
        in transaction: PageTransaction
    ) {
        self.init(
            Parts(
                links: table.definition.relations.map { _ in LinkMap() },
                nextOrdinal: table.nextOrdinal, lastNumber: table.lastNumber),
            layouts: table.layouts)
        for relation in relations {
            guard let position = layout.relation(relation)?.position else { continue }
            table.links[position].forEachList(in: state.pages) { holder, slots in
                setLinks(position, of: holder, to: slots, in: transaction)
                return true
            }
        }
        guard isWhole else { return }
        copyRows(of: table, in: state.pages, to: transaction)
        for slot in 0..<UInt32(truncatingIfNeeded: table.keptLists.isEmpty ? 0 : slotCount) {
            let kept = table.keptLists(of: Slot(slot), in: state.pages)
            if !kept.isEmpty { keepLists(kept, of: Slot(slot), in: transaction) }
        }
    }

    private mutating func copyRows(
        of table: Table, in pages: PageTable, to transaction: PageTransaction
    ) {
        var cursor = table.rows.cursor(in: pages)
        var batch: [LoadedRow] = []
        var hashes: [UInt64] = []
        hashes.reserveCapacity(table.slotCount)
        while let entry = cursor.nextEntry() {
            hashes.append(ids.hash(entry.id))
            batch.append(
                LoadedRow(
                    id: entry.id, hash: hashes[hashes.count - 1], row: entry.row, entry.metadata))
            guard hashes.count == table.slotCount || batch.count == 256 else { continue }
            batch.withUnsafeBufferPointer { loadRows($0, in: transaction) }
            batch.removeAll(keepingCapacity: true)
        }
        loadIDs(hashes, in: transaction)
    }
}
