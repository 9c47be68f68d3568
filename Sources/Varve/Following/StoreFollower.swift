internal import VarveEvents
internal import VarveGraph
internal import VarveLog
internal import VarveReplay
internal import VarveTables

/// Keeps a store that is only read up to date with the log that another process writes.
///
/// The first refresh that finds something reads the log once more and keeps its state; from then on each transaction
/// is read once, and applied to that. The context is made anew from the state, type by type, on several cores.
///
/// Not thread-safe: its owner lets one thread in at a time.
final class StoreFollower {
    private let opening: StoreOpening
    private var following: FollowedState?
    /// Of the opening, until following begins.
    private var watch: LogFollower?
    /// What the log was found to have done before reading it anew failed.
    private var owed: StoreRefresh.Course?

    init(_ opening: StoreOpening, behind scanned: ScannedLog) throws(LogError) {
        self.opening = opening
        watch = try LogFollower(scanned)
    }

    /// A state that is newer than the one that was shown.
    struct News {
        let state: StoreState
        let course: StoreRefresh.Course
    }

    /// Nil where nothing is new, with how far the log is promised. Reports damage to the store's log.
    func refresh(shown: TransactionID) throws(StoreError) -> (news: News?, promised: TransactionID)
    {
        do throws(StoreError) {
            return try look(shown: shown)
        } catch {
            opening.log?.damage(error)
            throw error
        }
    }

    private func look(
        shown: TransactionID
    ) throws(StoreError) -> (news: News?, promised: TransactionID) {
        if let owed { return (try begin(owed), promised) }
        if let following, !following.isAtItsEnd { return try goOn(following, shown) }
        guard let watch else { return (try begin(.reopened), promised) }
        // Looks for one transaction only, and for whether the log is still the one that was read.
        var isNew = false
        let outcome: LogFollower.Outcome
        do throws(ReplayFailure<RecordError>) {
            outcome = try watch.poll(limit: 1) { _ throws(RecordError) in isNew = true }
        } catch {
            throw error.storeError
        }
        switch outcome {
        case .upToDate where !isNew:
            return (nil, TransactionID(watch.promisedSequence.rawValue))
        case .upToDate, .more: return (try begin(.advanced), promised)
        case .rewound(let sequence):
            return (try begin(.rewound(to: TransactionID(sequence.rawValue))), promised)
        case .gap: return (try begin(.reopened), promised)
        }
    }

    /// The oldest transaction that the log answers for by now.
    func readFloor() throws(StoreError) -> TransactionID {
        guard let log = following?.log ?? watch else { return 0 }
        return try StoreError.wrapping { () throws(LogError) in
            TransactionID(try log.readFloor().rawValue)
        }
    }

    private var promised: TransactionID {
        TransactionID((following?.log ?? watch)?.promisedSequence.rawValue ?? 0)
    }

    /// Reads the whole log. Should that fail, the next refresh tries again.
    private func begin(_ course: StoreRefresh.Course) throws(StoreError) -> News {
        owed = course
        watch = nil
        following = nil
        let (followed, shown) = try opening.follow()
        following = followed
        owed = nil
        return News(state: shown, course: course)
    }

    /// Where the checkpoint under the state turns out damaged, reads everything anew, without it.
    private func goOn(
        _ following: FollowedState, _ shown: TransactionID
    ) throws(StoreError) -> (news: News?, promised: TransactionID) {
        do throws(StoreError) {
            return try advance(following, shown)
        } catch {
            guard case .log(let cause) = error, cause.isAboutCheckpoint else { throw error }
            opening.health.note(cause)
            // Where the damage was met in reading everything anew, the course is still that of the log.
            let news = try begin(owed ?? .advanced)
            opening.health.note(cause, .rebuilt(from: nil))
            return (news, promised)
        }
    }

    private func advance(
        _ following: FollowedState, _ shown: TransactionID
    ) throws(StoreError) -> (news: News?, promised: TransactionID) {
        switch try following.advance() {
        case .rewound(let sequence):
            return (try begin(.rewound(to: TransactionID(sequence.rawValue))), promised)
        case .gap: return (try begin(.reopened), promised)
        case .upToDate, .more:
            let promised = promised
            guard following.state.lastTransaction > shown else { return (nil, promised) }
            let news = try opening.hydrateForReading(following.state)
            return (News(state: news, course: .advanced), promised)
        }
    }
}

extension StoreOpening {
    /// Reads a whole log to follow it from its end on.
    fileprivate func follow() throws(StoreError) -> (FollowedState, shown: StoreState) {
        try typed {
            try lookingAgain {
                let scanned = try scan(.readOnly)
                return try readingNewest(scanned, comparingUpTo: .max) { replayed in
                    let shown = try hydrateForReading(replayed.state, replayed.tried)
                    return (FollowedState(replayed.state, try LogFollower(scanned)), shown)
                }
            }
        }
    }
}
