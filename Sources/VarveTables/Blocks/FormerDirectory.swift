import VarveEvents

/// The directory of images of forms 2 and 3: an entry for each block is in the root.
enum FormerDirectory {
    /// - Parameter offset: of the root, where blocks end.
    static func decode(
        _ reader: inout ByteReader, form: UInt32, endingAt offset: UInt64, nextBlock: UInt64
    ) throws(CodecError) -> BlockDirectory {
        let start = reader.position
        let chunkCount = try reader.readLength()
        let blockCount = try reader.readLength()
        let chunks = try decodeChunks(&reader, count: chunkCount)
        var blocks: [BlockEntry] = []
        blocks.reserveCapacity(blockCount)
        // Form 2 says of a block only whether it is compressed.
        let bitCount = form == 2 ? 1 : BlockCoding.bitCount
        var (position, span, number, end) = (0, 0, UInt64(0), UInt64(0))
        for _ in 0..<blockCount {
            let place = try decodePlace(&reader, chunks, behind: (position, span))
            let block = try BlockEntry.decode(
                &reader, at: place.block, bitCount: bitCount, after: number, below: nextBlock,
                from: end)
            (position, span) = (place.chunk, place.block.firstSpan + place.block.spanCount)
            number = block.number
            end += UInt64(block.storedCount)
            blocks.append(block)
        }
        guard end == offset else {
            throw .invalidValue(offset: start, typeName: "lengths of blocks")
        }
        let spanCounts = Dictionary(
            chunks.map { ($0.number, $0.spanCount) }, uniquingKeysWith: { $1 })
        // Such an image has no parts.
        var parts = ByteWriter()
        return BlockDirectory.make(
            of: blocks, spanCounts: spanCounts, nextBlock: nextBlock, into: &parts)
    }

    private typealias Chunk = (number: Int, spanCount: Int)

    private static func decodeChunks(
        _ reader: inout ByteReader, count: Int
    ) throws(CodecError) -> [Chunk] {
        var chunks: [Chunk] = []
        chunks.reserveCapacity(count)
        var last: UInt64 = 0
        for _ in 0..<count {
            let offset = reader.position
            let (number, overflow) = last.addingReportingOverflow(try reader.readVarint())
            let spanCount = try reader.readVarint()
            guard !overflow, number > last, number < UInt64(PageNumber.chunkLimit), spanCount > 0,
                spanCount <= UInt64(ImageLayout.spansMax)
            else { throw .valueOutOfRange(offset: offset, typeName: "chunk") }
            chunks.append((Int(number), Int(spanCount)))
            last = number
        }
        return chunks
    }

    private static func decodePlace(
        _ reader: inout ByteReader, _ chunks: [Chunk], behind end: (chunk: Int, span: Int)
    ) throws(CodecError) -> (chunk: Int, block: BlockPlace) {
        let start = reader.position
        let chunk = try reader.readVarint()
        let firstSpan = try reader.readVarint()
        let spanCount = try reader.readVarint()
        guard chunk < UInt64(chunks.count), firstSpan < UInt64(ImageLayout.spansMax),
            spanCount > 0, spanCount <= UInt64(ImageLayout.spansMax),
            (Int(chunk), Int(firstSpan)) >= end,
            Int(firstSpan + spanCount) <= chunks[Int(chunk)].spanCount
        else { throw .invalidValue(offset: start, typeName: "place of a block") }
        let place = BlockPlace(
            chunk: chunks[Int(chunk)], firstSpan: Int(firstSpan), spanCount: Int(spanCount))
        return (Int(chunk), place)
    }
}
