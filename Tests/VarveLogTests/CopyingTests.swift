import Testing
import VarveLog
import VarveTestSupport

@Suite("Copies of a store that is written")
struct CopyingTests {
    /// A writer that appends, rolls and compacts whenever it is asked to.
    private final class BusyWriter {
        let disk = SimulatedDisk()
        private let log: Log
        private var random: SeededGenerator
        private var compactions = 0
        private(set) var count = 0

        init(seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            log = try CompactionLog(disk).open().log
            for _ in 0..<8 { try append() }
        }

        deinit { log.abandon() }

        var durable: Int { Int(log.durableSequence.rawValue) }

        /// Mostly nothing: segments are tiny, and a copy gives up when the log rolls under each of
        /// its looks.
        func step() throws {
            switch Int.random(in: 0..<48, using: &random) {
            case 0..<3: try append()
            case 3:
                try append()
                try log.sync()
            case 4: try log.seal()
            case 5 where compactions < 3:
                compactions += 1
                try CompactionLog.compact(log, LogPayload.first(count))
            default: break
            }
        }

        private func append() throws {
            count += 1
            try log.append(LogPayload.of(count))
        }
    }

    @Test(
        "Row 18: a backup is one moment of the store, whatever its writer does between any two of its reads",
        arguments: 1...60 as ClosedRange<UInt64>)
    func backup(seed: UInt64) throws {
        let writer = try BusyWriter(seed: seed)
        let before = writer.durable
        let failure = Lock<String?>(nil)
        // Unchecked: everything here runs on this thread.
        nonisolated(unsafe) let busy = writer
        let source = Self.interleaved(writer.disk) {
            do { try busy.step() } catch { failure.withLock { $0 = "\(error)" } }
        }
        let target = SimulatedDisk()
        let report = try LogBackup.run(
            from: source, to: target, environment: SimulatedEnvironment(seed: seed),
            configuration: CompactionLog(target).test.configuration)
        #expect(failure.withLock { $0 } == nil)
        let last = Int(report.last.rawValue)
        #expect(last >= before && last <= writer.durable, "seed \(seed)")
        #expect(try CompactionLog(target).read().payloads == LogPayload.first(last), "seed \(seed)")
        #expect(try LogVerification.verify(target).isSound, "seed \(seed)")
        let opened = try CompactionLog(target, seed: 5).open()
        #expect(opened.payloads.count == last && opened.report.dropped == nil, "seed \(seed)")
        opened.log.abandon()
    }

    @Test(
        "Row 18: files copied one by one, piece by piece, open with a part of the log or are refused"
    )
    func plainCopy() throws {
        var opened = 0
        var refused = 0
        for seed in 1...150 as ClosedRange<UInt64> {
            let copy = try plainCopy(seed)
            do throws(LogError) {
                let store = try CompactionLog(SimulatedDisk(copy), seed: 5).open()
                store.log.abandon()
                #expect(store.payloads == LogPayload.first(store.payloads.count), "seed \(seed)")
                opened += 1
            } catch {
                refused += 1
            }
        }
        #expect(opened > 0 && refused > 0, "\(opened) opened, \(refused) refused")
    }

    @Test(
        "Row 18: a compaction of the writer while its checkpoints are copied costs the backup nothing",
        arguments: ["segment", "checkpoint"])
    func compactionMeanwhile(_ prefix: String) throws {
        let disk = SimulatedDisk()
        let log = try CompactionLog(disk).open().log
        for round in 1...2 {
            for number in 1...6 { try log.append(LogPayload.of((round - 1) * 6 + number)) }
            try CompactionLog.compact(log, LogPayload.first(round * 6), retaining: .everything)
        }
        try log.append(LogPayload.of(13))
        try log.sync()
        try log.seal()
        let checkpoints = Lock(0)
        let failure = Lock<String?>(nil)
        // Unchecked: everything here runs on this thread.
        nonisolated(unsafe) let writer = log
        let source = HookedFileSystem(disk) { operation, name, _ in
            guard operation == .open else { return }
            // Of each checkpoint its table of pages is read, and then its pages.
            let isLast = name == "checkpoint-0000000001"
            if isLast { checkpoints.withLock { $0 += 1 } }
            let opened = checkpoints.withLock { $0 }
            guard prefix == "checkpoint" ? isLast && opened == 1 : opened == 2,
                name.hasPrefix(prefix)
            else { return }
            checkpoints.withLock { $0 = 100 }
            do {
                try CompactionLog.compact(writer, LogPayload.first(13), retaining: .everything)
            } catch {
                failure.withLock { $0 = "\(error)" }
            }
        }
        let target = SimulatedDisk()
        let report = try LogBackup.run(
            from: source, to: target, environment: SimulatedEnvironment(seed: 9),
            configuration: CompactionLog(target).test.configuration)
        #expect(failure.withLock { $0 } == nil && checkpoints.withLock { $0 } >= 100)
        #expect(report.checkpointProblems.isEmpty && report.last == LogSequence(13))
        #expect(try CompactionLog(target).read().payloads == LogPayload.first(13))
        log.abandon()
    }

    @Test("Row 22: salvage looks behind a place that cannot be read once, however much lies there")
    func unreadablePlace() throws {
        let disk = SimulatedDisk()
        let store = TestLog(disk)
        let log = try store.open().log
        for number in 1...5 { try log.append(payload(number)) }
        var random = SeededGenerator(seed: 4)
        try log.append(random.bytes(3 << 19))
        try log.append(random.bytes(2 << 20))
        try log.sync()
        log.abandon()
        let opened = Lock(0)
        // In the last transaction, not far from its beginning.
        let unreadable: Range<UInt64> = (1_900_544)..<(1_900_544 + 4_096)
        let failing = HookedFileSystem(disk) { operation, name, bytes throws(FileSystemError) in
            guard name.hasPrefix("segment") else { return }
            if operation == .open { opened.withLock { $0 += 1 } }
            if operation == .read, bytes.overlaps(unreadable) {
                throw FileSystemError(.read, file: name, reason: .system(code: 5))
            }
        }
        let target = SimulatedDisk()
        let report = try LogSalvage.run(
            from: failing, to: target, environment: SimulatedEnvironment(seed: 3),
            content: Self.content)
        #expect(report.transactions == 6)
        #expect(opened.withLock { $0 } < 30, "it was opened \(opened.withLock { $0 }) times")
    }

    private static var content: SalvageContent {
        SalvageContent(
            load: { _ in }, pass: { _ in }, lookAhead: { _ in false }, lose: { _ in [] },
            skip: { _ in }, take: { _ in .whole }, definitions: { [] }, writeState: { _ in 0 },
            lastTime: { 0 })
    }

    @Test("A salvage of a store that is open for writing names who writes it")
    func salvageBesideWriter() throws {
        let disk = SimulatedDisk()
        let log = try TestLog(disk).open().log
        let error = #expect(throws: LogError.self) {
            try LogSalvage.run(from: disk, to: SimulatedDisk(), content: Self.content)
        }
        guard case .locked(_, let holder) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(holder == LockHolder(processID: 4711, program: "simulation"))
        log.abandon()
    }

    @Test(
        "A salvage beside a writer is refused also where the note of the lock, or the lock, cannot be read"
    )
    func salvageBesideUnreadableLock() throws {
        let disk = SimulatedDisk()
        let log = try TestLog(disk).open().log
        func salvage(refusing refused: FileSystemError.Operation) -> LogError? {
            let failing = HookedFileSystem(disk) { operation, name, _ throws(FileSystemError) in
                guard operation == refused, name == StoreFileName.lock.text else { return }
                throw FileSystemError(refused, file: name, reason: .system(code: 13))
            }
            do throws(LogError) {
                _ = try LogSalvage.run(
                    from: failing, to: SimulatedDisk(), content: Self.content)
                return nil
            } catch {
                return error
            }
        }
        for operation in [FileSystemError.Operation.read, .status] {
            guard case .locked(_, let holder) = salvage(refusing: operation) else {
                Issue.record("salvaged beside a writer, \(operation)")
                continue
            }
            #expect(holder == LockHolder(processID: nil, program: nil))
        }
        guard case .fileSystem(let error) = salvage(refusing: .open) else {
            Issue.record("salvaged beside a writer")
            return
        }
        #expect(error.file == StoreFileName.lock.text && error.operation == .open)
        log.abandon()
    }

    private func plainCopy(_ seed: UInt64) throws -> DiskImage {
        let writer = try BusyWriter(seed: seed)
        var random = SeededGenerator(seed: seed)
        var copy = DiskImage()
        for name in writer.disk.image.files.keys.sorted().shuffled(using: &random) {
            var bytes: [UInt8] = []
            while let file = writer.disk.image.files[name], bytes.count < file.count {
                bytes += file.dropFirst(bytes.count).prefix(300)
                for _ in 0..<8 { try writer.step() }
            }
            copy.files[name] = bytes
        }
        return copy
    }
}

extension CopyingTests {
    /// A file system beside whose reading something happens.
    fileprivate static func interleaved(
        _ base: any FileSystem, _ happen: @escaping @Sendable () -> Void
    ) -> HookedFileSystem {
        HookedFileSystem(base) { operation, _, _ in
            switch operation {
            case .list, .open, .read: happen()
            default: break
            }
        }
    }
}
