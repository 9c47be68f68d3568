import Foundation
import VarveLog

/// Real threads and tasks over one store on a real file system: writers, undo, one compaction after the other,
/// backups, readers of snapshots and of the past, followers and live results. For the thread sanitizer, and
/// for what goes wrong without a word.
enum ThreadsPart {
    @Sendable static func run(_ context: CampaignContext) throws {
        let seconds = context.size.choose(5, 60, 1_800)
        let end = Date(timeIntervalSinceNow: Double(seconds))
        var counts = ThreadsCounts()
        var rounds = 0
        repeat {
            let seed = context.seed &* 6_364_136_223 &+ UInt64(rounds)
            TrapReport.note("threads, round \(rounds)", thread: 0)
            do {
                counts += try ThreadsRound.run(seed: seed)
            } catch {
                context.findings.violation(
                    "threads", "seed \(context.seed), round \(rounds): \(error)")
            }
            rounds += 1
        } while Date() < end
        report(counts, rounds: rounds, to: context.findings)
    }

    private static func report(_ counts: ThreadsCounts, rounds: Int, to findings: Findings) {
        findings.add(
            Figure(
                key: "threadRounds", title: "rounds of threads that share a store", value: rounds,
                least: 5))
        let others = [
            ("Writes", "transactions", counts.writes), ("Undos", "undone or redone", counts.undos),
            ("OverlappingUndos", "undone or redone in overlapping scopes", counts.overlappingUndos),
            ("Conflicts", "of these refused", counts.conflicts),
            ("States", "states checked", counts.states),
            ("Refreshes", "refreshes of followers", counts.refreshes),
            ("Compactions", "compactions meanwhile", counts.compactions),
            ("Backups", "backups meanwhile, opened", counts.backups),
            ("Told", "transactions told by feeds", counts.told),
            ("Updates", "updates of live results", counts.updates),
            ("Damages", "checkpoints damaged meanwhile", counts.damages),
        ]
        for (key, title, value) in others {
            findings.add(
                Figure(key: "thread" + key, title: "  " + title, value: value, least: 1))
        }
    }
}
