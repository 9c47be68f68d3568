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

    /// - Parameter byteCount: after as many bytes of payload it pauses, and the next call goes on.
    /// - Returns: whether the end of the segment was reached.
    @discardableResult
    mutating func run<Failure: Error>(
        pausingAfter byteCount: Int = .max, _ body: (LogRecord) throws(Failure) -> Void
    ) throws(ReplayFailure<Failure>) -> Bool {
        var bytes = 0
        while bytes < byteCount {
            guard
                let frame = try ReplayFailure<Failure>.onLog({ () throws(LogError) in
                    try nextFrame()
                })
            else { return true }
            let record = try ReplayFailure<Failure>.onLog { () throws(LogError) in try accept(frame)
            }
            guard let record else { continue }
            bytes += record.payload.count
            try ReplayFailure<Failure>.onConsumer { () throws(Failure) in try body(record) }
        }
        return false
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

/// Delivers what ``LogSnapshot/replay(after:through:_:)`` does, some bytes at a time.
package struct SteppedReplay {
    /// Of the payloads that are delivered.
    package let byteCount: UInt64
    private let snapshot: LogSnapshot
    private var positions: ArraySlice<Int>
    private var current: SegmentReplay?

    init(_ snapshot: LogSnapshot, after sequence: LogSequence, through last: LogSequence) {
        self.snapshot = snapshot
        let positions = snapshot.segments.indices.filter {
            let first = snapshot.segments[$0].header.firstSequence
            return first > sequence && first <= last
        }
        byteCount = positions.reduce(0) { $0 &+ snapshot.segments[$1].rawBytes.rawValue }
        self.positions = positions[...]
    }

    /// Delivers records until they have some bytes; false at the end.
    package mutating func advance<Failure: Error>(
        _ byteCount: Int, _ body: (LogRecord) throws(Failure) -> Void
    ) throws(ReplayFailure<Failure>) -> Bool {
        guard let position = positions.first else { return false }
        var replay: SegmentReplay
        if let current {
            replay = current
        } else {
            replay = try ReplayFailure<Failure>.onLog { () throws(LogError) in
                try SegmentReplay(snapshot.segments[position], snapshot: snapshot)
            }
        }
        current = nil
        if try replay.run(pausingAfter: byteCount, body) {
            positions.removeFirst()
        } else {
            current = replay
        }
        return !positions.isEmpty
    }
}
