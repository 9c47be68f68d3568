public import Foundation
public import VarveEvents
internal import VarveLog

/// What a follower of a store receives.
public enum FollowedEvent: Sendable, Hashable {
    /// The next transaction of the log.
    case transaction(FollowedTransaction)
    /// The transactions behind that one, which were delivered without a promise, are not part of the log
    /// any more.
    case rewound(to: TransactionID)
    /// The transactions through that one are no longer kept: a compaction dropped them before they
    /// were delivered.
    case missed(through: TransactionID)
}

/// A transaction that another process has written.
public struct FollowedTransaction: Sendable, Hashable {
    /// The number of the transaction.
    public let id: TransactionID
    /// When it was written, by its writer's clock.
    public let time: Date
    /// What it does, for people, as its writer said it.
    public let label: String?
    /// The undo stack that it belongs to; nil for the stack of writes without a scope.
    public let scope: String?
    /// The group of transactions that are one undo step; nil without one.
    public let group: String?
    /// Who made the change, as its writer said it.
    public let author: String?
    /// What else the writer kept with it.
    public let metadata: [String: String]
}

extension FollowedTransaction {
    init(_ logged: LoggedTransaction) throws(StoreError) {
        let id = TransactionID(logged.sequence.rawValue)
        let header: TransactionHeader
        do throws(EventError) {
            header = try TransactionView(logged.payload).header
        } catch {
            throw .inconsistent(transaction: id, reason: "\(error)")
        }
        self.init(
            id: id,
            time: Date(timeIntervalSince1970: Double(header.time.microseconds) / 1_000_000),
            label: header.label, scope: header.scope, group: header.group, author: header.author,
            metadata: header.metadata)
    }
}
