/// The frames of one segment up to the first thing that is none, what lies behind it, and the
/// decision that follows. Reads only.
struct SegmentScan {
    /// Of the frames before the cut.
    private(set) var tally: SegmentTally
    private(set) var facts: TailFacts
    /// Everything behind this offset is not part of the log.
    private(set) var cut: FrameOffset
    /// Behind this offset the file has nothing but zeros, if anything.
    private(set) var writtenEnd: FrameOffset
    /// The largest promise, by any intact header of the segment.
    private(set) var promise: FrameOffset
    /// What ended the frames; nil at a border of frames.
    private(set) var stop: FrameStop?
    /// The newest transaction of which a header was found behind the cut.
    private(set) var lastRecognised: LogSequence?
    private(set) var stoppedAtFooter = false

    var decision: TailDecision { TailDecision.decide(facts) }

    /// Scans from the first frame to the window's end.
    static func run(
        _ header: SegmentHeader, opening: ChainDigest, window: SegmentWindow, isSealed: Bool
    ) throws(LogError) -> SegmentScan {
        var scan = SegmentScan(header, opening: opening, isSealed: isSealed)
        try scan.readFrames(header, window)
        try scan.lookBehind(header, window)
        scan.facts.isPromisedBeyondCut = scan.promise > scan.cut
        scan.facts.endsWithCleanSeal = scan.tally.totals.endsWithCleanSeal
        return scan
    }

    private init(_ header: SegmentHeader, opening: ChainDigest, isSealed: Bool) {
        tally = SegmentTally(header, opening: opening)
        facts = TailFacts(
            ending: .complete, isSealed: isSealed, isInsideTransaction: false,
            isPromisedBeyondCut: false, endsWithCleanSeal: false)
        cut = header.frameStart
        writtenEnd = cut
        promise = header.frameStart
    }

    private mutating func readFrames(
        _ header: SegmentHeader, _ window: SegmentWindow
    ) throws(LogError) {
        var cursor = FrameCursor(header, window: window)
        var order = FrameOrder(header)
        var beforeTransaction = tally.mark
        writtenEnd = window.end
        while true {
            switch try cursor.next() {
            case .frame(let frame):
                if let problem = Self.problem(frame, &order) {
                    stop = FrameStop(ending: .invalidFrame, error: .damaged(problem))
                    facts.ending = .invalidFrame
                } else {
                    if order.open?.start == frame.offset { beforeTransaction = tally.mark }
                    tally.add(frame.header, at: frame.offset, headerBytes: frame.headerBytes)
                    cut = cursor.offset
                    continue
                }
            case .stopped(let stop):
                self.stop = stop
                try noteContentEnd(stop, cursor.offset, window)
            case .end: break
            }
            break
        }
        promise = order.promise
        if let open = order.open {
            facts.isInsideTransaction = true
            cut = open.start
            tally.restore(beforeTransaction)
        }
    }

    /// What is found behind the last frame.
    private mutating func noteContentEnd(
        _ stop: FrameStop, _ offset: FrameOffset, _ window: SegmentWindow
    ) throws(LogError) {
        let end = try window.contentEnd(from: offset)
        let contentEnd = min(window.end, FrameOffset((end.rawValue + 7) & ~7))
        let mayBeReserved = window.end.rawValue - contentEnd.rawValue <= Self.reservedMax
        let isUnused = mayBeReserved && window.end.rawValue.isMultiple(of: Self.reservedUnit)
        facts.ending = end > offset ? stop.ending : isUnused ? .unused : .zeros
        // More zeros than a writer takes beforehand are what became of the file.
        writtenEnd = facts.ending == .zeros || !mayBeReserved ? window.end : contentEnd
    }

    /// Space that was taken beforehand ends at a multiple of this, and the frames of a segment
    /// seldom do: zeros that hide what was written are told from it in most cases.
    static var reservedUnit: UInt64 { 512 }

    /// The most that is taken beforehand. Little: it is written twice, and the next sync writes all of it.
    static var reservedMax: UInt64 { 64 << 10 }

    /// A footer that is a whole frame but not the file's last is no trace of a power cut: it is
    /// written behind synced frames, in a file that ends there.
    private static func problem(_ frame: Frame, _ order: inout FrameOrder) -> LogDamage? {
        if let damage = order.accept(frame.header, at: frame.offset) { return damage }
        guard frame.header.type == .footer else { return nil }
        return LogDamage(
            segment: order.segment, offset: frame.offset, kind: .footer,
            expected: frame.end.rawValue, found: frame.offset.rawValue)
    }

    /// Looks for promises in all intact headers from the stop on, whatever became of the frames
    /// around them.
    private mutating func lookBehind(
        _ header: SegmentHeader, _ window: SegmentWindow
    ) throws(LogError) {
        guard cut < writtenEnd else { return }
        var cursor = FrameCursor(header, window: window, at: cut)
        var position = cut
        while try cursor.moveToNextHeader(from: position) {
            position = FrameOffset(cursor.offset.rawValue + UInt64(FrameHeader.alignment))
            let bytes = try window.bytes(at: cursor.offset, count: FrameHeader.byteCount)
            guard
                let found = FrameHeader.decode(bytes, at: cursor.offset, seed: header.placeSeed)
            else { continue }
            promise = max(promise, found.durableEnd)
            // A frame's content may end with zeros.
            let (end, overflow) = cursor.offset.rawValue.addingReportingOverflow(found.frameLength)
            if !overflow { writtenEnd = max(writtenEnd, min(window.end, FrameOffset(end))) }
            if found.type == .transaction {
                lastRecognised = max(lastRecognised ?? found.sequence, found.sequence)
            }
            if found.type == .footer { stoppedAtFooter = true }
        }
    }
}
