// Indexes follow the rows that are stored. Each change of a row passes through these: entries of
// the old row go while it still stands in its cell, because finding an entry may compare rows, and
// entries of the new row come when it does. A stored table has no indexes: it notes unique values of new rows, and the
// filled one finds what was changed.

extension AnyTable {
    /// Takes a row out of the indexes in which the one that follows it has other values. Returns the indexes that the
    /// new row is to be added to, one bit for each.
    @usableFromInline
    final func unindexChanges(
        from old: UnsafeRawPointer, to new: UnsafeRawPointer, at slot: Slot, ordinal: UInt64
    ) -> UInt64 {
        guard isFilled else { return changedIndexes(among: uniqueIndexes, from: old, to: new) }
        var changed = changedIndexes(among: indexDefinitions.indices, from: old, to: new)
        if changed != 0 && hasTextIndexes {
            replaceTexts(of: old, with: new, at: slot, in: &changed)
        }
        if changed != 0 { removeEntries(of: old, at: slot, ordinal: ordinal, from: changed) }
        return changed
    }

    /// Those of some indexes in which two rows have different values, one bit for each.
    private final func changedIndexes(
        among indexes: some Sequence<Int>, from old: UnsafeRawPointer, to new: UnsafeRawPointer
    ) -> UInt64 {
        var changed: UInt64 = 0
        for index in indexes where !indexDefinitions[index].isSame(old, new) {
            changed |= 1 << UInt64(index)
        }
        return changed
    }

    /// Adds a row to indexes, one bit for each.
    @usableFromInline
    final func insertEntries(
        of row: UnsafeRawPointer, at slot: Slot, ordinal: UInt64, into indexes: UInt64,
        _ known: KnownKey = KnownKey()
    ) {
        guard isFilled else { return noteValues(of: row, at: slot, in: indexes, known) }
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

    /// Takes a row out of indexes, one bit for each.
    @usableFromInline
    final func removeEntries(
        of row: UnsafeRawPointer, at slot: Slot, ordinal: UInt64, from indexes: UInt64
    ) {
        guard isFilled else { return }
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
    final func insertSlot(_ slot: Slot, underHash hash: UInt64, in index: Int) {
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
    final func replaceTexts(
        of old: UnsafeRawPointer, with new: UnsafeRawPointer, at slot: Slot,
        in changed: inout UInt64
    ) {
        for index in indexDefinitions.indices where changed & (1 << UInt64(index)) != 0 {
            guard let fields = indexDefinitions[index].textFields else { continue }
            indexContents[index].text?.replace(
                fields.texts(in: old), with: fields.texts(in: new), slot: slot.rawValue)
            changed &= ~(1 << UInt64(index))
        }
    }

    final func compare(
        _ row: UnsafeRawPointer, withRowAt slot: UInt32, _ definition: IndexDefinition
    ) -> Int {
        // Rows of a hashed index are all equal, and need not be looked at.
        guard case .ordered = definition.content else { return 0 }
        return withRawRow(at: Slot(slot)) { definition.compare(row, $0) } ?? 0
    }

    /// Makes the content of an index from the rows, which were loaded without it. O(n log n).
    final func builtIndex(_ index: Int) -> IndexContent {
        let definition = indexDefinitions[index]
        if let fields = definition.textFields { return builtTextIndex(fields) }
        let noted = takeLoadedEntries(index)
        let parts = noted ?? [collectEntries(definition)]
        if definition.isUniqueByHash, let content = builtMap(index, parts) {
            return content
        }
        // Sorting what was noted in the order of slots takes a fraction of what reading rows here and there does.
        let isOrdered = noted == nil || order.slotsByOrdinal == nil
        return builtTree(index, isOrdered ? parts : [PostingTree.inOrderOfOrdinals(parts)])
    }

    /// Makes the tree of an index from entries that come in the order of their ordinals.
    final func builtTree(_ index: Int, _ parts: [ContiguousArray<IndexEntry>]) -> IndexContent {
        let definition = indexDefinitions[index]
        let entries = PostingTree.sorted(parts, isExact: { self.isExact($0, definition) }) {
            first, second in
            guard let row = self.rawRow(at: Slot(first)) else { return 0 }
            return self.compare(row, withRowAt: second, definition)
        }
        return IndexContent(
            tree: PostingTree(sorted: entries), mayHoldEqual: mayHoldEqual(entries, definition))
    }

    /// Whether rows may break the constraint that an index is, judged by keys. O(n).
    final func mayHoldEqual(
        _ entries: ContiguousArray<IndexEntry>, _ definition: IndexDefinition
    ) -> Bool {
        guard let uniqueness = definition.uniqueness else { return false }
        return entries.indices.dropFirst().contains { position in
            guard entries[position].key == entries[position - 1].key,
                let ignoresNil = withRawRow(
                    at: Slot(entries[position].slot), uniqueness.ignoresNil(in:))
            else { return false }
            return !ignoresNil
        }
    }

    /// Makes the map of a unique index; nil where too many rows have the same value. O(n) by the hashes' bytes.
    final func builtMap(_ index: Int, _ parts: [ContiguousArray<IndexEntry>]) -> IndexContent? {
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
    private final func mayHoldEqual(_ entries: ContiguousArray<UInt64>, _ index: Int) -> Bool? {
        guard let uniqueness = indexDefinitions[index].uniqueness else { return false }
        var mayHoldEqual = false
        /// The rows of the present tag that count.
        var rows: ContiguousArray<Slot> = []
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
                let slot = IDEntry.slot(entries[place])
                guard withRawRow(at: slot, uniqueness.ignoresNil(in:)) == false else { continue }
                if rows.contains(where: { isSame($0, slot, index) }) { mayHoldEqual = true }
                rows.append(slot)
            }
        }
        return mayHoldEqual
    }

    private final func isSame(_ first: Slot, _ second: Slot, _ index: Int) -> Bool {
        let isSame = withRawRow(at: first) { first in
            withRawRow(at: second) { indexDefinitions[index].isSame(first, $0) } ?? false
        }
        return isSame ?? false
    }

    final func collectEntries(_ definition: IndexDefinition) -> ContiguousArray<IndexEntry> {
        var entries = ContiguousArray<IndexEntry>()
        entries.reserveCapacity(liveCount)
        visitRows(isTransient: true) { slot, row in
            entries.append(
                IndexEntry(
                    key: definition.key(row).key, ordinal: metadata(besideRow: row).ordinal,
                    slot: slot))
            return true
        }
        return entries
    }

    final func builtTextIndex(_ fields: [TextField]) -> IndexContent {
        IndexContent(
            text: TextPostings(
                (0..<UInt32(slotCount)).lazy.compactMap { slot in
                    self.withRawRow(at: Slot(slot), isOnce: true) {
                        (slot: slot, texts: fields.texts(in: $0))
                    }
                }))
    }

    final func isExact(_ entry: IndexEntry, _ definition: IndexDefinition) -> Bool {
        withRawRow(at: Slot(entry.slot), isOnce: true) { definition.key($0).isExact } ?? true
    }
}
