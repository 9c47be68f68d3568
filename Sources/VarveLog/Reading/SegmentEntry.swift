/// What is needed to read one segment: a value, so that a snapshot of a growing log stays as it is.
package struct SegmentEntry: Sendable {
    package let header: SegmentHeader
    /// The chain digest behind the header.
    let opening: ChainDigest
    package let fileLength: ByteCount
    /// Frames are read up to here.
    package let dataEnd: FrameOffset
    /// Nil for the active segment.
    package let footer: SegmentFooter?
    /// The last transaction before `dataEnd`; of a segment without any, the one before it.
    package let lastSequence: LogSequence
    package let transactions: UInt64
    package let rawBytes: ByteCount
    package let index: [SparseIndexEntry]

    package var id: SegmentID { header.segment }
}

extension SegmentEntry {
    init(_ file: SegmentFile, sealed footer: SegmentFooter) {
        self.init(header: file.header, opening: file.opening, sealed: footer)
    }

    init(header: SegmentHeader, opening: ChainDigest, sealed footer: SegmentFooter) {
        self.init(
            header: header, opening: opening, fileLength: footer.sealedLength,
            dataEnd: footer.dataEnd,
            footer: footer, lastSequence: footer.lastSequence, transactions: footer.transactions,
            rawBytes: footer.rawBytes, index: footer.index)
    }

    init(
        header: SegmentHeader, opening: ChainDigest, active tally: SegmentTally,
        dataEnd: FrameOffset
    ) {
        self.init(
            header: header, opening: opening, fileLength: ByteCount(dataEnd.rawValue),
            dataEnd: dataEnd,
            footer: nil, lastSequence: tally.totals.lastSequence,
            transactions: tally.totals.transactions, rawBytes: ByteCount(tally.totals.rawBytes),
            index: tally.index)
    }

    /// The segment's frames, from its first or from `offset`.
    func cursor(
        in fileSystem: any FileSystem, from offset: FrameOffset? = nil, blockBytes: Int
    ) throws(LogError) -> FrameCursor {
        let name = StoreFileName.segment(id).text
        let file = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.open(name, .read)
        }
        let window = SegmentWindow(file, name: name, end: dataEnd, blockBytes: blockBytes)
        return FrameCursor(header, window: window, at: offset)
    }
}

/// The readable segments of a log at one moment, oldest first, from any thread.
package struct LogSnapshot: Sendable {
    package let fileSystem: any FileSystem
    package let configuration: LogConfiguration
    /// Transactions below this one are not answered for, although their segment may still be there.
    package let floor: LogSequence
    package let segments: [SegmentEntry]

    /// The first transaction that the segments hold or will hold.
    package var firstSequence: LogSequence {
        segments.first?.header.firstSequence ?? LogSequence(1)
    }

    /// The first transaction that can be asked for.
    package var oldestSequence: LogSequence { max(firstSequence, floor) }

    package var lastSequence: LogSequence { segments.last?.lastSequence ?? .none }

    package var statistics: LogStatistics { Self.statistics(of: segments) }

    static func statistics(of segments: [SegmentEntry]) -> LogStatistics {
        segments.reduce(into: LogStatistics()) { sum, segment in
            var one = LogStatistics()
            one.segments = 1
            one.transactions = segment.transactions
            one.storedBytes = segment.fileLength
            one.rawBytes = segment.rawBytes
            sum.add(one)
        }
    }
}
