internal import VarveEvents
internal import VarveGraph

/// A state that was shown, and what was touched since the one before it.
struct StateChange: Sendable {
    /// The transactions that lead to it; where a log took another course, the newest alone.
    var transactions: ClosedRange<TransactionID>
    var context: Context
    /// Nil where it is not known what was touched.
    var rows: ChangedRows?

    /// Becomes the change that this and the next one are together.
    mutating func join(_ next: StateChange) {
        transactions =
            min(
                transactions.lowerBound, next.transactions.lowerBound)...next.transactions
            .upperBound
        context = next.context
        if let other = next.rows { rows?.merge(other) } else { rows = nil }
    }
}
