import VarveCompression
import VarveEvents

/// The blocks of an image, by the places of their pages.
///
/// Blocks are stored one behind the other in this order from the beginning of the image on: they can neither
/// overlap nor leave a gap.
///
/// A class, because all that reads pages asks it, and a copy would count a reference for each of its arrays.
final class BlockDirectory: Sendable {
    let chunks: [ImageLayout.Chunk]
    let blocks: [BlockEntry]
    /// The memory of all pages.
    let pageBytes: Int
    /// Of each chunk, where its spans begin in `blockOfSpan`.
    private let firstSpan: [Int32]
    /// The position of a span's block, plus one.
    private let blockOfSpan: [Int32]
    /// By number of a chunk, its position plus one.
    private let chunkPositions: [Int32]

    /// Chunks and blocks ascend by place, and each block lies in its chunk.
    init(chunks: [ImageLayout.Chunk], blocks: [BlockEntry]) {
        self.chunks = chunks
        self.blocks = blocks
        var chunkPositions = [Int32](repeating: 0, count: (chunks.last?.number ?? 0) + 1)
        var firstSpan: [Int32] = []
        var spans = 0
        for (position, chunk) in chunks.enumerated() {
            firstSpan.append(Int32(spans))
            spans += chunk.spanCount
            chunkPositions[chunk.number] = Int32(position + 1)
        }
        var blockOfSpan = [Int32](repeating: 0, count: spans)
        var pageBytes: UInt64 = 0
        for (index, block) in blocks.enumerated() {
            pageBytes += UInt64(block.run.byteCount)
            let start =
                Int(firstSpan[Int(chunkPositions[block.run.first.chunk]) - 1]) + block.run.firstSpan
            for span in start..<start + block.run.spanCount { blockOfSpan[span] = Int32(index + 1) }
        }
        self.pageBytes = Int(clamping: pageBytes)
        self.firstSpan = firstSpan
        self.blockOfSpan = blockOfSpan
        self.chunkPositions = chunkPositions
    }

    /// Which chunks the pages take.
    var layout: ImageLayout {
        ImageLayout(
            chunks: chunks, pageCount: blocks.reduce(0) { $0 + $1.liveFrames },
            pageBytes: pageBytes)
    }

    /// The bytes that blocks take in the image.
    var storedBytes: UInt64 {
        blocks.last.map { $0.offset + UInt64($0.storedCount) } ?? 0
    }

    func chunkPosition(_ number: Int) -> Int? {
        guard number < chunkPositions.count else { return nil }
        let position = Int(chunkPositions[number]) - 1
        return position < 0 ? nil : position
    }

    /// The block whose run has the span of a number, which may be any.
    func blockPosition(of number: PageNumber) -> Int? {
        guard let chunk = chunkPosition(number.chunk) else { return nil }
        let span = number.unit >> PageSpan.unitBits
        guard span < chunks[chunk].spanCount else { return nil }
        let position = Int(blockOfSpan[Int(firstSpan[chunk]) + span]) - 1
        return position < 0 ? nil : position
    }

    /// The frame of a number, by its block and its position there; nil where no frame of the image begins there.
    func frame(of number: PageNumber) -> (block: Int, index: Int)? {
        guard let block = blockPosition(of: number) else { return nil }
        let run = blocks[block].run
        let (index, rest) = (number.offset - run.first.offset)
            .quotientAndRemainder(dividingBy: run.frameBytes)
        return rest == 0 && index < run.frameCount ? (block, index) : nil
    }

    /// How many blocks each chunk has.
    var blockCounts: [Int] {
        var counts = [Int](repeating: 0, count: chunks.count)
        for block in blocks {
            if let chunk = chunkPosition(block.run.first.chunk) { counts[chunk] += 1 }
        }
        return counts
    }

    /// The memory that a chunk's frames need.
    func byteCount(ofChunk position: Int) -> Int {
        let chunk = chunks[position]
        let first = PageNumber(chunk: chunk.number, offset: 0)
        // A frame that is longer than its spans has a chunk of its own.
        let longest = blockPosition(of: first).map { blocks[$0].run.frameBytes } ?? 0
        return max(chunk.spanCount * PageSpan.bytes, longest)
    }
}

// MARK: - Bytes

extension BlockDirectory {
    func encode(into writer: inout ByteWriter) {
        writer.writeVarint(UInt64(chunks.count))
        writer.writeVarint(UInt64(blocks.count))
        var last = 0
        for chunk in chunks {
            writer.writeVarint(UInt64(chunk.number - last))
            writer.writeVarint(UInt64(chunk.spanCount))
            last = chunk.number
        }
        var number: UInt64 = 0
        for block in blocks {
            writer.writeVarint(UInt64(chunkPosition(block.run.first.chunk) ?? 0))
            writer.writeVarint(UInt64(block.run.firstSpan))
            writer.writeVarint(UInt64(block.run.spanCount))
            writer.append(block.run.kind.rawValue)
            writer.writeVarint(UInt64(block.run.frameBytes >> PageNumber.byteBits))
            writer.writeVarint(UInt64(block.storedFrames))
            writer.writeVarint(UInt64(block.liveFrames))
            writer.writeSigned(Int64(bitPattern: block.number &- number))
            writer.writeVarint(
                UInt64(block.storedCount) << BlockCoding.bitCount | block.coding.bits)
            writer.write(littleEndian: block.checksum)
            number = block.number
        }
    }

    /// - Parameters:
    ///   - form: of the root.
    ///   - storedBytes: what all blocks together take.
    static func decode(
        _ reader: inout ByteReader, form: UInt32, storedBytes: UInt64, nextBlock: UInt64
    ) throws(CodecError) -> BlockDirectory {
        let start = reader.position
        let chunkCount = try reader.readLength()
        let blockCount = try reader.readLength()
        let chunks = try decodeChunks(&reader, count: chunkCount)
        var blocks: [BlockEntry] = []
        blocks.reserveCapacity(blockCount)
        var end = (chunk: -1, span: 0)
        var offset: UInt64 = 0
        var number: UInt64 = 0
        for _ in 0..<blockCount {
            let position = reader.position
            let block = try decodeBlock(
                &reader, form: form, chunks, &end, after: number, at: offset)
            number = block.number
            guard number < nextBlock else {
                throw .valueOutOfRange(offset: position, typeName: "block number")
            }
            offset += UInt64(block.storedCount)
            blocks.append(block)
        }
        guard offset == storedBytes else {
            throw .invalidValue(offset: start, typeName: "lengths of blocks")
        }
        return BlockDirectory(chunks: chunks, blocks: blocks)
    }

    private static func decodeChunks(
        _ reader: inout ByteReader, count: Int
    ) throws(CodecError) -> [ImageLayout.Chunk] {
        var chunks: [ImageLayout.Chunk] = []
        chunks.reserveCapacity(count)
        var last: UInt64 = 0
        for _ in 0..<count {
            let offset = reader.position
            let (number, overflow) = last.addingReportingOverflow(try reader.readVarint())
            let spanCount = try reader.readVarint()
            guard !overflow, number > last, number < UInt64(PageNumber.chunkLimit), spanCount > 0,
                spanCount <= UInt64(ImageLayout.spansMax)
            else { throw .valueOutOfRange(offset: offset, typeName: "chunk") }
            chunks.append(.init(number: Int(number), spanCount: Int(spanCount)))
            last = number
        }
        return chunks
    }

    /// Twice what a store has. A run is longer only where one frame is.
    static let runBytesMax = 2 * PageStore.blockBytesStandard

    /// Whether the stored bytes may be of such frames. Short runs take memory whatever they hold, and of longer ones
    /// an eighth is free at most.
    private static func fits(_ block: BlockEntry) -> Bool {
        guard block.storedCount <= block.contentCountMax else { return false }
        return block.rawCount <= runBytesMax
            || UInt64(block.rawCount)
                <= 2 * BlockCompression.rawBytesMax(storedBytes: UInt64(block.storedCount))
    }

    private static func decodeBlock(
        _ reader: inout ByteReader, form: UInt32, _ chunks: [ImageLayout.Chunk],
        _ end: inout (chunk: Int, span: Int), after number: UInt64, at offset: UInt64
    ) throws(CodecError) -> BlockEntry {
        let start = reader.position
        func invalid(_ what: String) -> CodecError {
            .invalidValue(offset: start, typeName: what)
        }
        let chunk = try reader.readVarint()
        let firstSpan = try reader.readVarint()
        let spanCount = try reader.readVarint()
        guard chunk < UInt64(chunks.count), firstSpan < UInt64(ImageLayout.spansMax),
            spanCount > 0, spanCount <= UInt64(ImageLayout.spansMax),
            (Int(chunk), Int(firstSpan)) >= end,
            Int(firstSpan + spanCount) <= chunks[Int(chunk)].spanCount
        else { throw invalid("place of a block") }
        end = (Int(chunk), Int(firstSpan + spanCount))
        let kind = PageKind(rawValue: try reader.readByte())
        let units = try reader.readVarint()
        guard kind.structure != nil, units > 0, units <= UInt64(Page.unitsMax) else {
            throw invalid("frames of a block")
        }
        let run = PageRun(
            first: PageNumber(
                chunk: chunks[Int(chunk)].number, offset: Int(firstSpan) * PageSpan.bytes),
            kind: kind, frameBytes: Int(units) << PageNumber.byteBits, spanCount: Int(spanCount))
        guard
            run.byteCount <= run.spanCount * PageSpan.bytes
                || (chunks[Int(chunk)].spanCount == 1 && run.frameCount == 1)
        else { throw invalid("frames of a block") }
        // Frames that are not stored take memory too.
        guard run.spanCount * PageSpan.bytes <= max(runBytesMax, run.frameBytes + PageSpan.bytes)
        else { throw invalid("length of a block") }
        let storedFrames = try reader.readVarint()
        let liveFrames = try reader.readVarint()
        let delta = UInt64(bitPattern: try reader.readSigned())
        let stored = try reader.readVarint()
        // The previous form says of a block only whether it is compressed.
        let bitCount = form == ImageRoot.previousFormVersion ? 1 : BlockCoding.bitCount
        let storedCount = stored >> bitCount
        let coding = BlockCoding(bits: stored & (1 << bitCount - 1), of: kind)
        let checksum = try reader.readLittleEndian(UInt32.self)
        guard liveFrames > 0, liveFrames <= storedFrames, storedFrames <= UInt64(run.frameCount),
            storedCount > 0, storedCount < UInt64(UInt32.max), let coding
        else { throw invalid("counts of a block") }
        let block = BlockEntry(
            number: number &+ delta, run: run, storedFrames: Int(storedFrames),
            liveFrames: Int(liveFrames), offset: offset, storedCount: Int(storedCount),
            coding: coding, checksum: checksum)
        guard fits(block) else { throw invalid("counts of a block") }
        return block
    }
}
