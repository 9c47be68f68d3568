import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Pages as columns, and back.
@Suite("Columns of a block")
struct BlockColumnsTests {
    private static func forged(seed: Int) throws -> ForgedImage {
        if seed % 3 == 0 { return try ForgedImage(UserLog.state(count: 700).image()) }
        var history = StateHistory(seed: seed)
        try history.advance(80)
        return try ForgedImage(history.state.image())
    }

    private static func content(of block: ForgedImage.Block) throws -> [UInt8] {
        let columns = try #require(
            BlockColumns(
                block.entry.run, frameCount: block.entry.storedFrames,
                idsApart: block.entry.coding.hasIDsApart))
        var raw = block.raw
        let room = BlockColumns.byteCountMax(ofFrames: raw.count)
        return try [UInt8](unsafeUninitializedCapacity: room) { content, count in
            try raw.withUnsafeMutableBytes { raw in
                let start = try #require(raw.baseAddress)
                count = try #require(
                    columns.encode(start, into: UnsafeMutableRawBufferPointer(content)))
            }
        }
    }

    /// Nil where the content cannot be of the block's frames.
    private static func frames(
        of block: ForgedImage.Block, _ content: [UInt8]
    ) throws -> [UInt8]? {
        let columns = try #require(
            BlockColumns(
                block.entry.run, frameCount: block.entry.storedFrames,
                idsApart: block.entry.coding.hasIDsApart))
        var raw = [UInt8](repeating: 0, count: block.raw.count)
        let isSound = try raw.withUnsafeMutableBytes { raw in
            let start = try #require(raw.baseAddress)
            return content.withUnsafeBytes { columns.decode($0, into: start) }
        }
        return isSound ? raw : nil
    }

    @Test("Pages of all kinds become the same pages again", arguments: 1...12)
    func roundTrip(seed: Int) throws {
        var image = try Self.forged(seed: seed)
        if seed % 4 == 0 { image.putIDsBetweenRows() }
        for block in image.blocks {
            let content = try Self.content(of: block)
            #expect(try Self.frames(of: block, content) == block.raw, "\(block.entry.run.kind)")
        }
    }

    @Test("A content that is cut, longer or changed is refused, or is of pages", arguments: 1...12)
    func foreign(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        for block in try Self.forged(seed: seed).blocks {
            let content = try Self.content(of: block)
            for cut in [0, 1, content.count / 2, content.count - 1] {
                #expect(try Self.frames(of: block, [UInt8](content[..<cut])) == nil)
            }
            #expect(try Self.frames(of: block, content + [0]) == nil)
            for _ in 0..<40 {
                var changed = content
                for _ in 0...generator.below(3) {
                    let position = generator.below(changed.count)
                    changed[position] = UInt8(truncatingIfNeeded: generator.next())
                }
                _ = try Self.frames(of: block, changed)
            }
        }
    }

    @Test("Versions that go down, gaps between pages and the highest values are kept")
    func extremes() throws {
        let run = PageRun(
            first: PageNumber(chunk: 1, offset: 0), kind: PageKind(.idBucket), frameBytes: 64,
            spanCount: 1)
        var raw = [UInt8](repeating: 0, count: 5 * 64)
        raw.withUnsafeMutableBytes { raw in
            for (index, birth) in [(0, 9), (1, (1 << 62) - 1), (4, 1)] as [(Int, UInt64)] {
                let page = Page(address: raw.baseAddress! + index * 64)
                page.birth = PageVersion(birth)
                page.setKind(run.kind, byteCount: 64)
                page.count = index
                for item in 0..<index {
                    page.store(item % 2 == 0 ? UInt32.max : 0, at: Page.headerBytes + 8 * item)
                    page.store(UInt32.max - UInt32(item), at: Page.headerBytes + 8 * item + 4)
                }
            }
        }
        let entry = BlockEntry(
            number: 0, run: run, storedFrames: 5, liveFrames: 3, offset: 0, storedCount: 0,
            coding: .init(isCompressed: false, isThorough: false, hasIDsApart: false),
            checksum: 0)
        let block = ForgedImage.Block(entry: entry, raw: raw)
        #expect(try Self.frames(of: block, Self.content(of: block)) == raw)
    }

    @Test("Of a column of bytes that is left out, nothing is read behind it")
    func absentBytes() throws {
        let run = PageRun(
            first: PageNumber(chunk: 1, offset: 0), kind: PageKind(.largeContent), frameBytes: 64,
            spanCount: 1)
        let columns = try #require(BlockColumns(run, frameCount: 1))
        // A version, no count, a content of five bytes, which are left out; and what lies behind that.
        let bytes: [UInt8] = [1, 3, 0, 1, 5, 0] + [UInt8](repeating: 0xFF, count: 32)
        var raw = [UInt8](repeating: 0, count: 64)
        let isSound = try raw.withUnsafeMutableBytes { raw in
            let start = try #require(raw.baseAddress)
            return bytes.withUnsafeBytes {
                columns.decode(UnsafeRawBufferPointer(rebasing: $0[..<6]), into: start)
            }
        }
        #expect(isSound)
        #expect(raw[LargeContent.body...].allSatisfy { $0 == 0 })
    }

    @Test("A slot's stamps, flags and directory take few bytes, and what no slot uses takes none")
    func size() throws {
        let image = try ForgedImage(UserLog.state(count: 5_000).image())
        var (bodies, contents, slots) = (0, 0, 0)
        for block in image.blocks where block.entry.run.kind == PageKind(.rowLeaf) {
            contents += try Self.content(of: block).count
            var raw = block.raw
            raw.withUnsafeMutableBytes { raw in
                for index in 0..<block.entry.storedFrames {
                    let page = Page(address: raw.baseAddress! + index * block.entry.run.frameBytes)
                    bodies += RowLeaf(page: page, geometry: .standard).bodyCount
                    slots += page.count
                }
            }
        }
        #expect(slots == 5_000)
        #expect(contents - bodies < 8 * slots, "\((contents - bodies) / slots) bytes a slot")
    }
}
