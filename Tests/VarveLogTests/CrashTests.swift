import Testing
import VarveLog
import VarveTestSupport

@Suite("After a power cut at any moment")
struct CrashTests {
    static let workloads: [[LogStep]] = [
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
        // A transaction of three frames behind the seal of a closed log.
        [.commit, .commit, .commit, .commit, .reopen, .append, .kill, .commit],
        [.commit, .reopen, .failedAppend, .commit],
    ]

    @Test(
        "Rows 1 to 4 and 8 to 12: every state of the disk opens with a prefix of what was written, acknowledged part included",
        arguments: workloads)
    func everyCrash(_ steps: [LogStep]) throws {
        let memo = ImageMemo()
        let nested = ImageMemo()
        var enumeration = CrashEnumeration(try LogWorkload(steps), memo: memo, nested: nested)
        try enumeration.run()
        #expect(memo.count > 90 && nested.count > 10, "\(memo.count), \(nested.count) nested")
    }

    @Test("An image that was seen before is held against what was acknowledged since")
    func sameImageLater() throws {
        // Nothing of the commit reached the disk: the image is that of before, the claim is not.
        let workload = try LogWorkload([.commit], fault: .acknowledgesUnsynced)
        var enumeration = CrashEnumeration(workload, memo: ImageMemo(), nested: ImageMemo())
        #expect(throws: CrashViolation.self) { try enumeration.run() }
    }
}

@Suite("At any moment of a writer's work")
struct LiveReaderTests {
    @Test(
        "a reader beside it sees a growing prefix of what is promised, and no damage",
        arguments: CrashTests.workloads)
    func everyMoment(_ steps: [LogStep]) throws {
        let workload = try LogWorkload(steps)
        var newest = LogSequence.none
        for position in 0...workload.disk.operations.count {
            let point = workload.disk.crashPoint(at: position)
            let image = workload.disk.image(at: point, point.pending.map { _ in .whole })
            guard image.files["manifest-0000000001"] != nil else { continue }
            let disk = SimulatedDisk(image)
            let writer = try disk.open(StoreFileName.lock.text, .createIfMissing)
            #expect(try writer.lock(.exclusive))
            let scanned = try CompactionLog(disk).test.scan(.readOnly)
            let content = try TestLog.replay(scanned)
            #expect(scanned.hasLiveWriter && scanned.report.dropped == nil)
            #expect(content.lastSequence >= newest, "operation \(position)")
            #expect(
                content.transactions == LogPayload.first(content.transactions.count))
            newest = content.lastSequence
        }
    }
}

@Suite("After a sync that failed and forgot")
struct ForgottenWriteTests {
    @Test("Row 7: recovery writes what it found once more, so a power cut after it loses nothing")
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

    @Test(
        "Row 7: a footer whose sync was forgotten, or never came, is written again before its successor is filled",
        arguments: [true, false])
    func rewrittenFooter(isForgotten: Bool) throws {
        let rolled = try LogWorkload([.roll]).disk.namedOperations
        let footer = try #require(rolled.firstIndex { $0.frame?.type == .footer })
        var operations = rolled[...footer].map(\.operation)
        if isForgotten, case .write(let file, _, _) = operations[footer] {
            operations.append(.synchronizeAndFail(file))
        }
        // What the next process sees.
        let disk = SimulatedDisk()
        disk.replay(operations)
        let second = try CompactionLog(disk).open()
        let count = second.payloads.count
        try second.log.append(LogPayload.of(count + 1))
        try second.log.sync()
        let point = disk.crashPoint(at: disk.operations.count)
        let lost = disk.image(at: point, point.pending.map { _ in .absent })
        #expect(try ImageCheck(lost).examine(compacting: false).count == count + 1)
    }

    @Test(
        "Row 7: a clean seal that was forgotten is written again before a promise reaches over it")
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

extension TestLog {
    /// The same settings on another disk.
    func on(_ fileSystem: any FileSystem) -> TestLog {
        var test = TestLog(fileSystem)
        test.configuration = configuration
        return test
    }
}
