public import Foundation

/// The one total order of property values, which indexes and sorts share.
///
/// It is `<` made total: -0.0 equals 0.0, NaN stands behind everything and equals NaN, strings
/// compare by canonical equivalence, as in Swift but for a fault of its own (see ``TextOrder``), ``Descending`` is reversed and
/// ``NilFirst`` puts nil in front. Any other type is compared by its own `<`.
///
/// The type tests are on metatypes, so that they vanish where a client's module specialises.
@usableFromInline
enum ValueOrder {
    /// Less than, equal to or greater than zero, as `first` comes before, with or behind `second`.
    @inlinable
    static func compare<Value: Comparable>(_ first: Value, _ second: Value) -> Int {
        if Value.self == Int.self { return compareComparable(first, second) }
        if Value.self == String.self {
            return TextOrder.compare(
                unsafeBitCast(first, to: String.self), unsafeBitCast(second, to: String.self))
        }
        if let first = floating(first), let second = floating(second) {
            return compareFloating(first, second)
        }
        if Value.self is any KeyedOrder.Type, let first = first as? any KeyedOrder {
            return first.compareKeyed(to: second)
        }
        return compareComparable(first, second)
    }

    /// An order-preserving prefix: where `a` comes before `b`, its key is not greater.
    ///
    /// Values with equal keys are equal where the key is exact. Within one type, whether a key is
    /// exact depends on the key alone, so equal keys are exact both or not at all.
    @inlinable
    static func key<Value: Comparable>(_ value: Value) -> (key: UInt64, isExact: Bool) {
        if let key = integerKey(value) { return (key, true) }
        if let floating = floating(value) { return (key(floating: floating), true) }
        if Value.self == String.self { return TextOrder.key(unsafeBitCast(value, to: String.self)) }
        if let key = foundationKey(value) { return key }
        if Value.self is any KeyedOrder.Type, let value = value as? any KeyedOrder {
            return value.orderKey
        }
        return (0, false)
    }

    /// `<` as a predicate means it: nothing is less or greater than NaN.
    @inlinable
    static func isLess<Value: Comparable>(_ first: Value, _ second: Value) -> Bool {
        if Value.self == String.self { return compare(first, second) < 0 }
        return first < second
    }

    @inlinable
    static func compareComparable<Value: Comparable>(_ first: Value, _ second: Value) -> Int {
        if first == second { return 0 }
        return first < second ? -1 : (second < first ? 1 : 0)
    }

    // MARK: - Integers

    // The bit casts below are between a type and itself: each stands behind the test of the type.

    @inlinable
    static func integerKey<Value>(_ value: Value) -> UInt64? {
        if Value.self == Int.self { return signed(Int64(unsafeBitCast(value, to: Int.self))) }
        if Value.self == Int64.self { return signed(unsafeBitCast(value, to: Int64.self)) }
        if Value.self == Int32.self { return signed(Int64(unsafeBitCast(value, to: Int32.self))) }
        if Value.self == Int16.self { return signed(Int64(unsafeBitCast(value, to: Int16.self))) }
        if Value.self == Int8.self { return signed(Int64(unsafeBitCast(value, to: Int8.self))) }
        if Value.self == UInt.self { return UInt64(unsafeBitCast(value, to: UInt.self)) }
        if Value.self == UInt64.self { return unsafeBitCast(value, to: UInt64.self) }
        if Value.self == UInt32.self { return UInt64(unsafeBitCast(value, to: UInt32.self)) }
        if Value.self == UInt16.self { return UInt64(unsafeBitCast(value, to: UInt16.self)) }
        if Value.self == UInt8.self { return UInt64(unsafeBitCast(value, to: UInt8.self)) }
        return nil
    }

    /// Two's complement with the sign turned: negative numbers come first.
    @inlinable
    static func signed(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ (1 << 63) }

    // MARK: - Floating point

    /// The value as a double, where it converts without loss.
    @inlinable
    static func floating<Value>(_ value: Value) -> Double? {
        if Value.self == Double.self { return unsafeBitCast(value, to: Double.self) }
        if Value.self == Float.self { return Double(unsafeBitCast(value, to: Float.self)) }
        if Value.self == CGFloat.self { return Double(unsafeBitCast(value, to: CGFloat.self)) }
        if Value.self == Date.self {
            return unsafeBitCast(value, to: Date.self).timeIntervalSinceReferenceDate
        }
        return nil
    }

    @inlinable
    static func compareFloating(_ first: Double, _ second: Double) -> Int {
        if first < second { return -1 }
        if second < first { return 1 }
        // Equal, or one is NaN.
        return (first.isNaN ? 1 : 0) - (second.isNaN ? 1 : 0)
    }

    /// IEEE 754 numbers order as their bits do, negative ones backwards.
    @inlinable
    static func key(floating value: Double) -> UInt64 {
        if value.isNaN { return .max }
        // Adding zero turns -0.0 into 0.0.
        let bits = (value + 0.0).bitPattern
        return bits >> 63 == 0 ? bits | (1 << 63) : ~bits
    }

    // MARK: - Others

    @inlinable
    static func foundationKey<Value>(_ value: Value) -> (key: UInt64, isExact: Bool)? {
        if Value.self == UUID.self {
            let bytes = unsafeBitCast(value, to: UUID.self).uuid
            return (withUnsafeBytes(of: bytes) { TextOrder.bigEndian($0) }, false)
        }
        return nil
    }
}

/// A type that knows its keys though ``ValueOrder`` cannot name it: one with type parameters, or
/// one that is too rare for a test in every specialisation.
@usableFromInline
protocol KeyedOrder {
    var orderKey: (key: UInt64, isExact: Bool) { get }
    /// `other` is of the same type.
    func compareKeyed(to other: Any) -> Int
}

extension Descending: KeyedOrder {
    @usableFromInline var orderKey: (key: UInt64, isExact: Bool) {
        let (key, isExact) = ValueOrder.key(value)
        return (~key, isExact)
    }

    @usableFromInline
    func compareKeyed(to other: Any) -> Int {
        guard let other = other as? Self else { return 0 }
        return ValueOrder.compare(other.value, value)
    }
}

extension NilFirst: KeyedOrder {
    @usableFromInline var orderKey: (key: UInt64, isExact: Bool) {
        guard let value else { return (0, true) }
        // Zero is nil's. The value that had it shares one with the next, so neither is exact.
        let (key, isExact) = ValueOrder.key(value)
        return (max(key, 1), isExact && key > 1)
    }

    @usableFromInline
    func compareKeyed(to other: Any) -> Int {
        guard let other = other as? Self else { return 0 }
        switch (value, other.value) {
        case (nil, nil): return 0
        case (nil, _): return -1
        case (_, nil): return 1
        case (let first?, let second?): return ValueOrder.compare(first, second)
        }
    }
}
