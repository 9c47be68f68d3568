internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// The transactions that another process writes, as it promises them to be safe.
final class FollowedChanges: ChangeSource {
    private let store: Store
    private var token: ChangeToken?
    private var following: Following?

    /// A log that is being followed.
    private struct Following {
        let log: LogFollower
        let id: StoreID
        /// What was there when following began, up to where the follower starts.
        var backlog: ChangeLog?
        /// The newest that was read.
        var last: TransactionID
        /// Read, and not promised so far.
        var held: [CopiedTransaction] = []
    }

    init(_ store: Store, after token: ChangeToken?) {
        self.store = store
        self.token = token
    }

    func read() throws -> [StoreChangeEvent]? {
        guard var following else { return try begin() }
        self.following = nil
        let goesOn = try readOn(&following)
        let count = following.held.prefix {
            $0.header.id.rawValue <= following.log.promisedSequence.rawValue
        }.count
        guard count > 0 else {
            if goesOn { self.following = following }
            return []
        }
        // From here on decoding knows every definition that the transactions name.
        try store.refresh()
        let reading = store.published.reading
        let changes = following.held.prefix(count).map { $0.change(following.id, reading) }
        following.held.removeFirst(count)
        token = changes.last?.token
        if goesOn { self.following = following }
        return changes.map { .transaction($0) }
    }

    /// Reads a page. False where the log has to be looked at anew.
    private func readOn(_ following: inout Following) throws -> Bool {
        if let backlog = following.backlog {
            do {
                let page = try backlog.page(behind: following.last, through: backlog.newest)
                following.held += page
                following.last = page.last?.header.id ?? backlog.newest
                if following.last >= backlog.newest { following.backlog = nil }
                return true
            } catch StoreError.log(.fileSystem(let problem)) where problem.isNotFound {
                // A compaction has dropped what was being read.
                return false
            }
        }
        return try poll(&following)
    }

    private func poll(_ following: inout Following) throws -> Bool {
        var page: [CopiedTransaction] = []
        let outcome: LogFollower.Outcome
        do throws(ReplayFailure<any Error>) {
            outcome = try following.log.poll(limit: ChangePage.transactionsMax) {
                record throws(any Error) in
                if case .transaction(let logged) = record {
                    page.append(try CopiedTransaction(logged))
                }
            }
        } catch {
            switch error {
            case .log(let error): throw StoreError.log(error)
            case .consumer(let error): throw error
            }
        }
        following.held += page
        if let newest = page.last { following.last = newest.header.id }
        switch outcome {
        case .upToDate, .more: return true
        case .gap: return false
        case .rewound(let sequence):
            // What was told was promised.
            following.held.removeAll { $0.header.id.rawValue > sequence.rawValue }
            return false
        }
    }

    /// Once more, where a compaction removes what is being looked at.
    private func begin() throws -> [StoreChangeEvent] {
        try store.opener.lookingAgain { try beginOnce() }
    }

    private func beginOnce() throws -> [StoreChangeEvent] {
        let scanned = try store.opener.look()
        try store.refresh()
        let log = ChangeLog(scanned.snapshot, floor: store.floor)
        let follower = try StoreError.wrapping { () throws(LogError) in try LogFollower(scanned) }
        let promised = TransactionID(follower.promisedSequence.rawValue)
        func follow(behind transaction: TransactionID) {
            following = Following(
                log: follower, id: log.store, backlog: transaction < log.newest ? log : nil,
                last: transaction)
        }
        switch try TokenPlace(token, in: log) {
        case .known(let transaction):
            follow(behind: transaction)
            return []
        case .ahead where scanned.hasLiveWriter:
            // The writer knows it to be safe, and will say so in the log.
            return []
        case .ahead:
            let token = try log.token(log.newest)
            self.token = token
            follow(behind: log.newest)
            return [.rewound(to: token)]
        case .lost:
            let token = try log.token(promised)
            let context = try store.context(asOf: .transaction(promised))
            self.token = token
            follow(behind: promised)
            return [.gap(ChangeGap(floor: log.floor, context: context, token: token))]
        }
    }
}
