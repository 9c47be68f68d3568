public import VarveEvents
internal import VarveLog

/// How far a consumer has come in a store's changes. Keep it, encoded, with what the changes were
/// made into, and hand it to ``Store/changes(after:lookingEvery:)`` after a relaunch.
///
/// It names the store, a transaction, and a checksum of that transaction's frame in the log, by which
/// a log that took another course since is distinguished from the one that was read.
public struct ChangeToken: Sendable, Hashable, Codable {
    /// The newest transaction that was taken; 0 before the first.
    public let transaction: TransactionID
    let store: String
    let checksum: UInt32

    init(_ store: StoreID, _ transaction: TransactionID, checksum: UInt32) {
        self.store = "\(store)"
        self.transaction = transaction
        self.checksum = checksum
    }
}
