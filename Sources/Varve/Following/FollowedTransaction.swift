public import Foundation
public import VarveEvents
internal import VarveLog

/// What a follower of a store is told.
public enum FollowedEvent: Sendable, Hashable {
    case transaction(FollowedTransaction)
    /// The transactions behind that one, which were told without a promise, are not part of the log
    /// any more.
    case rewound(to: TransactionID)
    /// The transactions through that one are no longer kept: a compaction dropped them before they
    /// were told.
    case missed(through: TransactionID)
}

/// A transaction that another process has written.
public struct FollowedTransaction: Sendable, Hashable {
    public let id: TransactionID
    public let time: Date
    public let label: String?
    public let scope: String?
    public let group: String?
    public let author: String?
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
