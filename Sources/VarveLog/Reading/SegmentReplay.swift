/// Reads one segment from its first frame to its last, verifying all of it.
struct SegmentReplay {
    private let entry: SegmentEntry
    private var cursor: FrameCursor
    private var order: FrameOrder
    private var tally: SegmentTally
    private let content: FrameContent

    init(_ entry: SegmentEntry, snapshot: LogSnapshot) throws(LogError) {
        self.entry = entry
        cursor = try entry.cursor(
            in: snapshot.fileSystem, blockBytes: SegmentWindow.sequentialBlockBytes)
        order = FrameOrder(entry.header)
        tally = SegmentTally(entry.header, opening: entry.opening)
        content = FrameContent(entry.id)
    }

    mutating func run<Failure: Error>(
        _ body: (LogRecord) throws(Failure) -> Void
    ) throws(ReplayFailure<Failure>) {
        while true {
            guard
                let frame = try ReplayFailure<Failure>.onLog({ () throws(LogError) in
                    try nextFrame()
                })
            else { return }
            let record = try ReplayFailure<Failure>.onLog { () throws(LogError) in try accept(frame)
            }
            guard let record else { continue }
            try ReplayFailure<Failure>.onConsumer { () throws(Failure) in try body(record) }
        }
    }

    /// Nil at the end of the segment, when everything fits its footer.
    private mutating func nextFrame() throws(LogError) -> Frame? {
        switch try cursor.next() {
        case .frame(let frame): return frame
        case .stopped(let stop): throw stop.error
        case .end:
            try checkEnd()
            return nil
        }
    }

    @inline(__always)
    private mutating func accept(_ frame: Frame) throws(LogError) -> LogRecord? {
        if let damage = order.accept(frame.header, at: frame.offset) { throw .damaged(damage) }
        tally.add(frame.header, at: frame.offset, headerBytes: frame.headerBytes)
        switch frame.header.type {
        case .transaction: return try content.add(frame).map { .transaction($0) }
        case .catalog: return .catalog(payload: try content.payload(of: frame))
        default: return nil
        }
    }

    private func checkEnd() throws(LogError) {
        if let open = order.open {
            throw damaged(.transactionRun, open.sequence.rawValue, 0)
        }
        guard let footer = entry.footer else { return }
        guard tally.totals.digest == footer.digest else {
            throw damaged(.digest, footer.digest.rawValue, tally.totals.digest.rawValue)
        }
        guard tally.footer(dataEnd: cursor.offset) == footer else {
            throw damaged(.footer, footer.frames, tally.totals.frames)
        }
    }

    private func damaged(
        _ kind: LogDamage.Kind, _ expected: UInt64, _ found: UInt64
    ) -> LogError {
        .damaged(
            LogDamage(
                segment: entry.id, offset: cursor.offset, kind: kind, expected: expected,
                found: found))
    }
}

extension LogSnapshot {
    /// Delivers every catalog and every transaction in order, with every checksum, every number,
    /// every promise and every digest verified on the way, from the segment on that starts behind a
    /// transaction: the last one of a checkpoint, or none. Segments that start behind `last`, the last one of a newer checkpoint, are left out.
    package func replay<Failure: Error>(
        after sequence: LogSequence, through last: LogSequence? = nil,
        _ body: (LogRecord) throws(Failure) -> Void
    ) throws(ReplayFailure<Failure>) {
        for position in segments.indices where segments[position].header.firstSequence > sequence {
            if let last, segments[position].header.firstSequence > last { return }
            try replay(segmentAt: position, body)
        }
    }

    /// Delivers the catalog and the transactions of one segment, in order and verified likewise.
    package func replay<Failure: Error>(
        segmentAt position: Int, _ body: (LogRecord) throws(Failure) -> Void
    ) throws(ReplayFailure<Failure>) {
        var replay = try ReplayFailure<Failure>.onLog { () throws(LogError) in
            try SegmentReplay(segments[position], snapshot: self)
        }
        try replay.run(body)
    }
}
