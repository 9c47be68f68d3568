/// Reads what is appended to a log behind a point, as often as it is asked to, without reading
/// anything twice. Takes no lock and changes nothing.
///
/// Beside a live writer it delivers what the writer has promised to be safe; where nobody holds the
/// store it delivers every whole transaction, because a writer that opens the log next keeps them.
/// It remembers what it delivered without a promise, and notices when the log took a different
/// course there.
///
/// Invariant: everything before `place.offset` was verified, and delivered or known before.
package final class LogFollower {
    /// What a look at the log came to.
    package enum Outcome: Hashable, Sendable {
        /// Everything that can be read now was delivered.
        case upToDate
        /// `limit` transactions were delivered, and there may be more.
        case more
        /// What was delivered behind that transaction is not part of the log any more. This
        /// follower has nothing further to say: read the log again.
        case rewound(to: LogSequence)
        /// The segments behind the last delivered transaction were dropped: read the log again.
        case gap
    }

    private let fileSystem: any FileSystem
    private let store: StoreID
    var place: FollowedPlace
    /// The newest transaction that was delivered or known at the start.
    package var lastSequence: LogSequence { place.order.lastSequence }
    /// The newest of them that a power cut cannot reach.
    package private(set) var promisedSequence: LogSequence
    /// Somebody held the store for writing at the last look.
    package private(set) var hasLiveWriter: Bool
    /// How far the segment is promised, by any frame of it.
    private var promise: FrameOffset
    /// Where transactions end that were delivered without a promise.
    private var unpromised: [(end: FrameOffset, sequence: LogSequence)] = []
    /// Where the first of them begins, of this segment.
    private var unpromisedStart: FrameOffset
    /// What the segment looked like when they were read again for the last time.
    private var appearance: Appearance?
    /// How many looks there were since then.
    private var idleLooks: UInt64 = 0
    private var end: Outcome?

    fileprivate struct Appearance: Equatable {
        let length: ByteCount
        let hasFooter: Bool
        let hasLiveWriter: Bool
    }

    /// What a look at a log without news may read again, on average.
    private static let idleBytesMax: UInt64 = 64 << 10

    /// Follows behind everything that `scanned` delivers.
    package init(_ scanned: ScannedLog) throws(LogError) {
        fileSystem = scanned.snapshot.fileSystem
        store = scanned.manifest.store
        hasLiveWriter = scanned.hasLiveWriter
        promisedSequence = min(scanned.report.promisedSequence, scanned.lastSequence)
        guard let active = scanned.snapshot.segments.last else {
            preconditionFailure("a log has a segment")
        }
        place = FollowedPlace(active.header, opening: active.opening)
        unpromisedStart = place.offset
        promise = scanned.scan.promise
        var reading = try FollowedReading(
            place, fileSystem, end: active.dataEnd, readsContent: false)
        while let step = try reading.next() { advance(step) }
    }

    /// Delivers what is new, at most `limit` transactions. After an error of `body` the transaction
    /// counts as not delivered.
    package func poll<Failure: Error>(
        limit: Int = .max, _ body: (LogRecord) throws(Failure) -> Void
    ) throws(ReplayFailure<Failure>) -> Outcome {
        if let end { return end }
        // A writer may change files between looks at them; a few looks later they fit together.
        for attempt in 0... {
            do throws(ReplayFailure<Failure>) {
                let outcome = try look(limit: limit, body)
                switch outcome {
                case .rewound, .gap: end = outcome
                case .upToDate, .more: break
                }
                return outcome
            } catch {
                guard attempt < 4, case .log(let problem) = error, problem.mayBeProgressOfWriter
                else { throw error }
            }
        }
        preconditionFailure("the loop ends by returning or throwing")
    }

    private func look<Failure: Error>(
        limit: Int, _ body: (LogRecord) throws(Failure) -> Void
    ) throws(ReplayFailure<Failure>) -> Outcome {
        // Before anything is read: bytes that a dead writer left are those of a log at rest.
        hasLiveWriter = try ReplayFailure<Failure>.onLog { () throws(LogError) in
            try DirectoryLock.isHeld(in: fileSystem)
        }
        var delivered = 0
        while true {
            let found = try ReplayFailure<Failure>.onLog { () throws(LogError) in
                try examine()
            }
            guard case .segment(let file, let readable) = found else {
                return found == .gap ? .gap : .rewound(to: promisedSequence)
            }
            var reading = try ReplayFailure<Failure>.onLog { () throws(LogError) in
                try FollowedReading(place, fileSystem, end: readable)
            }
            while delivered < limit,
                let step = try ReplayFailure<Failure>.onLog({ () throws(LogError) in
                    try reading.next()
                })
            {
                if let record = step.record {
                    try ReplayFailure<Failure>.onConsumer { () throws(Failure) in try body(record) }
                    if case .transaction = record { delivered += 1 }
                }
                advance(step)
            }
            if delivered >= limit { return .more }
            guard let footer = file.footer else { return .upToDate }
            try ReplayFailure<Failure>.onLog { () throws(LogError) in
                try goOn(behind: footer)
            }
        }
    }

    /// Takes note of a step that was delivered.
    private func advance(_ step: FollowedStep) {
        place = step.place
        if let sequence = step.sequence { unpromised.append((place.offset, sequence)) }
        notePromise(place.order.promise)
    }

    private func notePromise(_ found: FrameOffset) {
        promise = max(promise, found)
        let count = unpromised.prefix { $0.end <= promise }.count
        guard count > 0 else { return }
        promisedSequence = max(promisedSequence, unpromised[count - 1].sequence)
        unpromisedStart = unpromised[count - 1].end
        unpromised.removeFirst(count)
    }

    // MARK: - Looking at the segment

    private enum Found: Equatable {
        case segment(SegmentFile, readable: FrameOffset)
        case rewound
        case gap

        static func == (left: Found, right: Found) -> Bool {
            switch (left, right) {
            case (.rewound, .rewound), (.gap, .gap): true
            default: false
            }
        }
    }

    /// The oldest transaction that the log answers for by now.
    package func readFloor() throws(LogError) -> LogSequence {
        for attempt in 0... {
            let listing = try StoreListing(fileSystem)
            guard let generation = listing.manifestGenerations.last else { return .none }
            do throws(LogError) {
                let manifest = try LogLayout.readManifest(
                    fileSystem, generation: generation, mode: .readOnly)
                return max(manifest.firstSequence, manifest.floor)
            } catch {
                // A compaction may have put the next manifest in its place.
                guard attempt < 4, error.mayBeProgressOfWriter else { throw error }
            }
        }
        preconditionFailure("the loop ends by returning or throwing")
    }

    /// Whether the segment is still the one that was read, and how far it may be read.
    private func examine() throws(LogError) -> Found {
        let file: SegmentFile
        do throws(LogError) {
            file = try SegmentFile.read(place.header.segment, in: fileSystem, mode: .readOnly)
        } catch {
            guard case .fileSystem(let problem) = error, problem.isNotFound else { throw error }
            return try isDropped() ? .gap : .rewound
        }
        guard file.header.store == store else { return .rewound }
        if file.header != place.header {
            // Made anew by the next writer: nothing of it was read, or what was read is gone.
            guard place.offset == place.header.frameStart,
                file.header.writerEpoch >= place.header.writerEpoch,
                file.header.firstSequence == place.header.firstSequence
            else { return .rewound }
            place = FollowedPlace(file.header, opening: file.opening)
            unpromisedStart = place.offset
            promise = place.offset
        }
        let end = FrameOffset(file.length.rawValue)
        guard end >= place.offset, try place.endsAsRead(in: fileSystem), try isStillThere(file)
        else { return .rewound }
        let found: (readable: FrameOffset, promise: FrameOffset)
        if let footer = file.footer {
            guard footer.dataEnd >= place.offset else { return .rewound }
            found = (footer.dataEnd, footer.dataEnd)
        } else {
            let tail = try FollowedTail(place, in: fileSystem, end: end, isLive: hasLiveWriter)
            found = (hasLiveWriter ? max(tail.promise, place.offset) : tail.end, tail.promise)
        }
        // Nothing is told behind what may have gone.
        if found.readable > place.offset, hasUnpromised, idleLooks > 0 {
            guard try readUnpromisedAgain(file) else { return .rewound }
        }
        notePromise(found.promise)
        return .segment(file, readable: found.readable)
    }

    /// Whether frames of the segment were read that nobody has promised. Damage to the others is told as such.
    private var hasUnpromised: Bool { unpromisedStart < place.offset && promise < place.offset }

    /// Whether the frames that nobody has promised are there as they were. A power cut takes any of them,
    /// and may leave what came behind it.
    ///
    /// They are read again where the segment looks otherwise than before; where it does not, now and then.
    private func isStillThere(_ file: SegmentFile) throws(LogError) -> Bool {
        guard hasUnpromised else { return true }
        idleLooks += 1
        let byteCount = place.offset.rawValue - unpromisedStart.rawValue
        guard
            appearance != Appearance(file, hasLiveWriter)
                || byteCount <= idleLooks * Self.idleBytesMax
        else { return true }
        return try readUnpromisedAgain(file)
    }

    private func readUnpromisedAgain(_ file: SegmentFile) throws(LogError) -> Bool {
        guard try place.isWhole(from: unpromisedStart, in: fileSystem) else { return false }
        appearance = Appearance(file, hasLiveWriter)
        idleLooks = 0
        return true
    }

    /// The segment is gone. Compaction drops the oldest; anything else is another log.
    private func isDropped() throws(LogError) -> Bool {
        let listing = try StoreListing(fileSystem)
        guard let first = listing.segments.first else {
            throw .segmentMissing(place.header.segment)
        }
        return first > place.header.segment
    }

    private func goOn(behind footer: SegmentFooter) throws(LogError) {
        try place.check(footer)
        let segment = SegmentID(place.header.segment.rawValue + 1)
        let next = try SegmentFile.read(segment, in: fileSystem, mode: .readOnly)
        var chain = SegmentChain(behind: place.header, footer)
        if let problem = chain.accept(next) { throw problem }
        // The footer was written behind a sync of everything before it.
        promisedSequence = max(promisedSequence, place.order.lastSequence)
        unpromised = []
        promise = next.header.frameStart
        place = FollowedPlace(next.header, opening: next.opening)
        unpromisedStart = place.offset
    }
}

extension LogFollower.Appearance {
    fileprivate init(_ file: SegmentFile, _ hasLiveWriter: Bool) {
        self.init(
            length: file.length, hasFooter: file.footer != nil, hasLiveWriter: hasLiveWriter)
    }
}
