import Foundation
import VarveLog
import VarveTestSupport

/// Damages stores at rest in every way, byte by byte: each change is refused at its place, dropped
/// and reported, or has no effect.
enum CorruptionPart {
    static let workloads: [[LogStep]] = [
        [.commit, .commit, .roll, .commit, .reopen],
        [.roll, .roll, .append, .append],
        [.roll, .compact, .roll, .compact, .commit, .commit, .reopen],
        [.roll, .compactKeeping, .append, .kill, .commit, .seal],
    ]

    @Sendable static func run(_ context: CampaignContext) throws {
        let outcomes = Lock([Int](repeating: 0, count: 4))
        var items: [(store: ReferenceStore, damages: [Damage])] = []
        var generator = SeededGenerator(seed: context.seed)
        for steps in workloads.prefix(context.size.choose(1, 4, 4, tenth: 2)) {
            let workload = try LogWorkload(steps)
            let store = try ReferenceStore(
                workload.disk.image, count: workload.issued, promised: workload.promised)
            let bits = context.size.choose([2], Array(0..<8), Array(0..<8))
            var damages =
                store.flips(of: bits) + store.truncations() + store.growths()
                + store.exchangedFrames()
            for _ in 0..<context.size.choose(1, 3, 1_000) {
                damages += store.values(&generator)
                for length in [8, 64, 512, 4096] {
                    damages += store.sectors(of: length, every: 8, &generator)
                }
            }
            for start in Swift.stride(from: 0, to: damages.count, by: 500) {
                items.append((store, Array(damages[start..<min(start + 500, damages.count)])))
            }
        }
        context.queue.forEach(items, { "\($0.damages[0]) and \($0.damages.count - 1) more" }) {
            item in
            var counts = [Int](repeating: 0, count: 4)
            for damage in item.damages {
                do throws(CheckFailure) {
                    switch try item.store.check(damage) {
                    case .refused: counts[0] += 1
                    case .dropped: counts[1] += 1
                    case .fellBack: counts[2] += 1
                    case .noEffect: counts[3] += 1
                    }
                } catch {
                    context.findings.violation("corruption", "seed \(context.seed): \(error)")
                }
            }
            let found = counts
            outcomes.withLock { all in for index in all.indices { all[index] += found[index] } }
        }
        let counts = outcomes.withLock { $0 }
        let titles = [
            "  refused at its place", "  dropped and reported", "  fallen back from and reported",
            "  without effect",
        ]
        context.findings.add(
            Figure(
                key: "corruptInputs", title: "corrupt inputs", value: counts.reduce(0, +),
                least: 200_000))
        for (index, key) in ["Refused", "Dropped", "FellBack", "NoEffect"].enumerated() {
            context.findings.add(
                Figure(key: "corrupt" + key, title: titles[index], value: counts[index]))
        }
    }
}
