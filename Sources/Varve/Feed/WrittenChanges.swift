internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// The transactions that this process writes, as they become durable.
///
/// Keeps what is not told yet from being dropped by compactions.
final class WrittenChanges: ChangeSource {
    private let store: Store
    private let writer: Writer
    private var token: ChangeToken?
    /// The newest transaction that was told or passed over; nil before the token was looked up.
    private var last: TransactionID?
    private var pin: LogPin?

    init(_ store: Store, _ writer: Writer, after token: ChangeToken?) {
        self.store = store
        self.writer = writer
        self.token = token
    }

    func read() throws -> [StoreChangeEvent]? {
        for _ in 0..<8 {
            do {
                return try look()
            } catch StoreError.belowFloor {
                // A compaction raised the floor since the look at the log, above what was the newest
                // transaction then. Another look finds where it is.
                continue
            }
        }
        return try look()
    }

    private func look() throws -> [StoreChangeEvent]? {
        let log: ChangeLog
        do {
            log = ChangeLog(try writer.logSnapshot(), floor: store.floor)
        } catch StoreError.closed {
            return nil
        } catch StoreError.suspended {
            return []
        }
        let bound = min(store.durableForFeeds, log.newest)
        guard let last else { return try begin(log, bound) }
        guard last < bound else { return [] }
        guard last.isReachable(from: log.floor) else { return [try gap(log, bound)] }
        let page = try log.page(behind: last, through: bound)
        let reading = store.published.reading
        try goOn(behind: page.last?.header.id ?? bound)
        return page.map { .transaction($0.change(log.store, reading)) }
    }

    private func begin(_ log: ChangeLog, _ bound: TransactionID) throws -> [StoreChangeEvent] {
        switch try TokenPlace(token, in: log) {
        case .known(let transaction):
            try goOn(behind: transaction)
            return try look() ?? []
        case .lost: return [try gap(log, bound)]
        case .ahead:
            try goOn(behind: bound)
            return [.rewound(to: try log.token(bound))]
        }
    }

    private func gap(_ log: ChangeLog, _ bound: TransactionID) throws -> StoreChangeEvent {
        let context = try store.context(asOf: .transaction(bound))
        try goOn(behind: bound)
        return .gap(ChangeGap(floor: log.floor, context: context, token: try log.token(bound)))
    }

    private func goOn(behind transaction: TransactionID) throws {
        last = transaction
        do {
            pin = try store.pin(TransactionID(transaction.rawValue + 1))
        } catch StoreError.belowFloor {
            // The next look finds the gap.
            pin = nil
        }
    }
}

extension Store {
    /// Through that transaction feeds may tell: what is durable and shown. Nothing that is in memory
    /// alone is more durable than what is shown.
    var durableForFeeds: TransactionID {
        let shown = lastTransaction
        return opener.fileSystem is MemoryFileSystem ? shown : min(shown, durableTransaction)
    }
}
