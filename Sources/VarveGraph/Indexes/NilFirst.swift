/// An optional that sorts: nil in front of every value. `\.email.nilFirst` is the path to sort,
/// filter or index an optional property by.
public struct NilFirst<Wrapped: Comparable>: Comparable {
    /// The optional itself.
    public let value: Wrapped?

    /// Lets an optional sort.
    @inlinable
    public init(_ value: Wrapped?) { self.value = value }

    /// Whether the first comes before the second: nil before every value, values by their `<`.
    @inlinable
    public static func < (first: Self, second: Self) -> Bool {
        guard let right = second.value else { return false }
        guard let left = first.value else { return true }
        return left < right
    }
}

extension NilFirst: Sendable where Wrapped: Sendable {}
extension NilFirst: Hashable where Wrapped: Hashable {}

extension NilFirst: ExpressibleByNilLiteral {
    /// Nil, which comes before every value.
    @inlinable
    public init(nilLiteral: ()) { self.init(nil) }
}

extension Optional where Wrapped: Comparable {
    /// The value for sorting and indexing, with nil in front of every other value.
    @inlinable public var nilFirst: NilFirst<Wrapped> { NilFirst(self) }
}
