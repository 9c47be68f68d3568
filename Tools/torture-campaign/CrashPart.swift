import Foundation
import VarveLog
import VarveTestSupport

/// Power cuts at every moment of fixed, of all small, and of random workloads, and during the
/// recoveries from them.
enum CrashPart {
    @Sendable static func run(_ context: CampaignContext) {
        let run = CrashRun(context)
        run.enumerate(FixedWorkloads.all)
        let fixed = run.memo.count
        run.enumerate(FixedWorkloads.small(upTo: context.size.choose(2, 3, 4)))
        let small = run.memo.count - fixed
        run.enumerateRandom(
            images: context.size.choose(0, 320_000, 50_000_000, tenth: 32_000),
            seconds: context.size.choose(0, 240, 3 * 3600, tenth: 240))
        let findings = context.findings
        findings.add(
            Figure(
                key: "crashImages", title: "distinct crash images recovered and checked",
                value: run.memo.count, least: 300_000))
        findings.add(
            Figure(key: "crashStates", title: "  states built", value: run.built))
        findings.add(
            Figure(key: "crashImagesFixed", title: "  of them fixed workloads", value: fixed))
        findings.add(
            Figure(key: "crashImagesSmall", title: "  first seen in small workloads", value: small))
        findings.add(
            Figure(
                key: "fixedWorkloads", title: "fixed workloads, all crash points",
                value: FixedWorkloads.all.count, least: 24))
        findings.add(
            Figure(
                key: "smallWorkloads", title: "small workloads, all crash points",
                value: FixedWorkloads.small(upTo: context.size.choose(2, 3, 4)).count, least: 584))
        findings.add(
            Figure(key: "crashPoints", title: "crash points", value: run.points))
        findings.add(
            Figure(
                key: "nestedImages", title: "distinct images of crashes inside recovery",
                value: run.nested.count, least: 50_000))
    }
}

/// The images that all workloads of a campaign led to.
private final class CrashRun: Sendable {
    let memo = ImageMemo()
    let nested = ImageMemo()
    private let context: CampaignContext
    private let counters = Lock((built: 0, points: 0))

    init(_ context: CampaignContext) { self.context = context }

    var built: Int { counters.withLock { $0.built } }
    var points: Int { counters.withLock { $0.points } }

    func enumerate(_ workloads: [[LogStep]]) {
        context.queue.forEach(workloads) { self.enumerate($0, seed: self.context.seed) }
    }

    /// Random workloads until there are enough images.
    func enumerateRandom(images: Int, seconds: Int) {
        let end = Date(timeIntervalSinceNow: Double(seconds))
        var round: UInt64 = 0
        while memo.count < images, Date() < end {
            let seeds = (0..<16).map { context.seed &* 1_000_003 &+ round &* 16 &+ $0 }
            context.queue.forEach(seeds, { "random workload of seed \($0)" }) { seed in
                self.enumerate(FixedWorkloads.random(seed: seed), seed: seed)
            }
            round += 1
        }
    }

    private func enumerate(_ steps: [LogStep], seed: UInt64) {
        var settings = CrashEnumeration.Settings()
        settings.seed = seed
        settings.nestedEvery = context.size.choose(512, 152, 512, tenth: 152)
        settings.nestedStatesMax = context.size.choose(4, 24, 24, tenth: 24)
        do {
            let workload = try LogWorkload(steps)
            var enumeration = CrashEnumeration(workload, memo: memo, nested: nested, settings)
            defer {
                let built = enumeration.built
                counters.withLock { counters in
                    counters.built += built
                    counters.points += workload.disk.operations.count + 1
                }
            }
            try enumeration.run()
        } catch let violation as CrashViolation {
            context.findings.violation("crash", Shrinking.smallest(violation).description)
        } catch {
            context.findings.violation("crash", "seed \(seed), workload \(steps): \(error)")
        }
    }
}

/// Makes the workload of a violation shorter, as long as some violation is left.
enum Shrinking {
    static func smallest(_ violation: CrashViolation) -> CrashViolation {
        var smallest = violation
        var index = 0
        while index < smallest.steps.count {
            var steps = smallest.steps
            steps.remove(at: index)
            if let other = rerun(steps, seed: smallest.seed) {
                smallest = other
            } else {
                index += 1
            }
        }
        return smallest
    }

    private static func rerun(_ steps: [LogStep], seed: UInt64) -> CrashViolation? {
        guard let workload = try? LogWorkload(steps) else { return nil }
        var settings = CrashEnumeration.Settings()
        settings.seed = seed
        settings.nestedEvery = 16
        var enumeration = CrashEnumeration(
            workload, memo: ImageMemo(), nested: ImageMemo(), settings)
        do throws(CrashViolation) {
            try enumeration.run()
            return nil
        } catch {
            return error
        }
    }
}
