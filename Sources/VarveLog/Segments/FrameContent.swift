import VarveCompression

/// Turns the stored bytes of frames back into payloads, in memory that is reused.
///
/// Owns the buffers; the pointers that it hands out are valid until the next call.
final class FrameContent {
    private let segment: SegmentID
    let buffer = ByteBuffer()

    /// The transaction whose frames are being put together.
    private var start: FrameOffset?
    private var rawCount = 0
    private var storedBytes: UInt64 = 0
    private var headerChecksum: UInt32 = 0

    init(_ segment: SegmentID) {
        self.segment = segment
    }

    /// The payload of a frame that stands for itself.
    @inline(__always)
    func payload(of frame: Frame) throws(LogError) -> UnsafeRawBufferPointer {
        let header = frame.header
        if header.codec == .stored {
            // Both checksums are of the same bytes, and the cursor has verified the first.
            guard header.rawChecksum == header.storedChecksum else {
                throw damaged(
                    frame, .content, UInt64(header.rawChecksum), UInt64(header.storedChecksum))
            }
            return frame.payload
        }
        try checkLength(of: frame)
        buffer.grow(to: Int(header.rawLength))
        let raw = buffer.prefix(Int(header.rawLength))
        try decompress(frame, into: raw)
        return UnsafeRawBufferPointer(raw)
    }

    /// Takes the next frame of a transaction; returns the transaction with its last one.
    @inline(__always)
    func add(_ frame: Frame) throws(LogError) -> LoggedTransaction? {
        let header = frame.header
        if header.flags.isDisjoint(with: [.continues, .continuation]) {
            return LoggedTransaction(
                sequence: header.sequence, time: header.time,
                location: FrameLocation(segment: segment, offset: frame.offset),
                storedBytes: ByteCount(header.frameLength), headerChecksum: frame.headerChecksum,
                payload: try payload(of: frame))
        }
        return try addPart(frame)
    }

    private func addPart(_ frame: Frame) throws(LogError) -> LoggedTransaction? {
        let header = frame.header
        if !header.flags.contains(.continuation) {
            start = frame.offset
            rawCount = 0
            storedBytes = 0
            headerChecksum = frame.headerChecksum
        }
        guard let start else { throw damaged(frame, .transactionRun, 0, UInt64(rawCount)) }
        try checkLength(of: frame)
        let total = rawCount + Int(header.rawLength)
        buffer.grow(to: total, keeping: rawCount)
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[rawCount..<total])
        if header.codec == .stored {
            part.copyMemory(from: try payload(of: frame))
        } else {
            try decompress(frame, into: part)
        }
        rawCount = total
        storedBytes += header.frameLength
        guard !header.flags.contains(.continues) else { return nil }
        self.start = nil
        return LoggedTransaction(
            sequence: header.sequence, time: header.time,
            location: FrameLocation(segment: segment, offset: start),
            storedBytes: ByteCount(storedBytes), headerChecksum: headerChecksum,
            payload: UnsafeRawBufferPointer(buffer.prefix(rawCount)))
    }

    /// Before memory is taken for a frame's content.
    @inline(__always)
    private func checkLength(of frame: Frame) throws(LogError) {
        let count = Int(frame.header.rawLength)
        guard
            frame.header.codec == .stored
                || BlockCompression.isWorthMemory(count, for: frame.payload)
        else { throw damaged(frame, .compression, UInt64(count), 0) }
    }

    @inline(__always)
    private func decompress(
        _ frame: Frame, into raw: UnsafeMutableRawBufferPointer
    ) throws(LogError) {
        let count = BlockCompression.decompress(frame.payload, into: raw)
        guard count == raw.count else {
            throw damaged(frame, .compression, UInt64(raw.count), UInt64(count ?? 0))
        }
        let found = Checksum.crc32c(UnsafeRawBufferPointer(raw))
        guard found == frame.header.rawChecksum else {
            throw damaged(frame, .content, UInt64(frame.header.rawChecksum), UInt64(found))
        }
    }

    private func damaged(
        _ frame: Frame, _ kind: LogDamage.Kind, _ expected: UInt64, _ found: UInt64
    ) -> LogError {
        .damaged(
            LogDamage(
                segment: segment, offset: frame.offset, kind: kind, expected: expected,
                found: found))
    }
}
