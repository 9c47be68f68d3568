import Foundation
import Testing
import VarveLog
import VarveTestSupport

/// Changing what these tests pin changes the files on users' disks.
@Suite("The bytes of the format")
struct FormatStabilityTests {
    static func example() throws -> (header: SegmentHeader, manifest: Manifest) {
        let disk = SimulatedDisk()
        try TestLog(disk).create()
        let inspection = try LogInspection(disk)
        var header = inspection.segments[0].header
        header.store = StoreID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
        header.salt = 0x1122_3344_5566_7788
        header.createdAt = 1_700_000_000_000_000
        var manifest = inspection.manifest
        manifest.store = header.store
        manifest.createdAt = header.createdAt
        return (header, manifest)
    }

    /// Transaction 1 with the payload "varve", as the first frame of the segment.
    static func frame(_ header: SegmentHeader) -> [UInt8] {
        let payload = Array("varve".utf8)
        let checksum = payload.withUnsafeBytes { Checksum.crc32c($0) }
        let frame = FrameHeader(
            type: .transaction, codec: .stored, flags: [], storedLength: 5, rawLength: 5,
            sequence: LogSequence(1), durableEnd: FrameOffset(128), time: 1_700_000_000_000_000,
            storedChecksum: checksum, rawChecksum: checksum)
        var bytes = [UInt8](repeating: 0, count: FrameHeader.byteCount)
        bytes.withUnsafeMutableBytes { buffer in
            _ = frame.encode(into: buffer, at: FrameOffset(128), seed: header.placeSeed)
        }
        return bytes + payload + [0, 0, 0]
    }

    static let footer = SegmentFooter(
        frames: 1, transactions: 1, firstSequence: LogSequence(1), lastSequence: LogSequence(1),
        earliestTime: 1_700_000_000_000_000, latestTime: 1_700_000_000_000_000,
        rawBytes: ByteCount(5), digest: ChainDigest(0x0A0B_0C0D_0E0F_1011),
        dataEnd: FrameOffset(192),
        index: [
            SparseIndexEntry(
                sequence: LogSequence(1), time: 1_700_000_000_000_000, offset: FrameOffset(128))
        ])

    @Test("Docs/FORMAT.md shows the bytes that are written")
    func documentedBytes() throws {
        let (header, manifest) = try Self.example()
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Docs/FORMAT.md"), encoding: .utf8)
        for bytes in [
            header.encode(), Self.frame(header), Self.footer.encode(), manifest.encode(),
        ] {
            let dump = Self.hexadecimal(bytes)
            #expect(page.contains(dump), "now:\n\(dump)")
        }
    }

    private static func checkpointHeader() throws -> CheckpointHeader {
        let (segment, _) = try example()
        let disk = SimulatedDisk()
        let log = try CompactionLog(disk).open().log
        try log.append(text: "varve")
        try CompactionLog.compact(log, [Array("varve".utf8)])
        try log.close()
        let scanned = try CompactionLog(disk).test.scan(.readOnly)
        var header = try scanned.open(scanned.manifest.checkpoints[0]).header
        header.store = segment.store
        header.salt = segment.salt
        header.previousLength = ByteCount(368)
        header.previousDigest = ChainDigest(0x0A0B_0C0D_0E0F_1011)
        header.createdAt = segment.createdAt
        header.sequenceTime = segment.createdAt
        return header
    }

    @Test("Docs/FORMAT.md shows the bytes of a checkpoint")
    func documentedCheckpoint() throws {
        let disk = SimulatedDisk()
        let writer = try CheckpointWriter(try Self.checkpointHeader(), in: disk)
        try Array("varve".utf8).withUnsafeBytes { bytes in
            try writer.append(
                CheckpointPageKey(kind: 3, subject: 1, part: 0, first: 0, count: 1), bytes)
        }
        try writer.finish(contentDigest: 0x1817_1615_1413_1211)
        try writer.publish()
        let bytes = try #require(disk.image.files["checkpoint-0000000001"])
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Docs/FORMAT.md"), encoding: .utf8)
        for range in [0..<128, 128..<184, 184..<bytes.count] {
            let dump = Self.hexadecimal(Array(bytes[range]))
            #expect(page.contains(dump), "now:\n\(dump)")
        }
    }

    @Test("What is written is what lies in the file of a new store")
    func createdStore() throws {
        let disk = SimulatedDisk()
        try TestLog(disk).create()
        #expect(
            disk.image.files.mapValues(\.count) == [
                "LOCK": 256, "manifest-0000000001": 160, "segment-0000000001": 128,
            ])
        let inspection = try LogInspection(disk)
        #expect(inspection.segments[0].header.encode() == disk.image.files["segment-0000000001"])
        #expect(inspection.manifest.encode() == disk.image.files["manifest-0000000001"])
    }

    @Test("File names are read as they are written, and nothing else is taken for one")
    func fileNames() {
        let names: [StoreFileName] = [
            .lock, .manifest(generation: 1), .segment(SegmentID(12)), .checkpoint(number: 3),
            .lost, .assets, .temporary(.segment(SegmentID(2))),
            .segment(SegmentID(UInt64.max)),
        ]
        for name in names { #expect(StoreFileName(name.text) == name) }
        let foreign = [
            "", "segment-", "segment-1", "segment-00000000012", "segment-+000000001",
            "segment-0000000000", "manifest-x", "segment-0000000001.tmp.tmp", "LOCK.tmp",
            "Segment-0000000001", "segment-99999999999999999999999", ".tmp", "-0000000001",
        ]
        for text in foreign { #expect(StoreFileName(text) == nil, "\(text)") }
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count, by: 16).map { start in
            let line = bytes[start..<min(start + 16, bytes.count)].map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            let offset = String(start)
            return String(repeating: " ", count: 4 - offset.count) + offset + "  "
                + line.joined(separator: " ")
        }.joined(separator: "\n")
    }
}
