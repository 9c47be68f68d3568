/// Declares a full-text index of an entity, over one to four properties of text.
///
/// ```swift
/// @FullTextIndex<Self>(\.title, \.content) private var contentIndex
/// ```
///
/// It serves ranked search over its properties as one document, and `contains`, `hasPrefix`,
/// `hasSuffix` and equality of texts on any of them.
@propertyWrapper
public struct FullTextIndex<Entity: EntityModelProtocol>: OmitableFromCoding {
    /// The declaration itself is all there is.
    @inlinable public var wrappedValue: Never.Type? { nil }

    /// A declaration without properties, for decoding.
    @inlinable
    public init() {}
}

// The paths are read from the source by `@EntityModel`. Here they are only checked, and as they
// are never evaluated, a declaration costs an entity nothing.

extension FullTextIndex {
    /// An index over one property.
    @inlinable
    public init<A: TextProperty>(_ first: @autoclosure () -> KeyPath<Entity, A>) {}

    /// An index over two properties as one document.
    @inlinable
    public init<A: TextProperty, B: TextProperty>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        _ second: @autoclosure () -> KeyPath<Entity, B>
    ) {}

    /// An index over three properties as one document.
    @inlinable
    public init<A: TextProperty, B: TextProperty, C: TextProperty>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        _ second: @autoclosure () -> KeyPath<Entity, B>,
        _ third: @autoclosure () -> KeyPath<Entity, C>
    ) {}

    /// An index over four properties as one document.
    @inlinable
    public init<A: TextProperty, B: TextProperty, C: TextProperty, D: TextProperty>(
        _ first: @autoclosure () -> KeyPath<Entity, A>,
        _ second: @autoclosure () -> KeyPath<Entity, B>,
        _ third: @autoclosure () -> KeyPath<Entity, C>,
        _ fourth: @autoclosure () -> KeyPath<Entity, D>
    ) {}
}
