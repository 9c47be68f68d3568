import Testing
import VarveLog
import VarveTestSupport

@Suite("After a power cut at any moment")
struct CrashTests {
    static let workloads: [[CrashStep]] = [
        [],
        [.commit, .commit],
        [.append, .append, .commit],
        [.append, .append, .append, .append, .append],
        [.commit, .seal, .append],
        [.commit, .reopen, .commit],
        [.append, .kill, .append],
        [.append, .kill, .kill, .commit],
        [.roll, .commit],
        [.commit, .roll, .kill, .commit],
        [.roll, .reopen, .append],
        [.reopen, .roll, .commit, .reopen],
    ]

    @Test(
        "every state of the disk opens with a prefix of what was written, acknowledged part included",
        arguments: workloads)
    func everyCrash(_ steps: [CrashStep]) throws {
        let workload = try CrashWorkload(steps)
        var check = CrashCheck(workload, seed: 1)
        for position in 0...workload.disk.operations.count { try check.crash(at: position) }
        #expect(check.failures.prefix(5).isEmpty, "\(check.failures.prefix(5)) seed 1")
        #expect(check.images.count > 90 && check.nestedImages > 50)
    }
}

@Suite("At any moment of a writer's work")
struct LiveReaderTests {
    @Test(
        "a reader beside it sees a growing prefix of what is promised, and no damage",
        arguments: CrashTests.workloads)
    func everyMoment(_ steps: [CrashStep]) throws {
        let workload = try CrashWorkload(steps)
        var newest = LogSequence.none
        for position in 0...workload.disk.operations.count {
            let point = workload.disk.crashPoint(at: position)
            let image = workload.disk.image(at: point, point.pending.map { _ in .whole })
            guard image.files["manifest-0000000001"] != nil else { continue }
            let disk = SimulatedDisk(image)
            let writer = try disk.open(StoreFileName.lock.text, .createIfMissing)
            #expect(try writer.lock(.exclusive))
            let scanned = try workload.test.on(disk).scan(.readOnly)
            let content = try TestLog.replay(scanned)
            #expect(scanned.hasLiveWriter && scanned.report.dropped == nil)
            #expect(content.lastSequence >= newest, "operation \(position)")
            #expect(
                content.transactions
                    == (0..<content.transactions.count).map {
                        CrashWorkload.payload($0 + 1)
                    })
            newest = content.lastSequence
        }
    }
}

@Suite("After a sync that failed and forgot")
struct ForgottenWriteTests {
    @Test("recovery writes what it found once more, so a power cut after it loses nothing")
    func rewritten() throws {
        let disk = SimulatedDisk()
        let test = TestLog(disk)
        let first = try test.open().log
        for number in 1...4 {
            try first.append(payload(number))
            if number == 2 { try first.sync() }
        }
        disk.failNextSynchronize()
        #expect(throws: LogError.self) { try first.sync() }
        first.abandon()
        // The page cache still shows all four.
        let second = try test.open()
        #expect(second.content.transactions.count == 4)
        #expect(second.log.durableSequence == LogSequence(4))
        // What no sync covers is gone.
        let point = disk.crashPoint(at: disk.operations.count)
        let lost = disk.image(at: point, point.pending.map { _ in .absent })
        #expect(try test.on(SimulatedDisk(lost)).open().content == second.content)
    }

    @Test("a clean seal that was forgotten is written again before a promise reaches over it")
    func rewrittenSeal() throws {
        let disk = SimulatedDisk()
        let test = TestLog(disk)
        let first = try test.open().log
        try first.append(payload(1))
        try first.sync()
        try first.close()
        let sealSync = disk.operations.count - 1
        let second = try test.open().log
        try second.append(payload(2))
        let unsynced = disk.operations.count
        try second.sync()
        try second.append(payload(3))
        try second.sync()
        // As if the sync of the seal had failed and forgotten.
        var operations = disk.operations
        guard case .synchronize(let file) = operations[sealSync] else {
            Issue.record("\(operations[sealSync])")
            return
        }
        operations[sealSync] = .synchronizeAndFail(file)
        for (position, acknowledged) in [(unsynced, 1), (operations.count, 3)] {
            let pending = SimulatedDisk.pending(operations, before: position)
            let point = CrashPoint(position: position, pending: pending)
            // Every subset: the seal gone and the frame behind it there is one of them.
            for bits in 0..<(1 << pending.count) {
                let fates = pending.indices.map { bits >> $0 & 1 == 1 ? Survival.whole : .absent }
                let image = disk.image(at: point, fates)
                let content = try test.on(SimulatedDisk(image)).open().content
                #expect(content.transactions.count >= acknowledged)
            }
        }
    }
}

/// Recovers the states in which a crash can leave a workload's disk and checks each of them.
struct CrashCheck {
    let workload: CrashWorkload
    private(set) var images: Set<DiskImage> = []
    private(set) var nestedImages = 0
    private(set) var failures: [String] = []
    private var generator: SeededGenerator

    init(_ workload: CrashWorkload, seed: UInt64) {
        self.workload = workload
        generator = SeededGenerator(seed: seed)
    }

    mutating func crash(at position: Int) throws {
        let point = workload.disk.crashPoint(at: position)
        let acknowledged = workload.acknowledged(after: position)
        for survivals in workload.disk.survivals(at: point, using: &generator) {
            let image = workload.disk.image(at: point, survivals)
            guard images.insert(image).inserted else { continue }
            do {
                try check(image, acknowledged)
            } catch {
                failures.append("crash at \(position), \(survivals): \(error)")
            }
        }
    }

    private mutating func check(_ image: DiskImage, _ acknowledged: LogSequence) throws {
        let disk = SimulatedDisk(image)
        let test = workload.test.on(disk)
        let opened = try test.open()
        try expectPrefix(opened.content, acknowledged)
        try expectDropped(opened.report, from: image, keptIn: disk.image)
        opened.log.abandon()
        try checkReaders(image, expecting: opened.content)
        try checkAgain(test, opened)
        // Recovery itself is interrupted: at each of its own moments, for some of the states.
        guard images.count % 32 == 0 else { return }
        let recovery = SimulatedDisk(image)
        let again = try workload.test.on(recovery).open()
        again.log.abandon()
        for position in 0...recovery.operations.count {
            try crashInRecovery(recovery, at: position, acknowledged)
        }
    }

    /// All transactions of `content` are those that were written, in order, and none is missing
    /// that was acknowledged.
    private func expectPrefix(_ content: LogContent, _ acknowledged: LogSequence) throws {
        guard content.lastSequence >= acknowledged else {
            throw CrashFailure("lost \(acknowledged), has \(content.lastSequence)")
        }
        for (index, transaction) in content.transactions.enumerated()
        where transaction != CrashWorkload.payload(index + 1) {
            throw CrashFailure("transaction \(index + 1) is not what was written")
        }
        guard content.transactions.count <= workload.issued else {
            throw CrashFailure("more than was written")
        }
    }

    /// The report names exactly the bytes that are gone, and they were kept.
    private func expectDropped(
        _ report: RecoveryReport, from image: DiskImage, keptIn after: DiskImage
    ) throws {
        guard let dropped = report.dropped else { return }
        let name = StoreFileName.segment(dropped.segment).text
        let tail = image.files[name, default: []].dropFirst(Int(dropped.offset.rawValue))
        guard dropped.bytes.rawValue == UInt64(tail.count), let keptAs = dropped.keptAs,
            after.files[keptAs] == Array(tail)
        else { throw CrashFailure("the dropped bytes are not those that were reported") }
    }

    /// A reader sees what the writer recovers, changes nothing, and calls nothing damaged.
    private func checkReaders(_ image: DiskImage, expecting content: LogContent) throws {
        let disk = SimulatedDisk(image)
        do throws(LogError) {
            let read = try workload.test.on(disk).read()
            let verification = try LogVerification.verify(disk)
            guard read.content == content, verification.isSound else {
                throw LogError.closed
            }
        } catch {
            // No store yet: creation was interrupted.
            guard case .missing = error, content.transactions.isEmpty else {
                throw CrashFailure("a reader found \(error)")
            }
        }
        guard disk.operations.isEmpty else { throw CrashFailure("a reader changed the disk") }
    }

    /// A second opening finds the same and drops nothing; and the log can be written and closed.
    private func checkAgain(_ test: TestLog, _ first: OpenedLog) throws {
        let second = try test.open()
        guard second.content.transactions == first.content.transactions,
            second.report.dropped == nil, second.report.temporaryFiles.isEmpty
        else { throw CrashFailure("the second recovery differs: \(second.report)") }
        try second.log.append(text: "after")
        try second.log.sync()
        try second.log.append(text: "last")
        try second.log.close()
        let third = try test.read()
        guard third.report.endedCleanly,
            third.content.transactions.suffix(2) == [
                Array("after".utf8), Array("last".utf8),
            ]
        else { throw CrashFailure("writing after recovery failed") }
    }

    private mutating func crashInRecovery(
        _ disk: SimulatedDisk, at position: Int, _ acknowledged: LogSequence
    ) throws {
        let point = disk.crashPoint(at: position)
        let survivals = disk.survivals(at: point, using: &generator)
        for survivals in survivals.shuffled(using: &generator).prefix(12) {
            nestedImages += 1
            let test = workload.test.on(SimulatedDisk(disk.image(at: point, survivals)))
            let opened = try test.open()
            // The first recovery may have read frames from the page cache that this crash took
            // before they were promised.
            try expectPrefix(opened.content, acknowledged)
            opened.log.abandon()
        }
    }
}

struct CrashFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension TestLog {
    /// The same settings on another disk.
    func on(_ fileSystem: any FileSystem) -> TestLog {
        var test = TestLog(fileSystem)
        test.configuration = configuration
        return test
    }
}
