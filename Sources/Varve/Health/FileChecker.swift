internal import Foundation
internal import VarveLog

/// Compares the files of a writer with their checksums: when it has been open for a while, again after some time, and
/// on request.
///
/// A disk may change what it holds, and nothing reads sealed segments for years. What is found early can still be made
/// again from the files beside it.
// Sendable unchecked: the timer is made and activated by the initialiser, and cancelled by the deinitialiser.
final class FileChecker: @unchecked Sendable {
    /// A process that runs for less has opened the store a moment ago: the newest checkpoint was compared then, or by the
    /// look behind that.
    private static let firstDelay = DispatchTimeInterval.seconds(15 * 60)
    private static let interval = DispatchTimeInterval.seconds(24 * 60 * 60)
    /// How long it works at a time and pauses then: it takes a tenth of a processor, and of the disk.
    private static let workTime = Duration.milliseconds(10)
    private static let pause = DispatchTimeInterval.milliseconds(90)

    private let writer: Writer
    private let compactor: Compactor
    private let record: HealthRecord
    private let queue = DispatchQueue(label: "varve.check", qos: .background)
    private let timer: any DispatchSourceTimer
    private let phase = Lock(Phase.idle)

    /// Where the check in the background is.
    private enum Phase: Sendable {
        case idle
        case underWay
        /// It goes on when the store is resumed, or begins then where none had begun.
        case interrupted(CheckUnderWay?)
    }

    init(writer: Writer, compactor: Compactor, record: HealthRecord) {
        self.writer = writer
        self.compactor = compactor
        self.record = record
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(
            deadline: .now() + Self.firstDelay, repeating: Self.interval, leeway: .seconds(60))
        timer.setEventHandler { [weak self] in self?.begin() }
        record.whenNoticedLate { [weak self] in self?.mend($0) }
        timer.activate()
    }

    deinit { timer.cancel() }

    // MARK: - On request

    /// Checks all files now, on the calling thread.
    ///
    /// - Parameter isCancelled: called between two steps; then `CancellationError` is thrown, once what was found is noted.
    func run(isCancelled: () -> Bool = { false }) throws -> StoreHealth {
        var check = try writer.filesCheck()
        while !isCancelled() {
            guard check.advance() else {
                try finish(check)
                return record.health
            }
            try checkIsWanted()
        }
        _ = try note(check)
        throw CancellationError()
    }

    func run() async throws -> StoreHealth {
        let isCancelled = Lock(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [self] in
                    continuation.resume(
                        with: Result { try run { isCancelled.withLock { $0 } } })
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    private func checkIsWanted() throws {
        guard compactor.isCancelled else { return }
        // A store that is closed or suspended says so itself.
        _ = try writer.fileNames()
        throw StoreError.suspended
    }

    // MARK: - In the background

    /// Begins a check that pauses often, or goes on with the one that was interrupted; does nothing while one is under way.
    func begin() {
        let former = phase.withLock { phase in
            defer { phase = .underWay }
            return phase
        }
        switch former {
        case .underWay: break
        case .interrupted(let underWay?): advance(underWay)
        case .idle, .interrupted(nil):
            // A store that is suspended or closed has no files to check.
            guard let check = try? writer.filesCheck() else {
                return phase.withLock { $0 = .interrupted(nil) }
            }
            advance(CheckUnderWay(check))
        }
    }

    /// Goes on with what a suspension has interrupted, once the store is resumed: a check, and the repair of what is known.
    func goOn() {
        queue.async { [weak self] in
            guard let self else { return }
            mendKnown()
            if case .interrupted = phase.withLock({ $0 }) { begin() }
        }
    }

    private func advance(_ underWay: CheckUnderWay) {
        let end = ContinuousClock.now + Self.workTime
        while ContinuousClock.now < end {
            // The files of a store that is suspended may be another process's by now.
            guard !compactor.isCancelled else { return interrupt(underWay) }
            if underWay.check.advance() { continue }
            do {
                try finish(underWay.check)
                phase.withLock { $0 = .idle }
            } catch {
                // Suspended or closed meanwhile: which files count is not known. After another error the next check
                // begins anew.
                guard !compactor.isCancelled else { return interrupt(underWay) }
                phase.withLock { $0 = .idle }
            }
            return
        }
        queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.advance(underWay) }
    }

    private func interrupt(_ underWay: CheckUnderWay) {
        underWay.check.pause()
        phase.withLock { $0 = .interrupted(underWay) }
    }

    // MARK: - Behind a check

    private func finish(_ check: FilesCheck) throws {
        let count = try note(check)
        record.noteCheck(at: Date())
        writer.storeLog?.checkedFiles(damageCount: count)
    }

    /// Notes what was found, and has it made again where other files have it. Returns how many places there were.
    private func note(_ check: FilesCheck) throws -> Int {
        // What a compaction has removed meanwhile is no damage.
        let names = try writer.fileNames()
        var count = 0
        for problem in check.problems {
            guard let file = problem.damagedFile, names.contains(file.name) else { continue }
            count += 1
            writer.storeLog?.damage(problem)
            record.note(problem)
            try mendNow(problem)
        }
        record.noteReplacement { names.contains($0) }
        return count
    }

    private func mendNow(_ problem: LogError) throws {
        if try writer.fallBack(after: problem, record) { compactor.startRepair() }
    }

    /// Has what was noted made again where other files have it, on the checker's queue.
    private func mend(_ problem: LogError) {
        queue.async { [weak self] in
            // A store that is suspended or closed by then writes nothing: `goOn` comes back to it, or the next opening.
            try? self?.mendNow(problem)
        }
    }

    /// Has all made again that is known and was not replaced, unless another process has done so meanwhile.
    private func mendKnown() {
        guard let names = try? writer.fileNames() else { return }
        record.noteReplacement { names.contains($0) }
        for damage in record.health.damages {
            guard case .rebuilt = damage.repair else { continue }
            try? mendNow(
                .checkpointDamaged(
                    file: damage.file, offset: damage.offset, reason: damage.reason))
        }
    }
}

/// A check that pauses between two steps.
// Sendable unchecked: the queue of the checker runs one step at a time.
private final class CheckUnderWay: @unchecked Sendable {
    var check: FilesCheck

    init(_ check: FilesCheck) { self.check = check }
}
