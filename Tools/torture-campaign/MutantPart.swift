import Foundation
import VarveLog
import VarveTestSupport

/// Lets every named mutant loose: one that nothing notices is a hole in the tests. What counts is a
/// rule that it broke; an error of anything else is the campaign's own, and so is a rule that is
/// broken where nothing was mutated.
enum MutantPart {
    private enum Fate {
        case killed(String)
        case lives
        /// What hunted it failed itself.
        case escaped(String)
    }

    @Sendable static func run(_ context: CampaignContext) {
        let mutants = MutantCatalogue.all
        let killed = Lock(0)
        context.queue.forEach(controls(mutants) + mutants, { "mutant: \($0.name)" }) { mutant in
            let isControl = if case .none = mutant.kind { true } else { false }
            switch fate(of: mutant, seed: context.seed) {
            case .killed(let how) where isControl:
                context.findings.violation("mutants", "\(mutant.name): \(how)")
            case .killed(let how):
                killed.withLock { $0 += 1 }
                if context.options.only == ["mutants"] {
                    Campaign.say("killed: \(mutant.name): \(how)")
                }
            case .lives where !isControl:
                context.findings.violation("mutants", "it lives: \(mutant.name)")
            case .lives: break
            case .escaped(let error):
                context.findings.violation("mutants", "no rule stopped \(mutant.name): \(error)")
            }
        }
        let count = killed.withLock { $0 }
        context.findings.add(
            Figure(
                key: "mutants", title: "mutants", value: mutants.count, least: 30))
        context.findings.add(
            Figure(
                key: "mutantsKilled", title: "  killed", value: count, least: mutants.count))
    }

    /// Every workload that mutants run, once for each hunter, without a fault.
    private static func controls(_ mutants: [Mutant]) -> [Mutant] {
        var seen: Set<[String]> = []
        return mutants.flatMap { mutant in
            mutant.workloads.filter {
                seen.insert([mutant.hunter.rawValue] + $0.map(\.rawValue)).inserted
            }.map { Mutant("no fault in \($0)", by: mutant.hunter, [$0], .none) }
        }
    }

    private static func fate(of mutant: Mutant, seed: UInt64) -> Fate {
        for steps in mutant.workloads {
            do {
                switch mutant.hunter {
                case .crash: try crash(mutant, steps, seed)
                case .compound: try compound(mutant, steps, seed)
                case .corruption: try corrupt(mutant, steps)
                case .lock: try openTwice(mutant)
                case .follower: try follow(mutant)
                case .run: try readBack(mutant, steps)
                }
            } catch let violation as CrashViolation where violation.failure.rule != nil {
                return .killed(violation.description)
            } catch let failure as CheckFailure where failure.rule != nil {
                return .killed(failure.description)
            } catch {
                return .escaped("\(error)")
            }
        }
        return .lives
    }

    /// Runs it on a disk that never fails: whatever the log then refuses breaks a rule.
    @discardableResult
    private static func workload(_ mutant: Mutant, _ steps: [LogStep]) throws -> LogWorkload {
        try CheckFailure.breaking(.i6, "a log on a good disk") {
            switch mutant.kind {
            case .writer(let fault): try LogWorkload(steps, fault: fault)
            case .disk, .none: try LogWorkload(steps)
            case .fileSystem(let lie): try LogWorkload(steps) { LyingFileSystem($0, lie) }
            }
        }
    }

    private static func readBack(_ mutant: Mutant, _ steps: [LogStep]) throws {
        let workload = try workload(mutant, steps)
        let count = try CheckFailure.breaking(.i6, "reading it back") {
            try CompactionLog(workload.disk).read().payloads.count
        }
        guard count == workload.issued else {
            throw CheckFailure(.i1, "\(workload.issued) written, \(count) read")
        }
    }

    private static func crash(_ mutant: Mutant, _ steps: [LogStep], _ seed: UInt64) throws {
        var settings = CrashEnumeration.Settings()
        settings.seed = seed
        settings.nestedEvery = 4
        switch mutant.kind {
        case .disk(let rewrite): settings.rewrite = rewrite
        // Nothing ends it early.
        case .none: settings.nestedEvery = 128
        case .writer, .fileSystem: break
        }
        var enumeration = CrashEnumeration(
            try workload(mutant, steps), memo: ImageMemo(), nested: ImageMemo(), settings)
        try enumeration.run()
    }

    private static func compound(_ mutant: Mutant, _ steps: [LogStep], _ seed: UInt64) throws {
        let memo = ImageMemo()
        let count = try LogWorkload(steps).disk.operations.count
        for kill in 0...count {
            var run = CompoundRun(steps, kill: kill, memo: memo)
            if case .disk(let rewrite) = mutant.kind { run.rewrite = rewrite }
            try run.run(statesMax: 24, seed: seed)
        }
    }

    private static func corrupt(_ mutant: Mutant, _ steps: [LogStep]) throws {
        let workload = try workload(mutant, steps)
        var image = workload.disk.image
        if case .disk(let rewrite) = mutant.kind {
            let named = workload.disk.namedOperations
            let states = CrashStates(workload.disk, asking: rewrite(named))
            let point = states.point(at: named.count)
            image = states.image(at: point, point.pending.map { _ in .whole })
        }
        // What no power cut and no damage befell opens.
        _ = try ImageCheck(image).recover()
        let store = try ReferenceStore(image, count: workload.issued, promised: workload.promised)
        for damage in store.flips(of: [0, 4]) { _ = try store.check(damage) }
    }

    private static func disk(of mutant: Mutant) -> any FileSystem {
        guard case .fileSystem(let lie) = mutant.kind else { return SimulatedDisk() }
        return LyingFileSystem(SimulatedDisk(), lie)
    }

    private static func openTwice(_ mutant: Mutant) throws {
        let disk = disk(of: mutant)
        let first = try CompactionLog(disk).open()
        defer { first.log.abandon() }
        do throws(LogError) {
            let second = try CompactionLog(disk).open()
            second.log.abandon()
        } catch {
            guard case .locked = error else { throw error }
            return
        }
        throw CheckFailure(.i14, "two writers at once")
    }

    /// Beside a writer a follower is told only what is promised.
    private static func follow(_ mutant: Mutant) throws {
        let disk = disk(of: mutant)
        let log = try CompactionLog(disk).open().log
        defer { log.abandon() }
        try log.append(LogPayload.of(1))
        let follower = try LogFollower(CompactionLog(disk).test.scan(.readOnly))
        try log.append(LogPayload.of(2))
        _ = try follower.poll { (_: LogRecord) throws(Never) in }
        guard follower.lastSequence <= log.durableSequence else {
            throw CheckFailure(.i11, "a follower was told what no sync covers")
        }
    }
}
