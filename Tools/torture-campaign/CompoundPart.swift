import Foundation
import VarveLog
import VarveTestSupport

/// A process that is killed at every moment, another that opens what the first left in the system's
/// memory and writes on, and then a power cut: what the second served must be safe by then.
enum CompoundPart {
    static let workloads: [[LogStep]] = [
        [.commit, .append, .append],
        [.commit, .roll, .append],
        [.commit, .append, .failedSync, .append],
        [.roll, .compact, .append, .commit],
        [.roll, .compact, .append, .compactForSize, .commit],
        [.roll, .roll, .compactKeeping, .roll, .compact, .commit],
    ]

    @Sendable static func run(_ context: CampaignContext) throws {
        let memo = ImageMemo()
        let kills = Lock(0)
        let workloads = Array(workloads.prefix(context.size.choose(4, 5, 5)))
        var moments: [(steps: [LogStep], kill: Int)] = []
        for steps in workloads {
            let workload = try LogWorkload(steps)
            let count = workload.disk.operations.count
            let stride = context.size.choose(5, 1, 1)
            moments += Swift.stride(from: 0, through: count, by: stride).map { (steps, $0) }
        }
        context.queue.forEach(moments) { moment in
            do throws(CheckFailure) {
                try CompoundRun(moment.steps, kill: moment.kill, memo: memo).run(
                    statesMax: context.size.choose(2, 16, 64, tenth: 4), seed: context.seed)
            } catch {
                context.findings.violation(
                    "compound",
                    "workload \(moment.steps), killed after operation \(moment.kill), "
                        + "seed \(context.seed): \(error)")
            }
            kills.withLock { $0 += 1 }
        }
        context.findings.add(
            Figure(
                key: "compoundImages", title: "distinct images: killed, reopened, power cut",
                value: memo.count))
        context.findings.add(
            Figure(
                key: "compoundKills", title: "  moments of the kill", value: kills.withLock { $0 }))
    }
}

/// One moment of the kill.
struct CompoundRun {
    let steps: [LogStep]
    let kill: Int
    let memo: ImageMemo
    var rewrite: (@Sendable ([NamedOperation]) -> [DiskOperation])?

    init(_ steps: [LogStep], kill: Int, memo: ImageMemo) {
        self.steps = steps
        self.kill = kill
        self.memo = memo
    }

    func run(statesMax: Int, seed: UInt64) throws(CheckFailure) {
        do {
            let workload = try LogWorkload(steps)
            let disk = SimulatedDisk(reserving: 256)
            disk.replay(Array(workload.disk.operations.prefix(kill)))
            let store = CompactionLog(disk, seed: 9)
            let opened = try store.open()
            let recovered = opened.payloads.count
            let served = disk.operations.count
            try opened.log.append(LogPayload.of(recovered + 1))
            try opened.log.sync()
            let committed = disk.operations.count
            opened.log.abandon()
            var generator = SeededGenerator(seed: seed &+ UInt64(kill))
            let operations =
                rewrite?(disk.namedOperations) ?? disk.operations
            var states = CrashStates(disk, asking: operations)
            for position in kill...committed {
                let known = workload.acknowledged(after: kill)
                let least =
                    position < served ? known : position < committed ? recovered : recovered + 1
                try crash(&states, position, max(known, least), statesMax, &generator)
            }
        } catch let failure as CheckFailure {
            throw failure
        } catch {
            throw CheckFailure(.i4, "the second opening is refused: \(error)")
        }
    }

    private func crash(
        _ states: inout CrashStates, _ position: Int, _ least: Int, _ statesMax: Int,
        _ generator: inout SeededGenerator
    ) throws(CheckFailure) {
        let point = states.point(at: position)
        states.advance(to: point)
        var choices = SimulatedDisk.survivals(
            at: point, of: states.operations, using: &generator)
        // The two extremes, and some between them.
        choices.shuffle(using: &generator)
        choices = Array(choices.prefix(statesMax))
        choices.append(point.pending.map { _ in .absent })
        for survivals in choices {
            let image = states.image(at: point, survivals)
            let fingerprint = image.fingerprint
            let count: Int
            if let known = memo.find(fingerprint) {
                count = known
            } else {
                count = try ImageCheck(image).recover().count
            }
            memo.note(fingerprint, count)
            guard count >= least else {
                throw CheckFailure(
                    .i1, "of \(least) \(count) are left after operation \(position), \(survivals)")
            }
        }
    }
}
