import VarveCompression
import VarveEvents

/// The blocks of one chunk: a part of the directory, which is read when one of them is.
// Sendable unchecked: what is behind the pointers changes in `init` alone.
final class ChunkBlocks: @unchecked Sendable {
    /// By place. They are numbered on from those of the chunks before.
    let entries: [BlockEntry]
    let firstBlock: Int
    private let spanCount: Int
    /// By span: its run, or none. Behind a pointer, because each page that a block names is looked up: an array would be retained and
    /// released around each look.
    private let spans: UnsafeMutablePointer<PageSpan>
    /// By span: the position of its block in ``entries``.
    private let positions: UnsafeMutablePointer<UInt16>

    init(_ entries: [BlockEntry], spanCount: Int, firstBlock: Int) {
        self.entries = entries
        self.firstBlock = firstBlock
        self.spanCount = spanCount
        spans = .allocate(capacity: spanCount)
        spans.initialize(repeating: .none, count: spanCount)
        positions = .allocate(capacity: spanCount)
        positions.initialize(repeating: 0, count: spanCount)
        for (index, block) in entries.enumerated() {
            let first = block.run.firstSpan
            precondition(first + block.run.spanCount <= spanCount, "a run lies in its chunk")
            for position in 0..<block.run.spanCount {
                spans[first + position] = block.run.span(position)
                positions[first + position] = UInt16(index)
            }
        }
    }

    deinit {
        spans.deallocate()
        positions.deallocate()
    }

    /// The run of a number, which may be any of the chunk; none where it is in no block.
    @inline(__always)
    func span(of number: PageNumber) -> PageSpan {
        let span = number.unit >> PageSpan.unitBits
        return span < spanCount ? spans[span] : .none
    }

    /// The block whose run has a number, among all.
    @inline(__always)
    func block(of number: PageNumber) -> Int? {
        guard span(of: number) != .none else { return nil }
        return firstBlock + Int(positions[number.unit >> PageSpan.unitBits])
    }

    func entry(_ block: Int) -> BlockEntry { entries[block - firstBlock] }

    /// Whether a page of the right kind may be at a number, which may be any of the chunk.
    @inline(__always)
    func has(_ number: PageNumber, _ expectation: PageAnatomy.Expectation) -> Bool {
        let span = span(of: number)
        return span.frameIndex(of: number) != nil && expectation.admits(span)
    }

    /// The spans that are in no block.
    var freeSpans: [Range<Int>] {
        var ranges: [Range<Int>] = []
        var end = 0
        for block in entries {
            if end < block.run.firstSpan { ranges.append(end..<block.run.firstSpan) }
            end = block.run.firstSpan + block.run.spanCount
        }
        if end < spanCount { ranges.append(end..<spanCount) }
        return ranges
    }

    var totals: ImageChunk.Totals {
        entries.reduce(into: ImageChunk.Totals()) { $0.add($1) }
    }
}

// MARK: - Bytes

extension ChunkBlocks {
    /// The least and the most that an entry takes.
    static let entryBytes = 12...48

    func encode(into writer: inout ByteWriter) {
        var (end, number) = (0, UInt64(0))
        for block in entries {
            let gap = block.run.firstSpan - end
            writer.writeVarint(UInt64(bitPattern: Int64(gap)))
            writer.writeVarint(UInt64(block.run.spanCount))
            block.encode(into: &writer, after: number)
            (end, number) = (block.run.firstSpan + block.run.spanCount, block.number)
        }
    }

    /// - Parameters:
    ///   - chunk: whose part it is. What it says of the blocks is compared with them.
    ///   - nextBlock: blocks have numbers below it.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, of chunk: ImageChunk, at start: ImageChunk.Start,
        nextBlock: UInt64
    ) throws(CodecError) -> ChunkBlocks {
        var reader = ByteReader(bytes)
        var entries: [BlockEntry] = []
        entries.reserveCapacity(chunk.totals.blockCount)
        var (end, number, offset) = (0, UInt64(0), start.offset)
        for _ in 0..<chunk.totals.blockCount {
            let position = reader.position
            let gap = try reader.readVarint()
            let count = try reader.readVarint()
            let left = UInt64(chunk.spanCount - end)
            guard count > 0, gap < left, count <= left - gap else {
                throw .invalidValue(offset: position, typeName: "place of a block")
            }
            let place = BlockPlace(
                chunk: (chunk.number, chunk.spanCount), firstSpan: end + Int(gap),
                spanCount: Int(count))
            let block = try BlockEntry.decode(
                &reader, at: place, bitCount: BlockCoding.bitCount, after: number,
                below: nextBlock, from: offset)
            entries.append(block)
            (end, number) = (place.firstSpan + place.spanCount, block.number)
            offset += UInt64(block.storedCount)
        }
        try reader.expectEnd()
        let blocks = ChunkBlocks(entries, spanCount: chunk.spanCount, firstBlock: start.block)
        guard blocks.totals == chunk.totals else {
            throw .invalidValue(offset: 0, typeName: "what the blocks of a chunk come to")
        }
        return blocks
    }
}

/// Where the run of a block lies.
struct BlockPlace {
    let chunk: (number: Int, spanCount: Int)
    let firstSpan: Int
    let spanCount: Int
}

extension BlockEntry {
    /// All but its place.
    ///
    /// - Parameter number: of the block before.
    fileprivate func encode(into writer: inout ByteWriter, after last: UInt64) {
        writer.append(run.kind.rawValue)
        writer.writeVarint(UInt64(run.frameBytes >> PageNumber.byteBits))
        writer.writeVarint(UInt64(storedFrames))
        writer.writeVarint(UInt64(liveFrames))
        writer.writeSigned(Int64(bitPattern: number &- last))
        writer.writeVarint(UInt64(storedCount) << BlockCoding.bitCount | coding.bits)
        writer.write(littleEndian: checksum)
    }

    /// - Parameters:
    ///   - bitCount: of the coding.
    ///   - last: the number of the block before.
    ///   - limit: blocks have numbers below it.
    ///   - offset: where the block begins.
    static func decode(
        _ reader: inout ByteReader, at place: BlockPlace, bitCount: UInt64, after last: UInt64,
        below limit: UInt64, from offset: UInt64
    ) throws(CodecError) -> BlockEntry {
        let start = reader.position
        func invalid(_ what: String) -> CodecError { .invalidValue(offset: start, typeName: what) }
        let kind = PageKind(rawValue: try reader.readByte())
        let units = try reader.readVarint()
        guard kind.structure != nil, units > 0, units <= UInt64(Page.unitsMax) else {
            throw invalid("frames of a block")
        }
        let run = PageRun(
            first: PageNumber(
                chunk: place.chunk.number, offset: place.firstSpan * PageSpan.bytes),
            kind: kind, frameBytes: Int(units) << PageNumber.byteBits, spanCount: place.spanCount)
        guard
            run.byteCount <= run.spanCount * PageSpan.bytes
                || (place.chunk.spanCount == 1 && run.frameCount == 1)
        else { throw invalid("frames of a block") }
        // Frames that are not stored take memory too.
        guard
            run.spanCount * PageSpan.bytes
                <= max(BlockDirectory.runBytesMax, run.frameBytes + PageSpan.bytes)
        else { throw invalid("length of a block") }
        let storedFrames = try reader.readVarint()
        let liveFrames = try reader.readVarint()
        let number = last &+ UInt64(bitPattern: try reader.readSigned())
        let stored = try reader.readVarint()
        let storedCount = stored >> bitCount
        let coding = BlockCoding(bits: stored & (1 << bitCount - 1), of: kind)
        let checksum = try reader.readLittleEndian(UInt32.self)
        guard liveFrames > 0, liveFrames <= storedFrames, storedFrames <= UInt64(run.frameCount),
            storedCount > 0, storedCount < UInt64(UInt32.max), let coding
        else { throw invalid("counts of a block") }
        guard number < limit else { throw invalid("number of a block") }
        let block = BlockEntry(
            number: number, run: run, storedFrames: Int(storedFrames),
            liveFrames: Int(liveFrames), offset: offset, storedCount: Int(storedCount),
            coding: coding, checksum: checksum)
        guard block.isWorthItsMemory else { throw invalid("counts of a block") }
        return block
    }

    /// Whether the stored bytes may be of such frames. Short runs take memory whatever they hold, and of longer ones
    /// an eighth is free at most.
    private var isWorthItsMemory: Bool {
        guard storedCount <= contentCountMax else { return false }
        return rawCount <= BlockDirectory.runBytesMax
            || UInt64(rawCount)
                <= 2 * BlockCompression.rawBytesMax(storedBytes: UInt64(storedCount))
    }
}
