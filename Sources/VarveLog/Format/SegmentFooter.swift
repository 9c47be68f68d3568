/// The payload of the last frame of a sealed segment: totals, the chain digest, and where every
/// 256th transaction lies.
package struct SegmentFooter: Hashable, Sendable {
    /// Frames before the footer.
    package var frames: UInt64
    package var transactions: UInt64
    package var firstSequence: LogSequence
    /// `firstSequence` minus one when the segment has no transaction.
    package var lastSequence: LogSequence
    /// The smallest and largest transaction time; both 0 when there is no transaction.
    package var earliestTime: Int64
    package var latestTime: Int64
    /// Payload bytes of all transactions and catalogs before compression.
    package var rawBytes: ByteCount
    /// The chain digest after the last frame before the footer.
    package var digest: ChainDigest
    /// Where the footer's frame starts.
    package var dataEnd: FrameOffset
    package var index: [SparseIndexEntry]

    package init(
        frames: UInt64, transactions: UInt64, firstSequence: LogSequence,
        lastSequence: LogSequence, earliestTime: Int64, latestTime: Int64, rawBytes: ByteCount,
        digest: ChainDigest, dataEnd: FrameOffset, index: [SparseIndexEntry]
    ) {
        self.frames = frames
        self.transactions = transactions
        self.firstSequence = firstSequence
        self.lastSequence = lastSequence
        self.earliestTime = earliestTime
        self.latestTime = latestTime
        self.rawBytes = rawBytes
        self.digest = digest
        self.dataEnd = dataEnd
        self.index = index
    }

    static let fixedByteCount = 80
    static let entryByteCount = 24
    /// At the end of the payload, so of the file: dataEnd, a magic number and a checksum.
    static let locatorByteCount = 16
    static let locatorMagic: UInt32 = 0x3145_7256  // 'V' 'r' 'E' '1'

    var payloadByteCount: Int {
        Self.fixedByteCount + index.count * Self.entryByteCount + Self.locatorByteCount
    }

    /// The file length of the segment once the footer is written.
    package var sealedLength: ByteCount {
        ByteCount(dataEnd.rawValue + UInt64(FrameHeader.byteCount + payloadByteCount))
    }
}

/// Where one transaction lies. Every 256th transaction of a segment has an entry, the first too.
package struct SparseIndexEntry: Hashable, Sendable {
    package var sequence: LogSequence
    package var time: Int64
    package var offset: FrameOffset

    package init(sequence: LogSequence, time: Int64, offset: FrameOffset) {
        self.sequence = sequence
        self.time = time
        self.offset = offset
    }

    static let interval: UInt64 = 256
}

extension SegmentFooter {
    package func encode() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: payloadByteCount)
        bytes.withUnsafeMutableBytes { buffer in
            buffer.store(frames, at: 0)
            buffer.store(transactions, at: 8)
            buffer.store(firstSequence.rawValue, at: 16)
            buffer.store(lastSequence.rawValue, at: 24)
            buffer.store(earliestTime, at: 32)
            buffer.store(latestTime, at: 40)
            buffer.store(rawBytes.rawValue, at: 48)
            buffer.store(digest.rawValue, at: 56)
            buffer.store(dataEnd.rawValue, at: 64)
            buffer.store(UInt64(index.count), at: 72)
            for (position, entry) in index.enumerated() {
                let start = Self.fixedByteCount + position * Self.entryByteCount
                buffer.store(entry.sequence.rawValue, at: start)
                buffer.store(entry.time, at: start + 8)
                buffer.store(entry.offset.rawValue, at: start + 16)
            }
            let locator = payloadByteCount - Self.locatorByteCount
            buffer.store(dataEnd.rawValue, at: locator)
            buffer.store(Self.locatorMagic, at: locator + 8)
            buffer.store(Self.locatorChecksum(dataEnd), at: locator + 12)
        }
        return bytes
    }

    /// The footer in `payload`, whose checksum holds, or nil when its parts contradict each other.
    static func decode(_ payload: UnsafeRawBufferPointer) -> SegmentFooter? {
        let room = payload.count - fixedByteCount - locatorByteCount
        guard room >= 0, room % entryByteCount == 0,
            payload.integer(at: 72, as: UInt64.self) == UInt64(room / entryByteCount)
        else { return nil }
        let dataEnd = FrameOffset(payload.integer(at: 64, as: UInt64.self))
        let locator = UnsafeRawBufferPointer(
            rebasing: payload[(payload.count - locatorByteCount)...])
        guard decodeLocator(locator) == dataEnd else { return nil }
        let footer = SegmentFooter(
            frames: payload.integer(at: 0, as: UInt64.self),
            transactions: payload.integer(at: 8, as: UInt64.self),
            firstSequence: LogSequence(payload.integer(at: 16, as: UInt64.self)),
            lastSequence: LogSequence(payload.integer(at: 24, as: UInt64.self)),
            earliestTime: payload.integer(at: 32, as: Int64.self),
            latestTime: payload.integer(at: 40, as: Int64.self),
            rawBytes: ByteCount(payload.integer(at: 48, as: UInt64.self)),
            digest: ChainDigest(payload.integer(at: 56, as: UInt64.self)),
            dataEnd: dataEnd,
            index: decodeIndex(payload, count: room / entryByteCount))
        return footer.isConsistent ? footer : nil
    }

    /// Where the footer's frame starts, by the last bytes of a file; nil when they are no locator.
    static func decodeLocator(_ bytes: UnsafeRawBufferPointer) -> FrameOffset? {
        let dataEnd = FrameOffset(bytes.integer(at: 0, as: UInt64.self))
        guard bytes.integer(at: 8, as: UInt32.self) == locatorMagic,
            bytes.integer(at: 12, as: UInt32.self) == locatorChecksum(dataEnd)
        else { return nil }
        return dataEnd
    }

    private static func decodeIndex(
        _ payload: UnsafeRawBufferPointer, count: Int
    ) -> [SparseIndexEntry] {
        (0..<count).map { position in
            let start = fixedByteCount + position * entryByteCount
            return SparseIndexEntry(
                sequence: LogSequence(payload.integer(at: start, as: UInt64.self)),
                time: payload.integer(at: start + 8, as: Int64.self),
                offset: FrameOffset(payload.integer(at: start + 16, as: UInt64.self)))
        }
    }

    /// Numbers are dense, and the index climbs inside the data. Whether they are true is known
    /// only after reading the segment.
    private var isConsistent: Bool {
        let (next, overflow) = firstSequence.rawValue.addingReportingOverflow(transactions)
        guard !overflow, firstSequence.rawValue > 0, lastSequence.rawValue == next - 1,
            transactions <= frames
        else { return false }
        let rising = zip(index, index.dropFirst()).allSatisfy { earlier, later in
            earlier.sequence < later.sequence && earlier.offset < later.offset
        }
        return rising
            && index.allSatisfy { entry in
                entry.sequence >= firstSequence && entry.sequence <= lastSequence
                    && entry.offset < dataEnd
            }
    }

    private static func locatorChecksum(_ dataEnd: FrameOffset) -> UInt32 {
        Checksum.crc32c(locatorMagic, after: Checksum.crc32c(dataEnd.rawValue))
    }
}
