/// The first bytes of a segment file. Written and synced before the file gets its name, so a
/// damaged header is never the trace of a power cut.
package struct SegmentHeader: Hashable, Sendable {
    package var version = FormatVersion.current
    package var features = FormatFeatures.none
    package var store: StoreID
    package var segment: SegmentID
    /// Grows by one whenever a writer did not end cleanly: one segment has frames of one epoch.
    package var writerEpoch: UInt64
    /// The number that the segment's first transaction has or will have.
    package var firstSequence: LogSequence
    /// Random; part of every frame's checksum.
    package var salt: UInt64
    /// The file length of the segment before, 0 for the first of a store.
    package var previousLength: ByteCount
    /// The chain digest at the end of the segment before.
    package var previousDigest: ChainDigest
    /// When the segment was created, microseconds since 1970. Information only.
    package var createdAt: Int64
    /// Where the first frame starts: later versions may have longer headers.
    package var headerLength: UInt32 = UInt32(Self.byteCount)

    package static let byteCount = 128
    /// No version's header is longer.
    static let byteCountMax = 4096

    package var frameStart: FrameOffset { FrameOffset(UInt64(headerLength)) }
    package var placeSeed: PlaceSeed { PlaceSeed(salt: salt, segment: segment) }

    /// The last transaction before the segment.
    var sequenceBefore: LogSequence { LogSequence(firstSequence.rawValue &- 1) }
}

extension SegmentHeader {
    /// The chain digest behind this header, whose bytes open the segment's part of the chain.
    func opening(_ bytes: [UInt8]) -> ChainDigest {
        var digest = previousDigest
        bytes.withUnsafeBytes { digest.extend(with: $0) }
        return digest
    }

    package func encode() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        bytes.withUnsafeMutableBytes { buffer in
            buffer.store(FileMagic.segment, at: 0)
            buffer.store(version.major, at: 8)
            buffer.store(version.minor, at: 10)
            buffer.store(headerLength, at: 12)
            buffer.store(features.incompatible, at: 16)
            buffer.store(features.readOnlyCompatible, at: 20)
            buffer.store(features.compatible, at: 24)
            buffer.store(store.high.bigEndian, at: 32)
            buffer.store(store.low.bigEndian, at: 40)
            buffer.store(segment.rawValue, at: 48)
            buffer.store(writerEpoch, at: 56)
            buffer.store(firstSequence.rawValue, at: 64)
            buffer.store(salt, at: 72)
            buffer.store(previousLength.rawValue, at: 80)
            buffer.store(previousDigest.rawValue, at: 88)
            buffer.store(createdAt, at: 96)
            let covered = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<124])
            buffer.store(Checksum.crc32c(covered), at: 124)
        }
        return bytes
    }

    /// Reads the header of the segment that a file's name says it is. `bytes` are the first of the
    /// file, `byteCount` or fewer.
    static func decode(
        _ bytes: [UInt8], of segment: SegmentID, mode: LogMode
    ) throws(LogError) -> SegmentHeader {
        let header = try bytes.withUnsafeBytesTyped { buffer throws(LogError) in
            try decode(buffer, of: segment)
        }
        // Only behind the checksum: a damaged version number is damage, not a newer format.
        try header.features.check(
            file: StoreFileName.segment(segment).text, version: header.version, mode: mode)
        guard header.segment == segment else {
            throw damage(segment, .segmentNumber, segment.rawValue, header.segment.rawValue)
        }
        let length = Int(header.headerLength)
        guard length >= byteCount, length <= byteCountMax, length % FrameHeader.alignment == 0,
            header.firstSequence.rawValue > 0, header.numbersAreSmall
        else {
            throw damage(segment, .segmentHeader, UInt64(byteCount), UInt64(length))
        }
        return header
    }

    private static func decode(
        _ buffer: UnsafeRawBufferPointer, of segment: SegmentID
    ) throws(LogError) -> SegmentHeader {
        guard buffer.count >= byteCount else {
            throw damage(segment, .segmentHeader, UInt64(byteCount), UInt64(buffer.count))
        }
        let magic = buffer.integer(at: 0, as: UInt64.self)
        guard magic == FileMagic.segment else {
            throw damage(segment, .segmentHeader, FileMagic.segment, magic)
        }
        let expected = Checksum.crc32c(UnsafeRawBufferPointer(rebasing: buffer[..<124]))
        let found = buffer.integer(at: 124, as: UInt32.self)
        guard expected == found else {
            throw damage(segment, .segmentHeader, UInt64(expected), UInt64(found))
        }
        return SegmentHeader(unchecked: buffer)
    }

    /// No store counts this far, so that arithmetic behind this check cannot overflow.
    private var numbersAreSmall: Bool {
        let limit: UInt64 = 1 << 62
        return segment.rawValue < limit && writerEpoch < limit && firstSequence.rawValue < limit
    }

    private init(unchecked buffer: UnsafeRawBufferPointer) {
        self.init(
            version: FormatVersion(
                major: buffer.integer(at: 8, as: UInt16.self),
                minor: buffer.integer(at: 10, as: UInt16.self)),
            features: FormatFeatures(
                incompatible: buffer.integer(at: 16, as: UInt32.self),
                readOnlyCompatible: buffer.integer(at: 20, as: UInt32.self),
                compatible: buffer.integer(at: 24, as: UInt32.self)),
            store: StoreID(
                high: buffer.integer(at: 32, as: UInt64.self).bigEndian,
                low: buffer.integer(at: 40, as: UInt64.self).bigEndian),
            segment: SegmentID(buffer.integer(at: 48, as: UInt64.self)),
            writerEpoch: buffer.integer(at: 56, as: UInt64.self),
            firstSequence: LogSequence(buffer.integer(at: 64, as: UInt64.self)),
            salt: buffer.integer(at: 72, as: UInt64.self),
            previousLength: ByteCount(buffer.integer(at: 80, as: UInt64.self)),
            previousDigest: ChainDigest(buffer.integer(at: 88, as: UInt64.self)),
            createdAt: buffer.integer(at: 96, as: Int64.self),
            headerLength: buffer.integer(at: 12, as: UInt32.self))
    }

    private static func damage(
        _ segment: SegmentID, _ kind: LogDamage.Kind, _ expected: UInt64, _ found: UInt64
    ) -> LogError {
        .damaged(
            LogDamage(
                segment: segment, offset: FrameOffset(0), kind: kind, expected: expected,
                found: found))
    }
}
