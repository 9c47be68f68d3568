extension FrameHeader {
    /// Writes the header for a frame at `offset`. Returns its checksum.
    @discardableResult
    package func encode(
        into buffer: UnsafeMutableRawBufferPointer, at offset: FrameOffset, seed: PlaceSeed
    ) -> UInt32 {
        buffer.store(Self.magic, at: 0)
        buffer.store(type.rawValue, at: 4)
        buffer.store(codec.rawValue, at: 5)
        buffer.store(flags.rawValue, at: 6)
        buffer.store(storedLength, at: 8)
        buffer.store(rawLength, at: 12)
        buffer.store(sequence.rawValue, at: 16)
        buffer.store(durableEnd.rawValue, at: 24)
        buffer.store(time, at: 32)
        buffer.store(UInt32(0), at: 40)
        buffer.store(storedChecksum, at: 44)
        buffer.store(rawChecksum, at: 48)
        let checksum = Self.checksum(of: UnsafeRawBufferPointer(buffer), at: offset, seed: seed)
        buffer.store(checksum, at: 52)
        return checksum
    }

    /// The header at the start of `buffer`, or nil when these bytes are no header written for this
    /// place. Nothing but its origin is known then: lengths and numbers are still to be checked.
    @inline(__always)
    static func decode(
        _ buffer: UnsafeRawBufferPointer, at offset: FrameOffset, seed: PlaceSeed
    ) -> FrameHeader? {
        guard buffer.count >= byteCount, buffer.integer(at: 0, as: UInt32.self) == magic,
            buffer.integer(at: 52, as: UInt32.self) == checksum(of: buffer, at: offset, seed: seed)
        else { return nil }
        return FrameHeader(unchecked: buffer)
    }

    @inline(__always)
    static func checksum(
        of buffer: UnsafeRawBufferPointer, at offset: FrameOffset, seed: PlaceSeed
    ) -> UInt32 {
        let covered = UnsafeRawBufferPointer(rebasing: buffer[..<52])
        return Checksum.crc32c(covered, after: seed.seed(at: offset))
    }

    @inline(__always)
    private init(unchecked buffer: UnsafeRawBufferPointer) {
        type = FrameType(rawValue: buffer.integer(at: 4, as: UInt8.self))
        codec = FrameCodec(rawValue: buffer.integer(at: 5, as: UInt8.self))
        flags = FrameFlags(rawValue: buffer.integer(at: 6, as: UInt16.self))
        storedLength = buffer.integer(at: 8, as: UInt32.self)
        rawLength = buffer.integer(at: 12, as: UInt32.self)
        sequence = LogSequence(buffer.integer(at: 16, as: UInt64.self))
        durableEnd = FrameOffset(buffer.integer(at: 24, as: UInt64.self))
        time = buffer.integer(at: 32, as: Int64.self)
        storedChecksum = buffer.integer(at: 44, as: UInt32.self)
        rawChecksum = buffer.integer(at: 48, as: UInt32.self)
    }
}
