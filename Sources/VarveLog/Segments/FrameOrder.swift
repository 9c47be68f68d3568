/// The rules that hold between the frames of one segment: dense numbers, whole transactions,
/// promises that only grow and never reach into the future.
struct FrameOrder {
    let segment: SegmentID
    private(set) var lastSequence: LogSequence
    /// The largest promise so far.
    private(set) var promise: FrameOffset
    /// The transaction whose last frame has not been seen.
    private(set) var open: OpenTransaction?

    struct OpenTransaction {
        let start: FrameOffset
        let sequence: LogSequence
        let time: Int64
    }

    init(_ header: SegmentHeader) {
        segment = header.segment
        lastSequence = header.sequenceBefore
        promise = header.frameStart
    }

    /// Takes the next frame, or says which rule it breaks.
    @inline(__always)
    mutating func accept(_ header: FrameHeader, at offset: FrameOffset) -> LogDamage? {
        guard header.durableEnd >= promise, header.durableEnd <= offset else {
            return damage(offset, .promise, promise.rawValue, header.durableEnd.rawValue)
        }
        if header.type == .transaction {
            return acceptTransaction(header, at: offset)
        }
        if let open {
            return damage(offset, .transactionRun, open.sequence.rawValue, 0)
        }
        // A frame that this version skips may number itself as it likes.
        guard header.type.isIgnorable || header.sequence == lastSequence else {
            return damage(offset, .sequence, lastSequence.rawValue, header.sequence.rawValue)
        }
        promise = header.durableEnd
        return nil
    }

    @inline(__always)
    private mutating func acceptTransaction(
        _ header: FrameHeader, at offset: FrameOffset
    ) -> LogDamage? {
        let isContinuation = header.flags.contains(.continuation)
        if let open {
            guard isContinuation, header.sequence == open.sequence, header.time == open.time,
                header.durableEnd == promise
            else {
                return damage(
                    offset, .transactionRun, open.sequence.rawValue, header.sequence.rawValue)
            }
        } else {
            guard !isContinuation, let next = lastSequence.next, header.sequence == next else {
                return damage(
                    offset, .sequence, lastSequence.rawValue &+ 1, header.sequence.rawValue)
            }
            promise = header.durableEnd
            open = OpenTransaction(start: offset, sequence: next, time: header.time)
        }
        if !header.flags.contains(.continues) {
            lastSequence = header.sequence
            open = nil
        }
        return nil
    }

    mutating func resume(
        behind sequence: LogSequence, promise: FrameOffset, inside open: OpenTransaction?
    ) {
        lastSequence = sequence
        self.promise = promise
        self.open = open
    }

    private func damage(
        _ offset: FrameOffset, _ kind: LogDamage.Kind, _ expected: UInt64, _ found: UInt64
    ) -> LogDamage {
        LogDamage(
            segment: segment, offset: offset, kind: kind, expected: expected, found: found)
    }
}
