import Testing
import VarveLog
import VarveTestSupport

@Suite("The page table of a checkpoint")
struct CheckpointPagesTests {
    private static let payloads = (0..<3_000).map { Array("page \($0)".utf8) }
    private static let (previous, newest) = ("checkpoint-0000000001", "checkpoint-0000000002")
    private static let entryBytes = 56
    private static let firstEntry = 40

    /// Two checkpoints whose tables are longer than what is read of one at a time.
    private static func disk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let log = try CompactionLog(disk).open().log
        for _ in 0..<2 {
            try log.append(text: "varve")
            try CompactionLog.compact(log, payloads)
        }
        try log.close()
        return disk
    }

    private static func tableStart(in bytes: [UInt8]) -> Int {
        bytes.count - 56 - payloads.count * entryBytes
    }

    private static func problems(of disk: SimulatedDisk) throws -> [CheckpointProblem] {
        try CompactionLog(disk).read().report.checkpointProblems
    }

    @Test("Pages are those that were written, one behind the other")
    func pages() throws {
        let scanned = try CompactionLog(Self.disk()).test.scan(.readOnly)
        let file = try scanned.open(scanned.manifest.checkpoints[0])
        #expect(file.reference.file.text == Self.newest)
        #expect(file.pages.map(\.key.first) == Self.payloads.indices.map { UInt32($0) })
        #expect(file.pages.map(\.rawBytes.rawValue) == Self.payloads.map { UInt64($0.count) })
        #expect(file.size.raw.rawValue == Self.payloads.reduce(0) { $0 + UInt64($1.count) })
        #expect(file.contentDigest == UInt64(Self.payloads.count))
        var end: UInt64 = 128
        for page in file.pages {
            #expect(page.offset.rawValue == end)
            end += page.storedBytes.rawValue
        }
        #expect(try CompactionLog.decode(file) == Self.payloads)
    }

    @Test("A bit that is wrong anywhere in the table of the previous checkpoint is found")
    func previousTable() throws {
        let disk = try Self.disk()
        let bytes = try #require(disk.image.files[Self.previous])
        let start = Self.tableStart(in: bytes)
        let places =
            [start, start + 65_535, start + 65_536, bytes.count - 5, bytes.count - 1]
            + stride(from: start + 1, to: bytes.count, by: 10_007)
        #expect(try Self.problems(of: disk).isEmpty)
        for place in places {
            disk.corrupt(Self.previous) { $0[place] ^= 0x04 }
            #expect(try Self.problems(of: disk).map(\.file) == [Self.previous], "\(place)")
            disk.corrupt(Self.previous) { $0[place] ^= 0x04 }
        }
    }

    @Test(
        "A table with a right checksum is refused where its parts contradict each other",
        arguments: [
            ("the digest", 16), ("the sum of raw bytes", 24),
            ("an offset", firstEntry + 9 * entryBytes),
            ("a kind", firstEntry + 9 * entryBytes + 8 + 4),
            ("a stored length", firstEntry + 9 * entryBytes + 8 + 8),
            ("a raw length", firstEntry + 9 * entryBytes + 8 + 12),
            ("a position", firstEntry + 9 * entryBytes + 8 + 16),
            ("a checksum of a header", firstEntry + 9 * entryBytes + 8 + 44),
        ])
    func forged(part: String, place: Int) throws {
        let disk = try Self.disk()
        disk.corrupt(Self.newest) { bytes in
            let start = Self.tableStart(in: bytes)
            bytes[start + place] ^= 0x01
            Self.mend(&bytes, at: start)
        }
        let problems = try Self.problems(of: disk)
        #expect(problems.map(\.file) == [Self.newest], "\(part)")
        #expect(problems.first?.reason.contains("page table") == true, "\(part)")
    }

    @Test("A table that is made again as it was is accepted")
    func mended() throws {
        let disk = try Self.disk()
        disk.corrupt(Self.newest) { Self.mend(&$0, at: Self.tableStart(in: $0)) }
        #expect(try Self.problems(of: disk).isEmpty)
    }

    /// Writes the checksum of a table.
    private static func mend(_ bytes: inout [UInt8], at start: Int) {
        let (salt, number): (UInt64, UInt64) = bytes.withUnsafeBytes {
            (
                $0.loadUnaligned(fromByteOffset: 64, as: UInt64.self),
                $0.loadUnaligned(fromByteOffset: 48, as: UInt64.self)
            )
        }
        let ofFile = Checksum.crc32c(number, after: Checksum.crc32c(salt))
        let seed = Checksum.crc32c(UInt64(start), after: ofFile)
        let checksum = bytes[start..<(bytes.count - 4)].withUnsafeBytes {
            Checksum.crc32c($0, after: seed)
        }
        withUnsafeBytes(of: checksum.littleEndian) {
            bytes.replaceSubrange((bytes.count - 4)..., with: $0)
        }
    }
}
