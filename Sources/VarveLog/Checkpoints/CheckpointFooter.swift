/// The end of a checkpoint: where its pages are, and the digests of the whole.
struct CheckpointFooter {
    /// Of the state, as the layer above defines it.
    var contentDigest: UInt64
    /// Of the file's header and of all page headers, in order.
    var digest: ChainDigest
    var pages: [CheckpointPage]

    static let fixedByteCount = 40
    static let entryByteCount = 8 + CheckpointPageHeader.byteCount
    static let locatorByteCount = 16
    /// Several million pages: more than any memory holds the content of.
    static let byteCountMax: UInt64 = 1 << 28
    private static let magic: UInt32 = 0x3154_7256  // 'V' 'r' 'T' '1'

    private var byteCount: Int {
        Self.fixedByteCount + pages.count * Self.entryByteCount + Self.locatorByteCount
    }

    func encode(at offset: FrameOffset, seed: PlaceSeed) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        bytes.withUnsafeMutableBytes { buffer in
            buffer.store(Self.magic, at: 0)
            buffer.store(UInt32(pages.count), at: 4)
            buffer.store(contentDigest, at: 8)
            buffer.store(digest.rawValue, at: 16)
            buffer.store(pages.reduce(0) { $0 &+ $1.rawBytes.rawValue }, at: 24)
            for (index, page) in pages.enumerated() {
                let start = Self.fixedByteCount + index * Self.entryByteCount
                buffer.store(page.offset.rawValue, at: start)
                let room = UnsafeMutableRawBufferPointer(
                    rebasing: buffer[(start + 8)..<(start + Self.entryByteCount)])
                page.header.encode(into: room, at: page.offset, seed: seed)
            }
            let locator = byteCount - Self.locatorByteCount
            buffer.store(offset.rawValue, at: locator)
            buffer.store(Self.magic, at: locator + 8)
            let covered = UnsafeRawBufferPointer(
                rebasing: UnsafeRawBufferPointer(buffer)[..<(byteCount - 4)])
            buffer.store(
                Checksum.crc32c(covered, after: seed.seed(at: offset)), at: byteCount - 4)
        }
        return bytes
    }

    /// Where the footer starts, by the last bytes of a file of `length` bytes; nil when they are
    /// no locator, or leave more room than the entries of so many pages as can stand before it.
    static func locate(_ bytes: [UInt8], fileLength length: UInt64) -> FrameOffset? {
        bytes.withUnsafeBytes { buffer in
            let offset = buffer.integer(at: 0, as: UInt64.self)
            let smallest = UInt64(fixedByteCount + locatorByteCount)
            guard buffer.integer(at: 8, as: UInt32.self) == magic, length >= smallest,
                offset >= UInt64(CheckpointHeader.byteCount), offset <= length - smallest,
                offset % UInt64(CheckpointPageHeader.alignment) == 0
            else { return nil }
            let pagesMax =
                (offset - UInt64(CheckpointHeader.byteCount))
                / UInt64(CheckpointPageHeader.byteCount)
            guard length - offset <= byteCountMax,
                length - offset <= smallest + pagesMax * UInt64(entryByteCount)
            else { return nil }
            return FrameOffset(offset)
        }
    }

    /// The footer in `bytes`, from its offset to the end of the file; nil when it is damaged or its
    /// parts contradict each other. Pages lie one behind the other without a gap.
    static func decode(
        _ bytes: [UInt8], at offset: FrameOffset, seed: PlaceSeed
    ) -> CheckpointFooter? {
        bytes.withUnsafeBytes { buffer in
            let checksum = Checksum.crc32c(
                UnsafeRawBufferPointer(rebasing: buffer[..<(buffer.count - 4)]),
                after: seed.seed(at: offset))
            let count = Int(buffer.integer(at: 4, as: UInt32.self))
            guard buffer.integer(at: buffer.count - 4, as: UInt32.self) == checksum,
                buffer.integer(at: 0, as: UInt32.self) == magic,
                buffer.count == fixedByteCount + locatorByteCount + count * entryByteCount,
                let pages = decodePages(buffer, count: count, end: offset, seed: seed)
            else { return nil }
            return CheckpointFooter(
                contentDigest: buffer.integer(at: 8, as: UInt64.self),
                digest: ChainDigest(buffer.integer(at: 16, as: UInt64.self)), pages: pages)
        }
    }

    private static func decodePages(
        _ buffer: UnsafeRawBufferPointer, count: Int, end: FrameOffset, seed: PlaceSeed
    ) -> [CheckpointPage]? {
        var pages: [CheckpointPage] = []
        pages.reserveCapacity(count)
        var expected = UInt64(CheckpointHeader.byteCount)
        for index in 0..<count {
            let start = fixedByteCount + index * entryByteCount
            let offset = FrameOffset(buffer.integer(at: start, as: UInt64.self))
            let bytes = UnsafeRawBufferPointer(
                rebasing: buffer[(start + 8)..<(start + entryByteCount)])
            guard offset.rawValue == expected,
                let header = CheckpointPageHeader.decode(bytes, at: offset, seed: seed),
                header.position == UInt32(index)
            else { return nil }
            pages.append(CheckpointPage(header, at: offset))
            // Neither overflows: a header's lengths have 32 bits, and `expected` stays below `end`.
            expected += header.pageLength
            guard expected <= end.rawValue else { return nil }
        }
        return expected == end.rawValue ? pages : nil
    }
}
