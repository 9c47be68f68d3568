// Indexes follow the rows that are stored. Each change of a row passes through these: entries of
// the old row go while it still stands in its cell, because finding an entry may compare rows, and
// entries of the new row come when it does.

extension Table {
    /// Adds the row that stands in the cell, if one does, to indexes, one bit for each.
    @inlinable
    func indexRow(
        in cell: UnsafeMutablePointer<Cell>, at slot: Slot, into indexes: UInt64 = .max
    ) {
        guard !indexDefinitions.isEmpty, let row = Table.row(in: cell) else { return }
        insertEntries(of: row, at: slot, ordinal: cell.pointee.metadata.ordinal, into: indexes)
    }

    /// Takes the row that stands in the cell, if one does, out of all indexes.
    @inlinable
    func unindexRow(in cell: UnsafeMutablePointer<Cell>, at slot: Slot) {
        guard !indexDefinitions.isEmpty, let row = Table.row(in: cell) else { return }
        removeEntries(
            of: row, at: slot, ordinal: cell.pointee.metadata.ordinal, from: .max)
    }

    /// Takes the row that stands in the cell out of the indexes in which a new one has other
    /// values. Answers the indexes that the new row is to be added to.
    @inlinable
    func unindexChanges(
        in cell: UnsafeMutablePointer<Cell>, to row: Entity, at slot: Slot
    ) -> UInt64 {
        guard let old = Table.row(in: cell) else { return .max }
        let changed = withUnsafePointer(to: row) { changedIndexes(from: old, to: $0) }
        if changed != 0 {
            removeEntries(
                of: old, at: slot, ordinal: cell.pointee.metadata.ordinal, from: changed)
        }
        return changed
    }

    /// The indexes in which two rows have different values, one bit for each.
    @inlinable
    func changedIndexes(from old: UnsafePointer<Entity>, to new: UnsafePointer<Entity>) -> UInt64 {
        var changed: UInt64 = 0
        for index in indexDefinitions.indices where !indexDefinitions[index].isSame(old, new) {
            changed |= 1 << UInt64(index)
        }
        return changed
    }

    @inlinable
    func insertEntries(
        of row: UnsafePointer<Entity>, at slot: Slot, ordinal: UInt64, into indexes: UInt64
    ) {
        for index in indexDefinitions.indices where indexes & (1 << UInt64(index)) != 0 {
            let definition = indexDefinitions[index]
            let (key, isExact) = definition.key(row)
            let entry = IndexEntry(key: key, ordinal: ordinal, slot: slot.rawValue)
            indexContents[index].tree.insert(entry, isExact: isExact) { other in
                self.compare(row, withRowAt: other, definition)
            }
        }
    }

    @inlinable
    func removeEntries(
        of row: UnsafePointer<Entity>, at slot: Slot, ordinal: UInt64, from indexes: UInt64
    ) {
        for index in indexDefinitions.indices where indexes & (1 << UInt64(index)) != 0 {
            let definition = indexDefinitions[index]
            let (key, isExact) = definition.key(row)
            let entry = IndexEntry(key: key, ordinal: ordinal, slot: slot.rawValue)
            indexContents[index].tree.remove(entry, isExact: isExact) { other in
                self.compare(row, withRowAt: other, definition)
            }
        }
    }

    @inlinable
    func compare(
        _ row: UnsafePointer<Entity>, withRowAt slot: UInt32, _ definition: IndexDefinition<Entity>
    ) -> Int {
        guard let other = self.row(at: Slot(slot)) else { return 0 }
        return definition.compare(row, other)
    }

    /// Makes the content of an index from the rows, which were loaded without it. O(n log n).
    @inlinable
    func builtIndex(_ index: Int) -> IndexContent {
        let definition = indexDefinitions[index]
        var entries = ContiguousArray<IndexEntry>()
        entries.reserveCapacity(liveCount)
        forEachRow { slot, row in
            entries.append(
                IndexEntry(
                    key: definition.key(row).key, ordinal: metadata(of: slot).ordinal,
                    slot: slot.rawValue))
            return true
        }
        PostingTree.sort(&entries, isExact: { self.isExact($0, definition) }) { first, second in
            guard let row = self.row(at: Slot(first)) else { return 0 }
            return self.compare(row, withRowAt: second, definition)
        }
        return IndexContent(tree: PostingTree(sorted: entries))
    }

    @usableFromInline
    func isExact(_ entry: IndexEntry, _ definition: IndexDefinition<Entity>) -> Bool {
        row(at: Slot(entry.slot)).map { definition.key($0).isExact } ?? true
    }

    // MARK: - Invariants

    /// Checks that each index holds exactly the rows, under their values, in order. O(n log n).
    func checkIndexes() {
        for (definition, content) in zip(indexDefinitions, indexContents) {
            let tree = content.tree
            tree.checkInvariants(isExact: { self.isExact($0, definition) }) { first, second in
                guard let row = self.row(at: Slot(first)) else { return 0 }
                return self.compare(row, withRowAt: second, definition)
            }
            precondition(tree.count == liveCount, "the index \(definition.name) misses rows")
            var seen = Set<UInt32>()
            for entry in tree.postings {
                let slot = Slot(entry.slot)
                guard let row = row(at: slot) else {
                    preconditionFailure("an entry of a row that is gone in \(definition.name)")
                }
                precondition(
                    seen.insert(entry.slot).inserted, "a row twice in \(definition.name)")
                precondition(
                    definition.key(row).key == entry.key,
                    "an entry under another value than its row has in \(definition.name)")
                precondition(
                    metadata(of: slot).ordinal == entry.ordinal,
                    "an entry with another ordinal than its row in \(definition.name)")
            }
        }
    }
}
