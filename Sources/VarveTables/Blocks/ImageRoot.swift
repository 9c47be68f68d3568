import CVarve
import VarveEvents

/// The end of an image: which blocks there are, and the state that they hold.
///
///     root      version of the image's form | newest page version | next block number | chunks | state
///     locator   where the root begins, UInt64 | its bytes, UInt32 | its checksum, UInt32 | magic, UInt64
struct ImageRoot: Sendable {
    static let formVersion: UInt32 = 4
    /// Former ones that are read too: see ``FormerDirectory``. The form of today has their blocks, among others.
    static let formerVersions: ClosedRange<UInt32> = 2...3
    static let locatorBytes = 24
    /// "VrvImage" in the order of memory.
    static let magic: UInt64 = 0x6567_616D_4976_7256
    /// Of some ten million blocks in a former form.
    static let byteCountMax = 1 << 28

    var version: PageVersion
    /// The number that the next block of the store gets.
    var nextBlock: UInt64
    var directory: BlockDirectory
    var state: StateRecord

    // MARK: Writing

    /// The root behind blocks that end at an offset, with its locator.
    func encode(at offset: UInt64) throws(CodecError) -> ByteWriter {
        var writer = ByteWriter(capacity: 4_096)
        writer.write(littleEndian: Self.formVersion)
        writer.writeVarint(version.rawValue)
        writer.writeVarint(nextBlock)
        directory.encode(into: &writer)
        try state.encode(into: &writer)
        let count = writer.count
        writer.write(littleEndian: offset)
        writer.write(littleEndian: UInt32(truncatingIfNeeded: count))
        let checksum = writer.withBytes { Self.checksum($0) }
        writer.write(littleEndian: checksum)
        writer.write(littleEndian: Self.magic)
        return writer
    }

    /// Of the root and the first 12 bytes of its locator.
    static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        varve_crc32c(0, bytes.baseAddress, bytes.count)
    }

    // MARK: Reading

    static func read(from source: any BlockSource) throws(ImageError) -> ImageRoot {
        let end = source.byteCount
        guard end >= UInt64(locatorBytes) else { throw .noRoot(offset: 0) }
        let locatorOffset = end - UInt64(locatorBytes)
        let start = min(source.rootOffset, locatorOffset)
        guard locatorOffset - start <= UInt64(byteCountMax) else { throw .noRoot(offset: start) }
        let tail = try bytes(of: source, at: start, Int(end - start))
        defer { tail.deallocate() }
        let locator = UnsafeRawBufferPointer(rebasing: tail.suffix(locatorBytes))
        let (offset, count) = try locate(locator, at: locatorOffset)
        if offset == start {
            let content = UnsafeRawBufferPointer(rebasing: tail.prefix(count))
            return try decode(content, locator, at: offset, in: source)
        }
        let content = try bytes(of: source, at: offset, count)
        defer { content.deallocate() }
        return try decode(content, locator, at: offset, in: source)
    }

    /// In memory that the caller deallocates.
    private static func bytes(
        of source: any BlockSource, at offset: UInt64, _ count: Int
    ) throws(ImageError) -> UnsafeRawBufferPointer {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
        do throws(BlockStorageError) {
            if try source.read(into: buffer, at: offset) == count {
                return UnsafeRawBufferPointer(buffer)
            }
        } catch {
            buffer.deallocate()
            throw .storage(error)
        }
        buffer.deallocate()
        throw .noRoot(offset: offset)
    }

    private static func locate(
        _ locator: UnsafeRawBufferPointer, at end: UInt64
    ) throws(ImageError) -> (offset: UInt64, count: Int) {
        let offset = locator.loadUnaligned(as: UInt64.self)
        let count = locator.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
        guard locator.loadUnaligned(fromByteOffset: 16, as: UInt64.self) == magic,
            count <= byteCountMax, offset <= end, end - offset == UInt64(count)
        else { throw .noRoot(offset: end) }
        return (offset, Int(count))
    }

    private static func decode(
        _ bytes: UnsafeRawBufferPointer, _ locator: UnsafeRawBufferPointer, at offset: UInt64,
        in source: any BlockSource
    ) throws(ImageError) -> ImageRoot {
        let found = varve_crc32c(checksum(bytes), locator.baseAddress, 12)
        guard found == locator.loadUnaligned(fromByteOffset: 12, as: UInt32.self) else {
            throw .noRoot(offset: offset)
        }
        var reader = ByteReader(bytes)
        let form = try ImageError.decodingRoot { () throws(CodecError) in
            try reader.readLittleEndian(UInt32.self)
        }
        guard form > 0 else { throw .malformedRoot(reason: "its form is 0") }
        let supported = formerVersions.lowerBound...formVersion
        guard supported.contains(form) else {
            throw .unsupported(version: form, supported: supported)
        }
        return try ImageError.decodingRoot { () throws(CodecError) in
            try decode(&reader, form: form, at: offset, in: source)
        }
    }

    private static func decode(
        _ reader: inout ByteReader, form: UInt32, at offset: UInt64, in source: any BlockSource
    ) throws(CodecError) -> ImageRoot {
        let start = reader.position
        let version = PageVersion(try reader.readVarint())
        guard version > .none, version.rawValue < 1 << 62 else {
            throw .valueOutOfRange(offset: start, typeName: "version of pages")
        }
        let nextBlock = try reader.readVarint()
        let directory =
            formerVersions.contains(form)
            ? try FormerDirectory.decode(
                &reader, form: form, endingAt: offset, nextBlock: nextBlock)
            : try BlockDirectory.decode(
                &reader, from: source, endingAt: offset, nextBlock: nextBlock)
        let state = try StateRecord.decode(&reader, form: form)
        try reader.expectEnd()
        return ImageRoot(
            version: version, nextBlock: nextBlock, directory: directory, state: state)
    }
}
