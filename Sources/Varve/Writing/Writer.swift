internal import Foundation
internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// The one writer of a store: the log, the state behind everything appended, and the rule that one
/// transaction runs at a time.
///
/// All mutable state is inside `Core`, which only the holder of `turn` touches.
final class Writer: Sendable {
    /// What only the holder of `turn` touches.
    private final class Core: @unchecked Sendable {
        // Unchecked: reached through `turn` alone, which lets one thread in at a time.
        let log: Log?
        let clock: any LogEnvironment
        let prologue: PrologueSource
        let encoder = CommitEncoder()
        var head: StoreState
        var isClosed = false
        /// Counts appended transactions, to notice that writing paused.
        var appended: UInt64 = 0
        var sealed: UInt64 = 0
        var sealIsScheduled = false
        var appendedWhenScheduled: UInt64 = 0
        var newestCheckpoint: CheckpointSize?

        /// Whether a seal is due that nobody has scheduled yet; from now on somebody has.
        func scheduleSeal() -> Bool {
            guard !isClosed, !sealIsScheduled, sealed != appended else { return false }
            sealIsScheduled = true
            appendedWhenScheduled = appended
            return true
        }

        init(
            log: Log?, clock: any LogEnvironment, prologue: PrologueSource, head: StoreState,
            checkpoint: CheckpointSize?
        ) {
            newestCheckpoint = checkpoint
            self.log = log
            self.clock = clock
            self.prologue = prologue
            self.head = head
        }
    }

    private let turn: Lock<Core>
    /// The thread inside a write, to refuse a write inside it instead of waiting for itself.
    private let writingThread = Lock<ObjectIdentifier?>(nil)
    private let durability: Durability
    private let figures: Lock<Figures>
    /// Nil where nothing can be written.
    let pins: LogPins?
    private let openingFloor: TransactionID

    init(
        log: Log?, prologue: PrologueSource, head: StoreState, durability: Durability,
        clock: any LogEnvironment, checkpoint: CheckpointSize?, floor: TransactionID
    ) {
        pins = log?.pins
        openingFloor = floor
        figures = Lock(
            Figures(
                durableTransaction: TransactionID(
                    log?.durableSequence.rawValue ?? head.lastTransaction.rawValue),
                log: log?.statistics ?? LogStatistics(), isWritable: log != nil,
                compaction: log.map { CompactionFigures($0, checkpoint) } ?? CompactionFigures()))
        turn = Lock(
            Core(
                log: log, clock: clock, prologue: prologue, head: head, checkpoint: checkpoint))
        self.durability = durability
    }

    // MARK: - Writing

    func write<Result>(
        _ label: String, _ options: WriteOptions,
        _ body: (inout Context) throws -> Result, publish: (StoreState, _ owesSeal: Bool) -> Void
    ) throws -> Result {
        try refuseNestedWrite()
        var result: Result?
        try turn.withLock { core in
            enter()
            defer { leave() }
            guard !core.isClosed, let log = core.log else { throw StoreError.closed }
            var state = core.head
            let header = header(label, options, core)
            let token = TransactionToken()
            state.context.beginTracking(
                transaction: header.id.rawValue, time: header.time.microseconds, token: token)
            result = try body(&state.context)
            // Any other context has other changes, or none, in its journals: what would be logged is
            // not what happened to this store.
            guard state.context.session.token === token else { throw StoreError.foreignContext }
            defer { noteFigures(core) }
            guard try append(header, &state, core, log) else { return }
            core.prologue.update(state.catalog)
            if (options.durability ?? durability) == .commit || durability == .commit {
                try sync(log)
            }
            core.head = state
            // Decided in this turn: asking later would wait for the next writer's.
            publish(state, core.scheduleSeal())
        }
        guard let result else { preconditionFailure("a write that neither returned nor threw") }
        return result
    }

    /// Encodes what the body changed and appends it. False where nothing changed.
    private func append(
        _ header: TransactionHeader, _ state: inout StoreState, _ core: Core, _ log: Log
    ) throws -> Bool {
        let isChanged = try core.encoder.encode(&state, header)
        state.context.endTracking()
        guard isChanged else { return false }
        try append(core, log, header)
        return true
    }

    /// Appends what was encoded last.
    private func append(_ core: Core, _ log: Log, _ header: TransactionHeader) throws {
        do {
            try core.encoder.withBytes { bytes throws(LogError) in
                try log.append(
                    sequence: LogSequence(header.id.rawValue), time: header.time.microseconds,
                    payload: bytes)
            }
        } catch {
            throw StoreError.log(error)
        }
        core.appended += 1
    }

    private func sync(_ log: Log) throws {
        do throws(LogError) {
            try log.sync()
        } catch {
            throw StoreError.log(error)
        }
    }

    private func header(
        _ label: String, _ options: WriteOptions, _ core: Core
    ) -> TransactionHeader {
        TransactionHeader(
            id: TransactionID(core.head.lastTransaction.rawValue + 1),
            time: Timestamp(microseconds: core.clock.wallClockMicroseconds()),
            kind: .write, isUndoable: options.undoable, label: label.isEmpty ? nil : label,
            scope: options.scope, group: options.group, author: options.author,
            metadata: options.metadata)
    }

    // MARK: - One at a time

    /// Whether the calling thread is inside the body of a write.
    private var isInsideWrite: Bool {
        let thread = ObjectIdentifier(Thread.current)
        return writingThread.withLock { $0 == thread }
    }

    func refuseNestedWrite() throws {
        if isInsideWrite { throw StoreError.nestedWrite }
    }

    private func enter() {
        let thread = ObjectIdentifier(Thread.current)
        writingThread.withLock { $0 = thread }
    }

    private func leave() { writingThread.withLock { $0 = nil } }

    // MARK: - Idle, flush, close

    /// What became of a seal that was due.
    enum SealOutcome {
        case isDone
        /// Something was appended meanwhile: it is due again later.
        case isBusy
    }

    /// Writes the seal that was scheduled if nothing was appended since.
    func sealIfIdle() -> SealOutcome {
        turn.withLock { core in
            core.sealIsScheduled = false
            guard let log = core.log, !core.isClosed else { return .isDone }
            guard core.appended == core.appendedWhenScheduled else {
                return core.scheduleSeal() ? .isBusy : .isDone
            }
            do {
                try log.seal()
                core.sealed = core.appended
            } catch {
                // The log remembers an error that matters, and the next write throws it.
            }
            return .isDone
        }
    }

    func flush() throws {
        try refuseNestedWrite()
        try turn.withLock { core in
            guard let log = core.log, !core.isClosed else { return }
            defer { noteFigures(core) }
            do throws(LogError) {
                try log.sync()
                try log.seal()
            } catch {
                throw StoreError.log(error)
            }
            core.sealed = core.appended
        }
    }

    func close() throws {
        try refuseNestedWrite()
        try turn.withLock { core in
            guard !core.isClosed else { return }
            core.isClosed = true
            defer { noteFigures(core) }
            do throws(LogError) {
                try core.log?.close()
            } catch {
                throw StoreError.log(error)
            }
        }
    }

    // MARK: - Compaction

    /// Begins a compaction, and freezes the state that its checkpoint will hold. What the log lacks
    /// of the types' definitions is logged first. Nil where nothing was ever written.
    func beginCompaction() throws -> (Compaction, StoreState)? {
        try refuseNestedWrite()
        var begun: (Compaction, StoreState)?
        try turn.withLock { core in
            guard !core.isClosed, let log = core.log else { throw StoreError.closed }
            defer { noteFigures(core) }
            do {
                try logPendingDefinitions(core, log)
                begun = try log.beginCompaction().map { ($0, core.head) }
            } catch let error as LogError {
                throw StoreError.log(error)
            }
        }
        precondition(
            begun.map { $0.1.lastTransaction.rawValue == $0.0.sequence.rawValue } ?? true,
            "the head is the state behind everything appended")
        return begun
    }

    private func logPendingDefinitions(_ core: Core, _ log: Log) throws {
        guard log.lastSequence > .none else { return }
        var state = core.head
        var header = header("", WriteOptions(undoable: false), core)
        header.kind = .schema
        guard try core.encoder.encodePendingDefinitions(&state, header) else { return }
        try append(core, log, header)
        core.prologue.update(state.catalog)
        try sync(log)
        core.head = state
    }

    /// Throws where the log cannot be written any more.
    func checkWritable() throws {
        try turn.withLock { core in
            guard !core.isClosed, let log = core.log else { throw StoreError.closed }
            do throws(LogError) {
                try log.checkWritable()
            } catch {
                throw StoreError.log(error)
            }
        }
    }

    /// The manifest of a compaction is in force.
    func finishCompaction(_ manifest: Manifest, _ size: CheckpointSize?) {
        turn.withLock { core in
            core.log?.finish(manifest)
            if let size { core.newestCheckpoint = size }
            noteFigures(core)
        }
    }

    var compactionFigures: CompactionFigures { figures.withLock { $0.compaction } }

    var floor: TransactionID {
        pins.map { TransactionID($0.floor.rawValue) } ?? openingFloor
    }

    // MARK: - Figures

    /// What is asked of the log from outside, kept apart so that asking never waits for a write, nor
    /// a write's body for itself.
    private struct Figures: Sendable {
        var durableTransaction: TransactionID
        var log: LogStatistics
        var isWritable: Bool
        var compaction: CompactionFigures
    }

    private func noteFigures(_ core: Core) {
        guard let log = core.log else { return }
        let figures = Figures(
            durableTransaction: TransactionID(log.durableSequence.rawValue),
            log: log.statistics, isWritable: !core.isClosed && !log.isPoisoned,
            compaction: CompactionFigures(log, core.newestCheckpoint))
        self.figures.withLock { $0 = figures }
    }

    var durableTransaction: TransactionID { figures.withLock { $0.durableTransaction } }

    var logStatistics: LogStatistics { figures.withLock { $0.log } }

    /// False once closed, or after an I/O error that ended the writing.
    var isWritable: Bool { figures.withLock { $0.isWritable } }
}
