import VarveEvents
import VarveLog

/// Makes checksums right, from Docs/FORMAT.md alone, so that a fuzzer gets behind them.
enum Resealing {
    static func manifest(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 16 else { return bytes }
        var bytes = bytes
        put(checksum(bytes[..<(bytes.count - 4)]), at: bytes.count - 4, in: &bytes)
        return bytes
    }

    /// Header and frames; what follows the last whole frame header stays as it is.
    static func segment(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 128 else { return bytes }
        var bytes = bytes
        put(checksum(bytes[..<124]), at: 124, in: &bytes)
        let seed = placeSeed(salt: integer(bytes, 72), number: integer(bytes, 48))
        var offset = 128
        while offset + 56 <= bytes.count {
            offset += frame(at: offset, in: &bytes, seed: seed)
        }
        return bytes
    }

    /// Answers the frame's length.
    private static func frame(at offset: Int, in bytes: inout [UInt8], seed: UInt32) -> Int {
        let room = bytes.count - offset - 56
        var length = Int(UInt32(truncatingIfNeeded: integer(bytes, offset + 8)))
        if length > room {
            length = room
            put(UInt32(length), at: offset + 8, in: &bytes)
        }
        put(0x3146_7256 as UInt32, at: offset, in: &bytes)
        let payload = bytes[(offset + 56)..<(offset + 56 + length)]
        let stored = checksum(payload)
        put(stored, at: offset + 44, in: &bytes)
        if bytes[offset + 5] == 0 { put(stored, at: offset + 48, in: &bytes) }
        seal(at: offset, count: 52, in: &bytes, seed: seed)
        let padded = (56 + length + 7) & ~7
        for position in (offset + 56 + length)..<min(bytes.count, offset + padded) {
            bytes[position] = 0
        }
        return padded
    }

    /// A frame with one LZ4 block, as the first of a segment.
    static func compressedFrame(
        _ block: [UInt8], rawLength: UInt32, behind header: [UInt8]
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 56) + block
        bytes += Array(repeating: 0, count: (8 - bytes.count % 8) % 8)
        bytes[4] = 1
        bytes[5] = 1
        put(UInt32(block.count), at: 8, in: &bytes)
        put(rawLength, at: 12, in: &bytes)
        bytes[16] = 1
        bytes[24] = 128
        var all = header + bytes
        let seed = placeSeed(salt: integer(header, 72), number: integer(header, 48))
        _ = frame(at: header.count, in: &all, seed: seed)
        return Array(all[header.count...])
    }

    /// Header, pages and a footer that lists them. The header keeps what binds it to its store.
    static func checkpoint(_ bytes: [UInt8], like original: [UInt8]) -> [UInt8] {
        guard bytes.count > 128 + 48, original.count > 128 else { return bytes }
        var bytes = bytes
        bytes.replaceSubrange(..<128, with: original[..<128])
        put(checksum(bytes[..<124]), at: 124, in: &bytes)
        let seed = placeSeed(salt: integer(bytes, 64), number: integer(bytes, 48))
        var pages: [Int] = []
        var offset = 128
        while offset + 48 <= bytes.count, pages.count < 64 {
            // The original's footer stands where its pages end.
            if bytes[offset] == 0x56, bytes[offset + 2] == 0x54 { break }
            pages.append(offset)
            offset += page(at: offset, number: pages.count - 1, in: &bytes, seed: seed)
        }
        let end = min(offset, bytes.count)
        let content = bytes.count >= end + 16 ? integer(bytes, end + 8) : 0
        return Array(bytes[..<end]) + footer(bytes, pages, at: end, content: content, seed: seed)
    }

    private static func page(
        at offset: Int, number: Int, in bytes: inout [UInt8], seed: UInt32
    ) -> Int {
        let room = (bytes.count - offset - 48) & ~7
        var length = Int(UInt32(truncatingIfNeeded: integer(bytes, offset + 8)))
        if length > room {
            length = room
            put(UInt32(length), at: offset + 8, in: &bytes)
        }
        put(0x3150_7256 as UInt32, at: offset, in: &bytes)
        put(UInt32(number), at: offset + 16, in: &bytes)
        let stored = checksum(bytes[(offset + 48)..<(offset + 48 + length)])
        put(stored, at: offset + 36, in: &bytes)
        if bytes[offset + 5] == 0 {
            put(UInt32(length), at: offset + 12, in: &bytes)
            put(stored, at: offset + 40, in: &bytes)
        }
        seal(at: offset, count: 44, in: &bytes, seed: seed)
        let padded = (48 + length + 7) & ~7
        for position in (offset + 48 + length)..<min(bytes.count, offset + padded) {
            bytes[position] = 0
        }
        return padded
    }

    private static func footer(
        _ bytes: [UInt8], _ pages: [Int], at offset: Int, content: UInt64, seed: UInt32
    ) -> [UInt8] {
        var digest = hash(bytes[..<128], seed: 0)
        var rawBytes: UInt64 = 0
        var table: [UInt8] = []
        for page in pages {
            digest = hash(bytes[page..<(page + 48)], seed: digest)
            rawBytes += integer(bytes, page + 8) >> 32
            table += littleEndian(UInt64(page)) + bytes[page..<(page + 48)]
        }
        var footer = littleEndian(UInt64(0x3154_7256) | UInt64(pages.count) << 32)
        footer += littleEndian(content) + littleEndian(digest) + littleEndian(rawBytes)
        footer += littleEndian(0) + table + littleEndian(UInt64(offset))
        footer += littleEndian(0x3154_7256).prefix(4)
        let place = Checksum.crc32c(UInt64(offset), after: seed)
        footer += littleEndian(UInt64(checksum(footer[...], after: place))).prefix(4)
        return footer
    }

    /// Blocks, and the root that lists them with their checksums.
    static func image(_ bytes: [UInt8]) -> [UInt8] {
        let locator = bytes.count - 24
        guard locator > 0, let start = Int(exactly: integer(bytes, locator)), start < locator
        else { return bytes }
        var bytes = bytes
        put(UInt32(locator - start), at: locator + 8, in: &bytes)
        let root = Array(bytes[start..<locator])
        // What follows a field that cannot be stays as it is.
        try? root.withUnsafeBytes { root throws(CodecError) in
            var reader = ByteReader(root)
            try sealBlocks(&reader, rootAt: start, in: &bytes)
        }
        put(checksum(bytes[start..<locator + 12]), at: locator + 12, in: &bytes)
        return bytes
    }

    private static func sealBlocks(
        _ reader: inout ByteReader, rootAt start: Int, in bytes: inout [UInt8]
    ) throws(CodecError) {
        // Form 2 says of a block in one bit how it is stored, others in three.
        let form = try reader.readLittleEndian(UInt32.self)
        let bitCount: UInt64 = form == 2 ? 1 : 3
        try skip(&reader, varints: 2)
        guard form < 4 else { return try sealParts(&reader, rootAt: start, in: &bytes) }
        let (chunkCount, blockCount) = (try reader.readVarint(), try reader.readVarint())
        try skip(&reader, varints: chunkCount &* 2)
        var (offset, number): (Int, UInt64) = (0, 0)
        for _ in 0..<blockCount {
            try skip(&reader, varints: 3)
            let found = try readBlock(&reader, bitCount, after: number)
            guard found.count <= start - offset else { return }
            seal(found, at: offset, in: &bytes, saidAt: start + found.place)
            (offset, number) = (offset + found.count, found.number)
        }
    }

    private typealias FoundBlock = (number: UInt64, count: Int, place: Int)

    /// What is said of a block behind its place, and where its checksum is.
    private static func readBlock(
        _ reader: inout ByteReader, _ bitCount: UInt64, after last: UInt64
    ) throws(CodecError) -> FoundBlock {
        _ = try reader.readByte()
        try skip(&reader, varints: 3)
        let number = last &+ UInt64(bitPattern: try reader.readSigned())
        let count = Int(clamping: try reader.readVarint() >> bitCount)
        let place = reader.position
        _ = try reader.readLittleEndian(UInt32.self)
        return (number, count, place)
    }

    private static func seal(
        _ block: FoundBlock, at offset: Int, in bytes: inout [UInt8], saidAt place: Int
    ) {
        let stored = bytes[offset..<offset + block.count]
        put(checksum(stored, after: Checksum.crc32c(block.number)), at: place, in: &bytes)
    }

    /// Of form 4: each chunk's blocks are said in a part of its own, behind all blocks.
    private static func sealParts(
        _ reader: inout ByteReader, rootAt start: Int, in bytes: inout [UInt8]
    ) throws(CodecError) {
        var chunks: [(blockCount: UInt64, byteCount: Int, place: Int)] = []
        for _ in 0..<(try reader.readVarint()) {
            try skip(&reader, varints: 2)
            let blockCount = try reader.readVarint()
            try skip(&reader, varints: 7)
            let byteCount = Int(clamping: try reader.readVarint())
            chunks.append((blockCount, byteCount, start + reader.position))
            _ = try reader.readLittleEndian(UInt32.self)
        }
        var (offset, part) = (0, start)
        for chunk in chunks {
            guard chunk.byteCount <= part else { return }
            part -= chunk.byteCount
        }
        for chunk in chunks {
            let said = Array(bytes[part..<part + chunk.byteCount])
            var number: UInt64 = 0
            try? said.withUnsafeBytes { said throws(CodecError) in
                var reader = ByteReader(said)
                for _ in 0..<chunk.blockCount {
                    try skip(&reader, varints: 2)
                    let found = try readBlock(&reader, 3, after: number)
                    guard found.count <= start - offset else { return }
                    seal(found, at: offset, in: &bytes, saidAt: part + found.place)
                    (offset, number) = (offset + found.count, found.number)
                }
            }
            put(checksum(bytes[part..<part + chunk.byteCount]), at: chunk.place, in: &bytes)
            part += chunk.byteCount
        }
    }

    private static func skip(
        _ reader: inout ByteReader, varints count: UInt64
    ) throws(CodecError) {
        for _ in 0..<count { _ = try reader.readVarint() }
    }

    // MARK: Bytes

    private static func seal(at offset: Int, count: Int, in bytes: inout [UInt8], seed: UInt32) {
        let place = Checksum.crc32c(UInt64(offset), after: seed)
        let sum = checksum(bytes[offset..<(offset + count)], after: place)
        put(sum, at: offset + count, in: &bytes)
    }

    private static func placeSeed(salt: UInt64, number: UInt64) -> UInt32 {
        Checksum.crc32c(number, after: Checksum.crc32c(salt))
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>, after: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { Checksum.crc32c($0, after: after) }
    }

    private static func hash(_ bytes: ArraySlice<UInt8>, seed: UInt64) -> UInt64 {
        bytes.withUnsafeBytes { XXH64.hash($0, seed: seed) }
    }

    private static func integer(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
        bytes[offset..<(offset + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func put(_ value: UInt32, at offset: Int, in bytes: inout [UInt8]) {
        for index in 0..<4 {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index))
        }
    }

    private static func littleEndian(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
