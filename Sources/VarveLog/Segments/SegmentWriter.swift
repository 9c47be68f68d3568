import VarveCompression

/// Appends frames to one segment file and knows how much of it is safe. It holds no policy: when to
/// sync, roll or give up is its owner's decision.
///
/// Unchecked for exclusive access where each append looks: no code that reaches the writer runs while one of these is
/// being changed.
final class SegmentWriter {
    let header: SegmentHeader
    let opening: ChainDigest
    private let file: any StoreFile
    let held: HeldFile
    private var name: String { held.name }
    private let seed: PlaceSeed
    @exclusivity(unchecked) private(set) var tally: SegmentTally
    /// Where the next frame starts. Behind it the file ends, or holds nothing but zeros.
    @exclusivity(unchecked) private(set) var end: FrameOffset
    /// Where the file ends, as far as space was taken beforehand.
    @exclusivity(unchecked) private var reservedEnd: FrameOffset
    @exclusivity(unchecked) private var canReserve = true
    /// Everything below is safe from a power cut; what the next frame promises.
    @exclusivity(unchecked) private(set) var durableEnd: FrameOffset
    /// The newest promise that a frame carries.
    @exclusivity(unchecked) private var promisedEnd: FrameOffset

    private let buffer = ByteBuffer(capacity: 1 << 16)
    private let compressor = BlockCompression.Compressor()

    init(
        _ file: any StoreFile, header: SegmentHeader, opening: ChainDigest, tally: SegmentTally,
        end: FrameOffset, durableEnd: FrameOffset
    ) throws(FileSystemError) {
        self.file = file
        held = HeldFile(
            name: StoreFileName.segment(header.segment).text, identity: try file.identity())
        self.header = header
        self.opening = opening
        self.tally = tally
        self.end = end
        reservedEnd = end
        self.durableEnd = durableEnd
        promisedEnd = durableEnd
        seed = header.placeSeed
    }

    var footer: SegmentFooter { tally.footer(dataEnd: end) }

    var entry: SegmentEntry {
        SegmentEntry(header: header, opening: opening, active: tally, dataEnd: end)
    }

    var statistics: LogStatistics {
        var statistics = LogStatistics()
        statistics.segments = 1
        statistics.transactions = tally.totals.transactions
        statistics.storedBytes = ByteCount(end.rawValue)
        statistics.rawBytes = ByteCount(tally.totals.rawBytes)
        return statistics
    }

    /// Bytes are safe that no frame has promised yet.
    var owesPromise: Bool { durableEnd > promisedEnd }

    func isFull(_ limit: ByteCount) -> Bool {
        tally.totals.holdsData && end.rawValue >= limit.rawValue
    }

    // MARK: Frames

    /// Writes a transaction as one frame, or as several that each say whether more follow. All of
    /// them carry the same promise, so none grows inside.
    func appendTransaction(
        _ payload: UnsafeRawBufferPointer, sequence: LogSequence, time: Int64, frameBytesMax: Int
    ) throws(FileSystemError) {
        var position = 0
        repeat {
            let count = min(frameBytesMax, payload.count - position)
            var flags: FrameFlags = position > 0 ? .continuation : []
            if position + count < payload.count { flags.insert(.continues) }
            try append(
                .transaction, flags, sequence: sequence, time: time,
                raw: UnsafeRawBufferPointer(rebasing: payload[position..<(position + count)]))
            position += count
        } while position < payload.count
    }

    func appendCatalog(_ catalog: [UInt8], time: Int64) throws(FileSystemError) {
        precondition(
            catalog.count <= Int(FrameHeader.rawBytesMax), "the definitions fit into one frame")
        try catalog.withUnsafeBytesTyped { raw throws(FileSystemError) in
            try append(.catalog, [], sequence: tally.totals.lastSequence, time: time, raw: raw)
        }
    }

    func appendSeal(_ flags: FrameFlags, time: Int64) throws(FileSystemError) {
        try append(
            .seal, flags, sequence: tally.totals.lastSequence, time: time,
            raw: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// The last frame of the segment, stored as it is so that its end can be found from behind.
    func appendFooter(_ footer: SegmentFooter, time: Int64) throws(FileSystemError) {
        try footer.encode().withUnsafeBytesTyped { raw throws(FileSystemError) in
            try append(.footer, [], sequence: footer.lastSequence, time: time, raw: raw)
        }
    }

    private func append(
        _ type: FrameType, _ flags: FrameFlags, sequence: LogSequence, time: Int64,
        raw: UnsafeRawBufferPointer
    ) throws(FileSystemError) {
        buffer.grow(to: FrameHeader.byteCount + raw.count + FrameHeader.alignment)
        let room = UnsafeMutableRawBufferPointer(
            rebasing: buffer.bytes[FrameHeader.byteCount...])
        // Of the raw bytes and before compression, so that it also finds what compression breaks.
        let rawChecksum = Checksum.crc32c(raw)
        let compressed =
            type == .footer ? nil : BlockCompression.compress(raw, into: room, using: compressor)
        if compressed == nil { room.copyMemory(from: raw) }
        let stored = UnsafeRawBufferPointer(room.prefixBytes(compressed ?? raw.count))
        let frame = FrameHeader(
            type: type, codec: compressed == nil ? .stored : .lz4, flags: flags,
            storedLength: UInt32(stored.count), rawLength: UInt32(raw.count), sequence: sequence,
            durableEnd: durableEnd, time: time,
            storedChecksum: compressed == nil ? rawChecksum : Checksum.crc32c(stored),
            rawChecksum: rawChecksum)
        try write(frame)
    }

    /// The payload is in the buffer already, behind the header's place.
    private func write(_ frame: FrameHeader) throws(FileSystemError) {
        let length = Int(frame.frameLength)
        for position in (length - frame.paddingLength)..<length { buffer.bytes[position] = 0 }
        frame.encode(into: buffer.bytes, at: end, seed: seed)
        let bytes = UnsafeRawBufferPointer(buffer.prefix(length))
        // The file ends with its footer, and as a rule with a clean seal.
        if frame.type != .footer, !frame.flags.contains(.clean) { reserve(length) }
        try file.writeAll(bytes, at: end, name: name)
        tally.add(
            frame, at: end,
            headerBytes: UnsafeRawBufferPointer(rebasing: bytes[..<FrameHeader.byteCount]))
        promisedEnd = frame.durableEnd
        end = FrameOffset(end.rawValue + UInt64(length))
    }

    // MARK: Space

    private static var reservingBytesMax: Int { 16 << 10 }

    /// Takes space before a frame of some length needs it. A file that nobody syncs gains nothing, nor does
    /// a frame that takes all of what is got at a time.
    private func reserve(_ length: Int) {
        guard canReserve, durableEnd > header.frameStart, length <= Self.reservingBytesMax,
            end.rawValue + UInt64(length) > reservedEnd.rawValue
        else { return }
        if let reserved = file.reserve(behind: end) {
            reservedEnd = reserved
        } else {
            canReserve = false
        }
    }

    /// Gives back the space that was taken and not used: a segment that is closed or sealed ends with
    /// its last frame. Returns whether the file is shorter now.
    func trim() throws(FileSystemError) -> Bool {
        guard reservedEnd > end else { return false }
        try file.truncate(to: ByteCount(end.rawValue))
        reservedEnd = end
        return true
    }

    func synchronizeCut(_ progress: SyncProgress) throws(LogError) {
        try progress.synchronizeAfterCut(file)
    }

    // MARK: Safety

    /// What a sync shall reach for everything appended so far to be safe.
    func target(through sequence: LogSequence) -> SyncTarget {
        SyncTarget(file: file, held: held, segment: header.segment, end: end, sequence: sequence)
    }

    /// Takes note of a sync that has returned: the next frame promises it.
    func noteSafe(through offset: FrameOffset) { durableEnd = max(durableEnd, offset) }

    /// Makes everything safe, for an owner that has no other syncs.
    func synchronize() throws(FileSystemError) {
        try file.synchronize()
        noteSafe(through: end)
    }

    struct Mark {
        fileprivate let end: FrameOffset
        fileprivate let promisedEnd: FrameOffset
        fileprivate let tally: SegmentTally.Mark
    }

    var mark: Mark { Mark(end: end, promisedEnd: promisedEnd, tally: tally.mark) }

    /// Removes whatever reached the file since `mark`. Synced, so that no power cut brings back
    /// bytes of the removed frames behind those that will be written in their place.
    func cutBack(to mark: Mark, _ progress: SyncProgress) throws(LogError) {
        try LogError.wrapping { () throws(FileSystemError) in
            try file.truncate(to: ByteCount(mark.end.rawValue))
        }
        try synchronizeCut(progress)
        end = mark.end
        reservedEnd = mark.end
        promisedEnd = mark.promisedEnd
        tally.restore(mark.tally)
    }
}
