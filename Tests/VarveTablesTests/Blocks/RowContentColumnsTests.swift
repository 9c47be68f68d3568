import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Ids and rows of leaves as columns of their own.
@Suite("Contents of rows by columns")
struct RowContentColumnsTests {
    private static let geometry = RowLeaf.Geometry.standard

    private static func run(frames: Int) -> PageRun {
        PageRun(
            first: PageNumber(chunk: 1, offset: 0), kind: PageKind(.rowLeaf), frameBytes: 4_096,
            spanCount: frames)
    }

    /// Frames of leaves with such ids and rows, eight a leaf.
    private static func frames(_ contents: [(id: [UInt8], row: [UInt8])]) -> [UInt8] {
        let count = (contents.count + geometry.slotCount - 1) / geometry.slotCount
        var raw = [UInt8](repeating: 0, count: max(count, 1) * 4_096)
        raw.withUnsafeMutableBytes { raw in
            for frame in 0..<max(count, 1) {
                let page = Page(address: raw.baseAddress! + frame * 4_096)
                page.birth = PageVersion(1)
                page.setKind(PageKind(.rowLeaf), byteCount: 4_096)
                let leaf = RowLeaf(page: page, geometry: geometry)
                for (index, content) in contents.dropFirst(frame * geometry.slotCount)
                    .prefix(geometry.slotCount).enumerated()
                {
                    content.id.withUnsafeBytes { id in
                        content.row.withUnsafeBytes { row in
                            leaf.append(at: index, id: id, row: row, .vacant, large: nil)
                        }
                    }
                }
                RowLeaf.clearUnused(page)
            }
        }
        return raw
    }

    private static func encode(_ frames: [UInt8], apart: Bool = true) throws -> [UInt8] {
        var frames = frames
        let columns = try #require(
            BlockColumns(
                run(frames: frames.count / 4_096), frameCount: frames.count / 4_096,
                idsApart: apart))
        let room = BlockColumns.byteCountMax(ofFrames: frames.count)
        return try [UInt8](unsafeUninitializedCapacity: room) { content, count in
            try frames.withUnsafeMutableBytes {
                let start = try #require($0.baseAddress)
                count = try #require(
                    columns.encode(start, into: UnsafeMutableRawBufferPointer(content)))
            }
        }
    }

    private static func decode(_ content: [UInt8], frames count: Int) throws -> [UInt8]? {
        let columns = try #require(BlockColumns(run(frames: count), frameCount: count))
        var raw = [UInt8](repeating: 0, count: count * 4_096)
        let isSound = try raw.withUnsafeMutableBytes { raw in
            let start = try #require(raw.baseAddress)
            return content.withUnsafeBytes { columns.decode($0, into: start) }
        }
        return isSound ? raw : nil
    }

    private static func bytes(_ count: Int, of byte: UInt8) -> [UInt8] {
        [UInt8](repeating: byte, count: count)
    }

    @Test(
        "Ids that share nothing, all, or more than 255 bytes, and slots without id or row, come back",
        arguments: [
            [],
            [([1, 2, 3], [4])],
            [([], []), ([], [])],
            [([7], []), ([7], []), ([], [5]), ([7, 7], [0]), ([8], [0, 0])],
            [([0, 0], [0]), ([0, 0, 0], [0])],
            [(bytes(300, of: 1), [2]), (bytes(301, of: 1), [2]), (bytes(12, of: 1), [3])],
            (0..<21).map { (Array("user-\(1_000 + $0)".utf8), [UInt8($0)]) },
        ] as [[([UInt8], [UInt8])]])
    func roundTrip(_ contents: [([UInt8], [UInt8])]) throws {
        let frames = Self.frames(contents.map { (id: $0.0, row: $0.1) })
        let content = try Self.encode(frames)
        #expect(content.count <= BlockColumns.byteCountMax(ofFrames: frames.count))
        #expect(try Self.decode(content, frames: frames.count / 4_096) == frames)
    }

    @Test("Ids that count on take a byte or two of theirs")
    func size() throws {
        let frames = Self.frames((0..<800).map { (Array("user-\(10_000 + $0)".utf8), [1]) })
        let apart = try Self.encode(frames).count
        let between = try Self.encode(frames, apart: false).count
        // Of ten bytes one or two differ, and one says how many do not.
        #expect(between - apart > 800 * 7)
    }

    /// Whether a query would read the rows of such a block.
    private static func isRead(_ content: [UInt8], frames count: Int) -> Bool {
        let checksum = content.withUnsafeBytes { BlockEntry.checksum($0, number: 0) }
        let entry = BlockEntry(
            number: 0, run: run(frames: count), storedFrames: count, liveFrames: count, offset: 0,
            storedCount: content.count,
            coding: BlockCoding(isCompressed: false, isThorough: false, hasIDsApart: true),
            checksum: checksum)
        return RowBlock().read(
            entry, from: MemorySource(content), version: PageVersion(1), through: TransactionID(1)
        ) { _ in true }
    }

    @Test(
        "An id that shares more than the one before has, or than it has itself, is refused, by queries too"
    )
    func forgedSharing() throws {
        let frames = Self.frames([([1, 2], [9]), ([1, 2, 3], [9])])
        let content = try Self.encode(frames)
        // The end: shared of eight slots, ids, rows.
        let shared = content.count - (1 + 2) - (1 + 3) - 8
        #expect(
            Array(content[(shared - 1)...]) == [1, 0, 2, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 1, 9, 9])
        for (slot, count) in [(0, 1), (1, 3), (1, 4), (2, 1), (7, 255)] as [(Int, UInt8)] {
            var forged = content
            forged[shared + slot] = count
            #expect(try Self.decode(forged, frames: 1) == nil, "slot \(slot) shares \(count)")
            #expect(!Self.isRead(forged, frames: 1), "slot \(slot) shares \(count)")
        }
        // One that shares less has more bytes of its own, which are not there.
        var forged = content
        forged[shared + 1] = 1
        #expect(try Self.decode(forged, frames: 1) == nil)
        #expect(!Self.isRead(forged, frames: 1))
        #expect(Self.isRead(content, frames: 1))
    }

    @Test("Ids or rows that are left out are refused, be they zeros")
    func leftOut() throws {
        let content = try Self.encode(Self.frames([([0, 0], [0, 0])]))
        #expect(Array(content.suffix(6)) == [1, 0, 0, 1, 0, 0])
        #expect(try Self.decode(content.dropLast(6) + [0, 1, 0, 0], frames: 1) == nil)
        #expect(try Self.decode(content.dropLast(6) + [1, 0, 0, 0], frames: 1) == nil)
    }
}
