/// The segment at the end of the log, scanned: what of it is part of the log.
struct ActiveSegment {
    let scan: SegmentScan
    let entry: SegmentEntry
    private let file: SegmentFile
    private let promisedSequence: LogSequence
    private let promisedOnly: Bool

    /// Throws what the decision refuses. A reader beside a live writer asks for promised bytes
    /// only: what lies above may still change.
    init(
        _ file: SegmentFile, in fileSystem: any FileSystem, promisedOnly: Bool
    ) throws(LogError) {
        self.file = file
        self.promisedOnly = promisedOnly
        let end = FrameOffset(file.length.rawValue)
        scan = try Self.scan(file, to: end, in: fileSystem)
        guard scan.decision.keepsFrames else { throw Self.refusal(scan, file) }
        let whole = SegmentEntry(
            header: file.header, opening: file.opening, active: scan.tally, dataEnd: scan.cut)
        promisedSequence = try Self.lastSequence(in: whole, endingBy: scan.promise, fileSystem)
        guard promisedOnly else {
            entry = whole
            return
        }
        let promised = try Self.scan(file, to: scan.promise, in: fileSystem)
        if let stop = promised.stop { throw stop.error }
        entry = SegmentEntry(
            header: file.header, opening: file.opening, active: promised.tally,
            dataEnd: promised.cut)
    }

    private static func scan(
        _ file: SegmentFile, to end: FrameOffset, in fileSystem: any FileSystem
    ) throws(LogError) -> SegmentScan {
        let name = StoreFileName.segment(file.header.segment).text
        let opened = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.open(name, .read)
        }
        return try SegmentScan.run(
            file.header, opening: file.opening,
            window: SegmentWindow(opened, name: name, end: end), isSealed: false)
    }

    private static func refusal(_ scan: SegmentScan, _ file: SegmentFile) -> LogError {
        scan.stop?.error
            ?? .damaged(
                LogDamage(
                    segment: file.header.segment, offset: scan.cut, kind: .promise,
                    expected: scan.promise.rawValue, found: scan.cut.rawValue))
    }

    /// The newest transaction all of whose frames lie before `end`.
    private static func lastSequence(
        in entry: SegmentEntry, endingBy end: FrameOffset, _ fileSystem: any FileSystem
    ) throws(LogError) -> LogSequence {
        guard let start = entry.index.last(where: { $0.offset < end }) else {
            return entry.header.sequenceBefore
        }
        var cursor = try entry.cursor(
            in: fileSystem, from: start.offset, blockBytes: SegmentWindow.randomBlockBytes)
        var last = LogSequence(start.sequence.rawValue &- 1)
        while case .frame(let frame) = try cursor.nextHeader(), frame.end <= end {
            if frame.header.type == .transaction, !frame.header.flags.contains(.continues) {
                last = frame.header.sequence
            }
        }
        return last
    }
}

extension ActiveSegment {
    func report(layout: LogLayout) -> RecoveryReport {
        var report = RecoveryReport()
        // Who closes gives back the space that was not used.
        report.endedCleanly =
            scan.decision == .appendBehindSeal && scan.facts.ending == .complete
        report.lastSequence = entry.lastSequence
        report.promisedSequence = promisedSequence
        report.interruptedRoll = layout.abandonedSuccessor != nil
        report.ignoredFrames = scan.tally.totals.ignoredFrames
        report.temporaryFiles = layout.temporaryFiles
        report.orphans = layout.orphans.names
        // Beside a live writer an incomplete frame is work in progress.
        guard !promisedOnly else { return report }
        report.dropped = scan.droppedTail(of: file.header.segment)
        report.unused = scan.unusedSpace(of: file)
        return report
    }
}

extension SegmentScan {
    /// What lies behind the cut. Zeros to the end of the file are nothing that was dropped.
    func droppedTail(of segment: SegmentID) -> RecoveryReport.DroppedTail? {
        guard cut < writtenEnd else { return nil }
        return RecoveryReport.DroppedTail(
            segment: segment, offset: cut,
            bytes: ByteCount(writtenEnd.rawValue - cut.rawValue), reason: tailReason,
            lastRecognised: lastRecognised)
    }

    func unusedSpace(of file: SegmentFile) -> RecoveryReport.UnusedSpace? {
        let start = max(writtenEnd, cut)
        guard start.rawValue < file.length.rawValue else { return nil }
        return RecoveryReport.UnusedSpace(
            segment: file.header.segment, offset: start,
            bytes: ByteCount(file.length.rawValue - start.rawValue))
    }

    /// Why the bytes behind the cut are no part of the log.
    var tailReason: RecoveryReport.TailReason {
        if facts.isInsideTransaction { return .unfinishedTransaction }
        if stoppedAtFooter { return .unfinishedFooter }
        return switch facts.ending {
        case .incompleteHeader: .incompleteHeader
        case .zeros: .zeros
        case .incompletePayload: .incompletePayload
        case .damagedPayload: .damagedPayload
        case .damagedHeader, .unused, .complete, .invalidFrame, .unsupportedFrame: .damagedHeader
        }
    }
}
