package import VarveCompression

/// Writes one checkpoint, page by page, under a temporary name.
///
/// The file gets its name by `publish`, when it is synced and its owner has read it back. It
/// belongs to one thread; the log may be written meanwhile by another.
package final class CheckpointWriter {
    package private(set) var header: CheckpointHeader
    /// Whether pages are compressed as far as is worth it, for what is kept for long.
    package let isThorough: Bool
    /// The bytes of all pages before compression.
    package private(set) var rawBytes: UInt64 = 0
    private let fileSystem: any FileSystem
    private let file: any StoreFile
    private let name: String
    private let seed: PlaceSeed
    private var pages: [CheckpointPage] = []
    private var digest = ChainDigest.start
    private var end = FrameOffset(UInt64(CheckpointHeader.byteCount))
    private var synchronized: UInt64 = 0
    private let buffer = ByteBuffer(capacity: 1 << 19)
    /// The one that is wanted first.
    private let compressors: [BlockCompression.Compressor]

    private let unsynchronizedBytesMax: UInt64

    /// How much the disk may owe at a time.
    private static let unsynchronizedBytesMax: UInt64 = 4 << 20
    #if canImport(Darwin)
        /// A sync there empties the cache of the whole drive, so that many small ones keep a commit waiting
        /// longer than few large ones.
        private static let unsynchronizedBytesMaxBesideCommits = unsynchronizedBytesMax
    #else
        /// A sync of the log may have to wait for whatever else the disk owes: with 4 MiB, a commit waited 3 ms
        /// for them ten times a second.
        private static let unsynchronizedBytesMaxBesideCommits: UInt64 = 256 << 10
    #endif

    /// Creates the file. The one that an interrupted attempt left is replaced.
    ///
    /// - Parameter isBesideCommits: whether a log is written to the same disk meanwhile.
    package init(
        _ header: CheckpointHeader, in fileSystem: any FileSystem,
        compressing effort: BlockCompression.Effort = .quick, isBesideCommits: Bool = false
    ) throws(LogError) {
        self.header = header
        isThorough = effort == .thorough
        unsynchronizedBytesMax =
            isBesideCommits
            ? Self.unsynchronizedBytesMaxBesideCommits : Self.unsynchronizedBytesMax
        compressors = (effort == .quick ? [.quick] : [effort, .quick])
            .map { BlockCompression.Compressor($0) }
        self.fileSystem = fileSystem
        name = StoreFileName.temporary(header.reference.file).text
        seed = header.placeSeed
        let name = name
        file = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.removeIfPresent(name)
            return try fileSystem.open(name, .createExclusive)
        }
        try writeHeader()
    }

    private func writeHeader() throws(LogError) {
        let bytes = header.encode()
        digest = .start
        bytes.withUnsafeBytes { digest.extend(with: $0) }
        try LogError.wrapping { () throws(FileSystemError) in
            try bytes.withUnsafeBytesTyped { bytes throws(FileSystemError) in
                try file.writeAll(bytes, at: FrameOffset(0), name: name)
            }
        }
    }

    /// Says that the pages, of which there is none yet, are the blocks and the root of an image.
    package func holdImage() throws(LogError) {
        precondition(pages.isEmpty, "a checkpoint says what its pages are before the first of them")
        header.features.incompatible |= FormatFeatures.image
        try writeHeader()
    }

    /// Appends a page.
    ///
    /// - Parameter compressing: false where the bytes are compressed already.
    package func append(
        _ key: CheckpointPageKey, _ raw: UnsafeRawBufferPointer, compressing: Bool = true
    ) throws(LogError) {
        precondition(key.kind != 0, "a page has a kind")
        guard raw.count <= Int(CheckpointPageHeader.rawBytesMax) else {
            throw .pageTooLarge(
                bytes: ByteCount(UInt64(raw.count)),
                limit: ByteCount(UInt64(CheckpointPageHeader.rawBytesMax)))
        }
        try append(prepare(key, raw, compressing: compressing))
    }

    /// Appends a page of another checkpoint as it is stored there.
    package func append(
        _ page: CheckpointPage, from reader: CheckpointReader
    ) throws(LogError) {
        let stored = try reader.readStoredVerified(page)
        makeRoom(for: stored.count).copyMemory(from: stored)
        let header = page.header
        try append(
            CheckpointPageHeader(
                key: header.key, codec: header.codec, storedLength: header.storedLength,
                rawLength: header.rawLength, position: UInt32(pages.count),
                storedChecksum: header.storedChecksum, rawChecksum: header.rawChecksum))
    }

    /// Appends a page whose stored bytes are in the buffer.
    private func append(_ header: CheckpointPageHeader) throws(LogError) {
        let length = Int(header.pageLength)
        let stored = CheckpointPageHeader.byteCount + Int(header.storedLength)
        for position in stored..<length { buffer.bytes[position] = 0 }
        header.encode(into: buffer.bytes, at: end, seed: seed)
        let bytes = UnsafeRawBufferPointer(buffer.prefix(length))
        digest.extend(
            with: UnsafeRawBufferPointer(rebasing: bytes[..<CheckpointPageHeader.byteCount]))
        try LogError.wrapping { () throws(FileSystemError) in
            try file.writeAll(bytes, at: end, name: name)
        }
        pages.append(CheckpointPage(header, at: end))
        rawBytes += UInt64(header.rawLength)
        end = FrameOffset(end.rawValue + UInt64(length))
        if end.rawValue - synchronized > unsynchronizedBytesMax { try synchronize() }
    }

    /// Puts the stored bytes into the buffer, behind the header's place.
    private func prepare(
        _ key: CheckpointPageKey, _ raw: UnsafeRawBufferPointer, compressing: Bool
    ) -> CheckpointPageHeader {
        let room = makeRoom(for: raw.count)
        let rawChecksum = Checksum.crc32c(raw)
        let compressed = compressing ? compress(key, raw, into: room) : nil
        if compressed == nil { room.copyMemory(from: raw) }
        let stored = UnsafeRawBufferPointer(room.prefixBytes(compressed ?? raw.count))
        return CheckpointPageHeader(
            key: key, codec: compressed == nil ? .stored : .lz4,
            storedLength: UInt32(stored.count), rawLength: UInt32(raw.count),
            position: UInt32(pages.count),
            storedChecksum: compressed == nil ? rawChecksum : Checksum.crc32c(stored),
            rawChecksum: rawChecksum)
    }

    /// Where the stored bytes of the next page go, behind its header.
    private func makeRoom(for byteCount: Int) -> UnsafeMutableRawBufferPointer {
        buffer.grow(to: CheckpointPageHeader.byteCount + byteCount + CheckpointPageHeader.alignment)
        return UnsafeMutableRawBufferPointer(
            rebasing: buffer.bytes[CheckpointPageHeader.byteCount...])
    }

    /// Nil where the page is stored as it is. What is too small for its items may be right when it is compressed
    /// less.
    private func compress(
        _ key: CheckpointPageKey, _ raw: UnsafeRawBufferPointer,
        into room: UnsafeMutableRawBufferPointer
    ) -> Int? {
        for compressor in compressors {
            guard let count = BlockCompression.compress(raw, into: room, using: compressor)
            else { return nil }
            if CheckpointPageHeader.mayBeCompressed(key, storedLength: count) { return count }
        }
        return nil
    }

    /// Writes the page table and syncs the file, still under its temporary name.
    package func finish(contentDigest: UInt64) throws(LogError) {
        let bytes = CheckpointFooter.encode(
            pages, contentDigest: contentDigest, digest: digest, at: end, seed: seed)
        try LogError.wrapping { () throws(FileSystemError) in
            try bytes.withUnsafeBytesTyped { bytes throws(FileSystemError) in
                try file.writeAll(bytes, at: end, name: name)
            }
        }
        end = FrameOffset(end.rawValue + UInt64(bytes.count))
        try synchronize()
    }

    /// What was written, to be read back before it is published.
    package func reopen() throws(LogError) -> CheckpointFile {
        try CheckpointFile(
            header.reference, named: name, store: header.store, in: fileSystem, mode: .readWrite)
    }

    /// Gives the file its name, durably.
    package func publish() throws(LogError) {
        try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.rename(name, to: header.reference.file.text)
            try fileSystem.synchronizeDirectory()
        }
    }

    /// Removes the file, whatever its name is by now. What cannot be removed is removed when the
    /// store is opened next.
    package func discard() {
        for name in [name, header.reference.file.text] {
            do throws(FileSystemError) {
                try fileSystem.remove(name)
            } catch {
                // Only one of the names is there, and a leftover does no harm until then.
                continue
            }
        }
    }

    package var fileBytes: ByteCount { ByteCount(end.rawValue) }

    private func synchronize() throws(LogError) {
        try LogError.wrapping { () throws(FileSystemError) in try file.synchronize() }
        synchronized = end.rawValue
    }
}
