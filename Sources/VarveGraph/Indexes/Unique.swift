/// Declares that no two entities have the same value of a property, or of up to four together.
///
/// ```swift
/// @Unique<Self>(\.email, collisions: .throw) private var uniqueEmail
/// ```
///
/// What happens when a second one is saved is up to `collisions`; the default, `.upsert`, deletes
/// the first. nil is a value like any other, unless the resolver is `ignoringNil`. The index also
/// serves `==` on all of its properties together.
@propertyWrapper
public struct Unique<Entity: EntityModelProtocol>: OmitableFromCoding {
    /// The declaration itself is all there is.
    @inlinable public var wrappedValue: Never.Type? { nil }

    /// A declaration without properties, for decoding.
    @inlinable
    public init() {}
}

// The paths are read from the source by `@EntityModel`. Here they are only checked, and as they
// are never evaluated, a declaration costs an entity nothing.

extension Unique {
    /// No two entities have the same value of one property.
    @inlinable
    public init<A: Hashable>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        collisions: @autoclosure () -> CollisionResolver<Entity> = .upsert
    ) {}

    /// No two entities have the same values of two properties together.
    @inlinable
    public init<A: Hashable, B: Hashable>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        _ second: @autoclosure () -> KeyPath<Entity, B>,
        collisions: @autoclosure () -> CollisionResolver<Entity> = .upsert
    ) {}

    /// No two entities have the same values of three properties together.
    @inlinable
    public init<A: Hashable, B: Hashable, C: Hashable>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        _ second: @autoclosure () -> KeyPath<Entity, B>,
        _ third: @autoclosure () -> KeyPath<Entity, C>,
        collisions: @autoclosure () -> CollisionResolver<Entity> = .upsert
    ) {}

    /// No two entities have the same values of four properties together.
    @inlinable
    public init<A: Hashable, B: Hashable, C: Hashable, D: Hashable>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        _ second: @autoclosure () -> KeyPath<Entity, B>,
        _ third: @autoclosure () -> KeyPath<Entity, C>,
        _ fourth: @autoclosure () -> KeyPath<Entity, D>,
        collisions: @autoclosure () -> CollisionResolver<Entity> = .upsert
    ) {}
}

extension Unique {
    /// No two entities have the same value of one property that is not `Hashable`.
    @_disfavoredOverload
    @inlinable
    public init<A: Comparable>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        collisions: @autoclosure () -> CollisionResolver<Entity> = .upsert
    ) {}

    /// No two entities have the same values of two properties together, which are not `Hashable`.
    @_disfavoredOverload
    @inlinable
    public init<A: Comparable, B: Comparable>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        _ second: @autoclosure () -> KeyPath<Entity, B>,
        collisions: @autoclosure () -> CollisionResolver<Entity> = .upsert
    ) {}

    /// No two entities have the same values of three properties together, which are not `Hashable`.
    @_disfavoredOverload
    @inlinable
    public init<A: Comparable, B: Comparable, C: Comparable>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        _ second: @autoclosure () -> KeyPath<Entity, B>,
        _ third: @autoclosure () -> KeyPath<Entity, C>,
        collisions: @autoclosure () -> CollisionResolver<Entity> = .upsert
    ) {}

    /// No two entities have the same values of four properties together, which are not `Hashable`.
    @_disfavoredOverload
    @inlinable
    public init<A: Comparable, B: Comparable, C: Comparable, D: Comparable>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        _ second: @autoclosure () -> KeyPath<Entity, B>,
        _ third: @autoclosure () -> KeyPath<Entity, C>,
        _ fourth: @autoclosure () -> KeyPath<Entity, D>,
        collisions: @autoclosure () -> CollisionResolver<Entity> = .upsert
    ) {}
}
