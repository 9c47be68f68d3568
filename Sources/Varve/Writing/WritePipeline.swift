internal import Foundation
internal import VarveEvents
internal import VarveGraph

/// The transactions of one caller, each of which is logged while the body of the next one runs.
///
/// Unchecked: touched by the holder of the writer's turn alone.
final class WritePipeline: @unchecked Sendable {
    /// What became of the one that was settled last. A failure is the caller's to be told.
    fileprivate var outcome: PendingCommit.Outcome?
    /// What the caller is to wait for next.
    fileprivate var due: Writer.Receipt.Awaited?
    fileprivate var hasBegun = false
    /// Whether a write has thrown the failure that the outcome is.
    fileprivate var hasThrown = false

    /// Throws what the log said to the last one, if it refused it.
    fileprivate func check() throws {
        guard case .failed(let error) = outcome else { return }
        hasThrown = true
        throw error
    }

    /// What the caller is to wait for before the next body runs: of the transaction before the last one, which was
    /// being made safe while that one's body ran.
    fileprivate func takeDue() -> Writer.Receipt.Awaited? {
        defer { due = newest }
        return due
    }

    fileprivate var newest: Writer.Receipt.Awaited? {
        guard case .logged(let awaited) = outcome else { return nil }
        return awaited
    }
}

extension Writer {
    /// Ends the transactions of a pipeline. Returns what to wait for, of those that are in the log, and then what the log
    /// said to the last one, if it refused that.
    func finish(_ pipeline: WritePipeline) throws -> (receipt: Receipt, failure: (any Error)?) {
        try checkCaller()
        return try inTurn { core in
            // As any write, of a store that is closed.
            if !pipeline.hasBegun { _ = try core.openLog() }
            guard case .failed(let error) = pipeline.outcome else {
                return (Receipt(awaited: pipeline.newest, appended: nil), nil)
            }
            if !pipeline.hasThrown { storeLog?.refused(error) }
            return (Receipt(awaited: pipeline.due, appended: nil), error)
        }
    }

    // MARK: - Handing over

    /// Makes what a body has inserted the head, and has another thread log it. Nil, and nothing has happened, where the
    /// body has done anything else, or little.
    func handOver(
        _ transaction: inout RunningTransaction, _ header: TransactionHeader,
        _ durability: Durability, _ core: Core, _ open: OpenLog, _ pipeline: WritePipeline,
        _ commit: StoreLog.Commit?, _ isCancelled: () -> Bool,
        _ remains: inout TransactionRemains
    ) throws -> Receipt? {
        guard let insertions = try transaction.insertionsToHandOver() else { return nil }
        if isCancelled() { throw CancellationError() }
        transaction.state.note(header)
        let definitions = transaction.state.definitions
        let head = transaction.succeed(leaving: &remains)
        let pending = PendingCommit(
            header.id, open, durability, from: core.sharedHead, to: head, insertions, commit,
            on: logging)
        core.sharedHead = head
        core.pending = (commit: pending, of: pipeline)
        core.handedOverCount += 1
        pending.log { [self] insertions in
            try onLoggingThread {
                let source = CommitEncoder.Source(insertions, definitions)
                let leaves = try core.encoder.encode(source, header)
                try admitAssets(definitions, core)
                try log(header, core, open)
                return leaves
            }
        }
        if !core.isSettlingScheduled { scheduleSettling() }
        core.isSettlingScheduled = true
        // Without what it is measured by: the caller waits for an earlier one. The pending commit has it.
        return Receipt(awaited: pipeline.takeDue(), appended: header.id)
    }

    // MARK: - Settling

    /// Waits for what is being logged, unless that is the pipeline's own and the next body may run meanwhile. Throws
    /// what the log said to the pipeline's last transaction.
    func settle(
        _ core: Core, before pipeline: WritePipeline?, _ remains: inout TransactionRemains
    ) throws {
        if let pending = core.pending, pending.of !== pipeline { settle(core, &remains) }
        pipeline?.hasBegun = true
        try pipeline?.check()
    }

    /// Shows what was logged if nothing else does so soon: the next batch may be long in coming.
    ///
    /// - Parameter delay: a long body has it settled at its end, and is not to be looked after all the time.
    private func scheduleSettling(after delay: Int = 5) {
        // Weakly: a store that nobody has any more has its end behind what is being logged, and not later.
        bodies.asyncAfter(deadline: .now() + .milliseconds(delay)) { [weak self] in
            guard let self else { return }
            var remains = TransactionRemains()
            let isDone = inTurnAsItIs { core in
                if core.pending?.commit.isLogged == true { settle(core, &remains) }
                core.isSettlingScheduled = core.pending != nil
                return !core.isSettlingScheduled
            }
            if isDone != true { scheduleSettling(after: min(delay * 2, 80)) }
        }
    }

    /// Waits for what is being logged, and shows it. Where the log refused it, the state before is the head again.
    ///
    /// - Parameter remains: what is to be released behind the turn.
    func settle(_ core: Core, _ remains: inout TransactionRemains) {
        guard let pipeline = core.pending?.of else { return }
        // It changes no row, and so comes to nothing: what it has made of a table stays, unless a snapshot shares it.
        var transaction = RunningTransaction(
            on: core.sharedHead, published.former, inPlace: !published.watch.isWatched,
            token: core.makeToken())
        defer { transaction.end() }
        transaction.begin(core.sharedHead.lastTransaction, at: core.sharedHead.lastTime)
        do {
            try settle(core, behind: &transaction, &remains)
        } catch {
            // It is the outcome, for those who wrote what is pending.
            pipeline.hasThrown = false
        }
    }

    /// Waits for the pending commit behind the body of the next transaction, which comes to nothing where the log refused it:
    /// then this throws.
    func settle(
        _ core: Core, behind transaction: inout RunningTransaction,
        _ remains: inout TransactionRemains
    ) throws {
        guard let (pending, pipeline) = core.pending else { return }
        core.pending = nil
        do {
            let leaves = try pending.takeLeaves(for: transaction.state.context)
            if transaction.isInPlace {
                for leaves in leaves { leaves.place(in: &transaction.state.context) }
            }
            pipeline.outcome = .logged(awaited: confirm(pending, core, &remains))
        } catch {
            transaction.end()
            takeBack(pending, core)
            pipeline.outcome = .failed(error)
            pipeline.hasThrown = true
            throw error
        }
    }

    private func confirm(
        _ pending: PendingCommit, _ core: Core, _ remains: inout TransactionRemains
    ) -> Receipt.Awaited? {
        pending.open.commits.didAppend(
            GroupCommit.Appended(target: pending.open.log.syncTarget, state: pending.head))
        let awaited = acknowledge(
            pending.head, core, pending.open, pending.durability, isChanged: true, &remains)
        let transaction = pending.transaction
        // Without the writer, whose end may come before the sync's.
        let report = { @Sendable [storeLog, commit = pending.commit] in
            if let commit { storeLog?.committed(commit, transaction) }
        }
        if let awaited {
            // Begins now. A waiter gets its error.
            awaited.commits.whenSafe(transaction) { failure in
                if failure == nil { report() }
            }
        } else {
            report()
        }
        return awaited
    }

    private func takeBack(_ pending: PendingCommit, _ core: Core) {
        // It is shown, or waits for a sync: so what it was is kept.
        guard let state = pending.base.state else {
            preconditionFailure("the state before a transaction that is being logged is kept")
        }
        core.sharedHead = SharedState(state)
    }
}

extension Writer.Core {
    /// For the thread inside a body: what was written before it is in the log, or refused. Which of both the end of its
    /// own transaction tells.
    func loggedInside() -> Writer.Core {
        pending?.commit.wait()
        return self
    }
}
