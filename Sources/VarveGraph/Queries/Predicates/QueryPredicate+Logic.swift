extension QueryPredicate {
    /// Both conditions hold.
    @inlinable
    public static func && (first: Self, second: Self) -> Self {
        QueryPredicate(first.condition && second.condition)
    }

    /// At least one of the conditions holds.
    @inlinable
    public static func || (first: Self, second: Self) -> Self {
        QueryPredicate(first.condition || second.condition)
    }

    /// The condition does not hold.
    @inlinable
    public static prefix func ! (predicate: Self) -> Self {
        QueryPredicate(!predicate.condition)
    }
}
