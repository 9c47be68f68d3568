/// The pages of a checkpoint, as its footer names them.
///
/// A large checkpoint has so many of them that an array would cost most of an opening: each is made of the footer's
/// bytes when it is asked for.
package struct CheckpointPages: RandomAccessCollection, Sendable {
    private let footer: [UInt8]

    /// Of the state, as the layer above defines it.
    let contentDigest: UInt64
    /// Of all pages.
    let rawBytes: ByteCount
    package let endIndex: Int
    package var startIndex: Int { 0 }

    /// The pages that a footer names, which are its bytes from its offset to the end of the file; nil when it is damaged,
    /// is of another file, or its parts contradict each other. Pages lie one behind the other without a gap.
    ///
    /// The checksum of the footer covers the headers in it. What it says of a page is compared with the page when
    /// that is read.
    init?(_ footer: [UInt8], at offset: FrameOffset, behind head: [UInt8], seed: PlaceSeed) {
        self.footer = footer
        (endIndex, contentDigest, rawBytes) = footer.withUnsafeBytes {
            (
                Int($0.integer(at: 4, as: UInt32.self)), $0.integer(at: 8, as: UInt64.self),
                ByteCount($0.integer(at: 24, as: UInt64.self))
            )
        }
        let isSound = footer.withUnsafeBytes {
            Self.isSound($0, count: endIndex, at: offset, behind: head, seed: seed)
        }
        guard isSound else { return nil }
    }

    private static func isSound(
        _ footer: UnsafeRawBufferPointer, count: Int, at end: FrameOffset, behind head: [UInt8],
        seed: PlaceSeed
    ) -> Bool {
        let covered = UnsafeRawBufferPointer(rebasing: footer[..<(footer.count - 4)])
        guard
            footer.integer(at: footer.count - 4, as: UInt32.self)
                == Checksum.crc32c(covered, after: seed.seed(at: end)),
            footer.integer(at: 0, as: UInt32.self) == CheckpointFooter.magic,
            footer.count == CheckpointFooter.fixedByteCount + CheckpointFooter.locatorByteCount
                + count * CheckpointFooter.entryByteCount
        else { return false }
        var digest = ChainDigest.start
        head.withUnsafeBytes { digest.extend(with: $0) }
        var expected = UInt64(CheckpointHeader.byteCount)
        var rawBytes: UInt64 = 0
        for index in 0..<count {
            let (offset, header) = entry(index, of: footer)
            guard offset == expected, let page = CheckpointPageHeader.checked(header),
                page.position == UInt32(index)
            else { return false }
            digest.extend(with: header)
            // Neither overflows: a header's lengths have 32 bits, and `expected` stays below `end`.
            expected += page.pageLength
            rawBytes += UInt64(page.rawLength)
            guard expected <= end.rawValue else { return false }
        }
        return expected == end.rawValue && rawBytes == footer.integer(at: 24, as: UInt64.self)
            && digest.rawValue == footer.integer(at: 16, as: UInt64.self)
    }

    /// The offset of a page, and the bytes of its header.
    @inline(__always)
    private static func entry(
        _ index: Int, of footer: UnsafeRawBufferPointer
    ) -> (offset: UInt64, header: UnsafeRawBufferPointer) {
        let start = CheckpointFooter.fixedByteCount + index * CheckpointFooter.entryByteCount
        let header = footer[(start + 8)..<(start + CheckpointFooter.entryByteCount)]
        return (
            footer.integer(at: start, as: UInt64.self), UnsafeRawBufferPointer(rebasing: header)
        )
    }

    package subscript(position: Int) -> CheckpointPage {
        precondition(indices.contains(position), "there is no such page")
        return footer.withUnsafeBytes { footer in
            let (offset, header) = Self.entry(position, of: footer)
            return CheckpointPage(
                CheckpointPageHeader(unchecked: header), at: FrameOffset(offset))
        }
    }
}
