/// What a write waits for.
///
/// A property of the store; a single write can only ask for more (``WriteOptions/durability``).
///
/// A write changes the state in place where no snapshot holds it. Comparisons, hashes
/// and index keys of an entity therefore must not read the store that it is being saved to: that ends the
/// program. Hooks, merge strategies and collision resolvers may.
public enum Durability: Sendable, Hashable {
    /// `write` returns when the transaction is safe from a power cut. Writers that wait at the same
    /// time share one sync.
    case commit
    /// `write` returns when the transaction is with the operating system, and at most so much later
    /// it is safe from a power cut. A crash of the process loses nothing.
    case interval(Duration)
    /// `write` returns when the transaction is with the operating system: safe from a crash of the
    /// process, not from a power cut, until ``Store/flush()`` or ``Store/close()``.
    case none
}

extension Durability {
    /// The stronger of two wishes.
    func joined(with other: Durability?) -> Durability {
        switch (self, other) {
        case (_, nil): self
        case (.commit, _), (_, .commit): .commit
        case (.interval(let one), .interval(let two)): .interval(min(one, two))
        case (.interval, _): self
        case (.none, let other?): other
        }
    }
}
