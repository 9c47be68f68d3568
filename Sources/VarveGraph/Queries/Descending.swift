/// A value that sorts the other way round: `\.age.desc`.
public struct Descending<Value: Comparable>: Comparable {
    /// The value itself.
    public let value: Value

    /// Lets a value sort the other way round.
    @inlinable
    public init(_ value: Value) { self.value = value }

    /// Whether the first value is greater than the second.
    @inlinable
    public static func < (first: Self, second: Self) -> Bool { second.value < first.value }
}

extension Descending: Sendable where Value: Sendable {}
extension Descending: Hashable where Value: Hashable {}

extension Comparable {
    /// The value for a descending sort.
    @inlinable public var desc: Descending<Self> { Descending(self) }
}
