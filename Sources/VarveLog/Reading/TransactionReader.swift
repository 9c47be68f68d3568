/// Reads single transactions of a snapshot: by number, backwards, or forwards from a number.
///
/// Every transaction is verified as it is read. Keeps the segment that was read last open. Belongs
/// to one thread; any thread can make its own from the same snapshot.
package final class TransactionReader {
    package let snapshot: LogSnapshot
    private var current: (position: Int, window: SegmentWindow, content: FrameContent)?

    package init(_ snapshot: LogSnapshot) {
        self.snapshot = snapshot
    }

    /// Delivers one transaction. Cost: at most 256 frame headers and the transaction itself.
    ///
    /// Errors: `.noSuchTransaction` outside of the snapshot's range, `.belowFloor` where it was
    /// there once.
    package func withTransaction<Result, Failure: Error>(
        _ sequence: LogSequence, _ body: (LoggedTransaction) throws(Failure) -> Result
    ) throws(ReplayFailure<Failure>) -> Result {
        let transaction = try ReplayFailure<Failure>.onLog { () throws(LogError) in
            let position = try segmentPosition(of: sequence)
            let offset = try locate(sequence, inSegmentAt: position)
            return try read(at: offset, inSegmentAt: position)
        }
        return try ReplayFailure<Failure>.onConsumer { () throws(Failure) in try body(transaction) }
    }

    /// Delivers transactions newest first, from `newest` or the last one down, until `body` returns
    /// false or there are no more. Cost: each frame header once, each transaction once.
    package func forEachNewestFirst<Failure: Error>(
        from newest: LogSequence? = nil, _ body: (LoggedTransaction) throws(Failure) -> Bool
    ) throws(ReplayFailure<Failure>) {
        let newest = min(newest ?? snapshot.lastSequence, snapshot.lastSequence)
        for (position, segment) in snapshot.segments.enumerated().reversed()
        where segment.transactions > 0 && segment.header.firstSequence <= newest {
            let starts = [segment.header.frameStart] + segment.index.dropFirst().map(\.offset)
            for (number, start) in starts.enumerated().reversed() {
                let end = number + 1 < starts.count ? starts[number + 1] : segment.dataEnd
                let offsets = try ReplayFailure<Failure>.onLog { () throws(LogError) in
                    try transactionOffsets(
                        from: start, to: end, through: newest, inSegmentAt: position)
                }
                for offset in offsets.reversed() {
                    let transaction = try ReplayFailure<Failure>.onLog { () throws(LogError) in
                        try read(at: offset, inSegmentAt: position)
                    }
                    guard transaction.sequence >= snapshot.floor,
                        try ReplayFailure<Failure>.onConsumer({ () throws(Failure) in
                            try body(transaction)
                        })
                    else { return }
                }
            }
        }
    }

    /// Delivers transactions oldest first, from `oldest` on, until `body` returns false.
    package func forEachOldestFirst<Failure: Error>(
        from oldest: LogSequence, _ body: (LoggedTransaction) throws(Failure) -> Bool
    ) throws(ReplayFailure<Failure>) {
        var sequence = max(oldest, snapshot.oldestSequence)
        while sequence <= snapshot.lastSequence {
            let position = try ReplayFailure<Failure>.onLog { () throws(LogError) in
                try segmentPosition(of: sequence)
            }
            var cursor = try ReplayFailure<Failure>.onLog { () throws(LogError) in
                let offset = try locate(sequence, inSegmentAt: position)
                return try makeCursor(inSegmentAt: position, at: offset)
            }
            let last = snapshot.segments[position].lastSequence
            while sequence <= last {
                let transaction = try ReplayFailure<Failure>.onLog { () throws(LogError) in
                    try next(&cursor, inSegmentAt: position)
                }
                guard
                    try ReplayFailure<Failure>.onConsumer({ () throws(Failure) in
                        try body(transaction)
                    }),
                    let following = transaction.sequence.next
                else { return }
                sequence = following
            }
        }
    }

    // MARK: Finding

    /// The segments' first numbers climb, so half of them go with every look.
    private func segmentPosition(of sequence: LogSequence) throws(LogError) -> Int {
        guard sequence >= snapshot.oldestSequence || sequence == .none else {
            throw .belowFloor(sequence, floor: snapshot.oldestSequence)
        }
        let segments = snapshot.segments
        var low = 0
        var high = segments.count
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].header.firstSequence <= sequence {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low > 0, sequence <= segments[low - 1].lastSequence else {
            throw .noSuchTransaction(sequence)
        }
        return low - 1
    }

    /// The offset of the transaction's first frame.
    private func locate(
        _ sequence: LogSequence, inSegmentAt position: Int
    ) throws(LogError) -> FrameOffset {
        let segment = snapshot.segments[position]
        let start = segment.index.last { $0.sequence <= sequence }
        var cursor = try makeCursor(
            inSegmentAt: position, at: start?.offset ?? segment.header.frameStart)
        while true {
            switch try cursor.nextHeader() {
            case .frame(let frame):
                guard frame.header.isTransactionStart else { continue }
                if frame.header.sequence == sequence { return frame.offset }
                guard frame.header.sequence < sequence else {
                    throw outOfOrder(frame, expected: sequence)
                }
            case .stopped(let stop): throw stop.error
            case .end: throw .noSuchTransaction(sequence)
            }
        }
    }

    private func transactionOffsets(
        from start: FrameOffset, to end: FrameOffset, through newest: LogSequence,
        inSegmentAt position: Int
    ) throws(LogError) -> [FrameOffset] {
        var cursor = try makeCursor(inSegmentAt: position, at: start)
        var offsets: [FrameOffset] = []
        while cursor.offset < end {
            switch try cursor.nextHeader() {
            case .frame(let frame):
                guard frame.header.isTransactionStart else { continue }
                if frame.header.sequence > newest { return offsets }
                offsets.append(frame.offset)
            case .stopped(let stop): throw stop.error
            case .end: return offsets
            }
        }
        return offsets
    }

    // MARK: Reading

    private func read(
        at offset: FrameOffset, inSegmentAt position: Int
    ) throws(LogError) -> LoggedTransaction {
        var cursor = try makeCursor(inSegmentAt: position, at: offset)
        return try next(&cursor, inSegmentAt: position)
    }

    /// The next whole transaction of a cursor that stands before a transaction or what precedes it.
    private func next(
        _ cursor: inout FrameCursor, inSegmentAt position: Int
    ) throws(LogError) -> LoggedTransaction {
        let content = try open(position).content
        var sequence: LogSequence?
        while true {
            switch try cursor.next() {
            case .frame(let frame):
                guard frame.header.type == .transaction else {
                    if let sequence { throw outOfOrder(frame, expected: sequence) }
                    continue
                }
                guard frame.header.sequence == sequence ?? frame.header.sequence,
                    frame.header.flags.contains(.continuation) == (sequence != nil)
                else { throw outOfOrder(frame, expected: sequence ?? frame.header.sequence) }
                sequence = frame.header.sequence
                if let transaction = try content.add(frame) { return transaction }
            case .stopped(let stop): throw stop.error
            case .end: throw .noSuchTransaction(sequence ?? snapshot.lastSequence)
            }
        }
    }

    private func makeCursor(
        inSegmentAt position: Int, at offset: FrameOffset
    ) throws(LogError) -> FrameCursor {
        let window = try open(position).window
        return FrameCursor(snapshot.segments[position].header, window: window, at: offset)
    }

    private func open(
        _ position: Int
    ) throws(LogError) -> (window: SegmentWindow, content: FrameContent) {
        if let current, current.position == position {
            return (current.window, current.content)
        }
        let segment = snapshot.segments[position]
        let cursor = try segment.cursor(
            in: snapshot.fileSystem, blockBytes: SegmentWindow.randomBlockBytes)
        let content = FrameContent(segment.id)
        current = (position, cursor.window, content)
        return (cursor.window, content)
    }

    private func outOfOrder(_ frame: Frame, expected: LogSequence) -> LogError {
        .damaged(
            LogDamage(
                segment: current.map { snapshot.segments[$0.position].id } ?? SegmentID(0),
                offset: frame.offset, kind: .sequence, expected: expected.rawValue,
                found: frame.header.sequence.rawValue))
    }
}

extension FrameHeader {
    /// The first frame of a transaction.
    var isTransactionStart: Bool { type == .transaction && !flags.contains(.continuation) }
}
