/// An optional that sorts: nil in front of every value. `\.email.nilFirst` is the path to sort,
/// filter or index an optional property by.
public struct NilFirst<Wrapped: Comparable>: Comparable {
    public let value: Wrapped?

    @inlinable
    public init(_ value: Wrapped?) { self.value = value }

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
    @inlinable
    public init(nilLiteral: ()) { self.init(nil) }
}

extension Optional where Wrapped: Comparable {
    /// The value for sorting and indexing, with nil in front of every other value.
    @inlinable public var nilFirst: NilFirst<Wrapped> { NilFirst(self) }
}
