internal import VarveGraph
internal import VarveLog

extension Writer {
    /// Replaces tables that do not fit the memory budget by stored tables of the newest checkpoint, and so releases their changes
    /// and what inserts have filled them with. Where that fails, the tables stay as they are.
    ///
    /// - Complexity: that of opening the store with the newest checkpoint.
    func reopenTables() {
        defer { memory.changes.noteCheckpoint() }
        do {
            // Writes go on meanwhile. Where they always come first, they wait at last.
            for _ in 0..<2 {
                guard let (head, opening) = try headToReopen() else { return }
                let opened = try opening.reopened(head, behind: head.lastTransaction)
                if inTurn({ use(opened, $0, behind: head.lastTransaction) }) { return }
            }
            try inTurn { core in
                let head = core.head
                let opened = try core.opening.reopened(head, behind: head.lastTransaction)
                _ = use(opened, core, behind: head.lastTransaction)
            }
        } catch {
            storeLog?.damage(error)
        }
    }

    /// The newest state, all of which is in the files; nil where nothing is gained.
    private func headToReopen() throws -> (StoreState, StoreOpening)? {
        try inTurn { core in
            guard case .open(let open) = core.access else { return nil }
            core.measureChangesNow()
            guard !core.changedTables.replaceable.isEmpty else { return nil }
            try StoreError.wrapping { () throws(LogError) in try open.log.sync() }
            published.publish(core.sharedHead)
            return (core.head, core.opening)
        }
    }

    /// Puts tables of an opened context in the place of those of the head, and of the state that readers see.
    ///
    /// - Returns: false where others were written meanwhile.
    private func use(
        _ opened: Context?, _ core: Core, behind transaction: TransactionID
    ) -> Bool {
        guard let opened, core.head.lastTransaction == transaction else { return false }
        core.measureChangesNow()
        let replacements = core.head.context.tables.replacements(
            for: core.changedTables.replaceable, in: opened.tables)
        core.sharedHead.replaceTables { $0.replace(by: replacements) }
        // The head may be another object with the same content: its undo steps are trimmed.
        published.replaceTables(behind: transaction) { $0.replace(by: replacements) }
        core.changedTables.noteReplacements(at: replacements.keys)
        core.measureChangesNow()
        return true
    }
}
