// Indexes follow the rows that are stored. Each change of a row passes through these: entries of
// the old row go while it still stands in its cell, because finding an entry may compare rows, and
// entries of the new row come when it does.

extension Table {
    /// Adds the row that stands in the cell, if one does, to indexes, one bit for each.
    @inlinable
    func indexRow(
        in cell: UnsafeMutablePointer<Cell>, at slot: Slot, into indexes: UInt64 = .max,
        _ known: KnownKey = KnownKey()
    ) {
        guard !indexDefinitions.isEmpty, let row = Table.row(in: cell) else { return }
        insertEntries(
            of: row, at: slot, ordinal: cell.pointee.metadata.ordinal, into: indexes, known)
    }

    /// Takes the row that stands in the cell, if one does, out of all indexes.
    @inlinable
    func unindexRow(in cell: UnsafeMutablePointer<Cell>, at slot: Slot) {
        guard !indexDefinitions.isEmpty, let row = Table.row(in: cell) else { return }
        removeEntries(
            of: row, at: slot, ordinal: cell.pointee.metadata.ordinal, from: .max)
    }

    /// Takes the row that stands in the cell out of the indexes in which a new one has other
    /// values. Returns the indexes that the new row is to be added to.
    @inlinable
    func unindexChanges(
        in cell: UnsafeMutablePointer<Cell>, to row: Entity, at slot: Slot
    ) -> UInt64 {
        guard let old = Table.row(in: cell) else { return .max }
        var changed = withUnsafePointer(to: row) { changedIndexes(from: old, to: $0) }
        if changed != 0 && hasTextIndexes {
            withUnsafePointer(to: row) { replaceTexts(of: old, with: $0, at: slot, in: &changed) }
        }
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
        of row: UnsafePointer<Entity>, at slot: Slot, ordinal: UInt64, into indexes: UInt64,
        _ known: KnownKey = KnownKey()
    ) {
        for index in indexDefinitions.indices where indexes & (1 << UInt64(index)) != 0 {
            let definition = indexDefinitions[index]
            if hasTextIndexes, let fields = definition.textFields {
                indexContents[index].text?.insert(fields.texts(in: row), slot: slot.rawValue)
                continue
            }
            let (key, isExact) =
                known.index == index ? (known.key, known.isExact) : definition.key(row)
            if indexContents[index].slots != nil {
                insertSlot(slot, underHash: key, in: index)
                continue
            }
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
            if hasTextIndexes, let fields = definition.textFields {
                indexContents[index].text?.remove(fields.texts(in: row), slot: slot.rawValue)
                continue
            }
            let (key, isExact) = definition.key(row)
            if indexContents[index].slots != nil {
                indexContents[index].removeSlot(slot, underHash: key)
                continue
            }
            let entry = IndexEntry(key: key, ordinal: ordinal, slot: slot.rawValue)
            indexContents[index].tree.remove(entry, isExact: isExact) { other in
                self.compare(row, withRowAt: other, definition)
            }
        }
    }

    /// Adds the slot of a row, which stands in its cell, to the map of a unique index.
    @usableFromInline
    func insertSlot(_ slot: Slot, underHash hash: UInt64, in index: Int) {
        let equalCount = indexContents[index].slots?.insert(hash, slot) ?? 0
        guard equalCount > IndexContent.equalMax else { return }
        // Many have the same value, as a resolver may leave it: a tree takes any number. Once for an index, and as a
        // rule while it is small.
        var content = builtTree(index, [collectEntries(indexDefinitions[index])])
        content.mayHoldEqual = indexContents[index].mayHoldEqual
        indexContents[index] = content
    }

    /// Changes texts at once: words that both rows have are not touched. Takes the indexes that are
    /// done with out of those that are to be changed.
    @usableFromInline
    func replaceTexts(
        of old: UnsafePointer<Entity>, with new: UnsafePointer<Entity>, at slot: Slot,
        in changed: inout UInt64
    ) {
        for index in indexDefinitions.indices where changed & (1 << UInt64(index)) != 0 {
            guard let fields = indexDefinitions[index].textFields else { continue }
            indexContents[index].text?.replace(
                fields.texts(in: old), with: fields.texts(in: new), slot: slot.rawValue)
            changed &= ~(1 << UInt64(index))
        }
    }

    @inlinable
    func compare(
        _ row: UnsafePointer<Entity>, withRowAt slot: UInt32, _ definition: IndexDefinition<Entity>
    ) -> Int {
        // Rows of a hashed index are all equal, and need not be looked at.
        guard case .ordered = definition.content else { return 0 }
        return withRow(at: Slot(slot)) { definition.compare(row, $0) } ?? 0
    }

    /// Makes the content of an index from the rows, which were loaded without it. O(n log n).
    @inlinable
    func builtIndex(_ index: Int) -> IndexContent {
        let definition = indexDefinitions[index]
        if let fields = definition.textFields { return builtTextIndex(fields) }
        let noted = takeLoadedEntries(index)
        let parts = noted ?? [collectEntries(definition)]
        if definition.outline.isUniqueByHash, let content = builtMap(index, parts) {
            return content
        }
        // Sorting what was noted in the order of slots takes a fraction of what reading rows here and there does.
        let isOrdered = noted == nil || order.slotsByOrdinal == nil
        return builtTree(index, isOrdered ? parts : [PostingTree.inOrderOfOrdinals(parts)])
    }

    /// Makes the tree of an index from entries that come in the order of their ordinals.
    @inlinable
    func builtTree(_ index: Int, _ parts: [ContiguousArray<IndexEntry>]) -> IndexContent {
        let definition = indexDefinitions[index]
        let entries = PostingTree.sorted(parts, isExact: { self.isExact($0, definition) }) {
            first, second in
            guard let row = self.row(at: Slot(first)) else { return 0 }
            return self.compare(row, withRowAt: second, definition)
        }
        return IndexContent(
            tree: PostingTree(sorted: entries), mayHoldEqual: mayHoldEqual(entries, definition))
    }

    /// Whether rows may break the constraint that an index is, judged by keys. O(n).
    @inlinable
    func mayHoldEqual(
        _ entries: ContiguousArray<IndexEntry>, _ definition: IndexDefinition<Entity>
    ) -> Bool {
        guard let uniqueness = definition.uniqueness else { return false }
        return entries.indices.dropFirst().contains { position in
            guard entries[position].key == entries[position - 1].key,
                let row = copyOfRow(at: Slot(entries[position].slot))
            else { return false }
            return !uniqueness.ignoresNil(in: row)
        }
    }

    /// Makes the map of a unique index; nil where too many rows have the same value. O(n) by the hashes' bytes.
    @usableFromInline
    func builtMap(_ index: Int, _ parts: [ContiguousArray<IndexEntry>]) -> IndexContent? {
        var entries = ContiguousArray<UInt64>()
        entries.reserveCapacity(parts.reduce(0) { $0 + $1.count })
        for part in parts {
            for entry in part { entries.append(IDEntry.make(entry.key, Slot(entry.slot))) }
        }
        IDMap.sort(&entries)
        guard let mayHoldEqual = mayHoldEqual(entries, index) else { return nil }
        return IndexContent(slots: IDMap(sorted: entries), mayHoldEqual: mayHoldEqual)
    }

    /// Whether rows break the constraint that an index is; nil where more have one tag than a map may hold.
    private func mayHoldEqual(_ entries: ContiguousArray<UInt64>, _ index: Int) -> Bool? {
        guard let uniqueness = indexDefinitions[index].uniqueness else { return false }
        var mayHoldEqual = false
        /// The rows of the present tag that count.
        var rows: ContiguousArray<Entity> = []
        var start = 0
        for position in entries.indices.dropFirst() {
            guard IDEntry.tag(entries[position]) == IDEntry.tag(entries[start]) else {
                start = position
                continue
            }
            guard position - start < IndexContent.equalMax else { return nil }
            guard !mayHoldEqual else { continue }
            if position == start + 1 { rows.removeAll(keepingCapacity: true) }
            for place in position == start + 1 ? start...position : position...position {
                guard let row = copyOfRow(at: IDEntry.slot(entries[place])),
                    !uniqueness.ignoresNil(in: row)
                else { continue }
                if rows.contains(where: { isSame($0, row, index) }) { mayHoldEqual = true }
                rows.append(row)
            }
        }
        return mayHoldEqual
    }

    private func isSame(_ first: Entity, _ second: Entity, _ index: Int) -> Bool {
        withUnsafePointer(to: first) { first in
            withUnsafePointer(to: second) { indexDefinitions[index].isSame(first, $0) }
        }
    }

    @inlinable
    func collectEntries(_ definition: IndexDefinition<Entity>) -> ContiguousArray<IndexEntry> {
        var entries = ContiguousArray<IndexEntry>()
        entries.reserveCapacity(liveCount)
        forEachRow(isPassing: true) { slot, row in
            entries.append(
                IndexEntry(
                    key: definition.key(row).key, ordinal: Table.metadata(besideRow: row).ordinal,
                    slot: slot.rawValue))
            return true
        }
        return entries
    }

    @usableFromInline
    func builtTextIndex(_ fields: [TextField]) -> IndexContent {
        IndexContent(
            text: TextPostings(
                (0..<UInt32(slotCount)).lazy.compactMap { slot in
                    self.withRow(at: Slot(slot), isOnce: true) {
                        (slot: slot, texts: fields.texts(in: $0))
                    }
                }))
    }

    @usableFromInline
    func isExact(_ entry: IndexEntry, _ definition: IndexDefinition<Entity>) -> Bool {
        withRow(at: Slot(entry.slot), isOnce: true) { definition.key($0).isExact } ?? true
    }
}
