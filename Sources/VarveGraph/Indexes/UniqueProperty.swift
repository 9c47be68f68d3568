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
            guard let type = Value.self as? any NilTestable.Type else { return value }
            return opened(value, as: type)
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
        guard let type = Wrapped.self as? any NilTestable.Type else { return value }
        return opened(value, as: type)
    }
}

extension NilFirst: NilTestable {
    @usableFromInline var unwrappedValue: Any? { value.unwrappedValue }
}

/// What a value holds that may be nil, and whose type is known to be this one: a cast of a value
/// that is nil would look inside it and fail.
@usableFromInline
func opened<Value, Testable: NilTestable>(_ value: Value, as type: Testable.Type) -> Any? {
    precondition(Value.self == Testable.self, "a type is itself")
    return withUnsafePointer(to: value) {
        UnsafeRawPointer($0).assumingMemoryBound(to: Testable.self).pointee.unwrappedValue
    }
}
