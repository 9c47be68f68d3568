internal import Foundation
internal import VarveLog

/// Compares the files of a writer with their checksums: when it has been open for a while, again after some time, and
/// on request.
///
/// A disk may change what it holds, and nothing reads sealed segments for years. What is found early can still be made
/// again from the files beside it.
// Sendable unchecked: the timer is made and activated by the initialiser, and cancelled by the deinitialiser.
final class FileChecker: @unchecked Sendable {
    /// A process that runs for less has opened the store a moment ago, which compared the newest checkpoint.
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
    private let isUnderWay = Lock(false)

    init(writer: Writer, compactor: Compactor, record: HealthRecord) {
        self.writer = writer
        self.compactor = compactor
        self.record = record
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(
            deadline: .now() + Self.firstDelay, repeating: Self.interval, leeway: .seconds(60))
        timer.setEventHandler { [weak self] in self?.begin() }
        timer.activate()
    }

    deinit { timer.cancel() }

    // MARK: - On request

    /// Checks all files now, on the calling thread.
    func run() throws -> StoreHealth {
        var check = try writer.filesCheck()
        while check.advance() { try checkIsWanted() }
        try finish(check)
        return record.health
    }

    func run() async throws -> StoreHealth {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in continuation.resume(with: Result { try run() }) }
        }
    }

    private func checkIsWanted() throws {
        guard compactor.isCancelled else { return }
        // A store that is closed or suspended says so itself.
        _ = try writer.fileNames()
        throw StoreError.suspended
    }

    // MARK: - In the background

    /// Begins a check that pauses often; does nothing while one is under way.
    func begin() {
        let mayBegin = isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
        // A store that is suspended or closed has no files to check.
        guard mayBegin else { return }
        guard let check = try? writer.filesCheck() else {
            return isUnderWay.withLock { $0 = false }
        }
        advance(CheckUnderWay(check))
    }

    private func advance(_ underWay: CheckUnderWay) {
        let end = ContinuousClock.now + Self.workTime
        while ContinuousClock.now < end {
            // The files of a store that is suspended may be another process's by now.
            let goesOn = !compactor.isCancelled && underWay.check.advance()
            if goesOn { continue }
            isUnderWay.withLock { $0 = false }
            // Closed meanwhile: which files count is not known.
            if !compactor.isCancelled { try? finish(underWay.check) }
            return
        }
        queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.advance(underWay) }
    }

    // MARK: - Behind a check

    private func finish(_ check: FilesCheck) throws {
        // What a compaction has removed meanwhile is no damage.
        let names = try writer.fileNames()
        var count = 0
        for problem in check.problems {
            guard let file = problem.damagedFile, names.contains(file.name) else { continue }
            count += 1
            writer.storeLog?.damage(problem)
            record.note(problem)
            if try writer.fallBack(after: problem, record) { compactor.startRepair() }
        }
        record.noteReplacement { names.contains($0) }
        record.noteCheck(at: Date())
        writer.storeLog?.checkedFiles(damageCount: count)
    }
}

/// A check that pauses between two steps.
// Sendable unchecked: the queue of the checker runs one step at a time.
private final class CheckUnderWay: @unchecked Sendable {
    var check: FilesCheck

    init(_ check: FilesCheck) { self.check = check }
}
