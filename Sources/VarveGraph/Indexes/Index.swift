/// Declares an ordered index of an entity, over one to four properties.
///
/// ```swift
/// @Index<Self>(\.age) private var ageIndex
/// @Index<Self>(\.lastName, \.firstName.desc) private var nameIndex
/// ```
///
/// It serves comparisons, ranges and sorting on its first properties, in either direction. A
/// property may be computed; an optional one is indexed as `\.email.nilFirst`.
@propertyWrapper
public struct Index<Entity: EntityModelProtocol>: OmitableFromCoding {
    /// The declaration itself is all there is.
    @inlinable public var wrappedValue: Never.Type? { nil }

    /// A declaration without properties, for decoding.
    @inlinable
    public init() {}
}

// The paths are read from the source by `@EntityModel`. Here they are only checked, and as they
// are never evaluated, a declaration costs an entity nothing.

extension Index {
    /// An index in the order of one property.
    @inlinable
    public init<A: Comparable>(
        _ first: @autoclosure () -> KeyPath<Entity, A>
    ) {}

    /// An index in the order of one property, then of a second one.
    @inlinable
    public init<A: Comparable, B: Comparable>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        _ second: @autoclosure () -> KeyPath<Entity, B>
    ) {}

    /// An index in the order of three properties, the first one first.
    @inlinable
    public init<A: Comparable, B: Comparable, C: Comparable>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        _ second: @autoclosure () -> KeyPath<Entity, B>,
        _ third: @autoclosure () -> KeyPath<Entity, C>
    ) {}

    /// An index in the order of four properties, the first one first.
    @inlinable
    public init<A: Comparable, B: Comparable, C: Comparable, D: Comparable>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        _ second: @autoclosure () -> KeyPath<Entity, B>,
        _ third: @autoclosure () -> KeyPath<Entity, C>,
        _ fourth: @autoclosure () -> KeyPath<Entity, D>
    ) {}
}
