/// A log that was looked at and not changed: the first of the two states of opening. What follows
/// is `replay`, then, for a writer, `recover`.
///
/// Owns the store's lock when it was scanned for writing. Used by one owner at a time.
package final class ScannedLog {
    package let manifest: Manifest
    /// What recovery will do, or what a reader ignores.
    package let report: RecoveryReport
    /// Somebody holds the store open for writing: then a reader sees promised bytes only.
    package let hasLiveWriter: Bool
    /// The segments that replay reads, and that random access may read later.
    package let snapshot: LogSnapshot

    let environment: any LogEnvironment
    let layout: LogLayout
    let scan: SegmentScan
    /// Nil for readers, and once recovery has taken it over.
    var lock: DirectoryLock?
    private(set) var isReplayed = false

    /// The newest whole transaction that replay delivers.
    package var lastSequence: LogSequence { snapshot.lastSequence }
    package var statistics: LogStatistics { snapshot.statistics }

    /// Reads manifest, segment headers and footers, and the active segment's frames; decides; and
    /// changes nothing. Takes the lock for `.readWrite`.
    ///
    /// - Parameter passesPromises: whether a reader sees all whole frames also beside a live writer: for what is known to have
    ///   been in the log, such as a state that was shown.
    ///
    /// Errors: `.missing` where there is no store yet (see `LogCreation`), `.locked` when another
    /// writer has it, and whatever makes the log unusable.
    package static func scan(
        _ fileSystem: any FileSystem, environment: any LogEnvironment = SystemEnvironment(),
        configuration: LogConfiguration = LogConfiguration(), mode: LogMode,
        passesPromises: Bool = false
    ) throws(LogError) -> ScannedLog {
        configuration.check()
        let source = LogSource(
            fileSystem: fileSystem, environment: environment, configuration: configuration)
        switch mode {
        case .readWrite:
            // Nothing is created, not even the lock file, where there is no store.
            _ = try source.currentGeneration()
            let lock = try DirectoryLock.acquire(in: fileSystem, environment: environment)
            return try ScannedLog(source, lock: lock)
        case .readOnly:
            return try scanBesideWriter(source, passesPromises: passesPromises)
        }
    }

    /// Delivers every catalog and every transaction behind `sequence`, the last one of a checkpoint
    /// if there is one, in order, with everything verified on the way.
    package func replay<Failure: Error>(
        after sequence: LogSequence = .none, _ body: (LogRecord) throws(Failure) -> Void
    ) throws(ReplayFailure<Failure>) {
        try snapshot.replay(after: sequence, body)
        isReplayed = true
    }

    /// Takes the content as known: for who has replayed the snapshot, or released this very log at this very
    /// position.
    package func skipReplay() { isReplayed = true }

    /// Where the log ends, with the digest of everything in it.
    package var position: LogPosition {
        LogPosition(
            store: manifest.store, generation: manifest.generation,
            segment: layout.active.header.segment, end: scan.cut,
            digest: scan.tally.totals.digest, lastSequence: lastSequence,
            checkpoint: manifest.checkpoints.first)
    }

    /// Whether the log is what it was when it was released. The checkpoint that the next compaction begins with may be another
    /// one than the newest, where that turned out damaged.
    package func ends(at position: LogPosition) -> Bool {
        var here = self.position
        here.checkpoint = position.checkpoint
        return here == position
    }

    /// A reader of single transactions.
    package func makeReader() -> TransactionReader { TransactionReader(snapshot) }

    private init(
        _ source: LogSource, lock: DirectoryLock?, passesPromises: Bool = false
    ) throws(LogError) {
        let mode: LogMode = lock == nil ? .readOnly : .readWrite
        let listing = try StoreListing(source.fileSystem)
        guard case .store(let generation) = try listing.kind(in: source.fileSystem) else {
            throw .missing(directory: source.fileSystem.displayPath)
        }
        let layout = try LogLayout.read(
            source.fileSystem, listing: listing, generation: generation, mode: mode)
        let hasLiveWriter = try lock == nil ? DirectoryLock.isHeld(in: source.fileSystem) : false
        let active = try ActiveSegment(
            layout.active, in: source.fileSystem, promisedOnly: hasLiveWriter && !passesPromises)
        snapshot = LogSnapshot(
            fileSystem: source.fileSystem, configuration: source.configuration,
            floor: layout.manifest.floor, segments: layout.sealed + [active.entry])
        // A checkpoint is named only when the log is promised through it.
        guard layout.manifest.checkpointSequence <= snapshot.lastSequence else {
            throw .logEndsBeforeCheckpoint(
                checkpoint: layout.manifest.checkpointSequence, last: snapshot.lastSequence)
        }
        manifest = layout.manifest
        environment = source.environment
        scan = active.scan
        report = active.report(layout: layout)
        self.hasLiveWriter = hasLiveWriter
        self.layout = layout
        self.lock = lock
    }

    /// A reader may see segments change hands between its looks at the directory and at the files:
    /// what is damage in a log at rest may be a writer's progress. It looks again, a few times.
    private static func scanBesideWriter(
        _ source: LogSource, passesPromises: Bool
    ) throws(LogError) -> ScannedLog {
        var another = AnotherLook(at: source.fileSystem)
        while true {
            do throws(LogError) {
                return try ScannedLog(source, lock: nil, passesPromises: passesPromises)
            } catch {
                guard another.isWorthwhile(after: error) else { throw error }
            }
        }
    }
}

/// Where a log is and what it is opened with.
struct LogSource {
    let fileSystem: any FileSystem
    let environment: any LogEnvironment
    let configuration: LogConfiguration

    func currentGeneration() throws(LogError) -> UInt64 {
        let listing = try StoreListing(fileSystem)
        guard case .store(let generation) = try listing.kind(in: fileSystem) else {
            throw .missing(directory: fileSystem.displayPath)
        }
        return generation
    }
}

extension LogError {
    /// A file had less than it had a moment ago.
    package var isOfShorterFile: Bool {
        if case .fileSystem(let error) = self { error.reason == .unexpectedEnd } else { false }
    }

    /// Damage in a log at rest; beside a writer, perhaps a look at files that were changing.
    var mayBeProgressOfWriter: Bool {
        switch self {
        case .damaged, .chainBroken, .segmentMissing, .successorMissing, .manifestDamaged,
            .logEndsBeforeCheckpoint, .noUsableCheckpoint:
            true
        case .fileSystem(let error): error.isNotFound || error.reason == .unexpectedEnd
        default: false
        }
    }
}
