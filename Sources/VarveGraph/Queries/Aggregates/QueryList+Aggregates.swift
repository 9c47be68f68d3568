// What a query's rows are together. No entity is copied; nil values do not count.

extension QueryList {
    /// Whether the query finds nothing.
    @inlinable
    public func isEmpty(in context: Context) -> Bool { !exists(in: context) }

    /// The least value of a property, in the order that sorts have; nil where there is none.
    ///
    /// - Complexity: O(log n) where an index is in that order, else linear in the rows.
    @inlinable
    public func min<Value: Comparable & SendableMetatype>(
        _ path: KeyPath<Entity, Value>, in context: Context
    ) -> Value? { extreme(path, of: sorted(by: path), isMaximum: false, in: context) }

    /// The greatest value of a property, in the order that sorts have (NaN is the greatest); nil
    /// where there is none.
    ///
    /// - Complexity: O(log n) where an index is in that order, else linear in the rows.
    @inlinable
    public func max<Value: Comparable & SendableMetatype>(
        _ path: KeyPath<Entity, Value>, in context: Context
    ) -> Value? {
        let descending = path.appending(path: \Value.desc)
        return extreme(path, of: sorted(by: descending), isMaximum: true, in: context)
    }

    /// The least value of an optional property; nil where there is none.
    @inlinable
    public func min<Value: Comparable & SendableMetatype>(
        _ path: KeyPath<Entity, Value?>, in context: Context
    ) -> Value? {
        let read = PropertyReader(path)
        return rows(in: context)?.extreme(isMaximum: false) { read($0) }.map {
            Entity._presented($0)
        }
    }

    /// The greatest value of an optional property; nil where there is none.
    @inlinable
    public func max<Value: Comparable & SendableMetatype>(
        _ path: KeyPath<Entity, Value?>, in context: Context
    ) -> Value? {
        let read = PropertyReader(path)
        return rows(in: context)?.extreme(isMaximum: true) { read($0) }.map {
            Entity._presented($0)
        }
    }

    /// The sum of an integer property; zero where there are no entities.
    ///
    /// - Throws: ``AggregateError/sumOutOfRange(entity:property:)`` where the sum does not fit the
    ///   type. Sums on the way may leave it.
    @inlinable
    public func sum<Value: FixedWidthInteger>(
        _ path: KeyPath<Entity, Value>, in context: Context
    ) throws(AggregateError) -> Value {
        let read = PropertyReader(path)
        let sum = rows(in: context)?.integerSum { read($0) } ?? IntegerSum<Value>()
        guard let exact = sum.exact else { throw .sumOutOfRange(path) }
        return exact
    }

    /// The sum of an optional integer property; zero where there is no value.
    ///
    /// - Throws: ``AggregateError/sumOutOfRange(entity:property:)`` where the sum does not fit the
    ///   type. Sums on the way may leave it.
    @inlinable
    public func sum<Value: FixedWidthInteger>(
        _ path: KeyPath<Entity, Value?>, in context: Context
    ) throws(AggregateError) -> Value {
        let read = PropertyReader(path)
        let sum = rows(in: context)?.integerSum { read($0) } ?? IntegerSum<Value>()
        guard let exact = sum.exact else { throw .sumOutOfRange(path) }
        return exact
    }

    /// The sum of a property that is no integer, added up in the query's order; zero where there
    /// are no entities.
    @inlinable
    public func sum<Value: AdditiveArithmetic>(
        _ path: KeyPath<Entity, Value>, in context: Context
    ) -> Value {
        let read = PropertyReader(path)
        return rows(in: context)?.sum { read($0) } ?? .zero
    }

    /// The sum of an optional property that is no integer; zero where there is no value.
    @inlinable
    public func sum<Value: AdditiveArithmetic>(
        _ path: KeyPath<Entity, Value?>, in context: Context
    ) -> Value {
        let read = PropertyReader(path)
        return rows(in: context)?.sum { read($0) } ?? .zero
    }

    /// The mean of an integer property, from its exact sum; nil where there are no entities.
    @inlinable
    public func average<Value: FixedWidthInteger>(
        _ path: KeyPath<Entity, Value>, in context: Context
    ) -> Double? {
        let read = PropertyReader(path)
        return rows(in: context)?.integerSum { read($0) }.average
    }

    /// The mean of the values of an optional integer property; nil where there is none.
    @inlinable
    public func average<Value: FixedWidthInteger>(
        _ path: KeyPath<Entity, Value?>, in context: Context
    ) -> Double? {
        let read = PropertyReader(path)
        return rows(in: context)?.integerSum { read($0) }.average
    }

    /// The mean of a floating-point property; nil where there are no entities.
    @inlinable
    public func average<Value: BinaryFloatingPoint>(
        _ path: KeyPath<Entity, Value>, in context: Context
    ) -> Value? {
        let read = PropertyReader(path)
        return rows(in: context)?.average { read($0) }
    }

    /// The mean of the values of an optional floating-point property; nil where there is none.
    @inlinable
    public func average<Value: BinaryFloatingPoint>(
        _ path: KeyPath<Entity, Value?>, in context: Context
    ) -> Value? {
        let read = PropertyReader(path)
        return rows(in: context)?.average { read($0) }
    }
}

extension QueryList {
    /// The rows of the query, or nil where the context does not hold the type.
    @inlinable
    func rows(in context: Context) -> RowSet? {
        guard let table = context.tables.position(of: Entity._descriptor) else { return nil }
        if case .all = source { return plan.list.rows(in: context, table: table) }
        return RowSet(slots(in: context), in: context, table: table)
    }

    /// The first value of the sorted query where an index is in that order, else found by
    /// comparing all.
    @inlinable
    func extreme<Value: Comparable>(
        _ path: KeyPath<Entity, Value>, of sorted: Self, isMaximum: Bool, in context: Context
    ) -> Value? {
        let read = PropertyReader(path)
        let first = sorted.limit(1).rows(in: context)
        let found = first?.isWalk == true ? first : rows(in: context)
        return found?.extreme(isMaximum: isMaximum) { read($0) }.map { Entity._presented($0) }
    }
}
