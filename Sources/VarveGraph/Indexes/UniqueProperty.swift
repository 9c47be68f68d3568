/// A property of a unique index, which stands by hash where all of its properties are `Hashable`
/// and by value otherwise. Generated code makes it.
public struct _UniqueProperty<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline let column: UniqueColumn

    @inlinable
    public init<Value: Hashable & SendableMetatype>(_ path: KeyPath<Entity, Value>) {
        column = UniqueColumn(
            hashed: _HashedProperty(path).column, ordered: nil, value: Self.shown(path))
    }

    @inlinable @_disfavoredOverload
    public init<Value: Comparable & SendableMetatype>(_ path: KeyPath<Entity, Value>) {
        column = UniqueColumn(
            hashed: nil,
            ordered: _OrderedProperty(path, reversed: path.appending(path: \.desc)).column,
            value: Self.shown(path))
    }

    @inlinable
    public init<Value: Hashable & Comparable & SendableMetatype>(_ path: KeyPath<Entity, Value>) {
        column = UniqueColumn(
            hashed: _HashedProperty(path).column,
            ordered: _OrderedProperty(path, reversed: path.appending(path: \.desc)).column,
            value: Self.shown(path))
    }

    @inlinable
    static func shown<Value>(
        _ path: KeyPath<Entity, Value>
    ) -> @Sendable (UnsafeRawPointer) -> Any? {
        let path = SendableReadPath(path)
        return { entity in
            let value = entity.assumingMemoryBound(to: Entity.self).pointee[keyPath: path.raw]
            guard let type = Value.self as? any NilTestable.Type else { return value }
            return opened(value, as: type)
        }
    }
}

/// The key of one property of a unique index: a hash, an ordered value, or both.
@usableFromInline
struct UniqueColumn: Sendable {
    let hashed: HashedColumn?
    let ordered: OrderedColumn?
    /// The value of an entity as it is shown; nil for nil.
    let value: @Sendable (UnsafeRawPointer) -> Any?

    @usableFromInline
    init(
        hashed: HashedColumn?, ordered: OrderedColumn?,
        value: @escaping @Sendable (UnsafeRawPointer) -> Any?
    ) {
        self.hashed = hashed
        self.ordered = ordered
        self.value = value
    }

    /// The key of an index over several properties: hashed where all of them have a hash.
    ///
    /// - Parameter name: of the index, and of its type.
    static func content(of columns: [UniqueColumn], named name: String) -> IndexDefinition.Content {
        let hashed = columns.compactMap(\.hashed)
        if hashed.count == columns.count { return .hashed(hashed) }
        let ordered = columns.compactMap(\.ordered)
        precondition(
            ordered.count == columns.count,
            "the properties of \(name) must be all Hashable, or all Comparable")
        return .ordered(ordered)
    }

    /// The values of an entity as they are shown; nil where one of them is nil.
    static func value(of columns: [UniqueColumn]) -> @Sendable (UnsafeRawPointer) -> Any? {
        let values = columns.map(\.value)
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
    static var wrappedType: Any.Type { get }
    var unwrappedValue: Any? { get }
}

extension Optional: NilTestable {
    @usableFromInline static var wrappedType: Any.Type { Wrapped.self }

    @usableFromInline var unwrappedValue: Any? {
        guard let value = self else { return nil }
        guard let type = Wrapped.self as? any NilTestable.Type else { return value }
        return opened(value, as: type)
    }
}

extension NilFirst: NilTestable {
    @usableFromInline static var wrappedType: Any.Type { Wrapped.self }

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
