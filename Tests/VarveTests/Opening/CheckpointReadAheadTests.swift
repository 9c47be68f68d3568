import Synchronization
import Testing
import VarveLog
import VarveReplay
import VarveTestSupport

@testable import Varve

@Suite("Reading a checkpoint ahead")
struct CheckpointReadAheadTests {
    /// Notes which parts of files are to be read ahead.
    private final class NotingFileSystem: ForwardingFileSystem {
        let base: any FileSystem
        let parts = Mutex<[Range<UInt64>]>([])

        init(_ base: any FileSystem) { self.base = base }

        func open(_ name: String, _ mode: FileOpenMode) throws(FileSystemError) -> any StoreFile {
            NotingFile(try base.open(name, mode), self)
        }

        func subdirectory(_ name: String) -> any FileSystem { base.subdirectory(name) }
    }

    private final class NotingFile: ForwardingFile {
        let base: any StoreFile
        private let files: NotingFileSystem

        init(_ base: any StoreFile, _ files: NotingFileSystem) {
            (self.base, self.files) = (base, files)
        }

        func readAhead(from offset: FrameOffset, byteCount: Int) {
            files.parts.withLock {
                $0.append(offset.rawValue..<offset.rawValue + UInt64(byteCount))
            }
        }
    }

    @Test("Each stretch of the file that is read in is asked for once")
    func stretches() throws {
        let disk = SimulatedDisk()
        let store = try LateDamageTests.open(disk)
        try CompactionTests.fill(store, 0..<8_000)
        try store.compact()
        try store.close()
        let files = NotingFileSystem(disk)
        let scanned = try ScannedLog.scan(files, mode: .readOnly)
        let checkpoint = try scanned.open(try #require(scanned.manifest.checkpoints.last))
        let readers = try checkpoint.makeReaders()
        let headerBytes: UInt64 = 48
        let stretch: UInt64 = 128 << 10
        var starts: Set<UInt64> = []
        for page in Array(checkpoint.pages) + checkpoint.pages.reversed() {
            guard CheckpointPart.Kind(code: page.key.kind) == .block else { continue }
            // A block is some KiB.
            for first in stride(from: 0, to: Int(page.rawBytes.rawValue) - 64, by: 4_096) {
                var bytes = [UInt8](repeating: 0, count: 64)
                try bytes.withUnsafeMutableBytes { try readers.read(page, from: first, into: $0) }
                let offset = page.offset.rawValue + headerBytes + UInt64(first)
                starts.insert(offset / stretch * stretch)
            }
        }
        #expect(starts.count > 2)
        let expected = starts.sorted().map { $0..<$0 + stretch }
        #expect(files.parts.withLock { $0 } == expected)
    }

    @Test("A read of a store has its checkpoint read ahead")
    func store() throws {
        let disk = try LateDamageTests.makeDisk()
        let files = NotingFileSystem(disk)
        let store = try LateDamageTests.open(files, .readOnly)
        #expect(describe(store.context) == (try LateDamageTests.content(of: disk)))
        #expect(files.parts.withLock { $0.map(\.lowerBound) } == [0])
    }
}
