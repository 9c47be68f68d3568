/// A border between frames of a segment, with everything that the frames before it add up to.
struct FollowedPlace {
    let header: SegmentHeader
    var order: FrameOrder
    var tally: SegmentTally
    /// Where the next frame starts.
    var offset: FrameOffset
    /// The last frame before `offset`, to see whether it is still the one that was read.
    private var last: (offset: FrameOffset, header: [UInt8])?

    /// Before the first frame.
    init(_ header: SegmentHeader, opening: ChainDigest) {
        self.header = header
        order = FrameOrder(header)
        tally = SegmentTally(header, opening: opening)
        offset = header.frameStart
    }

    mutating func pass(_ frame: Frame) throws(LogError) {
        if let damage = order.accept(frame.header, at: frame.offset) { throw .damaged(damage) }
        tally.add(frame.header, at: frame.offset, headerBytes: frame.headerBytes)
        last = (frame.offset, Array(frame.headerBytes))
        offset = frame.end
    }

    /// The header of a frame has checksums of its content, its place and its number.
    func isStillThere(in fileSystem: any FileSystem) throws(LogError) -> Bool {
        guard let last else { return true }
        let name = StoreFileName.segment(header.segment).text
        return try LogError.wrapping { () throws(FileSystemError) in
            let file = try fileSystem.open(name, .read)
            return try file.readBytes(at: last.offset, count: last.header.count, name: name)
                == last.header
        }
    }

    /// The segment was read to its end: does its footer say the same?
    func check(_ footer: SegmentFooter) throws(LogError) {
        guard tally.totals.digest == footer.digest else {
            throw damaged(.digest, footer.digest.rawValue, tally.totals.digest.rawValue)
        }
        guard tally.footer(dataEnd: offset) == footer else {
            throw damaged(.footer, footer.frames, tally.totals.frames)
        }
    }

    func problem(ofSuccessor next: SegmentHeader, _ footer: SegmentFooter) -> LogDamage? {
        func problem(_ kind: LogDamage.Kind, _ expected: UInt64, _ found: UInt64) -> LogDamage {
            LogDamage(
                segment: next.segment, offset: FrameOffset(0), kind: kind, expected: expected,
                found: found)
        }
        if next.store != header.store {
            return problem(.storeIdentity, header.store.low, next.store.low)
        }
        if next.previousLength != footer.sealedLength {
            return problem(
                .previousLength, footer.sealedLength.rawValue, next.previousLength.rawValue)
        }
        if next.previousDigest != footer.digest {
            return problem(.previousDigest, footer.digest.rawValue, next.previousDigest.rawValue)
        }
        if next.firstSequence != footer.lastSequence.next {
            return problem(
                .sequence, footer.lastSequence.rawValue &+ 1, next.firstSequence.rawValue)
        }
        if next.writerEpoch < header.writerEpoch {
            return problem(.writerEpoch, header.writerEpoch, next.writerEpoch)
        }
        return nil
    }

    private func damaged(
        _ kind: LogDamage.Kind, _ expected: UInt64, _ found: UInt64
    ) -> LogError {
        .damaged(
            LogDamage(
                segment: header.segment, offset: offset, kind: kind, expected: expected,
                found: found))
    }
}

/// What one step of reading came to.
struct FollowedStep {
    /// Behind the step.
    let place: FollowedPlace
    /// What is to be delivered, if anything. Its bytes are valid until the next step.
    let record: LogRecord?
    /// The transaction that ends here.
    let sequence: LogSequence?
}

/// Reads whole transactions, and what stands between them, from a place up to an end.
struct FollowedReading {
    private var place: FollowedPlace
    private var cursor: FrameCursor
    private let content: FrameContent

    init(
        _ place: FollowedPlace, _ follower: LogFollower, _ fileSystem: any FileSystem,
        end: FrameOffset
    ) throws(LogError) {
        self.place = place
        let name = StoreFileName.segment(place.header.segment).text
        let file = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.open(name, .read)
        }
        let window = SegmentWindow(
            file, name: name, end: end, blockBytes: SegmentWindow.randomBlockBytes)
        cursor = FrameCursor(place.header, window: window, at: place.offset)
        content = FrameContent(
            place.header.segment, transactionBytesMax: follower.transactionBytesMax)
    }

    /// Nil at the end, and before a transaction whose last frame is not there yet.
    mutating func next() throws(LogError) -> FollowedStep? {
        while true {
            switch try cursor.next() {
            case .end: return nil
            case .stopped(let stop): throw stop.error
            case .frame(let frame):
                try place.pass(frame)
                if let step = try step(frame) { return step }
            }
        }
    }

    private func step(_ frame: Frame) throws(LogError) -> FollowedStep? {
        switch frame.header.type {
        case .transaction:
            guard let transaction = try content.add(frame) else { return nil }
            return FollowedStep(
                place: place, record: .transaction(transaction), sequence: transaction.sequence)
        case .catalog:
            let payload = try content.payload(of: frame)
            return FollowedStep(place: place, record: .catalog(payload: payload), sequence: nil)
        default:
            return FollowedStep(place: place, record: nil, sequence: nil)
        }
    }
}

/// The frames behind a place in a segment that has no footer: how far they are whole, and how far
/// they are promised.
struct FollowedTail {
    /// The largest promise of any intact header.
    private(set) var promise: FrameOffset
    /// Behind the last whole frame.
    private(set) var end: FrameOffset

    /// Beside a live writer an incomplete frame is work in progress. In a log at rest it is for the
    /// rules of recovery to say what it is.
    init(
        _ place: FollowedPlace, in fileSystem: any FileSystem, end: FrameOffset, isLive: Bool
    ) throws(LogError) {
        promise = place.order.promise
        self.end = place.offset
        let name = StoreFileName.segment(place.header.segment).text
        let file = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.open(name, .read)
        }
        let window = SegmentWindow(
            file, name: name, end: end, blockBytes: SegmentWindow.randomBlockBytes)
        var cursor = FrameCursor(place.header, window: window, at: place.offset)
        var isStopped = false
        while !isStopped {
            switch isLive ? try cursor.nextHeader() : try cursor.next() {
            case .frame(let frame):
                promise = max(promise, frame.header.durableEnd)
                self.end = frame.end
            case .end: return
            case .stopped: isStopped = true
            }
        }
        guard !isLive else { return }
        // Throws what a writer would be refused.
        let fresh = try SegmentFile.read(place.header.segment, in: fileSystem, mode: .readOnly)
        let active = try ActiveSegment(fresh, in: fileSystem, promisedOnly: false)
        promise = max(promise, active.scan.promise)
        self.end = max(place.offset, active.scan.cut)
    }
}
