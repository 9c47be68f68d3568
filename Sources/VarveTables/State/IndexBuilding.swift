package import VarveEvents

/// Makes the indexes of a transaction's types those that are wanted: drops others, and builds those that are missing of the
/// rows.
///
/// Each step takes a millisecond or two, on the thread that may change the store.
package struct IndexBuilding: ~Copyable {
    private static let slotsPerStep = 1_024
    private static let entriesPerStep = 4_096

    private let transaction: StateTransaction
    /// What is still to be built.
    private var missing: ArraySlice<(table: Int, declaration: IndexDeclaration)>
    /// The first of them, once it was begun.
    private var current: Current?

    private struct Current {
        var index: FieldIndex
        var entries = IndexEntries()
        var nextSlot = 0
        var isMerging = false
    }

    /// - Parameter wanted: the indexes of each type. One that cannot be made is left out: its type lacks a field, or has
    ///   one whose order is the application's.
    package init(
        in transaction: StateTransaction, wanted: [TypeNumber: [IndexDeclaration]]
    ) {
        self.transaction = transaction
        transaction.releaseStaleIndexes()
        var missing: [(table: Int, declaration: IndexDeclaration)] = []
        for table in transaction.tables.indices {
            let type = transaction.tables[table].definition.number
            let wanted = wanted[type] ?? []
            let known = transaction.tables[table].indexes.map(\.declaration)
            for declaration in known where !wanted.contains(declaration) {
                transaction.dropIndex(of: type, declaration)
            }
            missing += wanted.filter { !known.contains($0) }.map { (table, $0) }
        }
        self.missing = missing[...]
    }

    /// Goes on; false when all are there.
    package mutating func advance() -> Bool {
        guard let next = missing.first else { return false }
        guard var current = current.take() ?? begin(next) else {
            missing.removeFirst()
            return true
        }
        guard current.isMerging else {
            if collect(&current, of: next.table) { self.current = current } else { drop() }
            return true
        }
        if current.entries.move(
            Self.entriesPerStep, to: &current.index, in: transaction.transaction)
        {
            self.current = current
        } else {
            transaction.tables[next.table].indexes.append(
                .init(declaration: next.declaration, index: current.index))
            missing.removeFirst()
        }
        return true
    }

    private func begin(_ next: (table: Int, declaration: IndexDeclaration)) -> Current? {
        FieldIndex(transaction.tables[next.table].layout, next.declaration)
            .map { Current(index: $0) }
    }

    /// A row has no key. What reads it says so; an index of the other rows would be none.
    private mutating func drop() { missing.removeFirst() }

    /// Returns false where a row has no key.
    private func collect(_ current: inout Current, of table: Int) -> Bool {
        let slotCount = transaction.tables[table].slotCount
        let end = min(current.nextSlot + Self.slotsPerStep, slotCount)
        do throws(RowFault) {
            try transaction.collectEntries(
                of: table, current.nextSlot..<end, for: current.index, into: &current.entries)
        } catch {
            return false
        }
        current.nextSlot = end
        if end == slotCount {
            current.entries.beginMerge()
            current.isMerging = true
        }
        return true
    }
}

/// A row that cannot be read.
struct RowFault: Error {
    let slot: Slot
    let fault: EntityFault
}

extension StateTransaction {
    /// Adds the entries of live rows at a range of slots. Blocks that are not in memory are not kept there.
    func collectEntries(
        of type: Int, _ slots: Range<Int>, for index: FieldIndex, into entries: inout IndexEntries
    ) throws(RowFault) {
        let (layout, rows) = (tables[type].layout, tables[type].rows)
        var writer = ByteWriter(capacity: 256)
        let blocks = PassedBlocks()
        defer { withExtendedLifetime(blocks) {} }
        for position in slots {
            let slot = Slot(UInt32(truncatingIfNeeded: position))
            let leaf = rows.leaf(of: slot, passing: blocks, in: transaction.pages)
            let entry = StoredRow(slot, leaf, transaction.pages)
            guard entry.presence == .live else { continue }
            do throws(EntityFault) {
                try withRow(of: entry, in: type) { row throws(EntityFault) in
                    do throws(CodecError) {
                        try entries.add(slot, row, layout, of: index, &writer)
                    } catch {
                        throw .malformedRow(error)
                    }
                }
            } catch {
                throw RowFault(slot: slot, fault: error)
            }
        }
    }
}
