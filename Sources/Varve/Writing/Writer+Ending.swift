internal import Foundation
internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// Sealing, closing, letting go for a while.
extension Writer {
    /// Makes everything that was appended safe, and writes that into the log.
    func flush() throws {
        try checkCaller()
        var awaited: (transaction: TransactionID, commits: GroupCommit)?
        try inTurn { core in
            awaited = (core.sharedHead.lastTransaction, try core.openLog().commits)
        }
        guard let awaited else { return }
        try awaited.commits.wait(for: awaited.transaction)
        try inTurn { core in
            // Closed meanwhile: closing has written the seal.
            guard case .open(let open) = core.access else { return }
            do throws(LogError) {
                try seal(core, open)
            } catch {
                throw StoreError.log(error)
            }
        }
    }

    private func seal(_ core: Core, _ open: OpenLog) throws(LogError) {
        defer { noteFigures(open, core) }
        try open.log.seal()
        core.seal.didSeal()
    }

    // MARK: - When writing pauses

    func scheduleSeal() {
        bodies.asyncAfter(deadline: .now() + .milliseconds(50)) { [weak self] in
            self?.sealIfIdle()
        }
    }

    private func sealIfIdle() {
        inTurn { core in
            guard case .open(let open) = core.access, !open.log.isPoisoned else { return }
            if core.seal.comes(), open.log.durableSequence >= core.seal.awaited {
                // The log remembers an error that matters, and the next write throws it.
                try? seal(core, open)
            } else if core.seal.schedule() {
                scheduleSeal()
            }
        }
    }

    /// After a sync that nobody waited for.
    func sealSoon() {
        bodies.async { [weak self] in
            guard let self else { return }
            inTurn { core in
                guard case .open(let open) = core.access else { return }
                try? seal(core, open)
            }
        }
    }

    // MARK: - Ending

    /// Makes everything safe, marks the end of the log as clean and gives the lock back. A poisoned
    /// log is returned as it is. Safe to call twice.
    func close() throws {
        try checkCaller()
        try lifecycle.withLock { _ in
            guard let open = leave(for: .closed) else { return }
            _ = try end(open)
        }
    }

    /// As `close`, but `resume` takes the log up again.
    func suspend() throws {
        try checkCaller()
        try lifecycle.withLock { _ in
            guard let open = leave(for: .suspended(nil)) else { return }
            let position = try end(open)
            inTurn { $0.access = .suspended(position) }
        }
    }

    /// From here on nothing is appended. The log that was open, if any was.
    private func leave(for access: Access) -> OpenLog? {
        var open: OpenLog?
        inTurn { core in
            if case .open(let found) = core.access { open = found }
            if case .closed = core.access { return }
            if case .suspended = core.access, case .suspended = access { return }
            core.access = access
        }
        // Behind it nothing reads the files for that, nor keeps them open.
        renewal.stop()
        renewal.withFollowed { $0 = TableRenewal.Followed() }
        return open
    }

    /// Waits for the syncs that are under way and releases the log. Returns where it ended.
    private func end(_ open: OpenLog) throws(StoreError) -> LogPosition? {
        defer { figures.withLock { $0.end() } }
        let newest = TransactionID(open.log.lastSequence.rawValue)
        let wasPoisoned = open.log.isPoisoned
        do throws(StoreError) {
            try open.commits.wait(for: newest)
            try StoreError.wrapping { () throws(LogError) in try open.log.close() }
        } catch {
            open.log.abandon()
            open.commits.letGo()
            guard wasPoisoned else { throw error }
            return nil
        }
        open.commits.letGo()
        return wasPoisoned ? nil : open.log.position
    }

    // MARK: - Going on

    /// Returns which relations are to be completed, where the log was read again.
    func resume() throws -> NewInverses? {
        try checkCaller()
        var newInverses: NewInverses?
        try lifecycle.withLock { _ in
            var suspended: LogPosition?
            var core: Core?
            try inTurn { found in
                switch found.access {
                case .open: return
                case .closed: throw StoreError.closed
                case .suspended(let position): suspended = position
                }
                // The tables that are opened reserve memory of their own.
                found.changedTables = ChangedTables()
                core = found
            }
            guard let core else { return }
            guard let suspended else { throw StoreError.closed }
            // Nothing is appended while the log is suspended, so its state may be read here.
            let pins = figures.withLock { $0.pins }
            let opened = try core.opening.resume(at: suspended, core.head, keeping: pins)
            guard let log = opened.log else { throw StoreError.readOnly }
            let open = OpenLog(
                log: log, prologue: opened.prologue,
                commits: GroupCommit(log.progress, published, queue: syncs, storeLog))
            inTurn { core in
                core.head = opened.state
                core.access = .open(open)
                renewal.allow()
                core.recent.removeAll()
                core.reversals.forgetLog()
                if let size = opened.checkpoint { core.newestCheckpoint = size }
                if let steps = opened.replaySteps { core.replaySteps = ReplaySteps(logged: steps) }
                pinSavepoints(core)
                // In the turn: from here on others append to the log, and what they show is newer.
                noteFigures(open, core)
                show(opened)
            }
            newInverses = opened.newInverses
        }
        return newInverses
    }

    /// Shows what was read. A state that was read again has other slots, although its transactions may
    /// be the same.
    private func show(_ opened: StoreOpening.Opened) {
        if opened.newInverses == nil {
            published.publish(SharedState(opened.state))
        } else {
            published.replace(by: opened.state)
        }
    }
}
