import Foundation
import VarveLog
import VarveTestSupport

/// Every sync of several workloads fails in each of four styles.
enum FailedSyncPart {
    static let workloads: [[LogStep]] = [
        [.commit, .append, .commit, .append, .append, .commit],
        [.append, .roll, .commit, .reopen, .commit],
        [.roll, .compact, .commit, .kill, .commit, .compact, .commit],
        [.append, .append, .reopen, .append, .kill, .commit, .seal, .append],
    ]

    private struct Item: Sendable, CustomStringConvertible {
        let steps: [LogStep]
        let sync: Int
        let style: SyncFailure

        var description: String { "workload \(steps), sync \(sync) \(style)" }
    }

    @Sendable static func run(_ context: CampaignContext) throws {
        var items: [Item] = []
        for steps in workloads {
            var counting = ErrorRun()
            try counting.run(steps)
            for sync in 0..<counting.disk.syncs {
                items += SyncFailure.allCases.map { Item(steps: steps, sync: sync, style: $0) }
            }
        }
        let cuts = context.size.choose(4, 32, 1_024)
        context.queue.forEach(items) { item in
            var generator = SeededGenerator(seed: context.seed)
            do throws(CheckFailure) {
                let disk = SimulatedDisk(reserving: 256)
                disk.failSynchronize(after: item.sync, item.style)
                var run = ErrorRun(disk: disk)
                try run.run(item.steps)
                // Where the disk lied an acknowledgement is void, and the damage has a name.
                let lies = item.style == .swallowed || item.style == .reportedLate
                try run.checkAfterwards(cuts: cuts, mayBeRefused: lies, &generator)
            } catch {
                context.findings.violation("syncs", "seed \(context.seed), \(item): \(error)")
            }
        }
        context.findings.add(
            Figure(
                key: "failedSyncs", title: "failed syncs (4 styles x every sync)",
                value: items.count, least: 4 * workloads.count))
    }
}
