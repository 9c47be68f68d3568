internal import VarveGraph
internal import VarveLog

extension Writer {
    /// Starts to renew tables, on a thread of its own, if changes take too much memory. Writers wait for that if they take
    /// twice as much.
    func renewTablesIfDue() {
        guard memory.changes.needsRelease else { return }
        renewal.start { [weak self] in
            guard let self else { return }
            stall.begin()
            renewTables()
            stall.end()
        }
    }

    /// Replaces tables that do not fit the memory budget by stored tables of the newest state. Where that fails, the tables
    /// stay as they are.
    ///
    /// - Complexity: O(what was logged since the last time), or that of opening the store.
    func renewTables() {
        renewal.withFollowed { followed in
            do {
                try renewTables(&followed, avoiding: [])
            } catch {
                followed = TableRenewal.Followed()
                storeLog?.damage(error)
                guard case StoreError.log(let cause) = error, cause.isAboutCheckpoint else {
                    return
                }
                health.noticeLate(cause)
                do {
                    try renewTables(&followed, avoiding: [cause])
                } catch {
                    followed = TableRenewal.Followed()
                    storeLog?.damage(error)
                }
            }
        }
        // What the hydration has reserved is released.
        inTurn { $0.measureChangesNow() }
        memory.changes.noteRelease()
    }

    /// Most of it runs beside writes: they wait while the last transactions are applied and tables are replaced.
    private func renewTables(
        _ followed: inout TableRenewal.Followed, avoiding errors: [LogError]
    ) throws {
        let isCancelled = { [renewal] in renewal.isCancelled }
        // What is made of the files may be beyond the head, and a compaction may take what the state would go on with.
        for isLast in [false, false, true] {
            guard let head = try inTurn({ try renewedHead($0) }) else { return }
            try head.follow(&followed, avoiding: errors, isCancelled: isCancelled)
            if isCancelled() { return }
            // Most ids are compared here, and those of the last transactions in the turn.
            let isCompared = try head.replacements(&followed) != nil
            guard isCompared || isLast else { continue }
            // Released behind the turn: the last references to what the changes took.
            let former = try inTurn { core -> RenewedHead? in
                guard let head = try renewedHead(core),
                    try head.apply(to: followed.state, isCancelled: isCancelled)
                else { return nil }
                if let next = try head.replacements(&followed) {
                    followed.rebuilt = next.rebuilt
                    use(next.tables, of: head, core)
                }
                return head
            }
            if former != nil { return }
        }
    }

    /// Nil where there is nothing to replace.
    private func renewedHead(_ core: Core) throws -> RenewedHead? {
        guard case .open(let open) = core.access else { return nil }
        core.measureChangesNow()
        let positions = core.changedTables.replaceable
        guard !positions.isEmpty else { return nil }
        try promiseAll(core, open)
        return RenewedHead(state: core.head, opening: core.opening, positions: positions)
    }

    /// Promises and publishes all that was appended: what follows the log reads what it promises.
    func promiseAll(_ core: Core, _ open: OpenLog) throws(StoreError) {
        try StoreError.wrapping { () throws(LogError) in
            try open.log.sync()
            try open.log.seal()
        }
        core.seal.didSeal()
        published.publish(core.sharedHead)
    }

    /// Puts stored tables in the place of those of the head, and of the state that readers see.
    private func use(_ tables: [Int: AnyTable], of head: RenewedHead, _ core: Core) {
        core.sharedHead.replaceTables { $0.replace(by: tables) }
        // The head may be another object with equal content: its undo steps are trimmed.
        published.replaceTables(behind: head.state.lastTransaction) { $0.replace(by: tables) }
        core.changedTables.note(Set(tables.keys), of: head.positions)
    }
}
