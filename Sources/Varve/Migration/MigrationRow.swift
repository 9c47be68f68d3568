internal import VarveEvents

/// One entity, or deleted entity, while it is migrated: its values by the names of the log, without the app's types.
public struct MigrationRow {
    /// A value with its type.
    struct Value: Sendable, Hashable {
        let type: StoredType
        let bytes: [UInt8]

        init(type: StoredType, bytes: [UInt8]) {
            self.type = type
            self.bytes = bytes
        }

        init<Stored>(of property: String, _ value: Stored) throws(MigrationError) {
            do throws(CodecError) {
                (type, bytes) = try DynamicCodec.store(value)
            } catch {
                throw .unencodable(property: property, reason: error)
            }
        }

        /// As people read it.
        var text: String { bytes.withUnsafeBytes { type.text(of: $0) } }

        /// The bytes as those of a type that can hold the value.
        func bytes(as expected: StoredType) throws(CodecError) -> [UInt8] {
            if type == expected { return bytes }
            return try Transcoder(from: type, to: expected).transcode(bytes)
        }
    }

    /// An entity that a step has made of this one.
    struct Part {
        /// The position of the step.
        let step: Int
        let id: Value
        let values: [String: Value]
    }

    /// What all rows of a type have in common.
    final class Shape {
        let definition: TypeDefinition
        let layout: RowLayout
        let positions: [String: Int]

        init(_ definition: TypeDefinition) {
            self.definition = definition
            layout = RowLayout(definition)
            positions = Dictionary(
                definition.fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
        }
    }

    /// Whether the entity was deleted, and can be restored.
    public let isDeleted: Bool
    private let shape: Shape
    /// The id before the first step.
    let formerID: Value
    /// The id that a step has given.
    private(set) var newID: Value?
    /// What steps have made of the row.
    private(set) var parts: [Part] = []
    private let row: [UInt8]
    /// The fields of the row by the names that they have by now.
    private var positions: [String: Int]
    /// Where each field of the row begins, and the end.
    private let bounds: [Int]
    /// What was set, by name.
    private(set) var values: [String: Value] = [:]
    /// What a step removed, until it is set again.
    private(set) var removed: Set<String> = []

    init(
        _ shape: Shape, id: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer, isDeleted: Bool
    ) throws(CodecError) {
        self.shape = shape
        positions = shape.positions
        self.isDeleted = isDeleted
        formerID = Value(type: shape.definition.idType, bytes: [UInt8](id))
        self.row = [UInt8](row)
        var bounds: [Int] = []
        var reader = ByteReader(row)
        for position in 0..<shape.layout.fieldCount {
            bounds.append(reader.position)
            try shape.layout.skip(position, in: &reader)
        }
        bounds.append(reader.position)
        self.bounds = bounds
    }

    /// A new entity, of which nothing is known but what is set.
    init(
        new shape: Shape, id: Value, values: [String: Value], isDeleted: Bool
    ) {
        self.shape = shape
        (positions, bounds, row) = ([:], [], [])
        formerID = id
        self.values = values
        self.isDeleted = isDeleted
    }

    /// The name of the entity's type.
    public var type: String { shape.definition.name }

    /// The id for messages, as people read it: that of a text is in quotes. ``id(as:)`` is the value.
    public var idText: String { id.text }

    /// The id before the first step, as people read it.
    var formerIDText: String { formerID.text }

    /// The id by now.
    var id: Value { newID ?? formerID }

    /// The names of the properties that have a value, in alphabetical order.
    public var properties: [String] {
        Set(positions.keys).subtracting(removed).union(values.keys).sorted()
    }

    /// Whether the row has a property of this name.
    public func has(_ property: String) -> Bool {
        values[property] != nil || positions[property] != nil && !removed.contains(property)
    }

    /// The id, as a value of a Swift type that reads it.
    ///
    /// - Throws: ``MigrationError/unreadable(property:type:requested:reason:)``.
    public func id<ID>(as type: ID.Type) throws(MigrationError) -> ID {
        let id = id
        do throws(CodecError) {
            return try id.bytes.withReader { reader throws(CodecError) in
                try DynamicCodec.load(type, from: id.type, reader.rest)
            }
        } catch {
            throw .unreadable(
                property: "id", type: id.type, requested: "\(type)", reason: error)
        }
    }

    /// A value, as one of a Swift type that reads it: the property's own, a wider one, or an optional one.
    ///
    /// - Throws: ``MigrationError/noProperty(_:has:)``,
    ///   ``MigrationError/unreadable(property:type:requested:reason:)``.
    public subscript<Value>(property: String, as type: Value.Type) -> Value {
        get throws(MigrationError) {
            guard let value = value(of: property) else {
                throw .noProperty(property, has: properties)
            }
            do throws(CodecError) {
                return try value.bytes.withReader { reader throws(CodecError) in
                    try DynamicCodec.load(type, from: value.type, reader.rest)
                }
            } catch {
                throw .unreadable(
                    property: property, type: value.type, requested: "\(type)", reason: error)
            }
        }
    }

    /// Sets a property of any name: one of the app's type, or one that a later migration reads.
    ///
    /// - Throws: ``MigrationError/unencodable(property:reason:)``.
    public mutating func set<Value>(
        _ property: String, to value: Value
    ) throws(MigrationError) {
        values[property] = try MigrationRow.Value(of: property, value)
        removed.remove(property)
    }

    /// A step gave the entity another id.
    mutating func setID<ID>(to id: ID) throws(MigrationError) {
        newID = try MigrationRow.Value(of: "id", id)
    }

    /// A step made an entity of the row, which has the id of now where it has no other.
    mutating func add(_ entity: SplitEntity, step: Int) {
        parts.append(Part(step: step, id: entity.id ?? id, values: entity.values))
    }

    /// Sets a property that is nil or not there, and makes one that is there no longer optional.
    mutating func fill<Value>(
        _ property: String, with value: Value
    ) throws(MigrationError) {
        guard let known = self.value(of: property) else { return try set(property, to: value) }
        guard case .optional(let wrapped) = known.type else { return }
        guard known.bytes.first != 0 else { return try set(property, to: value) }
        values[property] = MigrationRow.Value(
            type: wrapped, bytes: Array(known.bytes.dropFirst()))
    }

    /// A step removed the property: it has no value, until one is set.
    mutating func remove(_ property: String) {
        values[property] = nil
        removed.insert(property)
    }

    /// A step renamed the property.
    mutating func rename(_ property: String, to new: String) {
        guard has(property), property != new else { return }
        values[new] = values.removeValue(forKey: property)
        removed.remove(new)
        if let position = positions.removeValue(forKey: property) { positions[new] = position }
    }

    /// Replaces the value where it is one case of an enumeration. Otherwise it is one of an enumeration without it.
    mutating func removeCase<Replacement>(
        _ name: String, from property: String, replacement: Replacement
    ) throws(MigrationError) {
        guard let value = value(of: property) else { return }
        let rest: (type: StoredType, bytes: [UInt8])?
        do throws(CodecError) {
            rest = try DynamicCodec.removing(case: name, value.type, value.bytes)
        } catch {
            throw .unreadable(
                property: property, type: value.type, requested: "an enumeration", reason: error)
        }
        guard let rest else { return try set(property, to: replacement) }
        values[property] = MigrationRow.Value(type: rest.type, bytes: rest.bytes)
    }

    func value(of property: String) -> Value? {
        if let value = values[property] { return value }
        guard let position = positions[property], !removed.contains(property) else {
            return nil
        }
        return Value(
            type: shape.definition.fields[position].type,
            bytes: Array(row[bounds[position]..<bounds[position + 1]]))
    }
}
