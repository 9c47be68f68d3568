import VarveEvents

/// Compares an index with the rows of its table, in steps of some milliseconds, up to the first difference.
struct IndexComparison: ~Copyable {
    private static let soughtPerStep = 4_096

    private enum Finding {
        case missing([UInt8])
        case superfluous
        case misplaced(Slot)
    }

    private let table: Table
    private let declared: Table.DeclaredIndex
    private let pages: PageTable
    private var expected: LiveRowEntries
    private var stored: StoredKeyWalk
    /// An entry that the index lacks. It may have another one of the row.
    private var missing: [UInt8]?

    init(
        of declared: Table.DeclaredIndex, in table: Table, _ pages: PageTable, keyBytesMax: Int
    ) {
        self.table = table
        self.declared = declared
        self.pages = pages
        expected = LiveRowEntries(of: declared.index, in: table, keyBytesMax: keyBytesMax)
        stored = StoredKeyWalk(declared.index.tree, in: pages)
    }

    /// Goes on; false when all entries were compared.
    mutating func advance() throws(IndexProblem) -> Bool {
        if let missing { return try seek(missing) }
        do throws(RowFault) {
            guard expected.isRangeComplete else {
                try expected.collect(in: pages)
                return true
            }
        } catch {
            throw problem(error)
        }
        let (found, hasMore) = compare()
        switch found {
        case .missing(let entry): missing = entry
        case .superfluous: throw try superfluous()
        case .misplaced(let slot): throw difference(.misplaced, slot)
        case nil:
            if hasMore || expected.beginNextRange() { return true }
            guard stored.key == nil else { throw try superfluous() }
            return false
        }
        return true
    }

    /// Compares the next entries. Returns the first difference, and whether the range has more entries.
    private mutating func compare() -> (Finding?, hasMore: Bool) {
        var walk = stored
        defer { stored = walk }
        var found: Finding?
        let hasMore = expected.forEachOfStep { entry in
            if found == nil { found = Self.compare(entry, with: &walk) }
        }
        return (found, hasMore)
    }

    private static func compare(
        _ entry: UnsafeRawBufferPointer, with walk: inout StoredKeyWalk
    ) -> Finding? {
        guard let key = walk.key else { return .missing(Array(entry)) }
        guard key.hasSameBytes(as: entry) else {
            return key.precedes(entry) ? .superfluous : .missing(Array(entry))
        }
        if walk.isMisplaced { return .misplaced(FieldIndex.slot(of: entry)) }
        walk.advance()
        return nil
    }

    // MARK: - Differences

    /// Looks for the row of a missing entry among the stored ones that were not compared.
    private mutating func seek(_ entry: [UInt8]) throws(IndexProblem) -> Bool {
        let slot = entry.withUnsafeBytes { FieldIndex.slot(of: $0) }
        for _ in 0..<Self.soughtPerStep {
            guard let key = stored.key else { throw difference(.missing, slot) }
            if FieldIndex.slot(of: key) == slot {
                throw difference(key.elementsEqual(entry) ? .misplaced : .otherKey, slot)
            }
            stored.advance()
        }
        return true
    }

    /// Of the stored entry that the walk is at, which no row has.
    private mutating func superfluous() throws(IndexProblem) -> IndexProblem {
        let slot = stored.key.map { FieldIndex.slot(of: $0) } ?? Slot(.max)
        do throws(RowFault) {
            guard let own = try expected.entry(of: slot, in: pages) else {
                return difference(.superfluous, slot)
            }
            let tree = declared.index.tree
            let isThere = own.withUnsafeBytes { tree.contains($0, in: pages) }
            return difference(isThere ? .superfluous : .otherKey, slot)
        } catch {
            throw problem(error)
        }
    }

    private func difference(_ kind: IndexDifference.Kind, _ slot: Slot) -> IndexProblem {
        .difference(
            IndexDifference(
                kind: kind, type: table.definition.name,
                properties: table.definition.properties(of: declared.declaration), slot: slot,
                id: idText(of: slot)))
    }

    private func problem(_ error: RowFault) -> IndexProblem {
        .row(type: table.definition.name, id: idText(of: error.slot) ?? "", error.fault)
    }

    private func idText(of slot: Slot) -> String? {
        guard slot.index < table.slotCount else { return nil }
        return table.definition.idType.text(of: table.rows.entry(slot, in: pages).id)
    }
}

extension TypeDefinition {
    fileprivate func properties(of declaration: IndexDeclaration) -> [String] {
        declaration.fields.map { field in
            let name = fields.first { $0.number == field.number }?.name ?? "\(field.number)"
            return field.isDescending ? name + ".desc" : name
        }
    }
}
