import VarveCompression
import VarveEvents

/// What the root of an image says of one chunk: what its blocks come to, and which bytes say where they are.
struct ImageChunk: Hashable, Sendable {
    /// What blocks come to.
    struct Totals: Hashable, Sendable {
        var blockCount = 0
        /// Of them, those that were compressed thoroughly.
        var thoroughBlockCount = 0
        /// The spans of their runs.
        var spanCount = 0
        var storedBytes: UInt64 = 0
        /// Of the frames that are stored.
        var rawBytes = 0
        /// The memory of all frames.
        var pageBytes = 0
        /// The frames that hold a page.
        var pageCount = 0
        /// Of these, the leaves of rows.
        var rowLeafCount = 0

        mutating func add(_ block: BlockEntry) {
            blockCount += 1
            thoroughBlockCount += block.coding.isThorough ? 1 : 0
            spanCount += block.run.spanCount
            storedBytes += UInt64(block.storedCount)
            rawBytes += block.rawCount
            pageBytes += block.run.byteCount
            pageCount += block.liveFrames
            rowLeafCount += block.run.kind == PageKind(.rowLeaf) ? block.liveFrames : 0
        }

        mutating func add(_ other: Totals) {
            blockCount += other.blockCount
            thoroughBlockCount += other.thoroughBlockCount
            spanCount += other.spanCount
            storedBytes += other.storedBytes
            rawBytes += other.rawBytes
            pageBytes += other.pageBytes
            pageCount += other.pageCount
            rowLeafCount += other.rowLeafCount
        }
    }

    /// Where the blocks of a chunk begin: in the order of all blocks, and in the image.
    struct Start: Hashable, Sendable {
        var block = 0
        var offset: UInt64 = 0
    }

    var number: Int
    /// Of the chunk, with spans that are in no block.
    var spanCount: Int
    var totals: Totals
    /// Of the part of the directory that says where the blocks are.
    var partBytes: Int
    var partChecksum: UInt32

    /// The memory that the chunk's frames need. A frame that is longer than its spans has a chunk of its own.
    var memoryBytes: Int { max(spanCount * PageSpan.bytes, totals.pageBytes) }

    var layout: ImageLayout.Chunk {
        .init(number: number, spanCount: spanCount, freeSpanCount: spanCount - totals.spanCount)
    }
}

// MARK: - Bytes

extension ImageChunk {
    /// - Parameter last: the number of the chunk before.
    func encode(into writer: inout ByteWriter, after last: Int) {
        let numbers = [
            number - last, spanCount, totals.blockCount, totals.thoroughBlockCount,
            totals.spanCount, Int(totals.storedBytes), totals.rawBytes >> PageNumber.byteBits,
            totals.pageBytes >> PageNumber.byteBits, totals.pageCount, totals.rowLeafCount,
            partBytes,
        ]
        for number in numbers { writer.writeVarint(UInt64(bitPattern: Int64(number))) }
        writer.write(littleEndian: partChecksum)
    }

    /// What it says of blocks is compared when their part is read. Here it is bounded: memory is taken for as many blocks, and
    /// sums of all chunks do not overflow.
    static func decode(
        _ reader: inout ByteReader, after last: Int
    ) throws(CodecError) -> ImageChunk {
        let start = reader.position
        func number(in range: ClosedRange<Int>) throws(CodecError) -> Int {
            let value = try reader.readVarint()
            guard value <= UInt64(range.upperBound), value >= UInt64(range.lowerBound) else {
                throw .valueOutOfRange(offset: start, typeName: "chunk")
            }
            return Int(value)
        }
        let chunk = try number(in: 1...PageNumber.chunkLimit)
        guard last + chunk < PageNumber.chunkLimit else {
            throw .valueOutOfRange(offset: start, typeName: "chunk")
        }
        let spanCount = try number(in: 1...ImageLayout.spansMax)
        var totals = Totals()
        totals.blockCount = try number(in: 1...spanCount)
        totals.thoroughBlockCount = try number(in: 0...totals.blockCount)
        totals.spanCount = try number(in: totals.blockCount...spanCount)
        totals.storedBytes = UInt64(
            try number(in: totals.blockCount...totals.blockCount * Int(UInt32.max)))
        // A frame that is longer than its spans has a chunk of its own.
        let bytesMax = max(spanCount * PageSpan.bytes, spanCount == 1 ? Page.byteCountMax : 0)
        let unitsMax = bytesMax >> PageNumber.byteBits
        totals.rawBytes = try number(in: 1...unitsMax) << PageNumber.byteBits
        guard totals.isWorthItsMemory else {
            throw .valueOutOfRange(offset: start, typeName: "chunk")
        }
        totals.pageBytes = try number(in: 1...unitsMax) << PageNumber.byteBits
        let pagesMax = max(totals.blockCount, totals.rawBytes >> PageNumber.byteBits)
        totals.pageCount = try number(in: totals.blockCount...pagesMax)
        let leavesMax = min(totals.pageCount, totals.rawBytes / RowLeaf.Geometry.standard.body)
        totals.rowLeafCount = try number(in: 0...leavesMax)
        let partBytes = try number(
            in: totals.blockCount * ChunkBlocks.entryBytes.lowerBound...totals.blockCount
                * ChunkBlocks.entryBytes.upperBound)
        return ImageChunk(
            number: last + chunk, spanCount: spanCount, totals: totals, partBytes: partBytes,
            partChecksum: try reader.readLittleEndian())
    }
}

extension ImageChunk.Totals {
    /// Whether the stored bytes may be of so many frames, as each block must be (``BlockEntry``). The counts that follow from frames are used
    /// before a block is read.
    fileprivate var isWorthItsMemory: Bool {
        UInt64(rawBytes)
            <= UInt64(blockCount * BlockDirectory.runBytesMax)
            + 2 * BlockCompression.rawBytesMax(storedBytes: storedBytes)
    }
}
