public import VarveEvents

/// What a look for new transactions came to.
public struct StoreRefresh: Sendable, Hashable {
    /// How the log went on since the last look.
    public enum Course: Sendable, Hashable {
        /// Nothing new.
        case unchanged
        /// Transactions were added.
        case advanced
        /// What was shown behind that transaction is not part of the log any more: it was never
        /// promised, and the log has taken another course there.
        case rewound(to: TransactionID)
        /// The log behind the transaction that was shown is no longer kept transaction by
        /// transaction; its state was read as a whole.
        case reopened
    }

    /// How the log went on since the last look.
    public let course: Course
    /// The newest transaction that ``Store/context`` shows now.
    public let lastTransaction: TransactionID
    /// The newest of them that its writer has promised to be safe from a power cut. What lies
    /// behind it is visible only where no process has the store open for writing.
    public let promisedTransaction: TransactionID
}

extension StoreRefresh.Course {
    /// Two courses as one: the one that says more about what was shown before both.
    func followed(by next: Self) -> Self {
        switch (self, next) {
        case (_, .unchanged): self
        case (.rewound(let first), .rewound(let second)): .rewound(to: min(first, second))
        case (.rewound, .advanced), (.reopened, _): self
        case (.unchanged, _), (.advanced, _), (.rewound, .reopened): next
        }
    }
}
