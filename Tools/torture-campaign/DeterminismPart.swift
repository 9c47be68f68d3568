import Foundation
import VarveLog
import VarveTestSupport

/// Two runs of one seed ask the same of the disk, byte for byte.
enum DeterminismPart {
    @Sendable static func run(_ context: CampaignContext) {
        let count = context.size.choose(50, 1_000, 20_000, tenth: 100)
        let seeds = (0..<UInt64(count)).map { context.seed &* 31 &+ $0 }
        context.queue.forEach(seeds, { "determinism, seed \($0)" }) { seed in
            do {
                let steps = FixedWorkloads.random(seed: seed)
                let first = try LogWorkload(steps).disk.operations
                let second = try LogWorkload(steps).disk.operations
                guard first == second else { throw CheckFailure("two runs differ: \(steps)") }
            } catch {
                context.findings.violation("determinism", "seed \(seed): \(error)")
            }
        }
        context.findings.add(
            Figure(
                key: "repeatedRuns", title: "runs repeated from their seed, equal", value: count,
                least: 1_000))
    }
}
