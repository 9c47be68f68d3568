extension SegmentHeader {
    /// A header under which the frames of a segment can be read whose own header is unreadable: with
    /// a salt that gives their checksums. Nil when no frame of the file says what that must be.
    ///
    /// A frame header's checksum continues from salt, segment and offset. Taken back over the bytes
    /// of one intact header it shows what it was continued from. A header that gives what others give as well, or whose
    /// payload is intact, is one. What lies in such a payload does not count, so that pieces of other segments do not.
    /// Nor do frames that a disk put into another place: only those count whose numbers lie between those of the
    /// segments around it, the newest transaction before it included. Of several checksums that of the most bytes
    /// in whole frames far from the header is taken.
    static func reconstructed(
        for segment: SegmentID, store: StoreID, within numbers: Range<LogSequence>,
        from window: SegmentWindow
    ) throws(LogError) -> SegmentHeader? {
        var header = SegmentHeader(
            store: store, segment: segment, writerEpoch: 0, firstSequence: LogSequence(1), salt: 0,
            previousLength: .zero, previousDigest: .start, createdAt: 0)
        var vote = PlaceSeedVote(segment, within: numbers, window)
        guard let checksum = try vote.run() else { return nil }
        header.salt = ChecksumInversion().salt(withChecksum: checksum)
        return header
    }
}

/// Finds the checksum of a segment's salt from its frames.
private struct PlaceSeedVote {
    private let segment: SegmentID
    private let numbers: Range<LogSequence>
    private let window: SegmentWindow
    private let inversion = ChecksumInversion()
    private var votes: [UInt32: Votes] = [:]

    private struct Votes: Comparable {
        var count = 0
        /// Of whole frames, as far as they lie behind the page that the header was in.
        var farBytes: UInt64 = 0
        /// Where the last whole frame is.
        var last = FrameOffset(0)

        mutating func add(_ length: UInt64?, at offset: FrameOffset) {
            count += length == nil ? 1 : 2
            guard let length else { return }
            last = offset
            if offset.rawValue >= PlaceSeedVote.headerPageBytes { farBytes += length }
        }

        /// Those decide that are far from the header: what destroyed it, such as a page that was written to the wrong
        /// place, has put its own frames behind it. How many there are says little: the frames of a page that was moved
        /// all give one checksum.
        static func < (one: Votes, other: Votes) -> Bool {
            (one.farBytes, one.last, one.count) < (other.farBytes, other.last, other.count)
        }
    }

    private static let headerPageBytes: UInt64 = 4_096

    init(
        _ segment: SegmentID, within numbers: Range<LogSequence>, _ window: SegmentWindow
    ) {
        self.segment = segment
        self.numbers = numbers
        self.window = window
    }

    mutating func run() throws(LogError) -> UInt32? {
        var offset = UInt64(SegmentHeader.byteCount)
        while window.remaining(from: FrameOffset(offset)) >= UInt64(FrameHeader.byteCount) {
            offset =
                try window.contentStart(
                    from: FrameOffset(offset), count: FrameHeader.byteCount
                ).rawValue & ~7
            guard window.remaining(from: FrameOffset(offset)) >= UInt64(FrameHeader.byteCount)
            else { break }
            var length = UInt64(FrameHeader.alignment)
            if let candidate = try candidate(at: FrameOffset(offset)) {
                votes[candidate.checksum, default: Votes()]
                    .add(candidate.length, at: FrameOffset(offset))
                // What a payload holds, such as pieces of other segments, has no vote.
                length = candidate.length ?? length
            }
            offset += length
        }
        // A single header with a damaged payload could be anything.
        return votes.filter { $0.value.count > 1 }.max { $0.value < $1.value }?.key
    }

    /// - Returns: the checksum, and the frame's length where its payload is intact.
    private func candidate(
        at offset: FrameOffset
    ) throws(LogError) -> (checksum: UInt32, length: UInt64?)? {
        let bytes = try window.bytes(at: offset, count: FrameHeader.byteCount)
        guard bytes.integer(at: 0, as: UInt32.self) == FrameHeader.magic else { return nil }
        let checksum = saltChecksum(bytes, at: offset)
        let header = SegmentHeader(
            store: StoreID(high: 0, low: 0), segment: segment, writerEpoch: 0,
            firstSequence: LogSequence(1), salt: inversion.salt(withChecksum: checksum),
            previousLength: .zero, previousDigest: .start, createdAt: 0)
        var cursor = FrameCursor(header, window: window, at: offset)
        switch try cursor.next() {
        case .frame(let frame):
            guard isNeighbour(frame.header) else { return nil }
            return (checksum, frame.header.storedLength > 0 ? frame.header.frameLength : nil)
        case .stopped(let stop) where stop.ending == .damagedPayload: return (checksum, nil)
        case .stopped, .end: return nil
        }
    }

    /// Frames that hold no transaction name the one before them.
    private func isNeighbour(_ header: FrameHeader) -> Bool {
        numbers.contains(header.sequence)
            && (header.type != .transaction || header.sequence > numbers.lowerBound)
    }

    /// What the salt's checksum must be for these bytes to be a header at this place.
    private func saltChecksum(_ bytes: UnsafeRawBufferPointer, at offset: FrameOffset) -> UInt32 {
        let covered = UnsafeRawBufferPointer(rebasing: bytes[..<52])
        let seed = inversion.checksum(
            before: covered, of: bytes.integer(at: 52, as: UInt32.self))
        let ofSegment = withUnsafeBytes(of: offset.rawValue.littleEndian) {
            inversion.checksum(before: $0, of: seed)
        }
        return withUnsafeBytes(of: segment.rawValue.littleEndian) {
            inversion.checksum(before: $0, of: ofSegment)
        }
    }
}
