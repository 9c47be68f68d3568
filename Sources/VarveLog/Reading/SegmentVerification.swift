/// Reads all of one segment and collects what is wrong with it instead of stopping there.
struct SegmentVerification {
    private(set) var problems: [LogError] = []
    private(set) var frames: UInt64 = 0
    private(set) var transactions: UInt64 = 0
    private(set) var rawBytes: UInt64 = 0

    private let file: SegmentFile
    private var cursor: FrameCursor
    private var order: FrameOrder
    private var tally: SegmentTally
    private let content: FrameContent
    /// Frames were lost before the next one, so it need not follow on the last.
    private var isBehindGap = false
    /// The rest of a transaction whose first frame was lost.
    private var skipsContinuations = false

    /// Frames are read up to `end`.
    init(
        _ file: SegmentFile, in fileSystem: any FileSystem, end: FrameOffset
    ) throws(LogError) {
        self.file = file
        let name = StoreFileName.segment(file.header.segment).text
        let opened = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.open(name, .read)
        }
        cursor = FrameCursor(
            file.header, window: SegmentWindow(opened, name: name, end: end))
        order = FrameOrder(file.header)
        tally = SegmentTally(file.header, opening: file.opening)
        content = FrameContent(file.header.segment)
    }

    mutating func run() throws(LogError) {
        while try advance() {}
    }

    /// Goes on by a frame, or over what is none; false behind the last.
    mutating func advance() throws(LogError) -> Bool {
        switch try cursor.next() {
        case .frame(let frame):
            check(frame)
            return true
        case .stopped(let stop):
            problems.append(stop.error)
            isBehindGap = true
            let next = FrameOffset(cursor.offset.rawValue + UInt64(FrameHeader.alignment))
            return try cursor.moveToNextHeader(from: next)
        case .end:
            checkEnd()
            return false
        }
    }

    private mutating func check(_ frame: Frame) {
        frames &+= 1
        tally.add(frame.header, at: frame.offset, headerBytes: frame.headerBytes)
        if isBehindGap {
            order.resume(at: frame.header, offset: frame.offset)
            skipsContinuations = frame.header.flags.contains(.continuation)
            isBehindGap = false
        }
        if let damage = order.accept(frame.header, at: frame.offset) {
            problems.append(.damaged(damage))
            isBehindGap = true
        }
        guard frame.header.type == .transaction || frame.header.type == .catalog else { return }
        rawBytes &+= UInt64(frame.header.rawLength)
        if skipsContinuations, frame.header.flags.contains(.continuation) { return }
        skipsContinuations = false
        checkContent(of: frame)
    }

    private mutating func checkContent(of frame: Frame) {
        do throws(LogError) {
            guard frame.header.type == .transaction else {
                _ = try content.payload(of: frame)
                return
            }
            if try content.add(frame) != nil { transactions &+= 1 }
        } catch {
            problems.append(error)
            skipsContinuations = frame.header.flags.contains(.continues)
        }
    }

    /// Compares with the footer, unless the difference is known already.
    private mutating func checkEnd() {
        guard problems.isEmpty else { return }
        if let open = order.open {
            note(.transactionRun, open.sequence.rawValue, 0)
        }
        guard let footer = file.footer else { return }
        let counted = tally.footer(dataEnd: cursor.offset)
        if counted.digest != footer.digest {
            note(.digest, footer.digest.rawValue, counted.digest.rawValue)
        } else if counted != footer {
            note(.footer, footer.frames, counted.frames)
        }
    }

    private mutating func note(_ kind: LogDamage.Kind, _ expected: UInt64, _ found: UInt64) {
        problems.append(
            .damaged(
                LogDamage(
                    segment: file.header.segment, offset: cursor.offset, kind: kind,
                    expected: expected, found: found)))
    }
}

extension FrameOrder {
    /// Goes on behind frames that were lost, as if `header` were what had to come.
    mutating func resume(at header: FrameHeader, offset: FrameOffset) {
        let isTransaction = header.type == .transaction
        let before = LogSequence(header.sequence.rawValue &- 1)
        resume(
            behind: isTransaction ? before : header.sequence,
            promise: min(header.durableEnd, offset),
            inside: isTransaction && header.flags.contains(.continuation)
                ? OpenTransaction(start: offset, sequence: header.sequence, time: header.time)
                : nil)
    }
}
