/// Declares an index of an entity for equality, over one to four properties.
///
/// ```swift
/// @HashIndex<Self>(\.status) private var statusIndex
/// ```
///
/// It serves `==` on all of its properties together.
@propertyWrapper
public struct HashIndex<Entity: EntityModelProtocol>: OmitableFromCoding {
    /// The declaration itself is all there is.
    @inlinable public var wrappedValue: Never.Type? { nil }

    /// A declaration without properties, for decoding.
    @inlinable
    public init() {}
}

// The paths are read from the source by `@EntityModel`. Here they are only checked, and as they
// are never evaluated, a declaration costs an entity nothing.

extension HashIndex {
    /// An index for equality of one property.
    @inlinable
    public init<A: Hashable>(
        _ first: @autoclosure () -> KeyPath<Entity, A>
    ) {}

    /// An index for equality of two properties together.
    @inlinable
    public init<A: Hashable, B: Hashable>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        _ second: @autoclosure () -> KeyPath<Entity, B>
    ) {}

    /// An index for equality of three properties together.
    @inlinable
    public init<A: Hashable, B: Hashable, C: Hashable>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        _ second: @autoclosure () -> KeyPath<Entity, B>,
        _ third: @autoclosure () -> KeyPath<Entity, C>
    ) {}

    /// An index for equality of four properties together.
    @inlinable
    public init<A: Hashable, B: Hashable, C: Hashable, D: Hashable>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        _ second: @autoclosure () -> KeyPath<Entity, B>,
        _ third: @autoclosure () -> KeyPath<Entity, C>,
        _ fourth: @autoclosure () -> KeyPath<Entity, D>
    ) {}
}
