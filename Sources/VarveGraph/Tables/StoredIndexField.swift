package import VarveEvents

// An index can be stored where its keys depend on stored values alone: properties that are stored themselves, of
// standard types, whose equality and order are those of their bytes.

/// A property of an index, as the field that it is stored in.
package struct StoredIndexField: Sendable {
    /// Its name in the type's definition.
    package let name: String
    package let type: StoredType
    package let isDescending: Bool

    /// The bytes of a value as a row has them; nil for a value of another type.
    func bytes(of value: Any) -> [UInt8]? {
        guard let value = StoredIndexField.unwrapped(value) else {
            return isOptional ? [0] : nil
        }
        guard let value = value as? any Storable, Swift.type(of: value).storedType == wrappedType
        else { return nil }
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

    /// Whether equal keys may be of values that are not equal.
    var isText: Bool { wrappedType == .string }

    private var isOptional: Bool {
        if case .optional = type { true } else { false }
    }

    private var wrappedType: StoredType {
        if case .optional(let wrapped) = type { wrapped } else { type }
    }

    private static func unwrapped(_ value: Any) -> Any? {
        func open<Value>(_ value: Value) -> Any? {
            guard let type = Value.self as? any NilTestable.Type else { return value }
            return opened(value, as: type)
        }
        return _openExistential(value, do: open)
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
            let path = component.path.raw
            let valueType = Swift.type(of: path).valueType
            guard ClosedTypes.contains(valueType),
                let offset = EntityDescriptor.offset(of: path),
                let field = fields.first(where: {
                    $0.offset == offset && $0.valueType == valueType
                }),
                case .stored(let type, .storable) = field.kind, !type.isNestedOptional
            else { return nil }
            found.append(
                StoredIndexField(
                    name: field.name, type: type, isDescending: component.isDescending))
        }
        return found
    }

    package var indexCount: Int { indexes.count }

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

extension StoredType {
    /// Of such a type a value is no plain value or nil.
    fileprivate var isNestedOptional: Bool {
        if case .optional(.optional) = self { true } else { false }
    }
}
