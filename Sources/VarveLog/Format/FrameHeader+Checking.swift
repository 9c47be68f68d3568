import VarveCompression

extension FrameHeader {
    /// Why a header whose checksum holds cannot be used, or nil. Written by a newer version, or
    /// forged: a power cut leaves no such header.
    @inline(__always)
    func problem(segment: SegmentID, offset: FrameOffset) -> FrameStop? {
        guard storedLength <= Self.rawBytesMax, rawLength <= Self.rawBytesMax else {
            return invalid(
                segment, offset, expected: UInt64(Self.rawBytesMax),
                found: UInt64(max(storedLength, rawLength)))
        }
        if type.isIgnorable { return nil }
        guard type.isKnown, codec.isKnown, flags.isSubset(of: .known) else {
            return FrameStop(
                ending: .unsupportedFrame,
                error: .unsupportedFrame(segment: segment, offset: offset, found: kindBits))
        }
        guard hasConsistentLengths else {
            return invalid(
                segment, offset, expected: UInt64(storedLength), found: UInt64(rawLength))
        }
        guard hasFlagsOfItsType else {
            return invalid(segment, offset, expected: 0, found: UInt64(kindBits))
        }
        return nil
    }

    /// Type, codec and flags as the header has them, in one number.
    private var kindBits: UInt32 {
        UInt32(type.rawValue) | UInt32(codec.rawValue) << 8 | UInt32(flags.rawValue) << 16
    }

    /// Bounds the memory that decompression takes before any is taken.
    @inline(__always)
    private var hasConsistentLengths: Bool {
        switch (type, codec) {
        case (.seal, _): storedLength == 0 && rawLength == 0 && codec == .stored
        case (_, .stored): storedLength == rawLength
        case (.footer, _): false
        default:
            storedLength > 0 && storedLength < rawLength
                && UInt64(rawLength)
                    <= BlockCompression.rawBytesMax(storedBytes: UInt64(storedLength))
        }
    }

    @inline(__always)
    private var hasFlagsOfItsType: Bool {
        switch type {
        case .transaction: !flags.contains(.clean)
        case .seal: flags.isSubset(of: .clean)
        default: flags.isEmpty
        }
    }

    private func invalid(
        _ segment: SegmentID, _ offset: FrameOffset, expected: UInt64, found: UInt64
    ) -> FrameStop {
        FrameStop(
            ending: .invalidFrame,
            error: .damaged(
                LogDamage(
                    segment: segment, offset: offset, kind: .frameFields, expected: expected,
                    found: found)))
    }
}
