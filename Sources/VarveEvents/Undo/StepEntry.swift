/// One transaction on an undo or redo stack, and everything below it.
///
/// A list that shares its tail: pushing and popping take constant time however many copies of the
/// stack are alive, as every published state has one. Entries of a group that follow one another
/// make up one step.
///
/// `@unchecked Sendable`: nothing changes but in `deinit`, where nobody else has a reference.
final class StepEntry: @unchecked Sendable {
    let transaction: TransactionID
    let time: Timestamp
    let label: String?
    let group: String?
    /// Whether it belongs to the step of the entry below.
    let joins: Bool
    /// The oldest transaction of its step.
    let first: TransactionID
    /// The oldest transaction of the whole stack.
    let lowest: TransactionID
    /// How many undos and redos have led from the step's own transactions to this one.
    let moves: UInt64
    private var lower: Lower

    /// What is below.
    private enum Lower {
        case nothing
        case entry(StepEntry)
        case stored(StoredSteps)
    }

    var below: StepEntry? {
        switch lower {
        case .nothing: nil
        case .entry(let entry): entry
        case .stored(let steps): steps.top
        }
    }

    /// - Parameter stored: what is below where no entry was made of it yet. No entry joins one of these.
    init(
        _ transaction: TransactionID, time: Timestamp, label: String?, group: String?,
        joins: Bool, moves: UInt64 = 0, below: StepEntry?, above stored: StoredSteps? = nil
    ) {
        precondition(below != nil || !joins, "An entry joins one below it")
        self.transaction = transaction
        self.time = time
        self.label = label
        self.group = group
        self.joins = joins
        self.moves = moves
        first = joins ? below?.first ?? transaction : transaction
        lowest = below?.lowest ?? stored?.lowest ?? transaction
        lower = below.map { .entry($0) } ?? stored.map { .stored($0) } ?? .nothing
    }

    // One after the other: letting a long list go must not need a deep call stack.
    deinit {
        var next = takeEntryBelow()
        while isKnownUniquelyReferenced(&next) { next = next?.takeEntryBelow() }
    }

    private func takeEntryBelow() -> StepEntry? {
        guard case .entry(let entry) = lower else { return nil }
        lower = .nothing
        return entry
    }

    /// The lowest entry of the step that this one is the top of.
    var bottomOfStep: StepEntry {
        var entry = self
        while entry.joins, let below = entry.below { entry = below }
        return entry
    }

    /// What the step is called: its newest label.
    var stepLabel: String? {
        var entry = self
        while entry.label == nil, entry.joins, let below = entry.below { entry = below }
        return entry.label
    }
}

/// One step that can be undone or redone: a transaction, or a group of them.
package struct TimelineStep: Hashable, Sendable {
    /// Newest first; never empty.
    package let transactions: [TransactionID]
    /// Of the newest.
    package let time: Timestamp
    package let label: String?

    init(_ top: StepEntry) {
        var transactions = [top.transaction]
        var entry = top
        while entry.joins, let below = entry.below {
            transactions.append(below.transaction)
            entry = below
        }
        self.transactions = transactions
        time = top.time
        label = top.stepLabel
    }

    package var newest: TransactionID { transactions[0] }
    package var oldest: TransactionID { transactions[transactions.count - 1] }
}
