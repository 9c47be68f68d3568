import CVarve
import VarveCompression

/// How the pages of a block are stored.
struct BlockCoding: Hashable, Sendable {
    /// Whether the stored bytes are an LZ4 block. Else they are the content as it is.
    var isCompressed: Bool
    /// Whether the thorough compressor was used, be it without gain.
    var isThorough: Bool
    /// Whether ids of rows lie apart from the rows. False of pages of other structures.
    var hasIDsApart: Bool

    init(isCompressed: Bool, isThorough: Bool, hasIDsApart: Bool) {
        self.isCompressed = isCompressed
        self.isThorough = isThorough
        self.hasIDsApart = hasIDsApart
    }

    static let bitCount: UInt64 = 3

    /// Nil where pages of the kind are not stored so.
    init?(bits: UInt64, of kind: PageKind) {
        self.init(
            isCompressed: bits & 1 != 0, isThorough: bits & 2 != 0, hasIDsApart: bits & 4 != 0)
        if hasIDsApart, kind != PageKind(.rowLeaf) { return nil }
    }

    var bits: UInt64 { (isCompressed ? 1 : 0) | (isThorough ? 2 : 0) | (hasIDsApart ? 4 : 0) }
}

/// What a directory says of a block: which run of pages it holds, and how it is stored.
struct BlockEntry: Hashable, Sendable {
    /// In its store, never used again.
    var number: UInt64
    var run: PageRun
    /// The frames of the run that are stored: those behind are free.
    var storedFrames: Int
    /// The frames that hold a page.
    var liveFrames: Int
    /// Where it begins in the image.
    var offset: UInt64
    var storedCount: Int
    var coding: BlockCoding
    /// Of the stored bytes, seeded by the number.
    var checksum: UInt32

    var rawCount: Int { storedFrames * run.frameBytes }

    /// What the content takes at most.
    var contentCountMax: Int { BlockColumns.byteCountMax(ofFrames: rawCount) }

    var place: PageDamage.Place {
        PageDamage.Place(.block(number), offset: offset, byteCount: storedCount)
    }

    static func checksum(_ bytes: UnsafeRawBufferPointer, number: UInt64) -> UInt32 {
        var seed = number.littleEndian
        let seeded = varve_crc32c(0, &seed, MemoryLayout<UInt64>.size)
        return varve_crc32c(seeded, bytes.baseAddress, bytes.count)
    }

    /// Reads the stored bytes, which are then what was written, into memory that the caller deallocates.
    func read(from source: any BlockSource) throws(PageDamage) -> UnsafeMutableRawBufferPointer {
        let bytes = try place.read(from: source)
        do throws(PageDamage) {
            try compare(bytes)
            return bytes
        } catch {
            bytes.deallocate()
            throw error
        }
    }

    /// Reads the stored bytes, which are then what was written.
    func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from source: any BlockSource
    ) throws(PageDamage) {
        try place.fill(buffer, from: source)
        try compare(buffer)
    }

    private func compare(_ stored: UnsafeMutableRawBufferPointer) throws(PageDamage) {
        let found = Self.checksum(UnsafeRawBufferPointer(stored), number: number)
        guard found == checksum else {
            throw .checksum(place, expected: checksum, found: found)
        }
    }

    /// Makes pages of stored bytes, in frames of zeros.
    func expand(
        _ stored: UnsafeRawBufferPointer, into start: UnsafeMutableRawPointer
    ) throws(PageDamage) {
        guard coding.isCompressed else { return try decode(stored, into: start) }
        let content = UnsafeMutableRawBufferPointer.allocate(
            byteCount: contentCountMax, alignment: 16)
        defer { content.deallocate() }
        try decode(try expanded(stored, in: content), into: start)
    }

    /// The columns of stored bytes, in memory for ``contentCountMax`` bytes where they are compressed.
    func expanded(
        _ stored: UnsafeRawBufferPointer, in content: UnsafeMutableRawBufferPointer
    ) throws(PageDamage) -> UnsafeRawBufferPointer {
        guard coding.isCompressed else { return stored }
        guard let count = BlockCompression.decompress(stored, into: content) else {
            throw .content(place, reason: "its compressed data")
        }
        return UnsafeRawBufferPointer(rebasing: content[..<count])
    }

    private func decode(
        _ content: UnsafeRawBufferPointer, into start: UnsafeMutableRawPointer
    ) throws(PageDamage) {
        guard
            let columns = BlockColumns(
                run, frameCount: storedFrames, idsApart: coding.hasIDsApart),
            columns.decode(content, into: start)
        else { throw .content(place, reason: "its columns are none of such pages") }
    }

    func damaged(_ reason: String) -> PageDamage { .content(place, reason: reason) }
}
