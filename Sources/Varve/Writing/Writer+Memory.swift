internal import VarveGraph
internal import VarveLog

extension Writer {
    /// What tables are replaced in: the newest state, all of which is in the files.
    private struct Reopening {
        let head: StoreState
        let opening: StoreOpening
        /// What is to be replaced, with how many slots changes take there.
        let positions: [Int: Int]

        /// Stored tables for the positions, of the newest checkpoint and the log behind it; nil where the log ends with
        /// another transaction.
        func replacements() throws(StoreError) -> [Int: AnyTable]? {
            try opening.reopened(head, behind: head.lastTransaction).map {
                head.context.tables.replacements(for: Set(positions.keys), in: $0.tables)
            }
        }
    }

    /// Replaces tables that do not fit the memory budget by stored tables of the newest checkpoint, and so releases their
    /// changes and what inserts have filled them with. Where that fails, the tables stay as they are.
    ///
    /// - Complexity: that of opening the store with the newest checkpoint.
    func reopenTables() {
        defer {
            // What the opening has reserved is released.
            inTurn { $0.measureChangesNow() }
            memory.changes.noteCheckpoint()
        }
        do {
            // Writes go on meanwhile. Where they always come first, they wait at last.
            for _ in 0..<2 {
                guard let reopening = try inTurn({ try begin($0) }) else { return }
                let replacements = try reopening.replacements()
                if inTurn({ use(replacements, of: reopening, $0) }) { return }
            }
            try inTurn { core in
                guard let reopening = try begin(core) else { return }
                _ = use(try reopening.replacements(), of: reopening, core)
            }
        } catch {
            storeLog?.damage(error)
        }
    }

    /// Nil where there is nothing to replace.
    private func begin(_ core: Core) throws -> Reopening? {
        guard case .open(let open) = core.access else { return nil }
        core.measureChangesNow()
        let positions = core.changedTables.replaceable
        guard !positions.isEmpty else { return nil }
        try StoreError.wrapping { () throws(LogError) in try open.log.sync() }
        published.publish(core.sharedHead)
        return Reopening(head: core.head, opening: core.opening, positions: positions)
    }

    /// Puts stored tables in the place of those of the head, and of the state that readers see.
    ///
    /// - Returns: false where others were written meanwhile.
    private func use(_ tables: [Int: AnyTable]?, of reopening: Reopening, _ core: Core) -> Bool {
        let transaction = reopening.head.lastTransaction
        guard let tables, core.head.lastTransaction == transaction else { return false }
        core.sharedHead.replaceTables { $0.replace(by: tables) }
        // The head may be another object with equal content: its undo steps are trimmed.
        published.replaceTables(behind: transaction) { $0.replace(by: tables) }
        core.changedTables.note(Set(tables.keys), of: reopening.positions)
        return true
    }
}
