internal import Foundation
internal import VarveAssets
internal import VarveLog
internal import VarveTables

/// Runs the compactions of a store, one at a time, beside its writer.
final class Compactor: Sendable {
    private struct Status: Sendable {
        var isCancelled = false
        var isScheduled = false
        /// How far the log must have grown for an attempt behind one that failed; 0 where none did.
        var bytesForAnotherAttempt: UInt64 = 0
        var failure: String?
        var damage: [LogError] = []

        mutating func forgetFailure() {
            bytesForAnotherAttempt = 0
            failure = nil
        }
    }

    let writer: Writer
    private let record: HealthRecord
    private let waiting: WaitingStates
    private let retention: Retention
    let startsByItself: Bool
    private let state = Lock(Status())
    /// Serial: whoever compacts is on it.
    private let queue = DispatchQueue(label: "varve.compaction", qos: .utility)
    private let identity = DispatchSpecificKey<Bool>()

    init(
        writer: Writer, record: HealthRecord, waiting: WaitingStates, retention: Retention,
        startsByItself: Bool
    ) {
        self.startsByItself = startsByItself
        self.writer = writer
        self.record = record
        self.waiting = waiting
        self.retention = retention
        queue.setSpecific(key: identity, value: true)
    }

    /// Why the last compaction that started by itself failed. Nil where one has succeeded since.
    var failure: String? { state.withLock { $0.failure } }

    /// What was damaged in the files that a compaction dropped, the last of which that was so.
    var damage: [LogError] { state.withLock { $0.damage } }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    // MARK: - Running

    func run(
        _ retention: Retention?, _ goal: CompactionGoal,
        progress: (CompactionProgress) -> Void
    ) throws -> CompactionReport {
        // A body of a write must not wait for a compaction that waits for its turn.
        try checkHolder()
        return try queue.sync {
            try performLogged(retention ?? self.retention, goal, .thorough, progress)
        }
    }

    func run(
        _ retention: Retention?, _ goal: CompactionGoal,
        progress: @escaping @Sendable (CompactionProgress) -> Void
    ) async throws -> CompactionReport {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                continuation.resume(
                    with: Result {
                        try performLogged(retention ?? self.retention, goal, .thorough, progress)
                    })
            }
        }
    }

    /// Runs `body` while no compaction does.
    func holding<Result>(_ body: () throws -> Result) throws -> Result {
        try checkHolder()
        return try queue.sync {
            try checkCancellationOfStart()
            return try body()
        }
    }

    func holding<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                continuation.resume(
                    with: Swift.Result {
                        try checkCancellationOfStart()
                        return try body()
                    })
            }
        }
    }

    /// Refuses what would wait for itself.
    private func checkHolder() throws {
        precondition(
            DispatchQueue.getSpecific(key: identity) == nil,
            "compact, backup or close was called by the progress callback of a compaction")
        try writer.checkCaller()
    }

    /// Starts a compaction on a thread of its own if the log has grown enough.
    func startIfDue() {
        guard startsByItself else { return }
        let figures = writer.figures.withLock { $0.compaction }
        guard figures.isDue else { return }
        start { figures.growth.bytes >= $0.bytesForAnotherAttempt }
    }

    /// Starts a compaction on a thread of its own, which replaces a checkpoint that turned out damaged.
    func startRepair() {
        guard startsByItself else { return }
        // Whatever failed before: a check of the files asks for it once.
        start { _ in true }
    }

    private func start(_ isWanted: (Status) -> Bool) {
        let starts = state.withLock { state in
            guard !state.isScheduled, !state.isCancelled, isWanted(state) else { return false }
            state.isScheduled = true
            return true
        }
        guard starts else { return }
        queue.async { [self] in performAutomatically() }
    }

    /// Counts what former processes have replaced of assets, and starts a compaction if that is enough.
    func countReplacedAssets() {
        guard startsByItself, writer.hasAssets else { return }
        // A store that goes meanwhile takes its lock along: nothing here keeps the writer while it reads.
        queue.async { [weak self] in
            // What cannot be read here makes a compaction fail, which says so.
            guard let count = try? self?.writer.replacedAssetCount(),
                let bytes = try? count.bytes(isCancelled: { self?.isCancelled ?? true }), let self
            else { return }
            writer.take(bytes, of: count)
            startIfDue()
        }
    }

    private func performAutomatically() {
        do {
            _ = try performLogged(retention, .safety, .quick) { _ in }
            state.withLock { $0.isScheduled = false }
        } catch  where error.endsCompactionEarly {
            // `allow` starts the next attempt.
            state.withLock { $0.isScheduled = false }
        } catch {
            let figures = writer.figures.withLock { $0.compaction }
            state.withLock { state in
                state.isScheduled = false
                state.failure = "\(error)"
                state.bytesForAnotherAttempt = figures.bytesForAnotherAttempt
            }
        }
    }

    /// Lets a running compaction end early and waits for it. None starts before `allow`.
    func stop() throws {
        try checkHolder()
        state.withLock { $0.isCancelled = true }
        queue.sync {}
    }

    /// Lets compactions run again, and starts the one that was given up.
    ///
    /// - Parameter wasReadAgain: whether another process has written meanwhile.
    func allow(behindOthers wasReadAgain: Bool) {
        state.withLock { state in
            state.isCancelled = false
            // What failed, and how far the log had grown, was of files that another process has replaced or continued.
            if wasReadAgain { state.forgetFailure() }
        }
        startIfDue()
        if wasReadAgain { countReplacedAssets() }
    }

    // MARK: - One compaction

    /// What an attempt did that found no space for its checkpoint.
    private struct FirstAttempt {
        let start: ContinuousClock.Instant
        let bytesBefore: ByteCount
        let dropped: Compaction.Dropped
        let leftover: LogError?
    }

    private func performLogged(
        _ retention: Retention, _ goal: CompactionGoal, _ compression: ImageCompression,
        _ progress: (CompactionProgress) -> Void
    ) throws -> CompactionReport {
        guard let log = writer.storeLog else {
            return try repairing(retention, goal, compression, progress)
        }
        let work = log.begin(.compaction, "compacting the log")
        do {
            let report = try repairing(retention, goal, compression, progress)
            log.compacted(report, work)
            return report
        } catch {
            if error.endsCompactionEarly { work.giveUp(error) } else { work.end(error) }
            throw error
        }
    }

    /// Where the checkpoint that a compaction begins with turns out damaged, begins again with the one before it, or with
    /// the whole log: the new checkpoint takes the place of the damaged one.
    private func repairing(
        _ retention: Retention, _ goal: CompactionGoal, _ compression: ImageCompression,
        _ progress: (CompactionProgress) -> Void
    ) throws -> CompactionReport {
        while true {
            do {
                let report = try perform(retention, goal, compression, progress)
                state.withLock { $0.forgetFailure() }
                for error in report.damage { record.note(error) }
                // Closed meanwhile: the compaction has succeeded all the same.
                if let names = try? writer.fileNames() {
                    record.noteReplacement { names.contains($0) }
                }
                return report
            } catch StoreError.log(let error) {
                record.note(error)
                guard try writer.fallBack(after: error, record) else {
                    throw StoreError.log(error)
                }
                writer.storeLog?.damage(error)
            }
        }
    }

    private func perform(
        _ retention: Retention, _ goal: CompactionGoal, _ compression: ImageCompression,
        behind first: FirstAttempt? = nil,
        _ progress: (CompactionProgress) -> Void
    ) throws -> CompactionReport {
        let start = first?.start ?? .now
        try checkCancellationOfStart()
        if goal == .safety { try writer.advanceFollowed { try checkCancellationOfStart() } }
        guard
            var begun = try writer.beginCompaction(
                for: goal, compression, isCancelled: { [self] in isCancelled })
        else { return .ofNothing(but: collectAssets()) }
        let compaction = begun.compaction
        do {
            let before = try compaction.measureFiles()
            let timeline = begun.timeline.trimmed(below: begun.floor)
            let size: CheckpointSize?
            do {
                size = try BackgroundThread.with { background in
                    try writeCheckpoint(begun, compression, on: background, progress)
                }
            } catch let error as LogError where compaction.goesOnWithoutCheckpoint(after: error) {
                let (dropped, leftover) = try conclude(
                    begun, retention, nil, timeline, behind: first, progress)
                guard try compaction.measureFiles() < before else { throw error }
                let attempt = FirstAttempt(
                    start: start, bytesBefore: first?.bytesBefore ?? before, dropped: dropped,
                    leftover: leftover ?? first?.leftover)
                return try perform(retention, goal, compression, behind: attempt, progress)
            }
            let (dropped, leftover) = try conclude(
                begun, retention, size, timeline, behind: first, progress)
            writer.rebaseFollowed(behind: begun)
            // What the compaction keeps of the former state.
            begun.followed = nil
            writer.renewTables()
            let (assets, assetsLeftover) = collectAssets()
            let after = Result { () throws(LogError) in try compaction.measureFiles() }
            return CompactionReport(
                checkpoint: TransactionID(compaction.sequence.rawValue),
                checkpointBytes: size?.stored,
                checkpointRawBytes: size?.raw, bytesBefore: first?.bytesBefore ?? before,
                bytesAfter: (try? after.get())
                    ?? dropped.bytesLeft(
                        of: first?.bytesBefore ?? before, adding: size),
                segmentsDropped: dropped.segments,
                transactionsDropped: dropped.transactions, assetsDropped: assets.files,
                assetBytesDropped: ByteCount(assets.bytes),
                floor: TransactionID(dropped.floor.rawValue),
                duration: start.duration(to: .now), damage: dropped.damage,
                leftover: leftover ?? first?.leftover ?? after.failure,
                assetsLeftover: assetsLeftover)
        } catch {
            compaction.abandon()
            if let error = error as? LogError { throw StoreError.log(error) }
            throw error
        }
    }

    /// Puts the manifest in force and removes what it made superfluous. Returns what went, with what the first attempt
    /// dropped.
    private func conclude(
        _ begun: Writer.BegunCompaction, _ retention: Retention, _ size: CheckpointSize?,
        _ timeline: Timeline, behind first: FirstAttempt?,
        _ progress: (CompactionProgress) -> Void
    ) throws -> (Compaction.Dropped, leftover: LogError?) {
        let compaction = begun.compaction
        let forgotten = LogSequence(timeline.forgotten.rawValue)
        let plan = try compaction.plan(retention, forgetting: forgotten) { floor in
            timeline.moves(since: TransactionID(floor.rawValue))
                .map { ($0.count, LogSequence($0.oldest.rawValue)) }
        }
        let manifest = plan.0
        var dropped = plan.1
        try compaction.removeLostTails(forgetting: forgotten)
        guard compaction.isChange(manifest) else {
            return (dropped.following(first?.dropped), nil)
        }
        dropped.damage = try findDamage(in: compaction.checkOfDropped(by: manifest), progress)
        dropped = dropped.following(first?.dropped)
        if !dropped.damage.isEmpty { state.withLock { [dropped] in $0.damage = dropped.damage } }
        progress(CompactionProgress(phase: .finishing, fraction: 0))
        try checkCancellation()
        try writer.checkLogIsWritable()
        TablesAhead.prepare(writer.published.context, waiting, for: manifest) { isCancelled }
        try checkCancellation()
        let leftover = try compaction.conclude(with: manifest) {
            writer.finishCompaction($0, size.map { ($0, begun.replaySteps) })
        }
        return (dropped, leftover)
    }

    /// Removes files of assets that nothing names any more. The compaction is in force by now: what keeps it from that,
    /// also that the store is closed or suspended, is a remark.
    private func collectAssets() -> (CollectedAssets, leftover: String?) {
        let collection = AssetCollection(
            writer: writer, assets: writer.assets, isCancelled: { [self] in isCancelled })
        var collected = CollectedAssets()
        do {
            try collection.run(countingIn: &collected)
            return (collected, nil)
        } catch {
            return (collected, "\(error)")
        }
    }

    private func findDamage(
        in dropped: FilesCheck, _ progress: (CompactionProgress) -> Void
    ) throws -> [LogError] {
        var dropped = dropped
        try BackgroundThread.with { background in
            try background.repeat({ dropped.advance() }) {
                progress(CompactionProgress(phase: .checking, fraction: dropped.fraction))
                try checkCancellation()
            }
        }
        return dropped.problems
    }

    /// A store that is closed says so itself.
    private func checkCancellationOfStart() throws {
        guard state.withLock({ $0.isCancelled }) else { return }
        try writer.checkLogIsWritable()
        throw StoreError.log(.compactionCancelled)
    }

    func checkCancellation() throws(LogError) {
        if state.withLock({ $0.isCancelled }) { throw .compactionCancelled }
    }
}
