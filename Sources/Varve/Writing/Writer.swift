internal import Foundation
internal import Synchronization
internal import VarveAssets
internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// The one writer of a store: the log, the state behind everything appended, and the rule that one
/// transaction runs at a time.
///
/// A body runs and its transaction is appended in the writer's turn; waiting for the disk happens
/// behind it, in `GroupCommit`. All mutable state is inside `Core`, which only the holder of `turn`
/// touches, and the thread that logs for him, of what logging needs: the holder waits for it first (`inTurn`).
final class Writer: Sendable {
    /// What only the holder of `turn` touches.
    final class Core: @unchecked Sendable {
        // Unchecked: reached through `turn` alone, which lets one thread in at a time. While a commit is pending, what
        // logs it has the encoder, the recent transactions and the log, and whoever has the turn waits for it first.
        var access: Access
        let opening: StoreOpening
        let encoder: CommitEncoder
        let recent = RecentTransactions()
        let reversals = ReversalMemory()
        /// The state behind everything appended and what is pending, as it is shown, or will be.
        var sharedHead: SharedState
        private var token = TransactionToken()
        /// What led to the head, where it is still being logged, and whose it is.
        var pending: (commit: PendingCommit, of: WritePipeline)?
        /// How many were handed over to be logged, for tests.
        var handedOverCount = 0
        /// Whether somebody will see to that soon.
        var isSettlingScheduled = false
        /// The state that the next body builds on.
        var head: StoreState {
            get {
                guard let state = sharedHead.state else {
                    preconditionFailure("the head is there whenever no transaction is running")
                }
                return state
            }
            set { sharedHead = SharedState(newValue) }
        }
        var seal = SealSchedule()
        @exclusivity(unchecked) var admission = AssetAdmission()
        /// How large the newest checkpoint is, if there is one.
        var newestCheckpoint: CheckpointSize?
        var replaySteps: ReplaySteps
        var changedTables = ChangedTables()
        /// What keeps the history back to each savepoint.
        var savepointPins: [LogPin] = []

        /// A token that no context has. The one before it, unless a context that outlived its transaction has that.
        func makeToken() -> TransactionToken {
            if !isKnownUniquelyReferenced(&token) { token = TransactionToken() }
            return token
        }

        init(
            _ access: Access, _ opening: StoreOpening, head: SharedState,
            _ opened: StoreOpening.Opened
        ) {
            self.access = access
            self.opening = opening
            encoder = CommitEncoder(rowBytesMax: opening.configuration.rowBytesMax)
            newestCheckpoint = opened.checkpoint
            replaySteps = ReplaySteps(logged: opened.replaySteps ?? 0)
            sharedHead = head
        }
    }

    /// What there is to write to.
    enum Access {
        case open(OpenLog)
        /// Released by `suspend`; where the log ended, unless an error left that unknown. Apart, so that the case
        /// that every commit asks for is one word.
        indirect case suspended(LogPosition?)
        case closed
    }

    /// A log that takes transactions. An object: every commit holds it for a while.
    // Unchecked: of its parts, all but `commits` are for the holder of the turn.
    final class OpenLog: @unchecked Sendable {
        let log: Log
        let prologue: PrologueSource
        let commits: GroupCommit

        init(log: Log, prologue: PrologueSource, commits: GroupCommit) {
            self.log = log
            self.prologue = prologue
            self.commits = commits
        }
    }

    private let turn: ContendedLock<Core>
    /// What `turn` guards; for the thread that is inside a write, which has the turn already.
    private let core: Core
    /// How many groups were begun.
    let groups = Lock(0)
    /// Held while the log is released or taken up again.
    let lifecycle = Lock(())
    let published: PublishedState
    /// Where `async` bodies run, one after the other, away from the cooperative pool.
    let bodies = DispatchQueue(label: "varve.store")
    /// Where syncs run that no thread waits for.
    let syncs = DispatchQueue(label: "varve.store.sync")
    /// Where transactions are logged while the next body runs.
    let logging = DispatchQueue(label: "varve.store.log")
    /// The thread inside a write, to refuse a write inside it instead of waiting for itself; 0 for
    /// none. A thread finds its own number only where it has put it itself.
    private let writingThread = Atomic<UInt>(0)
    /// The thread that logs a pending commit; 0 for none.
    private let loggingThread = Atomic<UInt>(0)
    private let durability: Durability
    let storeLog: StoreLog?
    let health: HealthRecord
    /// What the memory of the store is divided into.
    let memory: StoreMemory
    let renewal = TableRenewal()
    let stall = WriteStall()
    /// What is asked of the log from outside, kept apart so that asking never waits for a write, nor
    /// a write's body for itself.
    let figures: Lock<WriterFigures>
    /// The process that opened the store.
    private let opener: LockHolder
    let assets: AssetFolder

    /// - Parameter head: what was opened, and is shown.
    init(
        _ opened: StoreOpening.Opened, _ head: SharedState, log: Log, opening: StoreOpening,
        published: PublishedState, durability: Durability
    ) {
        self.published = published
        self.durability = durability
        storeLog = opening.log
        health = opening.health
        memory = opening.memory
        assets = opening.assets
        opener = LockHolder(
            processID: opening.environment.processID(),
            program: opening.environment.processName())
        let open = OpenLog(
            log: log, prologue: opened.prologue,
            commits: GroupCommit(log.progress, published, queue: syncs, opening.log))
        core = Core(.open(open), opening, head: head, opened)
        figures = Lock(WriterFigures(open, core))
        turn = ContendedLock(core)
        bodies.setSpecific(key: WriteStall.isExempt, value: true)
        pinSavepoints(core)
    }

    // MARK: - The turn

    /// Lets the body have the turn, with everything in the log that was written before.
    func inTurn<Result: Sendable, Failure: Error>(
        _ body: (Core) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Let go behind the turn.
        var remains = TransactionRemains()
        return try turn.withLock { core throws(Failure) in
            settle(core, &remains)
            return try body(core)
        }
    }

    /// Lets the body have the turn with what is being logged; nil where another thread has it.
    func inTurnAsItIs<Result: Sendable>(_ body: (Core) -> Result) -> Result? {
        turn.withLockIfAvailable { body($0) }
    }

    // MARK: - Writing

    /// Runs a body and appends what it changed. Another body may run as soon as this returns.
    ///
    /// `isCancelled` is asked for the last time right before the append. The body keeps its result to itself: code
    /// that does not depend on a type is not looked up at run time.
    func append(
        _ label: String, _ options: WriteOptions, in pipeline: WritePipeline? = nil,
        keptIn appended: AppendedTransaction? = nil, isCancelled: () -> Bool = { false },
        _ body: (inout Context) throws -> Void
    ) throws -> Receipt {
        var isInBody = false
        do {
            return try perform(
                options.durability, in: pipeline, keptIn: appended, isCancelled: isCancelled
            ) { core in
                header(label, options, core)
            } body: { state, _ in
                isInBody = true
                try body(&state.context)
                isInBody = false
            }
        } catch {
            // What the application throws is no refusal, also where that is an error of a store.
            if !isInBody { storeLog?.refused(error) }
            throw error
        }
    }

    /// What the body of a transaction has at hand beside the state. Not to be copied: it has many references.
    struct Turn: ~Copyable {
        let header: TransactionHeader
        private let core: Core
        private let open: OpenLog

        var log: Log { open.log }
        var recent: RecentTransactions { core.recent }
        var memory: ReversalMemory { core.reversals }

        fileprivate init(_ core: Core, _ header: consuming TransactionHeader, _ open: OpenLog) {
            self.header = header
            self.core = core
            self.open = open
        }

        /// The log before this transaction, for use in this turn only.
        func history(_ state: StoreState) -> LogHistory {
            LogHistory(LogMoment(log), forgotten: state.timeline.forgotten, recent: recent)
        }

        /// The log before this transaction, of which a compaction may drop what was not read yet: then it is below the
        /// floor. As long as no file is to be read, this costs nothing.
        func unpinnedHistory(_ state: StoreState) -> LogHistory {
            LogHistory(inTurnOf: log, forgotten: state.timeline.forgotten, recent: recent)
        }
    }

    /// Runs a body on the whole state and appends what it changed.
    ///
    /// - Parameter evenIfEmpty: whether the transaction is logged where nothing changed.
    func commit<Result>(
        _ wished: Durability?, evenIfEmpty: Bool = false, isCancelled: () -> Bool = { false },
        header makeHeader: (Core) throws -> TransactionHeader,
        body: (inout StoreState, borrowing Turn) throws -> Result
    ) throws -> Written<Result> {
        var result: Result?
        do {
            let receipt = try perform(
                wished, evenIfEmpty: evenIfEmpty, isCancelled: isCancelled, header: makeHeader
            ) { state, turn in
                result = try body(&state, turn)
            }
            guard let result else { preconditionFailure("a body that neither returned nor threw") }
            return Written(result: result, receipt: receipt)
        } catch {
            storeLog?.refused(error)
            throw error
        }
    }

    private func perform(
        _ wished: Durability?, evenIfEmpty: Bool = false, in pipeline: WritePipeline? = nil,
        keptIn appended: AppendedTransaction? = nil, isCancelled: () -> Bool,
        header makeHeader: (Core) throws -> TransactionHeader,
        body: (inout StoreState, borrowing Turn) throws -> Void
    ) throws -> Receipt {
        try checkCaller()
        waitForMemory()
        let durability = durability.joined(with: wished)
        var receipt: Receipt?
        // Let go behind the turn: they may be the last to hold what this transaction replaces.
        var former: SharedState?
        var remains = TransactionRemains()
        try turn.withLock { core in
            enter()
            defer { leave() }
            try settle(core, before: pipeline, &remains)
            let open = try core.openLogForChanges()
            core.measureChanges()
            let atHand = Turn(core, try makeHeader(core), open)
            former = core.sharedHead
            var transaction = RunningTransaction(
                on: core.sharedHead, published.former,
                // Those who watch have copies of every state anyway.
                inPlace: !published.watch.isWatched, token: core.makeToken())
            defer { transaction.end() }
            try transaction.run(atHand.header, core.opening.memory) { try body(&$0, atHand) }
            let commit = storeLog.map { _ in StoreLog.Commit(label: atHand.header.label) }
            try settle(core, behind: &transaction, &remains)
            receipt = try pipeline.flatMap {
                try handOver(
                    &transaction, atHand.header, durability, core, open, $0, commit, isCancelled,
                    &remains)
            }
            if receipt != nil { return }
            let isChanged = try core.encoder.encode(
                &transaction.state, atHand.header, evenIfEmpty: evenIfEmpty,
                // Who watches reads what comes at once.
                packsFilledLeaves: transaction.isInPlace)
            if isCancelled() { throw CancellationError() }
            if isChanged {
                try admitAssets(transaction.state.definitions, core)
                try log(atHand.header, core, open)
                take(&transaction, after: atHand.header, core, open, &remains)
                appended?.keep(TransactionInfo(atHand.header), core)
            }
            receipt = Receipt(
                awaited: acknowledge(
                    core.sharedHead, core, open, durability, isChanged: isChanged, &remains),
                appended: isChanged ? atHand.header.id : nil, commit: commit)
        }
        withExtendedLifetime(former) { withExtendedLifetime(remains) {} }
        guard let receipt else { preconditionFailure("a write that neither returned nor threw") }
        return receipt
    }

    /// Makes what a logged transaction led to the head.
    ///
    /// - Parameter remains: what the journal held, to be released behind the turn.
    private func take(
        _ transaction: inout RunningTransaction, after header: TransactionHeader, _ core: Core,
        _ open: OpenLog, _ remains: inout TransactionRemains
    ) {
        var touched: ChangedRows?
        if !transaction.isInPlace, published.watch.isWatched {
            touched = ChangedRows(journalOf: transaction.state.context)
        }
        let head = transaction.succeed(leaving: &remains)
        take(head, after: header, core, open, touched: touched)
    }

    /// Takes a state as the head that a logged transaction led to.
    ///
    /// - Parameter touched: what is handed to those who watch; nil where it was not asked for.
    func take(
        _ head: SharedState, after header: TransactionHeader, _ core: Core, _ open: OpenLog,
        touched: ChangedRows?
    ) {
        if !head.definitions.isSame(as: core.sharedHead.definitions) {
            open.prologue.update(head.definitions.catalog)
        }
        core.sharedHead = head
        // In this turn: a compaction that begins in a later one must find the pin.
        if Timeline.concernsSavepoints(header) { pinSavepoints(core) }
        if let touched {
            // Before the state can be shown.
            published.watch.note(
                StateChange(
                    transactions: header.id...header.id, context: core.head.context,
                    rows: touched))
        }
        open.commits.didAppend(
            GroupCommit.Appended(target: open.log.syncTarget, state: head))
    }

    /// Shows a relaxed transaction, or says what is to be waited for.
    ///
    /// - Parameter head: the state behind it.
    func acknowledge(
        _ head: SharedState, _ core: Core, _ open: OpenLog, _ durability: Durability,
        isChanged: Bool,
        _ remains: inout TransactionRemains
    ) -> (transaction: TransactionID, commits: GroupCommit)? {
        switch durability {
        case .commit:
            if isChanged {
                core.seal.didAppend(awaiting: LogSequence(head.lastTransaction.rawValue))
                // Decided in this turn: asking later would wait for the next writer's.
                if core.seal.schedule() { scheduleSeal() }
            }
            // Also where nothing changed: the body has seen what other writers still wait for, and
            // whoever is told of it must be able to rely on it.
            return (head.lastTransaction, open.commits)
        case .interval(let delay):
            if isChanged { open.commits.syncWithin(delay) { [weak self] in self?.sealSoon() } }
        case .none: break
        }
        if isChanged { published.publish(head, leaving: &remains) }
        return nil
    }

    /// The log as it is now, to be read from any thread; the body of a write may ask for it too.
    func history(forgotten: TransactionID) throws -> LogHistory {
        let moment =
            try coreInside?.pinnedMoment() ?? inTurn { try $0.pinnedMoment() }
        return LogHistory(moment, forgotten: forgotten)
    }

    /// The log as it is. Compactions may drop what it names, unless the caller keeps it by a pin.
    func logSnapshot() throws -> LogSnapshot {
        try coreInside?.openLog().log.snapshot ?? inTurn { try $0.openLog().log.snapshot }
    }

    func noteFigures(_ open: OpenLog, _ core: Core) {
        let new = WriterFigures(open, core)
        figures.withLock { $0 = new }
    }

    var durableTransaction: TransactionID { figures.withLock { $0.durableTransaction } }

    // MARK: - Who may call

    /// Refuses what would wait for itself, and what would write another process's file.
    func checkCaller() throws(StoreError) {
        let process = SystemEnvironment().processID()
        // Before any lock is touched: a thread that held one does not exist in a forked process.
        guard process == processOfStore else { throw .log(.openedInAnotherProcess(opener)) }
        if isInsideWrite || isLogging { throw .nestedWrite }
    }

    private let processOfStore = SystemEnvironment().processID()

    /// Whether the calling thread is inside the body of a write.
    private var isInsideWrite: Bool {
        writingThread.load(ordering: .relaxed) == SystemEnvironment.threadNumber
    }

    /// Whether the calling thread logs what another one has written: a value of the application is being stored.
    private var isLogging: Bool {
        loggingThread.load(ordering: .relaxed) == SystemEnvironment.threadNumber
    }

    /// What the calling thread may look at without a turn of its own, where it is inside a write.
    private var coreInside: Core? {
        if isLogging { return core }
        return isInsideWrite ? core.loggedInside() : nil
    }

    func onLoggingThread<Result>(_ body: () throws -> Result) rethrows -> Result {
        loggingThread.store(SystemEnvironment.threadNumber, ordering: .relaxed)
        defer { loggingThread.store(0, ordering: .relaxed) }
        return try body()
    }

    private func enter() {
        writingThread.store(SystemEnvironment.threadNumber, ordering: .relaxed)
    }

    private func leave() { writingThread.store(0, ordering: .relaxed) }
}
