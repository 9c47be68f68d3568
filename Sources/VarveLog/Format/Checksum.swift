import CVarve

/// CRC32C, as all checksums of the format.
package enum Checksum {
    /// The checksum of `bytes`, continuing from `previous`, that of the bytes before them.
    @inline(__always)
    package static func crc32c(_ bytes: UnsafeRawBufferPointer, after previous: UInt32 = 0)
        -> UInt32
    {
        varve_crc32c(previous, bytes.baseAddress, bytes.count)
    }

    /// As `crc32c`, without the processor's instructions: the other implementation, to compare.
    package static func portableCRC32C(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        varve_crc32c_portable(0, bytes.baseAddress, bytes.count)
    }

    /// As `crc32c`, of the value's little-endian bytes.
    @inline(__always)
    package static func crc32c<Value: FixedWidthInteger>(
        _ value: Value, after previous: UInt32 = 0
    ) -> UInt32 {
        withUnsafeBytes(of: value.littleEndian) { crc32c($0, after: previous) }
    }
}

/// What binds the checksum of a frame header to its place: the segment's salt and number, and the
/// frame's offset. A frame copied to another place, or left over from an earlier writer, never
/// passes as a frame there.
package struct PlaceSeed: Equatable {
    private let ofSegment: UInt32

    package init(salt: UInt64, segment: SegmentID) {
        ofSegment = Checksum.crc32c(segment.rawValue, after: Checksum.crc32c(salt))
    }

    @inline(__always)
    func seed(at offset: FrameOffset) -> UInt32 {
        Checksum.crc32c(offset.rawValue, after: ofSegment)
    }
}
