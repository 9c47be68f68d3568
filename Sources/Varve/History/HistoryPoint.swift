public import Foundation
public import VarveEvents

/// A state in the history of a store.
public enum HistoryPoint: Sendable, Hashable {
    /// The state behind a transaction; 0 is the empty store.
    case transaction(TransactionID)
    /// The state behind the newest transaction that was made by then.
    case date(Date)
    /// The state that was given this name; see ``Store/setSavepoint(_:)``.
    case savepoint(String)
}
