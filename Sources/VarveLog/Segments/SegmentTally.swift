/// What a segment's footer will say, counted frame by frame: by the writer as it appends, by the
/// reader to compare.
struct SegmentTally {
    private(set) var totals: Totals
    private(set) var index: [SparseIndexEntry] = []

    /// Everything but the index, so that it can be copied and restored at no cost.
    struct Totals: Equatable {
        var frames: UInt64 = 0
        var transactions: UInt64 = 0
        var firstSequence: LogSequence
        var lastSequence: LogSequence
        var earliestTime: Int64 = 0
        var latestTime: Int64 = 0
        var rawBytes: UInt64 = 0
        var digest: ChainDigest
        /// The last frame is a seal of a closed log.
        var endsWithCleanSeal = false
        /// A catalog or a transaction is there, so the definitions have been written.
        var holdsData = false
        var ignoredFrames: UInt64 = 0
    }

    /// A point to return to.
    struct Mark {
        fileprivate let totals: Totals
        fileprivate let indexCount: Int
    }

    /// A segment with nothing but its header.
    init(_ header: SegmentHeader, opening: ChainDigest) {
        totals = Totals(
            firstSequence: header.firstSequence, lastSequence: header.sequenceBefore,
            digest: opening)
    }

    @inline(__always)
    mutating func add(
        _ header: FrameHeader, at offset: FrameOffset, headerBytes: UnsafeRawBufferPointer
    ) {
        totals.frames &+= 1
        totals.digest.extend(with: headerBytes)
        totals.endsWithCleanSeal = header.type == .seal && header.flags.contains(.clean)
        switch header.type {
        case .transaction:
            addTransaction(header, at: offset)
        case .catalog:
            totals.holdsData = true
            totals.rawBytes &+= UInt64(header.rawLength)
        default:
            if header.type.isIgnorable { totals.ignoredFrames &+= 1 }
        }
    }

    @inline(__always)
    private mutating func addTransaction(_ header: FrameHeader, at offset: FrameOffset) {
        totals.holdsData = true
        totals.rawBytes &+= UInt64(header.rawLength)
        guard !header.flags.contains(.continuation) else {
            if !header.flags.contains(.continues) { totals.lastSequence = header.sequence }
            return
        }
        if totals.transactions % SparseIndexEntry.interval == 0 {
            index.append(
                SparseIndexEntry(sequence: header.sequence, time: header.time, offset: offset))
        }
        totals.earliestTime =
            totals.transactions == 0 ? header.time : min(totals.earliestTime, header.time)
        totals.latestTime =
            totals.transactions == 0 ? header.time : max(totals.latestTime, header.time)
        totals.transactions &+= 1
        if !header.flags.contains(.continues) { totals.lastSequence = header.sequence }
    }

    var mark: Mark { Mark(totals: totals, indexCount: index.count) }

    mutating func restore(_ mark: Mark) {
        totals = mark.totals
        index.removeLast(index.count - mark.indexCount)
    }

    func footer(dataEnd: FrameOffset) -> SegmentFooter {
        SegmentFooter(
            frames: totals.frames, transactions: totals.transactions,
            firstSequence: totals.firstSequence, lastSequence: totals.lastSequence,
            earliestTime: totals.earliestTime, latestTime: totals.latestTime,
            rawBytes: ByteCount(totals.rawBytes), digest: totals.digest, dataEnd: dataEnd,
            index: index)
    }
}
