internal import Foundation
internal import VarveEvents
internal import VarveGraph

/// The transactions of one caller, each of which is logged while the body of the next one runs.
///
/// Unchecked: touched by the holder of the writer's turn alone.
final class WritePipeline: @unchecked Sendable {
    /// The one that was handed over last. Its outcome is the caller's to be told.
    fileprivate var last: PendingCommit?

    /// What is to be waited for before the caller may rely on the last one, as far as it is known.
    var awaited: Writer.Receipt.Awaited? {
        guard case .logged(let awaited) = last?.outcome else { return nil }
        return awaited
    }

    /// Throws what the log said to the last one, if it refused it.
    fileprivate func check() throws {
        guard case .failed(let error) = last?.outcome else { return }
        last = nil
        throw error
    }
}

extension Writer {
    /// Ends the transactions of a pipeline: the last one is in the log, or this throws. Nothing may be appended to it
    /// afterwards.
    func finish(_ pipeline: WritePipeline) throws -> Receipt {
        try checkCaller()
        return try inTurn { core in
            try pipeline.check()
            return Receipt(awaited: pipeline.awaited, appended: nil)
        }
    }

    // MARK: - Handing over

    /// Makes what a body has inserted the head, and has another thread log it. What the receipt says is to be waited for
    /// is the transaction before. Nil, and nothing has happened, where the body has done anything else, or little.
    func handOver(
        _ transaction: inout RunningTransaction, _ header: TransactionHeader,
        _ durability: Durability, _ core: Core, _ open: OpenLog, _ pipeline: WritePipeline,
        _ isCancelled: () -> Bool, _ remains: inout TransactionRemains
    ) throws -> Receipt? {
        guard let insertions = try transaction.insertionsToHandOver() else { return nil }
        if isCancelled() { throw CancellationError() }
        let receipt = Receipt(awaited: pipeline.awaited, appended: header.id)
        transaction.state.note(header)
        let definitions = transaction.state.definitions
        let head = transaction.succeed(leaving: &remains)
        let pending = PendingCommit(
            header, open, durability, from: core.sharedHead, to: head, insertions)
        core.sharedHead = head
        core.pending = pending
        pipeline.last = pending
        logging.async { [self] in
            pending.log { insertions in
                let source = CommitEncoder.Source(insertions, definitions)
                let leaves = try core.encoder.encode(source, header)
                try log(header, core, open)
                return leaves
            }
        }
        if !core.isSettlingScheduled { scheduleSettling() }
        core.isSettlingScheduled = true
        return receipt
    }

    // MARK: - Settling

    /// Waits for what is being logged, unless that is the pipeline's own and the next body may run meanwhile. Throws
    /// what the log said to the pipeline's last transaction.
    func settle(_ core: Core, before pipeline: WritePipeline?) throws {
        if core.pending != nil, core.pending !== pipeline?.last { settle(core) }
        try pipeline?.check()
    }

    /// Shows what was logged if nothing else does so soon: the next batch may be long in coming.
    private func scheduleSettling() {
        logging.asyncAfter(deadline: .now() + .milliseconds(5)) { [self] in
            let isDone = inTurnIfAvailable { core in
                if core.pending?.isLogged == true { settle(core) }
                core.isSettlingScheduled = core.pending != nil
                return !core.isSettlingScheduled
            }
            if isDone != true { scheduleSettling() }
        }
    }

    /// Waits for what is being logged, and shows it. Where the log refused it, the state before is the head again.
    func settle(_ core: Core) {
        guard let pending = core.pending else { return }
        var remains = TransactionRemains()
        // It changes no row, and so comes to nothing: what it has made of the tables stays, as they are the same.
        var transaction = RunningTransaction(
            on: core.sharedHead, published.former, inPlace: !published.watch.isWatched)
        defer { transaction.end() }
        // What it throws is the outcome, for those who wrote what is pending.
        try? transaction.run(pending.header) { _ in }
        try? settle(pending, core, behind: &transaction, &remains)
    }

    /// The same where the body of the next transaction has run on it, which comes to nothing where the log refused it:
    /// then this throws.
    func settle(
        _ pending: PendingCommit, _ core: Core, behind transaction: inout RunningTransaction,
        _ remains: inout TransactionRemains
    ) throws {
        core.pending = nil
        do {
            let leaves = try pending.takeLeaves(for: transaction.state.context)
            if transaction.isInPlace {
                for leaves in leaves { leaves.place(in: &transaction.state.context) }
            }
            confirm(pending, core, &remains)
        } catch {
            transaction.end()
            takeBack(pending, core, error)
            throw error
        }
    }

    private func confirm(
        _ pending: PendingCommit, _ core: Core, _ remains: inout TransactionRemains
    ) {
        pending.open.commits.didAppend(
            GroupCommit.Appended(target: pending.open.log.syncTarget, state: pending.head))
        let awaited = acknowledge(
            pending.head, core, pending.open, pending.durability, isChanged: true, &remains)
        // Whether it failed is told to those who wait for it.
        awaited?.commits.whenSafe(pending.header.id) { _ in }
        pending.outcome = .logged(awaited: awaited)
    }

    private func takeBack(_ pending: PendingCommit, _ core: Core, _ error: any Error) {
        pending.outcome = .failed(error)
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
        pending?.wait()
        return self
    }
}
