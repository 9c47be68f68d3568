import Foundation
import Testing
import VarveLog
import VarveTestSupport

@Suite("Real files")
struct POSIXFileSystemTests {
    @Test("A store on a real disk is written, rolled, closed, reopened and read")
    func wholeLife() throws {
        let store = try TemporaryStore()
        let test = TestLog(POSIXFileSystem(store.path), segmentBytesMax: 1_000)
        let first = try test.open()
        for number in 1...40 {
            try first.log.append(payload(number))
            if number % 10 == 0 { try first.log.sync() }
        }
        try first.log.close()
        let second = try test.open()
        #expect(second.report.endedCleanly)
        #expect(second.content.transactions == (1...40).map { payload($0) })
        second.log.abandon()
        #expect(try LogVerification.verify(POSIXFileSystem(store.path)).isSound)
    }

    @Test("Row 53: Files are private to their owner")
    func permissions() throws {
        let store = try TemporaryStore()
        try TestLog(POSIXFileSystem(store.path)).open().log.close()
        let manager = FileManager.default
        func mode(_ path: String) throws -> Int? {
            try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(store.path) == 0o700)
        for name in try manager.contentsOfDirectory(atPath: store.path) {
            #expect(try mode(store.path + "/" + name) == 0o600, "\(name)")
        }
    }

    @Test("Row 53: Links and directories in the place of files are refused", arguments: [0, 1, 2])
    func plantedFiles(kind: Int) throws {
        let store = try TemporaryStore()
        try TestLog(POSIXFileSystem(store.path)).open().log.close()
        let segment = store.path + "/" + StoreFileName.segment(SegmentID(1)).text
        let manager = FileManager.default
        try manager.moveItem(atPath: segment, toPath: store.path + ".moved")
        switch kind {
        case 0:
            try manager.createSymbolicLink(
                atPath: segment, withDestinationPath: store.path + ".moved")
        case 1: try manager.linkItem(atPath: store.path + ".moved", toPath: segment)
        default:
            try manager.createDirectory(atPath: segment, withIntermediateDirectories: false)
        }
        let error = #expect(throws: LogError.self) {
            try TestLog(POSIXFileSystem(store.path)).open()
        }
        #expect(
            error
                == .fileSystem(
                    FileSystemError(
                        .open, file: StoreFileName.segment(SegmentID(1)).text,
                        reason: .notAPlainFile)))
    }

    @Test("A path that leads nowhere, to a file, or to foreign files is refused and left alone")
    func foreignPlaces() throws {
        let store = try TemporaryStore()
        #expect(throws: LogError.missing(directory: store.path)) {
            try TestLog(POSIXFileSystem(store.path)).scan(.readOnly)
        }
        #expect(throws: LogError.missing(directory: store.path)) {
            try TestLog(POSIXFileSystem(store.path)).scan(.readWrite)
        }
        #expect(!FileManager.default.fileExists(atPath: store.path))
        try Data("a file".utf8).write(to: URL(filePath: store.path))
        let notADirectory = #expect(throws: LogError.self) {
            try TestLog(POSIXFileSystem(store.path)).open()
        }
        guard case .fileSystem = notADirectory else {
            Issue.record("\(String(describing: notADirectory))")
            return
        }
        try FileManager.default.removeItem(atPath: store.path)
        try FileManager.default.createDirectory(
            atPath: store.path, withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: URL(filePath: store.path + "/letter.txt"))
        let error = #expect(throws: LogError.self) {
            try TestLog(POSIXFileSystem(store.path)).open()
        }
        #expect(
            error == .notAStore(directory: store.path, reason: "it holds letter.txt"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: store.path) == ["letter.txt"])
    }

    @Test("Row 1: The cut tail of a real file is kept beside the log")
    func tornTail() throws {
        let store = try TemporaryStore()
        let test = TestLog(POSIXFileSystem(store.path))
        let first = try test.open().log
        for number in 1...3 { try first.append(payload(number)) }
        first.abandon()
        let segment = URL(
            filePath: store.path + "/" + StoreFileName.segment(SegmentID(1)).text)
        let whole = try Data(contentsOf: segment)
        try whole.dropLast(10).write(to: segment)
        let second = try test.open()
        #expect(second.content.transactions.count == 2)
        let dropped = try #require(second.report.dropped)
        #expect(dropped.lastRecognised == LogSequence(3))
        #expect(dropped.reason == .incompletePayload)
        let kept = try Data(
            contentsOf: URL(filePath: store.path + "/" + (dropped.keptAs ?? "")))
        #expect(kept == whole.dropLast(10).suffix(Int(dropped.bytes.rawValue)))
        second.log.abandon()
    }
}
