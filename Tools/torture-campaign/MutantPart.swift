import Foundation
import VarveLog
import VarveTestSupport

/// Lets every named mutant loose: one that nothing notices is a hole in the tests.
enum MutantPart {
    @Sendable static func run(_ context: CampaignContext) {
        let mutants = MutantCatalogue.all
        let killed = Lock(0)
        context.queue.forEach(mutants, { "mutant: \($0.name)" }) { mutant in
            if let how = death(of: mutant, seed: context.seed) {
                killed.withLock { $0 += 1 }
                if context.options.only == ["mutants"] {
                    Campaign.say("killed: \(mutant.name): \(how)")
                }
            } else {
                context.findings.violation("mutants", "it lives: \(mutant.name)")
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

    /// How the mutant was noticed; nil when it was not.
    private static func death(of mutant: Mutant, seed: UInt64) -> String? {
        for steps in mutant.workloads {
            do {
                switch mutant.hunter {
                case .crash: try crash(mutant, steps, seed)
                case .compound: try compound(mutant, steps, seed)
                case .corruption: try corrupt(mutant, steps)
                case .lock: try openTwice(mutant)
                case .follower, .run: try workload(mutant, steps, isRead: true)
                }
            } catch {
                return "\(error)"
            }
        }
        return nil
    }

    @discardableResult
    private static func workload(
        _ mutant: Mutant, _ steps: [LogStep], isRead: Bool = false
    ) throws -> LogWorkload {
        switch mutant.kind {
        case .writer(let fault): return try LogWorkload(steps, fault: fault)
        case .disk: return try LogWorkload(steps)
        case .fileSystem(let lie):
            let workload = try LogWorkload(steps) { LyingFileSystem($0, lie) }
            if isRead {
                let count = try CompactionLog(workload.disk).read().payloads.count
                guard count == workload.issued else {
                    throw CheckFailure("\(workload.issued) written, \(count) read")
                }
                try follow(lie)
            }
            return workload
        }
    }

    private static func crash(_ mutant: Mutant, _ steps: [LogStep], _ seed: UInt64) throws {
        var settings = CrashEnumeration.Settings()
        settings.seed = seed
        settings.nestedEvery = 4
        if case .disk(let rewrite) = mutant.kind { settings.rewrite = rewrite }
        var enumeration = CrashEnumeration(
            try workload(mutant, steps), memo: ImageMemo(), nested: ImageMemo(), settings)
        try enumeration.run()
    }

    private static func compound(_ mutant: Mutant, _ steps: [LogStep], _ seed: UInt64) throws {
        guard case .disk(let rewrite) = mutant.kind else { return }
        let memo = ImageMemo()
        let count = try LogWorkload(steps).disk.operations.count
        for kill in 0...count {
            var run = CompoundRun(steps, kill: kill, memo: memo)
            run.rewrite = rewrite
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
        let store = try ReferenceStore(image, count: workload.issued, promised: workload.promised)
        for damage in store.flips(of: [0, 4]) { _ = try store.check(damage) }
    }

    private static func openTwice(_ mutant: Mutant) throws {
        guard case .fileSystem(let lie) = mutant.kind else { return }
        let disk = LyingFileSystem(SimulatedDisk(), lie)
        let first = try CompactionLog(disk).open()
        defer { first.log.abandon() }
        guard let second = try? CompactionLog(disk).open() else { return }
        second.log.abandon()
        throw CheckFailure("two writers at once")
    }

    /// Beside a writer a follower is told only what is promised.
    private static func follow(_ lie: LyingFileSystem.Lie) throws {
        let disk = LyingFileSystem(SimulatedDisk(), lie)
        let log = try CompactionLog(disk).open().log
        defer { log.abandon() }
        try log.append(LogPayload.of(1))
        let follower = try LogFollower(CompactionLog(disk).test.scan(.readOnly))
        try log.append(LogPayload.of(2))
        _ = try follower.poll { (_: LogRecord) throws(Never) in }
        guard follower.lastSequence <= log.durableSequence else {
            throw CheckFailure("a follower was told what no sync covers")
        }
    }
}
