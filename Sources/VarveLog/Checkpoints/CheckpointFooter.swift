/// The end of a checkpoint: where its pages are, and the digests of the whole.
enum CheckpointFooter {
    static let fixedByteCount = 40
    static let entryByteCount = 8 + CheckpointPageHeader.byteCount
    static let locatorByteCount = 16
    /// Several million pages: more than any memory holds the content of.
    static let byteCountMax: UInt64 = 1 << 28
    static let magic: UInt32 = 0x3154_7256  // 'V' 'r' 'T' '1'

    /// - Parameters:
    ///   - contentDigest: of the state, as the layer above defines it.
    ///   - digest: of the file's header and of all page headers, in order.
    static func encode(
        _ pages: [CheckpointPage], contentDigest: UInt64, digest: ChainDigest,
        at offset: FrameOffset, seed: PlaceSeed
    ) -> [UInt8] {
        let byteCount = fixedByteCount + pages.count * entryByteCount + locatorByteCount
        var bytes = [UInt8](repeating: 0, count: byteCount)
        bytes.withUnsafeMutableBytes { buffer in
            buffer.store(magic, at: 0)
            buffer.store(UInt32(pages.count), at: 4)
            buffer.store(contentDigest, at: 8)
            buffer.store(digest.rawValue, at: 16)
            buffer.store(pages.reduce(0) { $0 &+ $1.rawBytes.rawValue }, at: 24)
            for (index, page) in pages.enumerated() {
                let start = fixedByteCount + index * entryByteCount
                buffer.store(page.offset.rawValue, at: start)
                let room = UnsafeMutableRawBufferPointer(
                    rebasing: buffer[(start + 8)..<(start + entryByteCount)])
                page.header.encode(into: room, at: page.offset, seed: seed)
            }
            let locator = byteCount - locatorByteCount
            buffer.store(offset.rawValue, at: locator)
            buffer.store(magic, at: locator + 8)
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
}
