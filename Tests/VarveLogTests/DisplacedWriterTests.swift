import Testing
import VarveLog
import VarveTestSupport

@Suite("A writer whose files are taken from under it")
struct DisplacedWriterTests {
    /// What happens to the directory of a store that is being written.
    enum Displacement: String, CaseIterable {
        case lockRemoved, lockReplaced, lockRenamed, segmentRemoved, segmentReplaced,
            directoryRemoved

        var file: StoreFileName {
            switch self {
            case .lockRemoved, .lockReplaced, .lockRenamed, .directoryRemoved: .lock
            case .segmentRemoved, .segmentReplaced: .segment(SegmentID(1))
            }
        }

        var isReplaced: Bool { self == .lockReplaced || self == .segmentReplaced }

        var error: LogError { .displaced(file: file.text, isReplaced: isReplaced) }

        func happen(to disk: SimulatedDisk) throws {
            switch self {
            case .lockRemoved, .segmentRemoved: try disk.remove(file.text)
            case .lockRenamed: try disk.rename(file.text, to: "LOCK.old")
            case .lockReplaced, .segmentReplaced:
                let bytes = disk.image.files[file.text] ?? []
                let copy = try disk.open("copy", .createExclusive)
                try bytes.withUnsafeBytesTyped { bytes throws(FileSystemError) in
                    try copy.writeAll(bytes, at: FrameOffset(0), name: "copy")
                }
                try disk.rename("copy", to: file.text)
            case .directoryRemoved: for name in try disk.list() ?? [] { try disk.remove(name) }
            }
        }
    }

    /// What a writer does next.
    enum Action: String, CaseIterable {
        case append, sync, seal, roll, compact, close

        func perform(on log: Log) throws(LogError) {
            switch self {
            case .append:
                // Of a later millisecond, so that a look is due.
                try payload(9).withUnsafeBytesTyped { bytes throws(LogError) in
                    try log.append(
                        sequence: log.lastSequence.next ?? .none, time: 1_000_000, payload: bytes)
                }
            case .sync: try log.sync()
            case .seal: try log.seal()
            case .roll: try log.append(payload(9))
            case .compact: try CompactionLog.compact(log, [])
            case .close: try log.close()
            }
        }
    }

    /// A log with a synced transaction that no frame promises yet and one that is not synced.
    private static func written(
        _ disk: SimulatedDisk, rolling bytes: UInt64 = 64 << 20
    ) throws -> Log {
        let log = try TestLog(disk, segmentBytesMax: bytes).open().log
        try log.append(payload(1))
        try log.sync()
        return log
    }

    @Test(
        "It writes nothing more, acknowledges nothing, and names the file, whatever it does next",
        arguments: Displacement.allCases, Action.allCases)
    func stops(displacement: Displacement, action: Action) throws {
        let disk = SimulatedDisk(reserving: 5_000)
        let log = try Self.written(disk, rolling: action == .roll ? 600 : 64 << 20)
        if action == .sync { try log.append(payload(2)) }
        if action == .roll {
            while log.snapshot.segments[0].fileLength < ByteCount(600) {
                try log.append(payload(2))
            }
        }
        try displacement.happen(to: disk)
        let durable = log.durableSequence
        let before = disk.image
        #expect(throws: displacement.error) { try action.perform(on: log) }
        #expect(disk.image == before)
        #expect(log.durableSequence == durable)
        #expect(log.isPoisoned == (action != .close))
        #expect(
            throws: action == .close ? LogError.closed : .poisoned(cause: displacement.error)
        ) {
            try log.append(payload(3))
        }
        // As any poisoned log, without an error.
        if action != .close { try log.close() }
        #expect(disk.image == before)
    }

    @Test("Appends without a sync are looked after within a millisecond of transactions, or 256")
    func relaxed() throws {
        for (step, most) in [(Int64(1), 256), (10, 100), (1_000, 1), (-2_000, 1), (0, 256)] {
            let disk = SimulatedDisk()
            let log = try TestLog(disk).open().log
            var time: Int64 = 1_000_000
            func append() throws(LogError) {
                time += step
                try payload(1).withUnsafeBytesTyped { bytes throws(LogError) in
                    try log.append(
                        sequence: log.lastSequence.next ?? .none, time: time, payload: bytes)
                }
            }
            try append()
            try disk.remove(StoreFileName.lock.text)
            var appended = 0
            while appended <= most, !log.isPoisoned {
                do throws(LogError) {
                    try append()
                    appended += 1
                } catch {
                    #expect(error == Displacement.lockRemoved.error)
                }
            }
            #expect(log.isPoisoned && appended < most, "\(step)")
        }
    }

    @Test(
        "A second writer that a lost lock lets in finds what was acknowledged, and the first harms nothing of its",
        arguments: [Displacement.lockRemoved, .lockReplaced, .lockRenamed], Action.allCases)
    func secondWriter(displacement: Displacement, action: Action) throws {
        let disk = SimulatedDisk(reserving: 5_000)
        let first = try Self.written(disk)
        try displacement.happen(to: disk)
        var test = TestLog(disk)
        test.environment = SimulatedEnvironment(seed: 2, process: 99)
        let second = try test.open()
        #expect(second.content.transactions == [payload(1)])
        try second.log.append(payload(2))
        try second.log.sync()
        let before = disk.image
        #expect(throws: displacement.error.asOfSecondWriter) {
            try Action.append.perform(on: first)
        }
        #expect(throws: LogError.self) {
            try action == .close ? first.sync() : action.perform(on: first)
        }
        try first.close()
        #expect(disk.image == before)
        try second.log.append(payload(3))
        try second.log.close()
        #expect(try test.read().content.transactions == (1...3).map { payload($0) })
        #expect(try LogVerification.verify(disk).isSound)
    }

    @Test("A compaction that is displaced neither names nor removes a file", arguments: 0..<4)
    func compaction(step: Int) throws {
        let disk = SimulatedDisk()
        let log = try Self.written(disk)
        try CompactionLog.compact(log, [payload(1)])
        try log.append(payload(2))
        let compaction = try #require(try log.beginCompaction())
        var before = disk.image
        func displace(_ number: Int) throws {
            guard number == step else { return }
            try disk.remove(StoreFileName.lock.text)
            before = disk.image
        }
        func run() throws {
            try displace(0)
            let writer = try #require(try compaction.beginCheckpoint(time: 0))
            _ = try compaction.finishCheckpoint(
                writer,
                contentDigest: try CompactionLog.encode([payload(1), payload(2)], into: writer))
            try displace(1)
            _ = try compaction.publishCheckpoint(writer)
            let (manifest, _) = try compaction.plan(.newestState)
            try displace(2)
            try compaction.install(manifest)
            try displace(3)
            try compaction.removeSuperseded(by: manifest)
        }
        #expect(throws: Displacement.lockRemoved.error) { try run() }
        compaction.abandon()
        #expect(disk.image == before)
    }

    @Test("A log that is displaced while it is replayed is not recovered")
    func recovery() throws {
        let disk = SimulatedDisk(reserving: 5_000)
        try Self.written(disk).abandon()
        let scanned = try TestLog(disk).scan(.readWrite)
        _ = try TestLog.replay(scanned)
        try Displacement.lockReplaced.happen(to: disk)
        let before = disk.image
        #expect(throws: Displacement.lockReplaced.error) {
            try scanned.recover { TestLog.prologue }
        }
        #expect(disk.image == before)
    }

    @Test(
        "A lock file that is replaced between its opening and its locking is not the one that is held"
    )
    func racingReplacement() throws {
        let disk = SimulatedDisk()
        try TestLog(disk).open().log.close()
        let replacements = Lock(3)
        let hooked = HookedFileSystem(disk) { operation, name, _ throws(FileSystemError) in
            guard operation == .status, name == StoreFileName.lock.text else { return }
            let isDue = replacements.withLock { count in
                count -= 1
                return count >= 0
            }
            guard isDue else { return }
            try disk.remove(name)
            _ = try disk.open(name, .createIfMissing)
        }
        let log = try TestLog(hooked).open().log
        #expect(replacements.withLock { $0 } < 0)
        try log.append(payload(1))
        try log.sync()
        var second = TestLog(disk)
        second.environment = SimulatedEnvironment(process: 99)
        let error = #expect(throws: LogError.self) { try second.scan(.readWrite) }
        guard case .locked = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try log.close()
    }
}

extension LogError {
    /// The second writer has made a lock file.
    fileprivate var asOfSecondWriter: LogError {
        guard case .displaced(let file, _) = self else { return self }
        return .displaced(file: file, isReplaced: true)
    }
}
