import Foundation
import Testing
import VarveLog
import VarveTestSupport

@Suite("Error messages")
struct LogErrorTests {
    static let failure = FileSystemError(.write, file: "segment", reason: .system(code: 28))
    static let damage = LogDamage(
        segment: SegmentID(3), offset: FrameOffset(184), kind: .payload, expected: 0x10, found: 0x2F
    )

    static let all: [LogError] = [
        .notAStore(directory: "d", reason: "it holds x"), .missing(directory: "d"),
        .locked(directory: "d", holder: LockHolder(processID: 7, program: "notes")),
        .unsupportedVersion(file: "f", found: 2, supported: 1),
        .unsupportedFeatures(file: "f", bits: 4),
        .unsupportedFrame(segment: SegmentID(3), offset: FrameOffset(184), found: 9),
        .damaged(damage), .chainBroken(damage),
        .manifestDamaged(file: "f", reason: "it is empty"), .segmentMissing(SegmentID(3)),
        .successorMissing(of: SegmentID(3)), .noUsableCheckpoint([]),
        .logEndsBeforeCheckpoint(checkpoint: LogSequence(7), last: LogSequence(6)),
        .pageTooLarge(bytes: ByteCount(9), limit: ByteCount(8)),
        .noSuchTransaction(LogSequence(5)), .fileSystem(failure),
        .synchronizationFailed(failure, lastDurable: LogSequence(4)),
        .notWritable(directory: "d", failure),
        .displaced(file: "LOCK", isReplaced: true), .displaced(file: "LOCK", isReplaced: false),
        .poisoned(cause: .fileSystem(failure)), .closed,
        .openedInAnotherProcess(LockHolder(processID: 7, program: nil)),
    ]

    @Test("Every error is one line of its own", arguments: all)
    func oneLine(error: LogError) {
        let text = "\(error)"
        #expect(text.count > 20 && !text.contains("\n"))
        #expect(Self.all.filter { "\($0)" == text }.count == 1, "\(text)")
        #expect(text != "the log cannot be used")
    }

    @Test("Damage names its place and both values; a lock names its holder")
    func contents() {
        #expect(
            "\(LogError.damaged(Self.damage))".contains(
                "segment 3, offset 184: checksum of the stored bytes: expected 0x10, found 0x2f"))
        #expect("\(Self.all[2])".contains("notes (process 7)"))
        #expect(Self.failure.failureReason == "cannot write segment: No space left on device")
    }

    @Test("Every error about what is in the files names the way to what is intact")
    func salvage() {
        for error in Self.all {
            switch error {
            case .damaged, .chainBroken, .manifestDamaged, .segmentMissing, .successorMissing,
                .noUsableCheckpoint, .logEndsBeforeCheckpoint:
                #expect("\(error)".contains("or salvage what is intact into a new store"))
            default: #expect(!"\(error)".contains("salvage"))
            }
        }
    }

    @Test("A store that may not be written says that it may be read", arguments: [1, 13, 30])
    func refused(code: Int32) throws {
        let disk = SimulatedDisk()
        try TestLog(disk).open().log.close()
        let refusal = FileSystemError(.open, file: "LOCK", reason: .system(code: code))
        let refusing = HookedFileSystem(disk) { operation, name, _ throws(FileSystemError) in
            if operation == .open, name == "LOCK" { throw refusal }
        }
        let error = #expect(throws: LogError.self) { try TestLog(refusing).open() }
        #expect(error == .notWritable(directory: disk.displayPath, refusal))
        #expect("\(refusal)".hasPrefix("cannot open LOCK: "))
        #expect(error?.description.contains("open it read-only") ?? false)
    }

    @Test("A file is called by the name that it has, also behind its renaming")
    func renamedFile() throws {
        let disk = SimulatedDisk()
        let log = try TestLog(disk).open().log
        try log.append(payload(1))
        disk.failNextSynchronize()
        let error = #expect(throws: LogError.self) { try log.sync() }
        guard case .synchronizationFailed(let failure, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.file == StoreFileName.segment(SegmentID(1)).text)
    }

    @Test("Checkpoints or cut tails without a manifest are not taken for an empty directory")
    func dataWithoutManifest() {
        for name in ["checkpoint-0000000001", "lost/segment-0000000001-epoch-1-offset-128"] {
            let disk = SimulatedDisk(DiskImage([name: [1]]))
            let error = #expect(throws: LogError.self) { try TestLog(disk).open() }
            guard case .manifestDamaged = error else {
                Issue.record("\(name): \(String(describing: error))")
                continue
            }
            #expect(disk.operations.isEmpty)
        }
    }
}
