internal import Foundation
internal import Synchronization
internal import VarveEvents
internal import VarveLog
internal import VarveText

// What a log receives, and in which words. Each moment has its function here.

/// Numbers the intervals of all logs of the process, so that signposts of several stores stay apart.
private let intervals = Atomic<UInt64>(0)

extension StoreLog {
    /// Work that takes time: its beginning was reported.
    struct Work {
        let number: UInt64
        let event: Event
        let start: ContinuousClock.Instant
        let log: StoreLog

        func end(_ level: Level, _ message: String, _ metadata: [String: String]) {
            let duration = start.duration(to: .now)
            log.note(
                level, event, message,
                metadata.merging(["milliseconds": duration.milliseconds]) { old, _ in old },
                .end(number, duration))
        }

        func end(_ error: any Error) {
            end(.error, "\(event.rawValue) failed: \(error)", ["error": "\(error)"])
            log.damage(error)
        }

        /// Ends work that nothing has failed, but that is not wanted any more.
        func giveUp(_ reason: any Error) {
            end(.info, "\(event.rawValue) given up: \(reason)", ["error": "\(reason)"])
        }
    }

    func begin(_ event: Event, _ message: String, _ metadata: [String: String] = [:]) -> Work {
        let number = intervals.wrappingAdd(1, ordering: .relaxed).newValue
        note(.debug, event, message, metadata, .begin(number))
        return Work(number: number, event: event, start: .now, log: self)
    }

    // MARK: - Opening

    /// - Parameter isWriter: whether the end of the log was mended. A reader finds it open beside every writer.
    func opened(_ report: RecoveryReport, isWriter: Bool, _ work: Work) {
        var metadata = [
            "transaction": "\(report.lastSequence)", "checkpoint": "\(report.checkpoint)",
        ]
        work.end(.info, "opened: \(report)", metadata)
        if let dropped = report.dropped {
            metadata["segment"] = "\(dropped.segment)"
            metadata["offset"] = "\(dropped.offset.rawValue)"
            metadata["bytes"] = "\(dropped.bytes.rawValue)"
            metadata["keptAs"] = dropped.keptAs
            note(isWriter ? .warning : .debug, .recovery, "\(report)", metadata)
        } else if !report.endedCleanly {
            note(isWriter ? .notice : .debug, .recovery, "\(report)", metadata)
        }
        for problem in report.checkpointProblems {
            note(.error, .damage, "\(problem)", ["file": problem.file])
        }
    }

    /// Entities that are kept and not shown. What an app has dropped on purpose is reported at each opening, too: nothing
    /// says that it was on purpose.
    func unread(_ unread: UnreadContent) {
        for type in unread.types {
            var metadata = [
                "type": type.type, "count": "\(type.count)",
                "deletedCount": "\(type.deletedCount)",
            ]
            metadata["likelyName"] = type.likelyName
            note(
                type.likelyName == nil ? .notice : .warning, .unread, type.description, metadata)
        }
        unreadable(unread.values)
    }

    /// One entry for each property: there may be as many such entities as there are entities. Their values are for the app
    /// alone, also where a reason quotes one.
    private func unreadable(_ values: [UnreadableValue]) {
        var counts: [[String?]: Int] = [:]
        for value in values { counts[[value.type, value.property], default: 0] += 1 }
        for value in values {
            guard let count = counts.removeValue(forKey: [value.type, value.property]) else {
                continue
            }
            var metadata = ["type": value.type, "count": "\(count)", "id": value.id]
            metadata["property"] = value.property
            let place = value.property.map { "\(value.type).\($0)" } ?? value.type
            note(
                .warning, .unread,
                "not shown because '\(place)' cannot be read: \(count) of the entities, "
                    + "one with id \(value.id); \(value.advice)", metadata)
        }
    }

    // MARK: - Writing

    /// What a commit is measured by, from the end of its body.
    struct Commit: Sendable {
        let label: String?
        /// Nanoseconds of the time that the system ran. No `Instant`: its layout is known at run time only, which makes each copy of
        /// what holds one slow.
        let start = DispatchTime.now().uptimeNanoseconds
    }

    func committed(_ commit: Commit, _ transaction: TransactionID?) {
        let duration = Duration.nanoseconds(DispatchTime.now().uptimeNanoseconds - commit.start)
        guard duration > slowCommit, let transaction else { return }
        note(
            .warning, .slowCommit,
            "transaction \(transaction) took \(duration.milliseconds) ms to be committed",
            [
                "transaction": "\(transaction)", "label": commit.label ?? "",
                "milliseconds": duration.milliseconds,
            ])
    }

    /// - Parameter error: what a write throws that did not happen. What its body throws is not reported.
    func refused(_ error: any Error) {
        guard error is StoreError else { return }
        note(
            .warning, .refusedWrite, "a write was refused: \(error)", ["error": "\(error)"])
        damage(error)
    }

    /// A sync failed, so that nothing more is written. Whether what waits for it survives a crash is unknown.
    func syncFailed(_ error: LogError, behind transaction: TransactionID?) {
        var metadata = ["error": "\(error)"]
        if let transaction { metadata["transaction"] = "\(transaction)" }
        note(.error, .failedSync, "a sync of the log failed: \(error)", metadata)
    }

    // MARK: - Compaction

    func checkpoint(_ size: CheckpointSize, _ transaction: TransactionID) {
        note(
            .info, .checkpoint, "wrote a checkpoint of \(size.stored)",
            ["transaction": "\(transaction)", "bytes": "\(size.stored.rawValue)"])
    }

    func compacted(_ report: CompactionReport, _ work: Work) {
        work.end(
            .notice,
            "compacted \(report.bytesBefore.rawValue) to \(report.bytesAfter.rawValue) bytes",
            [
                "checkpoint": "\(report.checkpoint)",
                "bytesBefore": "\(report.bytesBefore.rawValue)",
                "bytesAfter": "\(report.bytesAfter.rawValue)",
                "segmentsDropped": "\(report.segmentsDropped)",
                "transactionsDropped": "\(report.transactionsDropped)",
                "assetsDropped": "\(report.assetsDropped)",
                "assetBytesDropped": "\(report.assetBytesDropped.rawValue)",
            ])
        for error in report.damage { damage(error) }
        if let leftover = report.leftover {
            note(
                .warning, .compaction, "files that are not needed are still there: \(leftover)",
                ["error": "\(leftover)"])
        }
        if let leftover = report.assetsLeftover {
            note(
                .warning, .compaction,
                "files of assets that are not needed may still be there: \(leftover)",
                ["error": "\(leftover)"])
        }
    }

    // MARK: - Backups

    /// The copy from before a migration lacks assets that could not be read.
    func backedUp(_ report: BackupReport, to place: String) {
        for file in report.damagedAssets {
            note(
                .error, .damage,
                "the backup \(place.escapedForDisplay) lacks the asset \(file), which is damaged: "
                    + "bring the file back from another backup",
                ["file": file])
        }
    }

    // MARK: - Damage

    /// - Parameter damageCount: of places, each of which was reported.
    func checkedFiles(damageCount: Int) {
        note(
            damageCount == 0 ? .info : .error, .check,
            damageCount == 0
                ? "the files are what was written"
                : damageCount.counted("place") + " of the files "
                    + (damageCount == 1 ? "is" : "are") + " not what was written",
            ["damages": "\(damageCount)"])
    }

    /// All of a checkpoint was compared with its checksums behind an opening.
    func comparedCheckpoint(_ file: String) {
        note(.debug, .check, "\(file) is what was written", ["file": file])
    }

    /// Reports an error that says that bytes are damaged; no other.
    func damage(_ error: any Error) {
        if case StoreError.log(let error) = error { return damage(error) }
        if let error = error as? LogError { damage(error) }
    }

    private func damage(_ error: LogError) {
        guard error.isDamage else { return }
        note(.error, .damage, "\(error)", ["error": "\(error)"])
    }
}

extension LogError {
    /// Whether it says that bytes are not what was written.
    fileprivate var isDamage: Bool {
        switch self {
        case .damaged, .chainBroken, .manifestDamaged, .checkpointDamaged, .noUsableCheckpoint,
            .segmentMissing,
            .successorMissing, .logEndsBeforeCheckpoint:
            true
        default: false
        }
    }
}
