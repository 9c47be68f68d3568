/// A log that can be written: the second state of opening.
///
/// Owns the store's lock and the active segment. Not thread-safe: its owner lets one thread in at a
/// time. Only `progress` is for all threads: a sync of `syncTarget` may run while the owner appends.
/// Invariants:
/// - every transaction number up to `lastSequence` was appended, in order, without a gap;
/// - every byte below the active segment's `durableEnd` is safe from a power cut, and no frame
///   promises more than that;
/// - after a failure that leaves the file unknown, nothing is written any more (`isPoisoned`);
/// - nothing is written into files that are not the store's any more, as far as a look within the last
///   millisecond could tell (`WriterClaim`).
///
/// Unchecked for exclusive access where each append looks: no code that reaches the log runs while one of these is
/// being changed.
package final class Log {
    /// Replaced by each compaction.
    @exclusivity(unchecked) package internal(set) var manifest: Manifest
    /// The checkpoint that opening started from or the last compaction wrote: known to be good.
    @exclusivity(unchecked) package internal(set) var base: CheckpointReference?
    /// What compactions must not drop.
    package let pins: LogPins
    /// The newest transaction that was appended.
    @exclusivity(unchecked) package private(set) var lastSequence: LogSequence
    /// How far the log is safe, and the way to make it so from any thread.
    package let progress: SyncProgress

    let fileSystem: any FileSystem
    let environment: any LogEnvironment
    package let configuration: LogConfiguration
    @exclusivity(unchecked) private(set) var sealed: [SegmentEntry]
    @exclusivity(unchecked) private var sealedStatistics: LogStatistics
    @exclusivity(unchecked) var active: SegmentWriter
    let lock: DirectoryLock
    /// When the store's files were looked at last, as a time of transactions, and how many came since.
    @exclusivity(unchecked) private var claimed: (time: Int64, appends: Int) = (0, 0)
    private let opener: LockHolder
    /// The definitions known so far, for the head of a new segment.
    private let prologue: () -> [UInt8]
    @exclusivity(unchecked) private var state = State.open

    private enum State {
        case open
        case poisoned(LogError)
        case closed
    }

    init(
        _ scanned: ScannedLog, lock: DirectoryLock, active: SegmentWriter,
        sealed: [SegmentEntry], durableSequence: LogSequence, start: LogStart,
        pins: LogPins?, prologue: @escaping () -> [UInt8]
    ) {
        manifest = scanned.manifest
        base = start.checkpoint
        self.pins = pins ?? LogPins(floor: scanned.manifest.floor)
        self.pins.takeOver(floor: scanned.manifest.floor)
        lastSequence = scanned.lastSequence
        progress = SyncProgress(
            segment: active.header.segment, end: active.durableEnd, sequence: durableSequence,
            claim: lock.claim)
        sealedStatistics = LogSnapshot.statistics(of: sealed)
        fileSystem = scanned.snapshot.fileSystem
        environment = scanned.environment
        configuration = scanned.snapshot.configuration
        self.sealed = sealed
        self.active = active
        self.lock = lock
        self.prologue = prologue
        opener = scanned.environment.lockHolder
    }

    /// The newest transaction that a power cut cannot reach.
    package var durableSequence: LogSequence { progress.durableSequence }

    /// An earlier failure ended the writing.
    package var isPoisoned: Bool {
        if case .poisoned = state { true } else { progress.failure != nil }
    }

    // MARK: Writing

    /// Appends one transaction. It is in the file when this returns, and safe from a power cut
    /// after the next `sync`.
    ///
    /// `sequence` must be the one after `lastSequence`. A failed append leaves no trace; where that
    /// cannot be had, the log is poisoned. Allocates nothing in the long run.
    package func append(
        sequence: LogSequence, time: Int64, payload: UnsafeRawBufferPointer
    ) throws(LogError) {
        try checkWritable()
        precondition(
            sequence == lastSequence.next, "transactions are numbered without gaps")
        try checkClaimNowAndThen(time)
        if active.isFull(configuration.segmentBytesMax) {
            try roll(writerEpoch: active.header.writerEpoch)
        }
        noteProgress()
        try undoable { writer throws(FileSystemError) in
            if !writer.tally.totals.holdsData {
                let catalog = prologue()
                if !catalog.isEmpty { try writer.appendCatalog(catalog, time: time) }
            }
            try writer.appendTransaction(
                payload, sequence: sequence, time: time,
                frameBytesMax: Int(configuration.frameBytesMax.rawValue))
        }
        lastSequence = sequence
    }

    /// Makes everything that was appended safe from a power cut. The frames that follow promise it.
    ///
    /// After `.synchronizationFailed` nobody knows what reached the disk, and the log is poisoned.
    package func sync() throws(LogError) {
        try checkWritable()
        try synchronizeActive()
    }

    /// The oldest transaction that can be asked for; a pin may know of a higher floor.
    package var oldestSequence: LogSequence {
        max((sealed.first?.header ?? active.header).firstSequence, manifest.floor)
    }

    /// What `progress` has to synchronize for everything appended so far to be safe.
    package var syncTarget: SyncTarget { active.target(through: lastSequence) }

    /// Writes the newest promise into the file, when no frame has done so yet. Worth doing when
    /// the writer falls idle: readers see the last transactions, and damage to them is noticed.
    package func seal() throws(LogError) {
        try checkWritable()
        noteProgress()
        guard active.owesPromise else { return }
        try checkClaim()
        try appendSeal([])
    }

    // MARK: Ending

    /// Syncs, marks the end as clean, and gives the lock back, which happens also when an error is
    /// thrown. A poisoned or closed log is released as it is, without an error.
    package func close() throws(LogError) {
        defer { abandon() }
        guard case .open = state, progress.failure == nil else { return }
        try checkWritable()
        guard !active.tally.totals.endsWithCleanSeal else { return }
        try synchronizeActive()
        try checkClaim()
        try lock.withRoom { () throws(LogError) in try appendSeal(.clean) }
        // Safe with the seal: a power cut may leave both or either.
        _ = try trimActive()
        try synchronizeActive()
    }

    /// Gives the lock back and leaves the files as they are, as if the process had ended.
    package func abandon() {
        if case .closed = state { return }
        state = .closed
        lock.release()
    }

    // MARK: Reading

    /// Where the log ends, with the digest of everything in it.
    package var position: LogPosition {
        LogPosition(
            store: manifest.store, generation: manifest.generation, segment: active.header.segment,
            end: active.end,
            digest: active.tally.totals.digest, lastSequence: lastSequence, checkpoint: base)
    }

    package var statistics: LogStatistics {
        var statistics = sealedStatistics
        statistics.add(active.statistics)
        return statistics
    }

    /// The log as it is now, to be read from any thread while writing goes on.
    package var snapshot: LogSnapshot {
        LogSnapshot(
            fileSystem: fileSystem, configuration: configuration, floor: manifest.floor,
            segments: sealed + [active.entry])
    }

    // MARK: Failures

    package func checkWritable() throws(LogError) {
        switch state {
        case .open: break
        case .poisoned(let cause): throw .poisoned(cause: cause)
        case .closed: throw .closed
        }
        if let failure = progress.failure { throw .poisoned(cause: failure) }
        // A fork would have two processes write the same file under one lock.
        guard environment.processID() == opener.processID else {
            throw .openedInAnotherProcess(opener)
        }
    }

    /// Refuses to go on in files that are not the store's any more.
    func checkClaim() throws(LogError) {
        do throws(LogError) {
            try lock.claim.check(active.held)
        } catch .displaced(let file, let isReplaced) {
            throw poison(.displaced(file: file, isReplaced: isReplaced))
        } catch {
            // Nothing was written, and the next attempt looks again.
            throw error
        }
    }

    /// Who syncs looks behind the sync. Who does not waits for nothing else, so that a look at each append would
    /// be much of what it costs.
    private func checkClaimNowAndThen(_ time: Int64) throws(LogError) {
        claimed.appends += 1
        let (age, overflow) = time.subtractingReportingOverflow(claimed.time)
        guard overflow || age.magnitude >= 1_000 || claimed.appends >= 256 else { return }
        try checkClaim()
        claimed = (time, 0)
    }

    /// Ends the writing: what the file holds is no longer known.
    func poison(_ cause: LogError) -> LogError {
        state = .poisoned(cause)
        return cause
    }

    /// A sync that another thread completed counts from here on.
    private func noteProgress() {
        guard let end = progress.safeEnd(of: active.header.segment) else { return }
        active.noteSafe(through: end)
    }

    func synchronizeActive() throws(LogError) {
        do throws(LogError) {
            try progress.synchronize(syncTarget)
        } catch {
            throw poison(error)
        }
        noteProgress()
    }

    /// Has the file end with its last frame. Returns whether it is shorter now.
    func trimActive() throws(LogError) -> Bool {
        try LogError.wrapping { () throws(FileSystemError) in try active.trim() }
    }

    /// Makes the new length of the active segment safe: a sync for its frames may find that they are.
    func synchronizeCut() throws(LogError) {
        do throws(LogError) {
            try active.synchronizeCut(progress)
        } catch {
            throw poison(error)
        }
    }

    /// Goes on in the successor of a segment that now has its footer.
    func goOn(in successor: SegmentWriter, behind entry: SegmentEntry) {
        sealed.append(entry)
        sealedStatistics.add(LogSnapshot.statistics(of: [entry]))
        active = successor
    }

    /// Forgets segments that a manifest dropped.
    func drop(segmentsBefore first: SegmentID) {
        sealed.removeAll { $0.id < first }
        sealedStatistics = LogSnapshot.statistics(of: sealed)
    }

    /// Writes frames, and cuts the file back to where it was should that fail.
    func undoable(
        _ body: (SegmentWriter) throws(FileSystemError) -> Void
    ) throws(LogError) {
        let mark = active.mark
        do throws(FileSystemError) {
            try body(active)
        } catch {
            do throws(LogError) {
                // What is behind the mark may be another writer's.
                try lock.claim.check(active.held)
                try active.cutBack(to: mark, progress)
            } catch let second {
                throw .poisoned(cause: poison(second))
            }
            throw .fileSystem(error)
        }
    }

    private func appendSeal(_ flags: FrameFlags) throws(LogError) {
        let time = environment.wallClockMicroseconds()
        try undoable { writer throws(FileSystemError) in
            try writer.appendSeal(flags, time: time)
        }
    }
}
