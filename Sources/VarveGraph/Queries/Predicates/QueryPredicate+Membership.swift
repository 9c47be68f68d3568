extension QueryPredicate {
    /// The property is equal to one of the values: `.property(\.status, isIn: [.active, .new])`.
    /// Hash, unique and ordered indexes serve it.
    public static func property<Value: Hashable & Sendable>(
        _ path: KeyPath<Entity, Value>, isIn values: [Value]
    ) -> Self {
        var all = Set<Value>()
        let distinct = values.filter { all.insert($0).inserted }
        return property(path, isIn: all, inOrder: distinct)
    }

    /// The property is one of the set's values.
    public static func property<Value: Hashable & Sendable>(
        _ path: KeyPath<Entity, Value>, isIn values: Set<Value>
    ) -> Self {
        property(path, isIn: values, inOrder: Array(values))
    }

    private static func property<Value: Hashable & Sendable>(
        _ path: KeyPath<Entity, Value>, isIn values: Set<Value>, inOrder distinct: [Value]
    ) -> Self {
        let read = PropertyReader(path)
        let condition = PropertyCondition(
            path, .isIn, distinct.map { QueryOperand($0) }, trust: .of(Value.self))
        // Few values are compared faster than hashed.
        guard distinct.count > 8 else {
            return QueryPredicate(.property(condition)) { distinct.contains(read($0)) }
        }
        return QueryPredicate(.property(condition)) { values.contains(read($0)) }
    }

    /// The property is in the range: `.property(\.age, isIn: 13..<20)`.
    @inlinable
    public static func property<Value: Comparable & Sendable>(
        _ path: KeyPath<Entity, Value>, isIn range: Range<Value>
    ) -> Self {
        path >= range.lowerBound && path < range.upperBound
    }

    /// The property is in the range: `.property(\.age, isIn: 13...19)`.
    @inlinable
    public static func property<Value: Comparable & Sendable>(
        _ path: KeyPath<Entity, Value>, isIn range: ClosedRange<Value>
    ) -> Self {
        path >= range.lowerBound && path <= range.upperBound
    }
}
