import VarveLog

/// A state of a disk that broke a rule, with everything that repeats it.
package struct CrashViolation: Error, Sendable, CustomStringConvertible {
    package var steps: [LogStep]
    package var seed: UInt64
    package var position: Int
    package var survivals: [Survival]
    package var failure: CheckFailure

    package var description: String {
        "seed \(seed), workload \(steps.map(\.rawValue)), power cut after operation \(position)"
            + ", fates of pending changes \(survivals): \(failure)"
    }
}

/// Recovers the states in which power cuts can leave a workload's disk, at every moment, and checks
/// each of them; and those in which a power cut during recovery can leave it.
package struct CrashEnumeration {
    package struct Settings: Sendable {
        package var seed: UInt64 = 1
        /// One of so many states has its recovery interrupted; 0 for none.
        package var nestedEvery: UInt64 = 32
        /// How many states of each moment of a recovery are built.
        package var nestedStatesMax = 12
        /// One of so many states is compacted.
        package var compactEvery: UInt64 = 16
        /// What a faulty writer would have asked of the disk instead.
        package var rewrite: (@Sendable ([NamedOperation]) -> [DiskOperation])?

        package init(seed: UInt64 = 1) { self.seed = seed }
    }

    private let workload: LogWorkload
    private let settings: Settings
    private let memo: ImageMemo
    private let nestedMemo: ImageMemo
    private var states: CrashStates
    private var generator: SeededGenerator
    /// States that were built, whether or not they had been seen before.
    package private(set) var built = 0

    package init(
        _ workload: LogWorkload, memo: ImageMemo, nested: ImageMemo,
        _ settings: Settings = Settings()
    ) {
        self.workload = workload
        self.settings = settings
        self.memo = memo
        nestedMemo = nested
        generator = SeededGenerator(seed: settings.seed)
        states = Self.states(workload.disk, settings, skipping: workload.skippedSyncs)
    }

    private static func states(
        _ disk: SimulatedDisk, _ settings: Settings, skipping: Set<Int> = []
    ) -> CrashStates {
        guard settings.rewrite != nil || !skipping.isEmpty else { return CrashStates(disk) }
        var named = disk.namedOperations
        for position in skipping { named[position].operation = .nothing }
        let operations = settings.rewrite?(named) ?? named.map(\.operation)
        precondition(operations.count == named.count, "a fault keeps the count of operations")
        return CrashStates(disk, asking: operations)
    }

    /// All moments of the workload, or those from one on.
    package mutating func run(from first: Int = 0) throws(CrashViolation) {
        for position in first...states.operations.count { try crash(at: position) }
    }

    package mutating func crash(
        at position: Int, statesMax: Int = .max
    ) throws(CrashViolation) {
        let point = states.point(at: position)
        states.advance(to: point)
        let acknowledged = workload.acknowledged(after: position)
        var choices = SimulatedDisk.survivals(
            at: point, of: states.operations, using: &generator)
        if choices.count > statesMax {
            choices.shuffle(using: &generator)
            choices.removeLast(choices.count - statesMax)
        }
        for survivals in choices {
            let image = states.image(at: point, survivals)
            do throws(CheckFailure) {
                try check(image, acknowledged)
            } catch {
                throw violation(point, survivals, acknowledged, error)
            }
        }
    }

    private mutating func check(
        _ image: DiskImage, _ acknowledged: Int
    ) throws(CheckFailure) {
        built += 1
        let fingerprint = image.fingerprint
        if let count = memo.find(fingerprint) {
            return try expect(count, acknowledged, workload.issued)
        }
        let check = ImageCheck(image)
        let recovered = try check.examine(
            compacting: fingerprint.low % settings.compactEvery == 0)
        memo.note(fingerprint, recovered.count)
        try expect(recovered.count, acknowledged, workload.issued)
        if settings.nestedEvery > 0, fingerprint.low >> 8 % settings.nestedEvery == 0 {
            try interruptRecovery(check, recovered, acknowledged)
        }
    }

    /// I1 and I2: nothing acknowledged is missing, and nothing is there that was never written.
    private func expect(
        _ count: Int, _ acknowledged: Int, _ issued: Int
    ) throws(CheckFailure) {
        guard count >= acknowledged else {
            throw CheckFailure(.i1, "acknowledged \(acknowledged), recovered \(count)")
        }
        guard count <= issued else {
            throw CheckFailure(.i2, "recovered \(count) of \(issued) that were written")
        }
    }

    /// A power cut at every moment of a recovery. What it had cut is still there or was kept.
    private mutating func interruptRecovery(
        _ check: ImageCheck, _ recovered: ImageCheck.Recovered, _ acknowledged: Int
    ) throws(CheckFailure) {
        var states = Self.states(recovered.disk, settings)
        for position in 0...states.operations.count {
            let point = states.point(at: position)
            states.advance(to: point)
            var choices = SimulatedDisk.survivals(
                at: point, of: states.operations, using: &generator)
            choices.shuffle(using: &generator)
            // Behind its end everything that it served must be there.
            let isDone = position == states.operations.count
            for survivals in choices.prefix(settings.nestedStatesMax) {
                let image = states.image(at: point, survivals)
                let fingerprint = image.fingerprint
                let known = nestedMemo.find(fingerprint)
                let count: Int
                if let known {
                    count = known
                } else {
                    count = try ImageCheck(image).recover().count
                }
                nestedMemo.note(fingerprint, count)
                let least = isDone ? recovered.count : acknowledged
                guard count >= least, count <= workload.issued else {
                    throw CheckFailure(
                        .i1,
                        "of \(least) \(count) are left after a power cut behind operation "
                            + "\(position) of the recovery, \(survivals)")
                }
                try expectTail(check, recovered, in: image, position)
            }
        }
    }

    private func expectTail(
        _ check: ImageCheck, _ recovered: ImageCheck.Recovered, in image: DiskImage,
        _ position: Int
    ) throws(CheckFailure) {
        guard let dropped = recovered.report.dropped, let keptAs = dropped.keptAs else { return }
        let tail = Array(check.tail(dropped))
        guard image.files[keptAs] != tail, Array(ImageCheck(image).tail(dropped)) != tail else {
            return
        }
        throw CheckFailure(
            .i8,
            "the cut bytes are gone after a power cut behind operation \(position) of the recovery"
        )
    }

    /// Makes the case as small as it gets: each fate as harmless as the failure lets it be.
    private func violation(
        _ point: CrashPoint, _ survivals: [Survival], _ acknowledged: Int, _ first: CheckFailure
    ) -> CrashViolation {
        var fates = survivals
        var failure = first
        for index in fates.indices {
            for harmless in [Survival.whole, .absent] where fates[index] != harmless {
                var simpler = fates
                simpler[index] = harmless
                var alone = self
                alone.states = Self.states(
                    workload.disk, settings, skipping: workload.skippedSyncs)
                alone.states.advance(to: point)
                let image = alone.states.image(at: point, simpler)
                do throws(CheckFailure) {
                    let recovered = try ImageCheck(image).examine(compacting: true)
                    try expect(recovered.count, acknowledged, workload.issued)
                } catch {
                    fates = simpler
                    failure = error
                    break
                }
            }
        }
        return CrashViolation(
            steps: workload.steps, seed: settings.seed, position: point.position,
            survivals: fates, failure: failure)
    }
}
