import VarveCompression

/// Reads pages of one checkpoint, each verified: its header against the page table, its padding,
/// both checksums. Belongs to one thread at a time.
package final class CheckpointReader {
    private let file: any StoreFile
    private let name: String
    private let reference: CheckpointReference
    private let seed: PlaceSeed
    private let buffer = ByteBuffer()

    init(
        _ file: any StoreFile, name: String, reference: CheckpointReference, seed: PlaceSeed
    ) {
        self.file = file
        self.name = name
        self.reference = reference
        self.seed = seed
    }

    /// The raw bytes of a page, in memory that the caller owns and deallocates.
    package func read(
        _ page: CheckpointPage
    ) throws(LogError) -> UnsafeMutableRawBufferPointer {
        let header = page.header
        let stored = try readStored(page)
        guard
            header.codec == .stored
                || BlockCompression.isWorthMemory(Int(header.rawLength), for: stored)
        else { throw damaged(page, "the length of its content") }
        let raw = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(header.rawLength), alignment: 16)
        do throws(LogError) {
            try decode(stored, of: page, into: raw)
        } catch {
            raw.deallocate()
            throw error
        }
        return raw
    }

    /// The stored bytes of a page, after what they stand for was verified, in memory that is the reader's until it
    /// reads the next.
    func readStoredVerified(_ page: CheckpointPage) throws(LogError) -> UnsafeRawBufferPointer {
        try read(page).deallocate()
        let start = CheckpointPageHeader.byteCount
        return UnsafeRawBufferPointer(
            rebasing: buffer.bytes[start..<start + Int(page.header.storedLength)])
    }

    /// Reads a page and compares its header, its padding and the checksum of its stored bytes. What is compressed is
    /// not decompressed.
    package func verifyStored(_ page: CheckpointPage) throws(LogError) { _ = try readStored(page) }

    private func decode(
        _ stored: UnsafeRawBufferPointer, of page: CheckpointPage,
        into raw: UnsafeMutableRawBufferPointer
    ) throws(LogError) {
        guard page.header.codec == .lz4 else {
            raw.copyMemory(from: stored)
            return
        }
        guard BlockCompression.decompress(stored, into: raw) == raw.count else {
            throw damaged(page, "its compressed data")
        }
        guard Checksum.crc32c(UnsafeRawBufferPointer(raw)) == page.header.rawChecksum else {
            throw damaged(page, "the checksum of its content")
        }
    }

    private func readStored(_ page: CheckpointPage) throws(LogError) -> UnsafeRawBufferPointer {
        let length = Int(page.header.pageLength)
        buffer.grow(to: length)
        try LogError.wrapping { () throws(FileSystemError) in
            try file.readExactly(into: buffer.prefix(length), at: page.offset, name: name)
        }
        let bytes = UnsafeRawBufferPointer(buffer.prefix(length))
        let start = CheckpointPageHeader.byteCount
        let end = start + Int(page.header.storedLength)
        guard
            CheckpointPageHeader.decode(
                UnsafeRawBufferPointer(rebasing: bytes[..<start]), at: page.offset, seed: seed)
                == page.header
        else { throw damaged(page, "its header") }
        let stored = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        guard Checksum.crc32c(stored) == page.header.storedChecksum else {
            throw damaged(page, "the checksum of its stored bytes")
        }
        guard bytes[end...].allSatisfy({ $0 == 0 }) else { throw damaged(page, "its padding") }
        return stored
    }

    private func damaged(_ page: CheckpointPage, _ part: String) -> LogError {
        .checkpointDamaged(
            file: reference.file.text, offset: page.offset,
            reason: "page \(page.header.position) at offset \(page.offset): \(part) does not fit")
    }
}
