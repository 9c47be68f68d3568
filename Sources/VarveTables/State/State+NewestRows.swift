package import VarveEvents

extension State {
    /// The state with all rows of the types that were revised behind a transaction in their newest layouts, so that
    /// what a definition dropped is in no row. The state itself where there is no such type.
    ///
    /// Reads all rows of these types. Called by the thread that may change the store.
    package func inNewestLayouts(ofRevisionsBehind last: TransactionID) -> State {
        let revised = tables.indices.filter { position in
            let revisions = catalog.revisions(of: tables[position].definition.number)
            return revisions.count > 1 && revisions[revisions.count - 1].since > last
        }
        if revised.isEmpty { return self }
        let transaction = StateTransaction(self)
        for position in revised { transaction.rewriteOldRows(ofTypeAt: position) }
        return transaction.publish()
    }
}

extension StateTransaction {
    fileprivate func rewriteOldRows(ofTypeAt position: Int) {
        let table = tables[position]
        var reader = RowReader(layouts: table.layouts, table.definition)
        for index in 0..<table.slotCount {
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
