import Varve
import VarveTestSupport

/// The sequences that a store has, each listened to by a task until the round's last transaction.
struct Listening: Sendable {
    /// The label of the last transaction, and what it moves: more than all others together.
    static let end = "End"
    static let endAmount = 1_000_000_000_000

    let store: Store
    let record: ThreadsRecord

    /// The change feed tells every transaction, once and in order, and none makes money.
    func takeChanges() async throws {
        var counts = ThreadsCounts()
        var last: TransactionID?
        for try await event in store.changes() {
            guard case .transaction(let change) = event else {
                // It may have begun behind a compaction.
                guard last == nil, case .gap(let gap) = event else {
                    throw CheckFailure(.i11, "the feed says \(event) behind \(last ?? 0)")
                }
                last = gap.token.transaction
                continue
            }
            if let last, change.id.rawValue != last.rawValue + 1 {
                throw CheckFailure(.i11, "the feed tells \(change.id) behind \(last)")
            }
            last = change.id
            let sum = try change.changes(of: Entry.self).reduce(0) { $0 + $1.gain }
            guard sum == 0 else { throw CheckFailure(.i2, "\(change.id) makes \(sum)") }
            counts.told += 1
            if change.info.label == Self.end { break }
        }
        record.add(counts)
    }

    /// The transactions of a store that is only read; compactions may have dropped some.
    func takeTransactions() async throws {
        var counts = ThreadsCounts()
        var last = store.lastTransaction
        for try await event in store.transactions(after: last, lookingEvery: .milliseconds(2)) {
            switch event {
            case .transaction(let transaction):
                guard transaction.id.rawValue == last.rawValue + 1 else {
                    throw CheckFailure(.i11, "\(transaction.id) is told behind \(last)")
                }
                guard store.lastTransaction >= transaction.id else {
                    throw CheckFailure(.i11, "\(transaction.id) is told before it is shown")
                }
                last = transaction.id
                counts.told += 1
            case .missed(let through): last = through
            case .rewound(let kept):
                throw CheckFailure(.i11, "called back from \(last) to \(kept)")
            }
            if case .transaction(let transaction) = event, transaction.label == Self.end { break }
        }
        record.add(counts)
    }

    /// Each batch of changes turns the list before into what a query finds at that state.
    func watch<Entity: EntityModelProtocol & Equatable>(
        _ query: QueryList<Entity>
    ) async throws where Entity: Sendable {
        var counts = ThreadsCounts()
        var model: [Entity] = []
        var last: TransactionID = 0
        for await update in store.results(of: query) {
            model = update.changes.apply(to: model) { update.list[$0] }
            guard model == update.list.entities else {
                throw CheckFailure(.i2, "\(Entity.self): changes and list differ")
            }
            if counts.updates % 8 == 0, model != query.resolve(in: update.list.context) {
                throw CheckFailure(.i2, "\(Entity.self): the list is not what the query finds")
            }
            guard update.transaction >= last else {
                throw CheckFailure(.i11, "an update of \(update.transaction) behind \(last)")
            }
            last = update.transaction
            counts.updates += 1
            if model.contains(where: Self.isLast) { break }
        }
        record.add(counts)
    }

    private static func isLast(_ entity: some EntityModelProtocol) -> Bool {
        switch entity {
        case let account as Account: account.balance < -endAmount / 2
        case let entry as Entry: entry.amount < -endAmount / 2
        default: false
        }
    }
}

extension LoggedChange<Entry> {
    /// By how much the amounts of all entries together grow.
    fileprivate var gain: Int {
        switch self {
        case .inserted(let entry): entry.amount
        case .deleted(let entry): -entry.amount
        case .updated, .linked, .purged, .unreadable: 0
        }
    }
}
