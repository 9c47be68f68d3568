package import VarveEvents

extension State {
    /// What the indexes of a type were declared as.
    package func declaredIndexes(of type: TypeNumber) -> [IndexDeclaration] {
        guard let table = tablePosition(of: type) else { return [] }
        return tables[table].indexes.map(\.declaration)
    }

    /// Whether the image had indexes that this program cannot use. ``StateTransaction/releaseStaleIndexes()``
    /// releases what they take.
    package var hasStaleIndexes: Bool { tables.contains { !$0.staleTrees.isEmpty } }

    /// An index of a type; nil where it was not declared, or went with one of its fields.
    package func index(of type: TypeNumber, _ declaration: IndexDeclaration) -> FieldIndex? {
        guard let table = tablePosition(of: type) else { return nil }
        return tables[table].indexes.first { $0.declaration == declaration }?.index
    }

    /// What comparing neighbouring keys of an index has come to.
    package enum KeyComparison: Hashable {
        /// There are more keys.
        case goesOn
        /// No two live entities have equal values: these would have equal keys.
        case distinct
        /// Two have equal keys. Texts that differ behind their first 64 bytes do too.
        case equal
    }

    /// Compares keys of an index with those before them.
    ///
    /// - Parameters:
    ///   - last: the entry that was compared last; empty before the first one.
    ///   - count: how many are compared at most.
    package func compareKeys(
        of type: TypeNumber, by declaration: IndexDeclaration, behind last: inout [UInt8],
        count: Int
    ) -> KeyComparison {
        guard let index = index(of: type, declaration) else { return .equal }
        var cursor = last.withUnsafeBytes { KeyCursor(index.tree, from: $0, in: pages) }
        if !last.isEmpty { _ = cursor.nextKey() }
        for _ in 0..<count {
            guard let entry = cursor.nextKey() else { return .distinct }
            // Ascending, so that equal ones are neighbours: an image may have them in any order.
            let isNext = last.withUnsafeBytes {
                $0.isEmpty || FieldIndex.key(of: $0).precedes(FieldIndex.key(of: entry))
            }
            guard isNext else { return .equal }
            last.removeAll(keepingCapacity: true)
            last.append(contentsOf: entry)
        }
        return .goesOn
    }

    /// Calls `body` with the entries of the live entities whose keys begin at `first` and come before
    /// `end`, in order of keys, until it returns false. Returns false where there is no such index.
    package func forEachEntry(
        of type: TypeNumber, by declaration: IndexDeclaration,
        from first: UnsafeRawBufferPointer, to end: UnsafeRawBufferPointer,
        while body: (StoredRow) throws(CodecError) -> Bool
    ) throws(CodecError) -> Bool {
        guard let table = tablePosition(of: type), let index = index(of: type, declaration)
        else { return false }
        try index.forEachEntry(
            from: first, to: end, of: tables[table].rows, in: pages, while: body)
        return true
    }

    /// Whether a type has an index.
    package func hasIndex(of type: TypeNumber, _ declaration: IndexDeclaration) -> Bool {
        index(of: type, declaration) != nil
    }

    /// Calls `body` with the slots of all live entities whose values lie within bounds of an index, in its order or against
    /// it, until it returns false. There may be others among them. Returns false where there is no such index.
    package func forEachSlot(
        of type: TypeNumber, by declaration: IndexDeclaration, in bounds: FieldBounds,
        isReversed: Bool, while body: (_ slot: Slot, _ isNewKey: Bool) -> Bool
    ) throws(CodecError) -> Bool {
        guard let table = tablePosition(of: type), let index = index(of: type, declaration),
            bounds.equal.count + (bounds.lower == nil && bounds.upper == nil ? 0 : 1)
                <= declaration.fields.count
        else { return false }
        let slotCount = tables[table].slotCount
        try index.forEach(in: bounds, isReversed: isReversed, in: pages) { slot, isNewKey in
            if slot.index < slotCount { return body(slot, isNewKey) }
            // A key of a forged image: the table has no such slot.
            pages.noteContradiction()
            return true
        }
        return true
    }
}
