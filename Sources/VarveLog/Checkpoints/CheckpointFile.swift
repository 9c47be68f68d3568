/// A checkpoint whose header and page table are intact: pages can be read, by several threads.
package struct CheckpointFile: Sendable {
    package let header: CheckpointHeader
    package let pages: CheckpointPages
    package let length: ByteCount
    private let fileSystem: any FileSystem
    fileprivate let name: String

    package var reference: CheckpointReference { header.reference }
    /// Of the state, as the layer above defines it.
    package var contentDigest: UInt64 { pages.contentDigest }

    /// Reads header and page table of the checkpoint that a manifest names.
    ///
    /// Errors: `.checkpointDamaged` where it is missing or not what was written;
    /// `.unsupportedVersion` and `.unsupportedFeatures`; `.fileSystem` when it cannot be read.
    package init(
        _ reference: CheckpointReference, named name: String? = nil, store: StoreID,
        in fileSystem: any FileSystem, mode: LogMode
    ) throws(LogError) {
        self.fileSystem = fileSystem
        self.name = name ?? reference.file.text
        let bytes = try CheckpointBytes(
            Self.open(self.name, reference, in: fileSystem), name: self.name)
        length = ByteCount(bytes.count)
        let head = try bytes.readHeader()
        header = try CheckpointHeader.decode(head, of: reference, store: store, mode: mode)
        guard let start = try bytes.footerStart(),
            let pages = CheckpointPages(
                try bytes.read(start.rawValue, bytes.count - start.rawValue), at: start,
                behind: head, seed: header.placeSeed)
        else { throw Self.damagedTable(of: reference) }
        self.pages = pages
    }

    /// Compares header and page table of the checkpoint that a manifest names with their checksums, and keeps nothing
    /// of the table. Returns the header.
    ///
    /// Errors: those of a checkpoint that is opened.
    static func check(
        _ reference: CheckpointReference, store: StoreID, in fileSystem: any FileSystem,
        mode: LogMode
    ) throws(LogError) -> CheckpointHeader {
        let name = reference.file.text
        let bytes = try CheckpointBytes(open(name, reference, in: fileSystem), name: name)
        let header = try CheckpointHeader.decode(
            try bytes.readHeader(), of: reference, store: store, mode: mode)
        guard let start = try bytes.footerStart(),
            try bytes.isFooterIntact(from: start, seed: header.placeSeed)
        else { throw damagedTable(of: reference) }
        return header
    }

    private static func damagedTable(of reference: CheckpointReference) -> LogError {
        .checkpointDamaged(
            file: reference.file.text, reason: "its page table is not what was written")
    }

    private static func open(
        _ name: String, _ reference: CheckpointReference, in fileSystem: any FileSystem
    ) throws(LogError) -> any StoreFile {
        do throws(FileSystemError) {
            return try fileSystem.open(name, .read)
        } catch {
            guard error.isNotFound else { throw .fileSystem(error) }
            throw .checkpointDamaged(file: reference.file.text, reason: "it is missing")
        }
    }

    /// Reads every page, and throws for the first that is not what was written.
    package func verifyPages() throws(LogError) {
        let reader = try makeReader()
        for page in pages { try reader.read(page).deallocate() }
    }

    /// A reader of pages with a file handle of its own, for one thread.
    package func makeReader() throws(LogError) -> CheckpointReader {
        makeReader(of: try Self.open(name, reference, in: fileSystem))
    }

    /// Readers of pages through one file handle, for any number of threads.
    package func makeReaders() throws(LogError) -> CheckpointReaders {
        CheckpointReaders(of: self, try Self.open(name, reference, in: fileSystem))
    }

    fileprivate func makeReader(of file: any StoreFile) -> CheckpointReader {
        CheckpointReader(file, name: name, reference: reference, seed: header.placeSeed)
    }
}

/// Lends readers of a checkpoint's pages to threads. All share one file handle, so that pages can be read when a
/// compaction has removed the file's name.
// Sendable unchecked: a file may be read by several threads at once, and each reader belongs to the one that took it.
package final class CheckpointReaders: @unchecked Sendable {
    /// Readers that no thread has.
    // Sendable unchecked: the lock around it lets one thread at a time take a reader or put one here.
    private struct Idle: @unchecked Sendable {
        var readers: [CheckpointReader] = []
    }

    private let checkpoint: CheckpointFile
    private let file: any StoreFile
    private let idle = Lock(Idle())
    /// Of the stretches of the file, those that the system was asked to read: a bit for each.
    private let readAhead: Lock<[UInt64]>
    /// One large read takes hardly longer than a small one, and neighbours are mostly wanted too.
    private static let stretchBytes: UInt64 = 128 << 10

    fileprivate init(of checkpoint: CheckpointFile, _ file: any StoreFile) {
        self.checkpoint = checkpoint
        self.file = file
        let stretchCount = checkpoint.length.rawValue / Self.stretchBytes + 1
        readAhead = Lock(Array(repeating: 0, count: Int(stretchCount / 64 + 1)))
    }

    /// Fills a buffer with a part of a page's raw bytes. Of a page that is stored as it is nothing else is read, and nothing is
    /// verified: what it holds has checksums of its own.
    package func read(
        _ page: CheckpointPage, from first: Int, into target: UnsafeMutableRawBufferPointer
    ) throws(LogError) {
        guard page.header.codec == .stored else {
            return try withReader { reader throws(LogError) in
                let raw = try reader.read(page)
                defer { raw.deallocate() }
                target.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: raw[first..<first + target.count]))
            }
        }
        precondition(first + target.count <= Int(page.header.rawLength), "a part lies in its page")
        let offset = page.place(ofByte: first)
        readAhead(around: offset)
        try LogError.wrapping { () throws(FileSystemError) in
            try file.readExactly(into: target, at: offset, name: checkpoint.name)
        }
    }

    /// Has the system read what is around a place that is read now, the first time that it is asked for.
    private func readAhead(around offset: FrameOffset) {
        let stretch = offset.rawValue / Self.stretchBytes
        let (word, bit) = (Int(stretch / 64), UInt64(1) << (stretch % 64))
        let isNew = readAhead.withLock { stretches in
            defer { stretches[word] |= bit }
            return stretches[word] & bit == 0
        }
        guard isNew else { return }
        file.readAhead(
            from: FrameOffset(stretch * Self.stretchBytes), byteCount: Int(Self.stretchBytes))
    }

    package func withReader<Result>(
        _ body: (CheckpointReader) throws(LogError) -> Result
    ) throws(LogError) -> Result {
        let reader = takeReader()
        defer { putBack(reader) }
        return try body(reader)
    }

    private func takeReader() -> CheckpointReader {
        var reader: CheckpointReader?
        idle.withLock { reader = $0.readers.popLast() }
        return reader ?? checkpoint.makeReader(of: file)
    }

    private func putBack(_ reader: CheckpointReader) {
        // Unchecked: nothing else has it.
        nonisolated(unsafe) let reader = reader
        idle.withLock { $0.readers.append(reader) }
    }
}

/// Reads pieces of a checkpoint's file, of the length that it had when it was opened.
private struct CheckpointBytes {
    let count: UInt64
    private let file: any StoreFile
    private let name: String

    init(_ file: any StoreFile, name: String) throws(LogError) {
        self.file = file
        self.name = name
        count = try LogError.wrapping { () throws(FileSystemError) in try file.length().rawValue }
    }

    func read(_ offset: UInt64, _ count: UInt64) throws(LogError) -> [UInt8] {
        try LogError.wrapping { () throws(FileSystemError) in
            try file.readBytes(at: FrameOffset(offset), count: Int(count), name: name)
        }
    }

    func readHeader() throws(LogError) -> [UInt8] {
        try read(0, min(count, UInt64(CheckpointHeader.byteCount)))
    }

    /// Nil where the end of the file leads to no footer.
    func footerStart() throws(LogError) -> FrameOffset? {
        let locator = UInt64(CheckpointFooter.locatorByteCount)
        guard count >= UInt64(CheckpointHeader.byteCount) + locator else { return nil }
        return CheckpointFooter.locate(try read(count - locator, locator), fileLength: count)
    }

    /// Whether the bytes from an offset on, which are not few, have the checksum that is the last of them.
    func isFooterIntact(from start: FrameOffset, seed: PlaceSeed) throws(LogError) -> Bool {
        let buffer = ByteBuffer(capacity: 1 << 16)
        var checksum = seed.seed(at: start)
        var offset = start.rawValue
        while offset < count - 4 {
            let part = buffer.prefix(Int(min(count - 4 - offset, 1 << 16)))
            try LogError.wrapping { () throws(FileSystemError) in
                try file.readExactly(into: part, at: FrameOffset(offset), name: name)
            }
            checksum = Checksum.crc32c(UnsafeRawBufferPointer(part), after: checksum)
            offset += UInt64(part.count)
        }
        return try read(count - 4, 4) == withUnsafeBytes(of: checksum.littleEndian) { Array($0) }
    }
}
