import VarveCompression

/// What a page of a checkpoint is about, in the words of the layer above; to the log its content
/// is opaque.
package struct CheckpointPageKey: Hashable, Sendable {
    /// 0 is never valid; unknown kinds from 128 on may be passed over.
    package var kind: UInt8
    package var subject: UInt32
    package var part: UInt32
    /// The number of the first item, and how many there are.
    package var first: UInt32
    package var count: UInt32

    package init(kind: UInt8, subject: UInt32, part: UInt32, first: UInt32, count: UInt32) {
        self.kind = kind
        self.subject = subject
        self.part = part
        self.first = first
        self.count = count
    }
}

/// The header of one page: 48 bytes in front of its stored bytes, and again in the page table.
struct CheckpointPageHeader: Equatable {
    static let byteCount = 48
    static let alignment = 8
    private static let magic: UInt32 = 0x3150_7256  // 'V' 'r' 'P' '1'
    /// What one LZ4 block can hold.
    static let rawBytesMax: UInt32 = 0x7E00_0000

    let key: CheckpointPageKey
    let codec: FrameCodec
    let storedLength: UInt32
    let rawLength: UInt32
    /// The page's position in the file, counted from 0.
    let position: UInt32
    let storedChecksum: UInt32
    let rawChecksum: UInt32

    /// Header, stored bytes and padding.
    var pageLength: UInt64 {
        let length = UInt64(Self.byteCount) + UInt64(storedLength)
        return (length + 7) & ~7
    }

    func encode(
        into buffer: UnsafeMutableRawBufferPointer, at offset: FrameOffset, seed: PlaceSeed
    ) {
        buffer.store(Self.magic, at: 0)
        buffer.store(key.kind, at: 4)
        buffer.store(codec.rawValue, at: 5)
        buffer.store(UInt16(0), at: 6)
        buffer.store(storedLength, at: 8)
        buffer.store(rawLength, at: 12)
        buffer.store(position, at: 16)
        buffer.store(key.count, at: 20)
        buffer.store(key.subject, at: 24)
        buffer.store(key.part, at: 28)
        buffer.store(key.first, at: 32)
        buffer.store(storedChecksum, at: 36)
        buffer.store(rawChecksum, at: 40)
        let covered = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<44])
        buffer.store(Checksum.crc32c(covered, after: seed.seed(at: offset)), at: 44)
    }

    /// Nil when the bytes are no header written for this place, or one that contradicts itself.
    static func decode(
        _ buffer: UnsafeRawBufferPointer, at offset: FrameOffset, seed: PlaceSeed
    ) -> CheckpointPageHeader? {
        let covered = UnsafeRawBufferPointer(rebasing: buffer[..<44])
        let checksum = Checksum.crc32c(covered, after: seed.seed(at: offset))
        guard buffer.integer(at: 44, as: UInt32.self) == checksum else { return nil }
        return checked(buffer)
    }

    /// Nil when a header contradicts itself. Its checksum is not compared.
    static func checked(_ buffer: UnsafeRawBufferPointer) -> CheckpointPageHeader? {
        guard buffer.integer(at: 0, as: UInt32.self) == magic,
            buffer.integer(at: 6, as: UInt16.self) == 0
        else { return nil }
        let header = CheckpointPageHeader(unchecked: buffer)
        return header.isConsistent ? header : nil
    }

    /// Whether `storedLength` bytes may stand for so many items when they are compressed. Memory is
    /// taken for items before the pages are read, so what is stored bounds it.
    static func mayBeCompressed(_ key: CheckpointPageKey, storedLength: Int) -> Bool {
        Int(key.count) <= storedLength
    }

    /// Also bounds what decoding may allocate by what is stored.
    private var isConsistent: Bool {
        guard key.kind != 0, rawLength <= Self.rawBytesMax else { return false }
        switch codec {
        case .stored: return storedLength == rawLength && storedChecksum == rawChecksum
        case .lz4:
            return storedLength > 0 && storedLength < rawLength
                && Self.mayBeCompressed(key, storedLength: Int(storedLength))
                && UInt64(rawLength)
                    <= BlockCompression.rawBytesMax(storedBytes: UInt64(storedLength))
        default: return false
        }
    }
}

extension CheckpointPageHeader {
    init(unchecked buffer: UnsafeRawBufferPointer) {
        self.init(
            key: CheckpointPageKey(
                kind: buffer.integer(at: 4, as: UInt8.self),
                subject: buffer.integer(at: 24, as: UInt32.self),
                part: buffer.integer(at: 28, as: UInt32.self),
                first: buffer.integer(at: 32, as: UInt32.self),
                count: buffer.integer(at: 20, as: UInt32.self)),
            codec: FrameCodec(rawValue: buffer.integer(at: 5, as: UInt8.self)),
            storedLength: buffer.integer(at: 8, as: UInt32.self),
            rawLength: buffer.integer(at: 12, as: UInt32.self),
            position: buffer.integer(at: 16, as: UInt32.self),
            storedChecksum: buffer.integer(at: 36, as: UInt32.self),
            rawChecksum: buffer.integer(at: 40, as: UInt32.self))
    }
}

/// A page and its place in the file.
package struct CheckpointPage: Sendable {
    package var key: CheckpointPageKey { header.key }
    package var rawBytes: ByteCount { ByteCount(UInt64(header.rawLength)) }
    /// What it takes in the file: header, stored bytes and padding.
    package var storedBytes: ByteCount { ByteCount(header.pageLength) }
    package let offset: FrameOffset
    let header: CheckpointPageHeader

    /// Where in the file a stored byte is. A page that is compressed has its first one for each.
    package func place(ofByte position: Int) -> FrameOffset {
        let first = offset.rawValue + UInt64(CheckpointPageHeader.byteCount)
        return FrameOffset(header.codec == .stored ? first + UInt64(position) : first)
    }

    init(_ header: CheckpointPageHeader, at offset: FrameOffset) {
        self.header = header
        self.offset = offset
    }
}
