internal import VarveAssets
internal import VarveEvents
public import VarveLog
internal import VarveReplay
internal import VarveTables

/// A compaction of a store that no program has open, without the types of the program that wrote
/// it: entities of all types are taken as they are.
public struct StoreCompaction: Sendable {
    /// The transaction whose state the newest checkpoint holds; 0 in a store that nothing was ever
    /// written to.
    public let checkpoint: TransactionID
    /// What that checkpoint occupies; nil when the newest state had one already, all of which was compressed thoroughly,
    /// and the goal was not size.
    public let checkpointBytes: ByteCount?
    /// What log and checkpoints occupied before.
    public let bytesBefore: ByteCount
    /// What log and checkpoints occupy behind the compaction.
    public let bytesAfter: ByteCount
    /// How many segments of the log were removed.
    public let segmentsDropped: Int
    /// How much history went with them.
    public let transactionsDropped: UInt64
    /// How many files of assets were removed, which neither the newest state nor the kept history names.
    public private(set) var assetsDropped = 0
    /// What they occupied.
    public private(set) var assetBytesDropped = ByteCount.zero
    /// Why files of assets that nothing names any more may still be there, for people; the next compaction looks again.
    /// Nil where all are gone.
    public private(set) var assetsLeftover: String?
    /// The oldest transaction that can still be asked for; the one behind the newest where none can.
    public let floor: TransactionID
    /// How much history was to be kept.
    public let retention: Retention
    /// What was damaged in the files that were dropped, which were read before for that.
    public let damage: [LogError]
    /// What opening the store found, and mended.
    public let recovery: RecoveryReport

    /// Takes the store's lock, brings the end of its log in order as every writer does, writes a
    /// checkpoint, and drops the history that is not to be kept.
    ///
    /// - Parameters:
    ///   - path: the store's directory.
    ///   - retention: what to keep; nil for what the last compaction kept, or else the last 10,000
    ///     transactions.
    ///   - goal: whether a checkpoint to fall back to stays, or the least on the disk.
    public static func compact(
        at path: String, retaining retention: Retention? = nil,
        for goal: CompactionGoal = .safety
    ) throws(InspectionError) -> StoreCompaction {
        try compact(ReadObservation.fileSystem(at: path), retaining: retention, for: goal)
    }

    package static func compact(
        _ fileSystem: any FileSystem, environment: any LogEnvironment = SystemEnvironment(),
        retaining retention: Retention? = nil, for goal: CompactionGoal = .safety
    ) throws(InspectionError) -> StoreCompaction {
        let scanned = try InspectionError.wrapping { () throws(LogError) in
            try ScannedLog.scan(fileSystem, environment: environment, mode: .readWrite)
        }
        var choice = CheckpointChoice(in: scanned)
        var replayed = try Inspection.replay(scanned, &choice)
        let catalog = replayed.state.catalog
        let (log, report) = try InspectionError.wrapping { () throws(LogError) in
            try scanned.recover(start: replayed.start, prologue: catalog.encodedDefinitions)
        }
        while true {
            do throws(LogError) {
                var compaction = try run(log, replayed, retention, goal, report)
                compaction.collectAssets(log, catalog, environment)
                try log.close()
                return compaction
            } catch {
                // The checkpoint that the state was read from turned out damaged when its blocks were copied.
                if choice.goesOn(after: error), log.fallBack(after: error),
                    let another = try? LoggedState(scanned, choice)
                {
                    replayed = another
                    continue
                }
                log.abandon()
                throw .log(error)
            }
        }
    }

    /// - Parameter first: what an attempt dropped that found no space for its checkpoint, and how large the files were
    ///   before it.
    private static func run(
        _ log: Log, _ replayed: LoggedState, _ retention: Retention?, _ goal: CompactionGoal,
        _ report: RecoveryReport,
        behind first: (dropped: Compaction.Dropped, before: ByteCount)? = nil
    ) throws(LogError) -> StoreCompaction {
        let kept = retention ?? log.manifest.retention ?? .standard
        let state = replayed.state
        // Savepoints keep what they name, unless it is gone already, as behind a rescue.
        var pins: [LogPin] = []
        for transaction in state.timeline.savepoints.values
        where LogSequence(transaction.rawValue) >= log.pins.floor {
            pins.append(try log.pins.pin(LogSequence(transaction.rawValue)))
        }
        defer { withExtendedLifetime(pins) {} }
        guard let compaction = try log.beginCompaction(for: goal) else {
            return StoreCompaction(
                checkpoint: 0, checkpointBytes: nil, bytesBefore: .zero, bytesAfter: .zero,
                segmentsDropped: 0, transactionsDropped: 0, floor: 1, retention: kept,
                damage: [], recovery: report)
        }
        do throws(LogError) {
            let before = try compaction.measureFiles()
            let state = state.trimmingTimeline(below: TransactionID(log.pins.floor.rawValue))
            let size: CheckpointSize?
            if compaction.isUpToDate, try compaction.hasQuickBase() { compaction.replaceBase() }
            do throws(LogError) {
                size = try compaction.writeCheckpoint(time: state.lastTime.microseconds) {
                    writer throws(LogError) in
                    try writer.append(state, base: replayed.image, .thorough)
                } verify: { file throws(LogError) in
                    try file.verifyContent()
                }
            } catch {
                guard compaction.goesOnWithoutCheckpoint(after: error) else { throw error }
                let dropped = try conclude(compaction, log, kept, state.timeline)
                    .following(first?.dropped)
                guard try compaction.measureFiles() < before else { throw error }
                return try run(
                    log, replayed, retention, goal, report,
                    behind: (dropped, first?.before ?? before))
            }
            let dropped = try conclude(compaction, log, kept, state.timeline)
                .following(first?.dropped)
            return StoreCompaction(
                checkpoint: TransactionID(compaction.sequence.rawValue),
                checkpointBytes: size?.stored, bytesBefore: first?.before ?? before,
                bytesAfter: try compaction.measureFiles(), segmentsDropped: dropped.segments,
                transactionsDropped: dropped.transactions,
                floor: TransactionID(dropped.floor.rawValue), retention: kept,
                damage: dropped.damage, recovery: report)
        } catch {
            compaction.abandon()
            throw error
        }
    }

    /// Removes files of assets that nothing names any more: no program has the store open for writing. The compaction
    /// is in force by now, so what keeps it from that is noted.
    private mutating func collectAssets(
        _ log: Log, _ catalog: Catalog, _ environment: any LogEnvironment
    ) {
        let snapshot = log.snapshot
        let folder = AssetFolder(of: snapshot.fileSystem, environment: environment)
        var collected = CollectedAssets()
        do throws(AssetNames.Failure) {
            try folder.collect(
                AssetNames(catalog), in: try Self.newestCheckpoint(of: log), snapshot,
                countingIn: &collected)
        } catch {
            assetsLeftover = "\(error)"
        }
        assetsDropped = collected.files
        assetBytesDropped = ByteCount(collected.bytes)
    }

    private static func newestCheckpoint(
        of log: Log
    ) throws(AssetNames.Failure) -> CheckpointFile? {
        guard let reference = log.manifest.checkpoints.first else { return nil }
        do throws(LogError) {
            return try CheckpointFile(
                reference, store: log.manifest.store, in: log.snapshot.fileSystem, mode: .readOnly)
        } catch {
            throw .log(error)
        }
    }

    private static func conclude(
        _ compaction: Compaction, _ log: Log, _ retention: Retention, _ timeline: Timeline
    ) throws(LogError) -> Compaction.Dropped {
        let forgotten = LogSequence(timeline.forgotten.rawValue)
        let plan = try compaction.plan(retention, forgetting: forgotten) { floor in
            timeline.moves(since: TransactionID(floor.rawValue))
                .map { ($0.count, LogSequence($0.oldest.rawValue)) }
        }
        let manifest = plan.0
        var dropped = plan.1
        try compaction.removeLostTails(forgetting: forgotten)
        guard compaction.isChange(manifest) else { return dropped }
        var check = compaction.checkOfDropped(by: manifest)
        while check.advance() {}
        dropped.damage = check.problems
        if let leftover = try compaction.conclude(with: manifest, log.finish) { throw leftover }
        return dropped
    }
}
