import Foundation
import VarveLog
import VarveTestSupport

/// One writer and two followers, interleaved by a seed: with rolls, compactions step by step, kills
/// and power cuts in between.
enum FollowerPart {
    @Sendable static func run(_ context: CampaignContext) {
        let count = context.size.choose(600, 20_000, 2_000_000, tenth: 2_000)
        let seeds = (0..<UInt64(count)).map { context.seed &* 1_000_000_007 &+ $0 }
        let polls = Lock(0)
        context.queue.forEach(seeds, { "followers, seed \($0)" }) { seed in
            do {
                var schedule = try FollowerSchedule(seed: seed)
                try schedule.run()
                let done = schedule.polls
                polls.withLock { $0 += done }
            } catch {
                context.findings.violation("followers", "seed \(seed): \(error)")
            }
        }
        context.findings.add(
            Figure(
                key: "followerSchedules", title: "schedules of a writer and 2 followers",
                value: count, least: 20_000))
        context.findings.add(
            Figure(key: "followerPolls", title: "  looks at the log", value: polls.withLock { $0 }))
    }
}

/// What a follower was told.
private final class FollowerView {
    private(set) var follower: LogFollower
    /// The newest transaction that it knows of.
    private(set) var seen: Int
    /// Times at which it had to read the log again.
    private(set) var restarts = 0

    init(_ disk: SimulatedDisk) throws {
        let scanned = try CompactionLog(disk).test.scan(.readOnly)
        seen = Int(scanned.lastSequence.rawValue)
        follower = try LogFollower(scanned)
    }

    /// I11: dense, as written, and called back where the log took another course.
    func poll(_ disk: SimulatedDisk, limit: Int) throws -> Int {
        var failure: String?
        let outcome = try follower.poll(limit: limit) { (record: LogRecord) throws(Never) in
            guard case .transaction(let transaction) = record else { return }
            let number = Int(transaction.sequence.rawValue)
            if number != seen + 1 { failure = "\(number) delivered behind \(seen)" }
            if !LogPayload.of(number).elementsEqual(transaction.payload) {
                failure = "transaction \(number) is not what was written"
            }
            seen = number
        }
        if let failure { throw CheckFailure(.i11, "\(failure)") }
        switch outcome {
        case .upToDate, .more: return seen
        case .rewound(let kept):
            guard Int(kept.rawValue) <= seen else {
                throw CheckFailure(.i11, "called back to \(kept) from \(seen)")
            }
        case .gap: break
        }
        restarts += 1
        let scanned = try CompactionLog(disk).test.scan(.readOnly)
        follower = try LogFollower(scanned)
        seen = Int(scanned.lastSequence.rawValue)
        return seen
    }
}

struct FollowerSchedule {
    private let disk = SimulatedDisk(reserving: 256)
    private let store: CompactionLog
    private var random: SeededGenerator
    private var log: Log?
    private var followers: [FollowerView] = []
    /// Transactions in the log, and those that no power cut may take.
    private var count = 0
    private var durable = 0
    private var compaction: CompactionSteps?
    private(set) var polls = 0

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        store = CompactionLog(disk, seed: seed)
        log = try store.open().log
        followers = [try FollowerView(disk), try FollowerView(disk)]
    }

    mutating func run() throws {
        for _ in 0..<Int.random(in: 12...40, using: &random) { try step() }
        compaction = nil
        if let log {
            try log.sync()
            try log.seal()
            durable = count
        }
        for follower in followers.indices {
            // After a promise a look sees everything.
            guard try poll(follower, limit: .max) >= durable else {
                throw CheckFailure(.i11, "a follower misses what was promised")
            }
        }
        log?.abandon()
    }

    private mutating func step() throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<5: try append()
        case 5, 6:
            try log?.sync()
            noteDurable()
        case 7: try log?.seal()
        case 8: for _ in 0..<5 { try append() }
        case 9, 10, 11: try compact()
        case 12:
            try leave { try $0.close() }
        case 13: try leave { $0.abandon() }
        case 14 where log == nil: try powerCut()
        case 15: if log == nil { try open() }
        default:
            let limit = Bool.random(using: &random) ? Int.max : 2
            _ = try poll(Int.random(in: 0..<2, using: &random), limit: limit)
        }
        if log == nil, Bool.random(using: &random) { try open() }
    }

    private mutating func append() throws {
        guard let log else { return }
        count += 1
        try log.append(LogPayload.of(count))
        noteDurable()
    }

    private mutating func noteDurable() {
        if let log { durable = max(durable, Int(log.durableSequence.rawValue)) }
    }

    private mutating func leave(_ body: (Log) throws -> Void) throws {
        guard let log else { return }
        compaction = nil
        try body(log)
        self.log = nil
    }

    private mutating func open() throws {
        let opened = try store.open()
        guard opened.payloads == LogPayload.first(opened.payloads.count),
            opened.payloads.count >= durable
        else { throw CheckFailure(.i1, "the writer finds \(opened.payloads.count) of \(durable)") }
        log = opened.log
        count = opened.payloads.count
        noteDurable()
    }

    /// The next step of a compaction.
    private mutating func compact() throws {
        guard let log else { return }
        if compaction == nil {
            compaction = try CompactionSteps(
                log, for: .random(using: &random), count: count)
            noteDurable()
        }
        if try compaction?.next(log) != true { compaction = nil }
    }

    private mutating func poll(_ index: Int, limit: Int) throws -> Int {
        polls += 1
        let before = followers[index].restarts
        let known = followers[index].seen
        let seen = try followers[index].poll(disk, limit: limit)
        noteDurable()
        // Beside a writer only what is promised; what was seen of a log at rest stays seen.
        if log != nil, followers[index].restarts == before, seen > max(durable, known) {
            throw CheckFailure(.i11, "\(seen) seen, \(durable) safe")
        }
        guard seen <= count else { throw CheckFailure(.i11, "\(seen) seen of \(count)") }
        return seen
    }

    /// The power goes while nobody writes.
    private mutating func powerCut() throws {
        var states = CrashStates(disk)
        let point = states.point(at: disk.operations.count)
        states.advance(to: point)
        let choice = SimulatedDisk.survivals(
            at: point, of: disk.operations, using: &random
        ).randomElement(using: &random)
        disk.restart(with: states.image(at: point, choice ?? []))
        let left = try CompactionLog(disk).read().payloads
        guard left == LogPayload.first(left.count), left.count >= durable else {
            throw CheckFailure(.i1, "\(left.count) of \(durable) are left after a power cut")
        }
        count = left.count
    }
}

/// A compaction that others run in between of.
private struct CompactionSteps {
    private enum Stage { case begun, written, installed(Manifest) }

    private let compaction: Compaction
    private let payloads: [[UInt8]]
    private var stage = Stage.begun

    init?(_ log: Log, for goal: CompactionGoal, count: Int) throws {
        guard let compaction = try log.beginCompaction(for: goal) else { return nil }
        self.compaction = compaction
        payloads = LogPayload.first(count)
    }

    /// False at the end.
    mutating func next(_ log: Log) throws -> Bool {
        switch stage {
        case .begun:
            let payloads = payloads
            _ = try compaction.writeCheckpoint(time: 0) { writer throws(LogError) in
                try CompactionLog.encode(payloads, into: writer)
            } verify: { (_: CheckpointFile) throws(LogError) in
            }
            stage = .written
            return true
        case .written:
            let (manifest, _) = try compaction.plan(.newestState)
            guard compaction.isChange(manifest) else { return false }
            try compaction.install(manifest)
            log.finish(manifest)
            stage = .installed(manifest)
            return true
        case .installed(let manifest):
            try compaction.removeSuperseded(by: manifest)
            return false
        }
    }
}
