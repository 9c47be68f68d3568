extension LogSnapshot {
    /// The newest transaction, through `newest`, that was made at a time or before it; nil where
    /// all are younger. Reads frame headers, and skips segments that say they are younger.
    package func newest(
        notAfter time: Int64, through newest: LogSequence
    ) throws(LogError) -> LogSequence? {
        for segment in segments.reversed()
        where segment.transactions > 0 && segment.header.firstSequence <= newest {
            if let footer = segment.footer, footer.earliestTime > time { continue }
            let starts = [segment.header.frameStart] + segment.index.dropFirst().map(\.offset)
            for (number, start) in starts.enumerated().reversed() {
                let end = number + 1 < starts.count ? starts[number + 1] : segment.dataEnd
                let found = try segment.newest(
                    notAfter: time, through: newest, from: start, to: end, in: fileSystem)
                if let found { return found }
            }
        }
        return nil
    }
}

extension SegmentEntry {
    fileprivate func newest(
        notAfter time: Int64, through newest: LogSequence, from start: FrameOffset,
        to end: FrameOffset, in fileSystem: any FileSystem
    ) throws(LogError) -> LogSequence? {
        var cursor = try cursor(
            in: fileSystem, from: start, blockBytes: SegmentWindow.randomBlockBytes)
        var found: LogSequence?
        while cursor.offset < end {
            switch try cursor.nextHeader() {
            case .frame(let frame):
                guard frame.header.isTransactionStart else { continue }
                if frame.header.sequence > newest { return found }
                if frame.header.time <= time { found = frame.header.sequence }
            case .stopped(let stop): throw stop.error
            case .end: return found
            }
        }
        return found
    }
}
