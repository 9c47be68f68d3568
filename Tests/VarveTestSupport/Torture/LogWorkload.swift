package import VarveLog

/// What a workload does to a log, step by step.
package enum LogStep: String, CaseIterable, Sendable {
    /// Appends and syncs.
    case commit
    /// Appends without a sync.
    case append
    /// Appends until the segment rolls.
    case roll
    case seal
    /// Closes cleanly and opens again.
    case reopen
    /// Lets go as a killed process does and opens again.
    case kill
    /// Compacts and keeps no history.
    case compact
    /// Compacts and keeps the last three transactions.
    case compactKeeping
    /// Compacts, and keeps nothing but the new checkpoint.
    case compactForSize
    /// A reader that follows the log looks for news.
    case follow
    /// Appends what the disk has no room for.
    case failedAppend
    /// Syncs, which fails and forgets; opens again.
    case failedSync
    /// Closes; the sync of the clean seal fails and forgets; opens again.
    case failedClose
    /// The lock file is removed, and another process opens the log before this one is done with it.
    case displaced
}

/// A way in which a writer could be wrong about when to sync, promise and acknowledge.
package enum WriterFault: String, CaseIterable, Sendable {
    case acknowledgesUnsynced = "acknowledges a commit that it did not sync"
    case acknowledgesEverySecond = "syncs every second commit and acknowledges all"
    case acknowledgesAppends = "acknowledges appends without a sync"
    case promisesUnsynced = "promises bytes before they are synced"
    case promisesNothing = "never promises what it synced"
    case retriesFailedSync = "syncs again after a failed sync and believes it"
    case acknowledgesRefused = "acknowledges an append that failed"
}

/// A workload that was run once on a disk whose power never failed.
package struct LogWorkload {
    /// Room for a few small frames beforehand: much of what is simulated is the end of it.
    package let disk = SimulatedDisk(reserving: 256)
    package let steps: [LogStep]
    /// After how many operations of the disk how many transactions were acknowledged as durable.
    package private(set) var acknowledged: [(operations: Int, count: Int)] = []
    /// The most transactions that were ever written.
    package private(set) var issued = 0
    /// Syncs that a faulty writer did not ask for, as positions of operations.
    package private(set) var skippedSyncs: Set<Int> = []
    /// How many transactions some frame behind them must promise.
    package private(set) var promised = 0
    private var synced = 0

    private let faulty: FaultyFileSystem
    private var store: CompactionLog
    private var process: Int32 = 4711
    private let fault: WriterFault?
    private var count = 0
    private var commits = 0
    private var follower: LogFollower?

    package init(
        _ steps: [LogStep], fault: WriterFault? = nil,
        on wrap: (SimulatedDisk) -> any FileSystem = { $0 }
    ) throws {
        self.steps = steps
        self.fault = fault
        faulty = FaultyFileSystem(wrap(disk))
        store = CompactionLog(faulty)
        var log = try store.open().log
        for step in steps { try run(step, &log) }
        log.abandon()
    }

    /// The number of transactions that a crash after `operations` must not lose.
    package func acknowledged(after operations: Int) -> Int {
        var most = 0
        for known in acknowledged where known.operations <= operations {
            most = max(most, known.count)
        }
        return most
    }

    // MARK: Steps

    private mutating func run(_ step: LogStep, _ log: inout Log) throws {
        switch step {
        case .commit:
            try append(log)
            try commit(log)
        case .append: try append(log)
        case .roll:
            let segments = log.statistics.segments
            while log.statistics.segments == segments { try append(log) }
            acknowledge(Int(log.durableSequence.rawValue))
        case .seal:
            promised = synced
            try log.seal()
        case .reopen:
            try log.close()
            acknowledge(count)
            try open(&log)
        case .kill:
            log.abandon()
            try open(&log)
        case .compact: try compact(log, .newestState)
        case .compactKeeping: try compact(log, .transactions(3))
        case .compactForSize: try compact(log, .newestState, for: .size)
        case .follow: try follow()
        case .failedAppend: try failedAppend(&log)
        case .failedSync: try failedSync(&log)
        case .displaced: try displace(&log)
        case .failedClose:
            let isOwed = log.durableSequence < log.lastSequence
            disk.failSynchronize(after: isOwed ? 1 : 0, .forgotten)
            do { try log.close() } catch {}
            disk.succeed()
            try open(&log)
        }
    }

    private mutating func open(_ log: inout Log) throws {
        let opened = try store.open()
        log = opened.log
        count = opened.payloads.count
        guard opened.payloads == LogPayload.first(count) else {
            throw CheckFailure(.i2, "reopening finds other transactions than were written")
        }
        acknowledge(Int(log.durableSequence.rawValue))
        promised = synced
    }

    private mutating func append(_ log: Log) throws {
        promised = synced
        try log.append(LogPayload.of(count + 1))
        count += 1
        issued = max(issued, count)
        switch fault {
        case .promisesUnsynced:
            // The writer believes in a sync that never was.
            let before = disk.operations.count
            try log.sync()
            for position in before..<disk.operations.count where disk.operations[position].isSync {
                skippedSyncs.insert(position)
            }
        case .acknowledgesAppends: acknowledge(count)
        default: break
        }
    }

    private mutating func commit(_ log: Log) throws {
        commits += 1
        switch fault {
        case .acknowledgesUnsynced: acknowledge(count)
        case .acknowledgesEverySecond where commits % 2 == 0: acknowledge(count)
        case .promisesNothing, .promisesUnsynced:
            // The disk is safe, and the writer does not learn of it.
            guard let segment = log.snapshot.segments.last else { return }
            try disk.open(StoreFileName.segment(segment.id).text, .read).synchronize()
            acknowledge(count)
        default:
            try log.sync()
            acknowledge(Int(log.durableSequence.rawValue))
        }
    }

    private mutating func acknowledge(_ count: Int) {
        synced = max(synced, count)
        acknowledged.append((disk.operations.count, count))
    }

    private func compact(
        _ log: Log, _ retention: Retention, for goal: CompactionGoal = .safety
    ) throws {
        try CompactionLog.compact(log, LogPayload.first(count), retaining: retention, for: goal)
    }

    private mutating func failedAppend(_ log: inout Log) throws {
        faulty.setFault(
            .init(operation: faulty.operations + 2, code: 28, isHalfDone: true))
        do throws(LogError) {
            try log.append(LogPayload.refused)
            throw .closed
        } catch {
            if error == .closed { throw CheckFailure("a full disk took everything") }
        }
        faulty.setFault(nil)
        if fault == .acknowledgesRefused {
            issued = max(issued, count + 1)
            acknowledge(count + 1)
        }
        if log.isPoisoned {
            log.abandon()
            try open(&log)
        }
    }

    /// From here on the other process writes. What the former one does next changes nothing.
    private mutating func displace(_ log: inout Log) throws {
        let former = log
        process += 1
        store = CompactionLog(faulty, seed: UInt64(process), process: process)
        try disk.remove(StoreFileName.lock.text)
        try open(&log)
        let before = disk.image
        for attempt in [former.sync, former.seal, former.close] {
            do throws(LogError) { try attempt() } catch {}
        }
        former.abandon()
        guard disk.image == before else {
            throw CheckFailure(.i14, "a writer without the lock has changed the store")
        }
    }

    private mutating func failedSync(_ log: inout Log) throws {
        guard log.durableSequence < log.lastSequence else { return }
        disk.failNextSynchronize()
        do { try log.sync() } catch {
            if fault == .retriesFailedSync { acknowledge(count) }
        }
        log.abandon()
        try open(&log)
    }

    /// What a follower was told is part of what was written, and beside this writer promised.
    private mutating func follow() throws {
        guard let follower else {
            follower = try LogFollower(CompactionLog(disk).test.scan(.readOnly))
            return
        }
        var isRight = true
        let outcome = try follower.poll { (record: LogRecord) throws(Never) in
            guard case .transaction(let transaction) = record else { return }
            let number = Int(transaction.sequence.rawValue)
            if !LogPayload.of(number).elementsEqual(transaction.payload) { isRight = false }
        }
        if outcome != .upToDate { self.follower = nil }
        guard isRight else { throw CheckFailure(.i11, "a follower was told what was not written") }
    }
}

extension LogStep: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { rawValue }
    package var debugDescription: String { rawValue }
}
