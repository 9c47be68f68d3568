public import Foundation
public import VarveEvents

/// What one undo reverts, or one redo brings back: a transaction, or a group of them.
public struct UndoStep: Sendable, Hashable {
    /// Oldest first. Of a step that can be redone, the undo that is to be reverted.
    public let transactions: [TransactionID]
    /// What it does, for people; of a group, the group's label or that of its newest transaction.
    public let label: String?
    /// When the newest of its transactions was made.
    public let time: Date
}

extension UndoStep {
    init(_ step: TimelineStep) {
        transactions = step.transactions.reversed()
        label = step.label
        time = step.time.date
    }
}
