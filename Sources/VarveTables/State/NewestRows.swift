package import VarveEvents

/// Brings all rows of the types that were revised behind a transaction into their newest layouts, so that what a
/// definition dropped is in no row.
///
/// Each step takes some milliseconds, on the thread that may change the store.
package struct NewestRows: ~Copyable {
    private static let slotsPerStep = 2_048

    private let transaction: StateTransaction
    /// Positions of types whose rows are still to be read.
    private var revised: ArraySlice<Int>
    /// Of the first of them, the slot that comes next.
    private var nextSlot = 0

    /// Returns nil where no type was revised.
    package init?(of state: State, ofRevisionsBehind last: TransactionID) {
        let revised = Self.revised(in: state, behind: last)
        if revised.isEmpty { return nil }
        self.revised = revised[...]
        transaction = StateTransaction(state)
    }

    /// Whether a type was revised.
    package static func areNeeded(
        of state: State, ofRevisionsBehind last: TransactionID
    ) -> Bool {
        !revised(in: state, behind: last).isEmpty
    }

    private static func revised(in state: State, behind last: TransactionID) -> [Int] {
        state.tables.indices.filter { position in
            let revisions = state.catalog.revisions(of: state.tables[position].definition.number)
            return revisions.count > 1 && revisions[revisions.count - 1].since > last
        }
    }

    /// Goes on by some rows; false when all are rewritten.
    package mutating func advance() -> Bool {
        guard let position = revised.first else { return false }
        transaction.evictPages()
        let slotCount = transaction.tables[position].slotCount
        let end = min(nextSlot + Self.slotsPerStep, slotCount)
        transaction.rewriteOldRows(ofTypeAt: position, nextSlot..<end)
        nextSlot = end
        if end == slotCount {
            revised.removeFirst()
            nextSlot = 0
        }
        return true
    }

    /// The state with these rows, when ``advance()`` has returned false.
    package consuming func finish() -> State { transaction.publish() }
}

extension StateTransaction {
    fileprivate func rewriteOldRows(ofTypeAt position: Int, _ slots: Range<Int>) {
        let table = tables[position]
        var reader = RowReader(RowForm(of: table))
        for index in slots {
            let slot = Slot(UInt32(truncatingIfNeeded: index))
            let entry = table.rows.entry(slot, in: transaction.pages)
            guard entry.presence.hasRow, entry.revision != table.currentRevision else { continue }
            var metadata = entry.metadata
            metadata.revision = table.currentRevision
            do throws(CodecError) {
                try reader.read(entry) { row throws(CodecError) in
                    self.row.removeAll()
                    self.row.write(row)
                }
            } catch {
                // A row that cannot be converted is reported by what reads it. Its bytes stay as they are.
                continue
            }
            row.withBytes { row in
                _ = tables[position].rows.set(slot, row: row, metadata, in: transaction)
            }
        }
    }
}
