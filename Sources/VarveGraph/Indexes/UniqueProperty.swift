/// A property of a unique index, which stands by hash where all of its properties are `Hashable`
/// and by value otherwise. Generated code makes it.
public struct _UniqueProperty<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline let hashed: _HashedProperty<Entity>?
    @usableFromInline let ordered: _OrderedProperty<Entity>?
    /// The value as it is shown; nil for nil.
    @usableFromInline let value: @Sendable (Entity) -> Any?

    @inlinable
    public init<Value: Hashable & SendableMetatype>(_ path: KeyPath<Entity, Value>) {
        hashed = _HashedProperty(path)
        ordered = nil
        value = _UniqueProperty.shown(path)
    }

    @inlinable @_disfavoredOverload
    public init<Value: Comparable & SendableMetatype>(_ path: KeyPath<Entity, Value>) {
        hashed = nil
        ordered = _OrderedProperty(path, reversed: path.appending(path: \.desc))
        value = _UniqueProperty.shown(path)
    }

    @inlinable
    public init<Value: Hashable & Comparable & SendableMetatype>(_ path: KeyPath<Entity, Value>) {
        hashed = _HashedProperty(path)
        ordered = _OrderedProperty(path, reversed: path.appending(path: \.desc))
        value = _UniqueProperty.shown(path)
    }

    @inlinable
    static func shown<Value>(
        _ path: KeyPath<Entity, Value>
    ) -> @Sendable (Entity) -> Any? {
        let path = SendableReadPath(path)
        return { entity in
            let value = entity[keyPath: path.raw]
            if let optional = value as? any NilTestable { return optional.unwrappedValue }
            return value
        }
    }

    /// What the index of several properties stands by.
    @usableFromInline
    static func content(
        of properties: [_UniqueProperty<Entity>], name: String
    ) -> IndexDefinition<Entity>.Content {
        let hashed = properties.compactMap(\.hashed)
        if hashed.count == properties.count { return .hashed(hashed) }
        let ordered = properties.compactMap(\.ordered)
        precondition(
            ordered.count == properties.count,
            "the properties of \(Entity.self).\(name) must be all Hashable, or all Comparable")
        return .ordered(ordered)
    }

    /// The values of an entity as they are shown; nil where one of them is nil.
    @usableFromInline
    static func value(
        of properties: [_UniqueProperty<Entity>]
    ) -> @Sendable (Entity) -> Any? {
        let values = properties.map(\.value)
        if values.count == 1 { return values[0] }
        return { entity in
            let all = values.compactMap { $0(entity) }
            return all.count == values.count ? all : nil
        }
    }
}

/// A value that may be nil, whatever it is otherwise.
@usableFromInline
protocol NilTestable {
    var unwrappedValue: Any? { get }
}

extension Optional: NilTestable {
    @usableFromInline var unwrappedValue: Any? {
        guard let value = self else { return nil }
        if let nested = value as? any NilTestable { return nested.unwrappedValue }
        return value
    }
}

extension NilFirst: NilTestable {
    @usableFromInline var unwrappedValue: Any? { value.unwrappedValue }
}
