package import VarveEvents

// An index can be stored where its keys depend on stored values alone: properties that are stored themselves, of
// standard types, whose equality and order are those of their bytes. An index for equality may also be about enums that
// are stored as raw values of such types, and an ordered one about the `nilFirst` of an optional property.

/// A property of an index, as the field that it is stored in.
package struct StoredIndexField: Sendable {
    /// Its name in the type's definition.
    package let name: String
    package let type: StoredType
    package let isDescending: Bool

    /// The bytes of a value as a row has them; nil for a value of another type, and where other rows may have an equal
    /// value in other bytes.
    func bytes(of value: Any) -> [UInt8]? {
        guard let value = StoredIndexField.unwrapped(value) else {
            // A raw value that the app's type lacks is read as nil too.
            return isOptional && rawType == nil ? [0] : nil
        }
        guard let value = storable(value) else { return nil }
        var writer = ByteWriter()
        if isOptional { writer.append(1) }
        do throws(CodecError) {
            try value.store(into: &writer)
        } catch {
            // What has no stored form is in no row.
            return nil
        }
        return writer.withBytes { [UInt8]($0) }
    }

    /// A value of the field's type, or its raw value.
    private func storable(_ value: Any) -> (any Storable)? {
        var value = value
        if rawType != nil {
            guard let representable = value as? any RawRepresentable else { return nil }
            value = representable.storedRawValue
        }
        guard let value = value as? any Storable,
            Swift.type(of: value).storedType == rawType ?? wrappedType
        else { return nil }
        return value
    }

    /// Whether equal keys may be of values that are not equal.
    var isText: Bool { rawType ?? wrappedType == .string }

    private var isOptional: Bool {
        if case .optional = type { true } else { false }
    }

    private var wrappedType: StoredType {
        if case .optional(let wrapped) = type { wrapped } else { type }
    }

    private var rawType: StoredType? {
        if case .raw(_, let raw) = wrappedType { raw } else { nil }
    }

    private static func unwrapped(_ value: Any) -> Any? {
        func open<Value>(_ value: Value) -> Any? {
            guard let type = Value.self as? any NilTestable.Type else { return value }
            return opened(value, as: type)
        }
        return _openExistential(value, do: open)
    }
}

extension RawRepresentable {
    fileprivate var storedRawValue: Any { rawValue }

    /// Whether this is an enum whose raw values are of a closed type. What takes less memory than its raw value does not
    /// hold one. A struct that does may have an `==` of its own, without case perhaps, and so equal values in other bytes.
    fileprivate static var isEnumOfClosedType: Bool {
        ClosedTypes.contains(RawValue.self)
            && MemoryLayout<Self>.size < MemoryLayout<RawValue>.size
    }
}

extension FieldBounds {
    /// Nil where a value is none that the index can have.
    init?(_ bounds: IndexBounds, of fields: [StoredIndexField]) {
        guard bounds.equal.count <= fields.count else { return nil }
        var equal: [[UInt8]] = []
        for (operand, field) in zip(bounds.equal, fields) {
            guard let bytes = field.bytes(of: operand.value) else { return nil }
            equal.append(bytes)
        }
        guard bounds.lower != nil || bounds.upper != nil else {
            self.init(equal: equal)
            return
        }
        guard equal.count < fields.count else { return nil }
        let field = fields[equal.count]
        func bytes(of bound: IndexBounds.Bound?) -> [UInt8]?? {
            guard let bound else { return .some(nil) }
            return field.bytes(of: bound.operand.value).map { .some($0) }
        }
        guard let lower = bytes(of: bounds.lower), let upper = bytes(of: bounds.upper) else {
            return nil
        }
        self.init(equal: equal, lower: lower, upper: upper)
    }
}

extension EntityDescriptor {
    /// The fields of an index that can be stored; nil for every other.
    package func storedFields(ofIndex index: Int) -> [StoredIndexField]? {
        let definition = indexes[index]
        guard definition.kind != .text else { return nil }
        var found: [StoredIndexField] = []
        for component in definition.components {
            guard let field = field(at: component.path.raw),
                case .stored(let type, let codec) = field.kind, !type.isNestedOptional,
                codec == .storable && ClosedTypes.contains(field.valueType)
                    || codec == .rawValue && definition.content.isHashed && field.isEnum(as: type)
            else { return nil }
            found.append(
                StoredIndexField(
                    name: field.name, type: type, isDescending: component.isDescending))
        }
        return found
    }

    package var indexCount: Int { indexes.count }

    /// The field of a property, or of an optional one whose `nilFirst` the path names; nil for every other path.
    private func field(at path: AnyKeyPath) -> FieldDescription? {
        let valueType = Swift.type(of: path).valueType
        if let order = valueType as? any OptionalOrder.Type {
            // Spelled out only where the types say that it may be: appending paths takes microseconds.
            return fields.first {
                $0.valueType == order.optionalType
                    && $0.path.raw.appending(path: order.path) == path
            }
        }
        guard let offset = EntityDescriptor.offset(of: path) else { return nil }
        return fields.first { $0.offset == offset && $0.valueType == valueType }
    }

    /// Where a property is inside its entity; nil for one that is computed.
    private static func offset(of path: AnyKeyPath) -> Int? {
        func withRoot<Root>(_ root: Root.Type) -> Int? {
            func withValue<Value>(_ value: Value.Type) -> Int? {
                (path as? KeyPath<Root, Value>).flatMap { MemoryLayout<Root>.offset(of: $0) }
            }
            return _openExistential(Swift.type(of: path).valueType, do: withValue)
        }
        return _openExistential(Swift.type(of: path).rootType, do: withRoot)
    }
}

/// ``NilFirst``, without its type.
private protocol OptionalOrder {
    static var optionalType: Any.Type { get }
    /// From an optional.
    static var path: AnyKeyPath { get }
}

extension NilFirst: OptionalOrder {
    static var optionalType: Any.Type { Wrapped?.self }
    static var path: AnyKeyPath { \Wrapped?.nilFirst }
}

extension FieldDescription {
    /// Whether values, or what optionals of them hold, are enums that are stored as raw values of a closed type.
    fileprivate func isEnum(as type: StoredType) -> Bool {
        let optional = valueType as? any NilTestable.Type
        let enumType: Any.Type
        switch (type, optional) {
        case (.raw, nil): enumType = valueType
        case (.optional(.raw), let optional?): enumType = optional.wrappedType
        // An app may have made optionals themselves representable by raw values.
        default: return false
        }
        guard !(enumType is any NilTestable.Type) else { return false }
        return (enumType as? any RawRepresentable.Type)?.isEnumOfClosedType ?? false
    }
}

extension StoredType {
    /// Of such a type a value is no plain value or nil.
    fileprivate var isNestedOptional: Bool {
        if case .optional(.optional) = self { true } else { false }
    }
}
