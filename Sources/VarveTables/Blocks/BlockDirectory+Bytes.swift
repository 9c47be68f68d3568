import CVarve
import VarveEvents

extension BlockDirectory {
    /// The directory of blocks that are written.
    ///
    /// - Parameters:
    ///   - blocks: by place.
    ///   - spanCounts: of the chunks that they lie in, by number. A chunk without, or with fewer, ends with its last block.
    ///   - writer: takes in the bytes of the parts, which follow the blocks.
    static func make(
        of blocks: [BlockEntry], spanCounts: [Int: Int], nextBlock: UInt64,
        into writer: inout ByteWriter
    ) -> BlockDirectory {
        var chunks: [ImageChunk] = []
        var parts: [ChunkBlocks] = []
        var start = 0
        while start < blocks.count {
            let number = blocks[start].run.first.chunk
            let end = blocks[start...].firstIndex { $0.run.first.chunk != number } ?? blocks.count
            let entries = Array(blocks[start..<end])
            let spanCount = entries.reduce(spanCounts[number] ?? 0) {
                max($0, $1.run.firstSpan + $1.run.spanCount)
            }
            let part = ChunkBlocks(entries, spanCount: spanCount, firstBlock: start)
            let partStart = writer.count
            part.encode(into: &writer)
            let partChecksum = writer.withBytes {
                checksum(UnsafeRawBufferPointer(rebasing: $0[partStart...]))
            }
            chunks.append(
                ImageChunk(
                    number: number, spanCount: spanCount, totals: part.totals,
                    partBytes: writer.count - partStart, partChecksum: partChecksum))
            parts.append(part)
            start = end
        }
        let directory = BlockDirectory(chunks, nextBlock: nextBlock, source: nil)
        for (position, part) in parts.enumerated() { directory.publish(part, at: position) }
        return directory
    }

    static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        varve_crc32c(0, bytes.baseAddress, bytes.count)
    }

    /// What the chunks come to. Their parts are read from a source when they are needed.
    func encode(into writer: inout ByteWriter) {
        writer.writeVarint(UInt64(chunks.count))
        var last = 0
        for chunk in chunks {
            chunk.encode(into: &writer, after: last)
            last = chunk.number
        }
    }

    /// - Parameter offset: of the root, where blocks and parts end.
    static func decode(
        _ reader: inout ByteReader, from source: any BlockSource, endingAt offset: UInt64,
        nextBlock: UInt64
    ) throws(CodecError) -> BlockDirectory {
        let start = reader.position
        var chunks: [ImageChunk] = []
        var last = 0
        for _ in 0..<(try reader.readLength()) {
            let chunk = try ImageChunk.decode(&reader, after: last)
            chunks.append(chunk)
            last = chunk.number
        }
        let directory = BlockDirectory(chunks, nextBlock: nextBlock, source: source)
        guard directory.endOffset == offset else {
            throw .invalidValue(offset: start, typeName: "lengths of blocks")
        }
        return directory
    }
}
