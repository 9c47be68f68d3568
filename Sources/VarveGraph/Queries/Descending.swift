/// A value that sorts the other way round: `\.age.desc`.
public struct Descending<Value: Comparable>: Comparable {
    public let value: Value

    @inlinable
    public init(_ value: Value) { self.value = value }

    @inlinable
    public static func < (first: Self, second: Self) -> Bool { second.value < first.value }
}

extension Descending: Sendable where Value: Sendable {}
extension Descending: Hashable where Value: Hashable {}

extension Comparable {
    /// The value for a descending sort.
    @inlinable public var desc: Descending<Self> { Descending(self) }
}
