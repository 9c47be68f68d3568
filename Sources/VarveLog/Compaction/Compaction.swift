import VarveCompression

/// One compaction of a log, as steps that its owner takes one after the other. None of them touches
/// the log's active segment, so the log is written meanwhile by another thread; `Log` itself is
/// touched by `Log.beginCompaction` and `Log.finish` only, in the writer's turn.
///
/// The order is what makes it safe at every step: the checkpoint, synced and read back; its name,
/// durable; the manifest, durable; only then is anything removed. Until the manifest has its name,
/// `abandon` leaves the store as it was. No file gets its name and none goes once the lock is another's.
package final class Compaction {
    private let goal: CompactionGoal
    /// The last transaction whose effects the checkpoint holds. The log is promised through it.
    package let sequence: LogSequence
    /// The log as it was when the compaction began.
    package let snapshot: LogSnapshot
    package let configuration: LogConfiguration
    let manifest: Manifest
    private let base: CheckpointReference?
    /// The segment that starts behind `sequence`.
    private let next: SegmentHeader
    let lock: DirectoryLock
    private let environment: any LogEnvironment
    private let pins: LogPins
    private var writer: CheckpointWriter?
    private var replacesBase = false
    private var formerFloor: LogSequence?
    private var fileSystem: any FileSystem { snapshot.fileSystem }

    init(
        for goal: CompactionGoal, sequence: LogSequence, snapshot: LogSnapshot, next: SegmentHeader,
        manifest: Manifest, base: CheckpointReference?, lock: DirectoryLock,
        environment: any LogEnvironment, pins: LogPins
    ) {
        self.goal = goal
        self.sequence = sequence
        self.snapshot = snapshot
        self.next = next
        self.manifest = manifest
        self.base = base
        self.lock = lock
        self.environment = environment
        self.pins = pins
        configuration = snapshot.configuration
    }

    /// The newest checkpoint holds the newest state already: only history can be dropped. Where size counts it is written
    /// again, because it may have a form that takes more, and the one before it goes.
    package var isUpToDate: Bool { holdsNewestState && goal == .safety && !replacesBase }

    private var holdsNewestState: Bool { base?.sequence == sequence }

    /// Has a checkpoint that is up to date written again: another one of the same state takes its place.
    package func replaceBase() { replacesBase = true }

    // MARK: The state before

    /// Opens the checkpoint that the log behind leads on from to ``sequence``. It was read since the log was opened, or
    /// written: it is known to be good. Nil where the log is whole.
    package func openBase() throws(LogError) -> CheckpointFile? {
        guard let base else { return nil }
        return try snapshot.open(base, store: manifest.store, mode: .readWrite)
    }

    /// Opens the checkpoint that was written; nil where there is none.
    package func openWrittenFile() throws(LogError) -> CheckpointFile? {
        guard let writer else { return nil }
        return try snapshot.open(writer.header.reference, store: manifest.store, mode: .readWrite)
    }

    /// The name of the checkpoint before.
    package var baseFile: String? { base?.file.text }

    /// Delivers the log behind that checkpoint.
    package func replayBehindBase() -> SteppedReplay {
        SteppedReplay(snapshot, after: base?.sequence ?? .none, through: sequence)
    }

    // MARK: Steps

    /// Starts the checkpoint's file. `time` is that of the last transaction.
    package func makeWriter(time: Int64) throws(LogError) -> CheckpointWriter {
        try checkLock()
        let newest = manifest.checkpoints.map(\.number).max() ?? 0
        let writer = try CheckpointWriter(
            CheckpointHeader(
                store: manifest.store, number: newest + 1, sequence: sequence,
                sequenceTime: time, salt: environment.randomSalt(),
                nextSegment: next.segment, previousLength: next.previousLength,
                previousDigest: next.previousDigest,
                createdAt: environment.wallClockMicroseconds()), in: fileSystem,
            compressing: goal == .size ? .thorough : .quick, isBesideCommits: true)
        self.writer = writer
        return writer
    }

    /// What was given up: history, as a number of transactions, and bytes.
    package struct Dropped: Hashable, Sendable {
        package var floor: LogSequence
        package var segments = 0
        package var transactions: UInt64 = 0
        package var bytes = ByteCount.zero
        /// What was wrong with the files, as far as they were read for that (`FilesCheck`).
        package var damage: [LogError] = []

        /// With what an attempt before this one dropped, which found no space for its checkpoint.
        package func following(_ earlier: Dropped?) -> Dropped {
            guard let earlier else { return self }
            var sum = self
            sum.segments += earlier.segments
            sum.transactions += earlier.transactions
            sum.bytes = ByteCount(bytes.rawValue + earlier.bytes.rawValue)
            sum.damage = earlier.damage + damage
            return sum
        }
    }

    /// The manifest that makes the written checkpoint, or the one that is there, the newest, with
    /// the history that the policy keeps. Raises the floor.
    ///
    /// - Parameters:
    ///   - forgotten: the transaction through which nothing may be kept, `.none` for none:
    ///     everything that was written by then goes, unless a pin holds it.
    ///   - moves: returns, for the floor that the policy asks for, how many undos and redos do not count
    ///     where transactions are counted, and the oldest transaction that a redo needs, which stays.
    package func plan(
        _ retention: Retention, forgetting forgotten: LogSequence = .none,
        moves: (_ floor: LogSequence) -> (count: UInt64, oldest: LogSequence)? = { _ in nil }
    ) throws(LogError) -> (Manifest, Dropped) {
        let now = environment.wallClockMicroseconds()
        var wanted = try retention.floor(of: snapshot, through: sequence, now: now)
        if let moves = moves(wanted) {
            wanted = try retention.longer(by: moves.count)
                .floor(of: snapshot, through: sequence, now: now)
            wanted = min(wanted, moves.oldest)
        }
        // Without a checkpoint from behind what is forgotten, nothing can do without the log before it.
        let isForgettable = forgotten > .none && plannedCheckpoints[0].sequence >= forgotten
        let clean = isForgettable ? firstSegment(behind: forgotten) : nil
        let (before, floor) = pins.raiseFloor(to: max(wanted, clean?.firstSequence ?? wanted))
        formerFloor = before
        var checkpoints = plannedCheckpoints
        var needed = firstNeeded(toFallBackFrom: checkpoints)
        if let clean, floor >= clean.firstSequence {
            checkpoints.removeAll { $0.sequence < forgotten }
            needed = max(needed, clean.firstSequence)
        }
        let kept = firstSegment(for: min(needed, floor))
        var manifest = manifest
        manifest.generation += 1
        manifest.createdAt = environment.wallClockMicroseconds()
        manifest.version = .current
        manifest.features.incompatible |= FormatFeatures.checkpoint
        manifest.firstSegment = kept.segment
        manifest.firstSequence = kept.firstSequence
        manifest.chainStartLength = kept.previousLength
        manifest.chainStart = kept.previousDigest
        manifest.floor = floor
        manifest.checkpoint = checkpoints[0].number
        manifest.checkpointSequence = checkpoints[0].sequence
        manifest.previousCheckpoint = checkpoints.dropFirst().first?.number ?? 0
        manifest.previousCheckpointSequence = checkpoints.dropFirst().first?.sequence ?? .none
        manifest.retention = retention
        return (manifest, dropped(by: manifest))
    }

    /// What opening replays where the newest checkpoint is damaged: the log behind the one before, or the whole log
    /// where there is none, as long as it is all there.
    private func firstNeeded(toFallBackFrom checkpoints: [CheckpointReference]) -> LogSequence {
        if let previous = checkpoints.dropFirst().first { return previous.sequence.following }
        guard goal == .safety, manifest.firstSequence == LogSequence(1) else {
            return checkpoints[0].sequence.following
        }
        return LogSequence(1)
    }

    /// The new checkpoint and the one that opening started from or the last compaction wrote: it
    /// is known to be good. Where that is replaced, the one before it. Without a new one, those that are there.
    private var plannedCheckpoints: [CheckpointReference] {
        guard let writer else {
            return goal == .size ? base.map { [$0] } ?? [] : manifest.checkpoints
        }
        guard goal == .safety, let base else { return [writer.header.reference] }
        // To fall back to one of the same state would need both files for one.
        let former = manifest.checkpoints.filter { $0.sequence < sequence }
        return [writer.header.reference] + (holdsNewestState ? former : [base])
    }

    /// Gives the new checkpoint up for want of space. False where nothing can be dropped without it: otherwise a `plan`
    /// drops, of what this compaction was to drop, all that the newest checkpoint makes superfluous, and leaves room for
    /// another attempt.
    package func goesOnWithoutCheckpoint(after error: LogError) -> Bool {
        guard error.isFullDisk, goal == .size, base != nil, !isInForce else { return false }
        writer?.discard()
        writer = nil
        return true
    }

    /// The segment that holds a transaction, or will. Of several that begin with it, because those
    /// before the last were ended without any, the first: a checkpoint may name it as what follows.
    private func firstSegment(for sequence: LogSequence) -> SegmentHeader {
        let segments = snapshot.segments
        let holder =
            segments.first { $0.header.firstSequence == sequence }
            ?? segments.last { $0.header.firstSequence <= sequence }
        return (holder ?? segments.first)?.header ?? next
    }

    /// The first segment without anything that was written by then.
    func firstSegment(behind sequence: LogSequence) -> SegmentHeader {
        snapshot.segments.first { $0.header.firstSequence > sequence }?.header ?? next
    }

    private func dropped(by manifest: Manifest) -> Dropped {
        var dropped = Dropped(floor: manifest.floor)
        for segment in snapshot.segments where segment.id < manifest.firstSegment {
            dropped.segments += 1
            dropped.transactions += segment.transactions
            dropped.bytes = ByteCount(
                dropped.bytes.rawValue + segment.fileLength.rawValue)
        }
        return dropped
    }

    /// Gives the manifest its name, durably. When an error is thrown, `isInForce` says whether the
    /// manifest counts all the same.
    package func install(_ manifest: Manifest) throws(LogError) {
        try checkLock()
        try lock.withRoom { () throws(LogError) in try write(manifest) }
    }

    private func write(_ manifest: Manifest) throws(LogError) {
        do throws(FileSystemError) {
            _ = try fileSystem.createDurably(
                .manifest(generation: manifest.generation), content: manifest.encode())
        } catch {
            // From the rename on the manifest may count: nothing that it names may go.
            isInForce = error.operation == .rename || error.operation == .synchronizeDirectory
            guard error.operation == .rename else { throw .fileSystem(error) }
            // A rename may have happened although it reported an error: the directory decides.
            isInForce = try isThere(manifest)
            guard isInForce else { throw .fileSystem(error) }
            try LogError.wrapping { () throws(FileSystemError) in
                try fileSystem.synchronizeDirectory()
            }
        }
        isInForce = true
    }

    /// The manifest has its name, or may have it. Nothing may be rolled back any more.
    package private(set) var isInForce = false

    private func isThere(_ manifest: Manifest) throws(LogError) -> Bool {
        let listing = try StoreListing(fileSystem)
        return listing.manifestGenerations.contains(manifest.generation)
    }

    /// Removes what the manifest, which is durable, made superfluous. What cannot be removed is
    /// removed when the store is opened next.
    package func removeSuperseded(by manifest: Manifest) throws(LogError) {
        try checkLock()
        let listing = try StoreListing(fileSystem)
        try LogError.wrapping { () throws(FileSystemError) in
            try SupersededFiles(by: manifest, listing).remove(from: fileSystem)
        }
    }

    /// Gives up before the manifest is in force: the store is as it was.
    package func abandon() {
        guard !isInForce else { return }
        do throws(LogError) {
            try checkLock()
            writer?.discard()
        } catch {
            // The checkpoint of this number may be another writer's by now. The next opening removes what is left.
        }
        if let formerFloor { pins.restoreFloor(formerFloor) }
    }

    /// Refuses to go on where the store is not the writer's any more.
    func checkLock() throws(LogError) { try lock.claim.checkLock() }
}
