import VarveLog
import VarveTestSupport

/// A workload on a file system that fails: it goes on as a program would that reports errors and
/// opens its store again.
struct ErrorRun {
    let disk: SimulatedDisk
    let faulty: FaultyFileSystem
    /// Transactions that were acknowledged as durable.
    private(set) var durable = 0
    /// The most that can be there: an append that left its fate open counts.
    private(set) var possible = 0
    private var log: Log?
    private let store: CompactionLog

    init(fault: FaultyFileSystem.Fault? = nil, disk: SimulatedDisk = SimulatedDisk(reserving: 256))
    {
        self.disk = disk
        faulty = FaultyFileSystem(disk, fault: fault)
        store = CompactionLog(faulty)
    }

    mutating func run(_ steps: [LogStep]) throws(CheckFailure) {
        for step in steps {
            if log == nil { try open() }
            guard let log else { continue }
            do {
                try run(step, log)
            } catch let failure as CheckFailure {
                throw failure
            } catch {
                // What a program does next.
                if log.isPoisoned {
                    log.abandon()
                    self.log = nil
                }
            }
        }
        log?.abandon()
        log = nil
    }

    private mutating func open() throws(CheckFailure) {
        guard let opened = try? store.open() else { return }
        let count = opened.payloads.count
        guard opened.payloads == LogPayload.first(count) else {
            throw CheckFailure(.i2, "reopening finds what was not written")
        }
        try check(count)
        log = opened.log
        possible = count
        durable = max(durable, Int(opened.log.durableSequence.rawValue))
    }

    /// I1 and I3: of a number of transactions that were found.
    func check(_ count: Int) throws(CheckFailure) {
        guard count >= durable, count <= possible else {
            throw CheckFailure(.i1, "\(count) found, \(durable) acknowledged, \(possible) written")
        }
    }

    private mutating func run(_ step: LogStep, _ log: Log) throws {
        switch step {
        case .roll: for _ in 0..<6 { try append(log) }
        case .seal: try log.seal()
        case .reopen:
            self.log = nil
            defer { log.abandon() }
            try log.close()
            durable = max(durable, Int(log.lastSequence.rawValue))
        case .kill:
            log.abandon()
            self.log = nil
        case .compact, .compactKeeping, .compactForSize:
            try CompactionLog.compact(
                log, LogPayload.first(Int(log.lastSequence.rawValue)),
                for: step == .compactForSize ? .size : .safety)
        case .commit:
            try append(log)
            try log.sync()
            durable = max(durable, Int(log.durableSequence.rawValue))
        default: try append(log)
        }
    }

    private mutating func append(_ log: Log) throws {
        let number = Int(log.lastSequence.rawValue) + 1
        do {
            try log.append(LogPayload.of(number))
            possible = number
        } catch {
            if log.isPoisoned { possible = number }
            throw error
        }
    }

    /// What a killed process leaves must open; and what the power leaves when nothing reached the
    /// disk that no sync covers, or some of it.
    func checkAfterwards(
        cuts: Int, mayBeRefused: Bool = false, _ generator: inout SeededGenerator
    ) throws(CheckFailure) {
        let images = [disk.image] + powerCuts(cuts, &generator)
        for (index, image) in images.enumerated() {
            let recovered: ImageCheck.Recovered
            do throws(CheckFailure) {
                recovered = try ImageCheck(image).recover()
            } catch {
                // The disk lied: what it broke is noticed and named. A wrong value is not.
                if mayBeRefused, index > 0, error.rule != .i2 { continue }
                throw error.at("image \(index)")
            }
            if mayBeRefused, index > 0 {
                guard recovered.count <= possible else { throw CheckFailure(.i2, "too many") }
                continue
            }
            try check(recovered.count)
            let isSound = (try? LogVerification.verify(SimulatedDisk(image)))?.isSound
            // A creation that did not finish is no store yet.
            guard isSound ?? (recovered.count == 0) else {
                throw CheckFailure(.i15, "verification disagrees")
            }
        }
    }

    private func powerCuts(
        _ count: Int, _ generator: inout SeededGenerator
    ) -> [DiskImage] {
        guard count > 0 else { return [] }
        var states = CrashStates(disk)
        let point = states.point(at: disk.operations.count)
        states.advance(to: point)
        return (0..<count).map { index in
            states.image(
                at: point,
                point.pending.map { _ in
                    index > 0 && Bool.random(using: &generator) ? .whole : .absent
                })
        }
    }
}
