internal import VarveEvents
internal import VarveLog

/// What one who waits for a sync is told.
enum CommitCall: Sendable {
    /// His transaction is safe, or nobody will ever know.
    case settled(LogError?)
    /// The next sync is his to make.
    case mustLead
}

/// One who waits for his transaction to be safe. Called once.
struct CommitWaiter: Sendable {
    let transaction: TransactionID
    let isThread: Bool
    let call: @Sendable (CommitCall) -> Void
}
