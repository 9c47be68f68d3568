/// The frames behind a place in a segment that has no footer: how far they are whole, and how far
/// they are promised.
struct FollowedTail {
    /// The largest promise of any intact header.
    private(set) var promise: FrameOffset
    /// Behind the last whole frame.
    private(set) var end: FrameOffset

    /// Beside a live writer an incomplete frame is work in progress. In a log at rest it is for the
    /// rules of recovery to say what it is.
    init(
        _ place: FollowedPlace, in fileSystem: any FileSystem, end: FrameOffset, isLive: Bool
    ) throws(LogError) {
        promise = place.order.promise
        self.end = place.offset
        let name = StoreFileName.segment(place.header.segment).text
        let file = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.open(name, .read)
        }
        let window = SegmentWindow(
            file, name: name, end: end, blockBytes: SegmentWindow.randomBlockBytes)
        var cursor = FrameCursor(place.header, window: window, at: place.offset)
        guard let stop = try readFrames(&cursor, isLive: isLive) else { return }
        // Space that a writer took beforehand: nothing is there yet.
        if isLive || promise <= self.end, stop.ending == .damagedHeader,
            try window.contentEnd(from: cursor.offset) == cursor.offset
        {
            return
        }
        if isLive {
            // A frame cut short is being written. Anything else is damage where a promise behind it
            // says so, which reading up to that promise will find.
            guard stop.ending == .damagedHeader else { return }
            try lookBehind(&cursor)
            return
        }
        // Throws what a writer would be refused.
        let fresh = try SegmentFile.read(place.header.segment, in: fileSystem, mode: .readOnly)
        let active = try ActiveSegment(fresh, in: fileSystem, promisedOnly: false)
        promise = max(promise, active.scan.promise)
        self.end = max(place.offset, active.scan.cut)
    }

    /// Returns what ended the frames; nil at the end of the file.
    private mutating func readFrames(
        _ cursor: inout FrameCursor, isLive: Bool
    ) throws(LogError) -> FrameStop? {
        while true {
            switch isLive ? try cursor.nextHeader() : try cursor.next() {
            case .frame(let frame):
                promise = max(promise, frame.header.durableEnd)
                end = frame.end
            case .end: return nil
            case .stopped(let stop): return stop
            }
        }
    }

    private mutating func lookBehind(_ cursor: inout FrameCursor) throws(LogError) {
        var from = FrameOffset(cursor.offset.rawValue + UInt64(FrameHeader.alignment))
        while try cursor.moveToNextHeader(from: from) {
            if case .frame(let frame) = try cursor.nextHeader() {
                promise = max(promise, frame.header.durableEnd)
                from = frame.end
            } else {
                from = FrameOffset(cursor.offset.rawValue + UInt64(FrameHeader.alignment))
            }
        }
    }
}
