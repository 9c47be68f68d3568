/// A border between frames of a segment, with everything that the frames before it add up to.
struct FollowedPlace {
    let header: SegmentHeader
    var order: FrameOrder
    var tally: SegmentTally
    /// Where the next frame starts.
    var offset: FrameOffset
    /// The last frame before `offset`, to see whether it is still the one that was read.
    private var last: (offset: FrameOffset, header: [UInt8])?

    /// Before the first frame.
    init(_ header: SegmentHeader, opening: ChainDigest) {
        self.header = header
        order = FrameOrder(header)
        tally = SegmentTally(header, opening: opening)
        offset = header.frameStart
    }

    mutating func pass(_ frame: Frame) throws(LogError) {
        if let damage = order.accept(frame.header, at: frame.offset) { throw .damaged(damage) }
        tally.add(frame.header, at: frame.offset, headerBytes: frame.headerBytes)
        last = (frame.offset, Array(frame.headerBytes))
        offset = frame.end
    }

    /// Whether the last frame that was read is still there. Its header has checksums of its content, its
    /// place and its number.
    func endsAsRead(in fileSystem: any FileSystem) throws(LogError) -> Bool {
        guard let last else { return true }
        return try LogError.wrapping { () throws(FileSystemError) in
            let file = try fileSystem.open(name, .read)
            return try file.readBytes(at: last.offset, count: last.header.count, name: name)
                == last.header
        }
    }

    /// Whether all frames from the border `start` on are whole.
    func isWhole(from start: FrameOffset, in fileSystem: any FileSystem) throws(LogError) -> Bool {
        let file = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.open(name, .read)
        }
        let window = SegmentWindow(
            file, name: name, end: offset, blockBytes: SegmentWindow.randomBlockBytes)
        var cursor = FrameCursor(header, window: window, at: start)
        while cursor.offset < offset {
            guard case .frame = try cursor.next() else { return false }
        }
        return true
    }

    private var name: String { StoreFileName.segment(header.segment).text }

    /// The segment was read to its end: does its footer say the same?
    func check(_ footer: SegmentFooter) throws(LogError) {
        guard tally.totals.digest == footer.digest else {
            throw damaged(.digest, footer.digest.rawValue, tally.totals.digest.rawValue)
        }
        guard tally.footer(dataEnd: offset) == footer else {
            throw damaged(.footer, footer.frames, tally.totals.frames)
        }
    }

    private func damaged(
        _ kind: LogDamage.Kind, _ expected: UInt64, _ found: UInt64
    ) -> LogError {
        .damaged(
            LogDamage(
                segment: header.segment, offset: offset, kind: kind, expected: expected,
                found: found))
    }
}
