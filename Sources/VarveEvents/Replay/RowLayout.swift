/// How the rows of one definition are cut into fields, prepared for speed.
// A class, so that using the layout of a table for each event does not retain all its parts.
package final class RowLayout: Sendable {
    private enum Shape: UInt8, BitwiseCopyable {
        case fixed
        case varint
        case lengthPrefixed
        case other
    }

    /// The shape of a field, and the width of a fixed one.
    private struct FieldShape: BitwiseCopyable {
        let shape: Shape
        let width: UInt8
    }

    /// A relation, without what takes counting references.
    package struct RelationPlace: Sendable {
        /// In the definition.
        package let position: Int
        package let number: RelationNumber
        package let target: TypeNumber
    }

    package let definition: TypeDefinition
    private let relations: [RelationPlace]
    private let shapes: [FieldShape]
    private let idShape: FieldShape

    package init(_ definition: TypeDefinition) {
        self.definition = definition
        relations = definition.relations.enumerated().map {
            RelationPlace(position: $0, number: $1.number, target: $1.target)
        }
        shapes = definition.fields.map { Self.shape(of: $0.type) }
        idShape = Self.shape(of: definition.idType)
    }

    private static func shape(of type: StoredType) -> FieldShape {
        switch type {
        case .bool, .int8, .uint8: FieldShape(shape: .fixed, width: 1)
        case .float: FieldShape(shape: .fixed, width: 4)
        case .double, .date: FieldShape(shape: .fixed, width: 8)
        case .uuid: FieldShape(shape: .fixed, width: 16)
        case .int16, .int32, .int64, .uint16, .uint32, .uint64:
            FieldShape(shape: .varint, width: 0)
        case .string, .data, .url, .decimal, .text, .json:
            FieldShape(shape: .lengthPrefixed, width: 0)
        case .raw(_, let raw): shape(of: raw)
        default: FieldShape(shape: .other, width: 0)
        }
    }

    /// The relation with a number, without counting references to its definition.
    package func relation(_ number: RelationNumber) -> RelationPlace? {
        for relation in relations where relation.number == number { return relation }
        return nil
    }

    package var fieldCount: Int { shapes.count }

    /// Passes over the field at `position`.
    package func skip(_ position: Int, in reader: inout ByteReader) throws(CodecError) {
        let field = shapes[position]
        guard try !Self.skip(field, in: &reader) else { return }
        try definition.fields[position].type.skip(&reader)
    }

    /// Returns false where the shape does not say how long a value is.
    @inline(__always)
    private static func skip(
        _ field: FieldShape, in reader: inout ByteReader
    ) throws(CodecError) -> Bool {
        switch field.shape {
        case .fixed: try reader.skip(Int(field.width))
        case .varint: _ = try reader.readVarint()
        case .lengthPrefixed: try reader.skip(try reader.readLength())
        case .other: return false
        }
        return true
    }

    /// Throws unless `id` is exactly one id.
    package func checkID(_ id: UnsafeRawBufferPointer) throws(CodecError) {
        var reader = ByteReader(id)
        if try !Self.skip(idShape, in: &reader) { try definition.idType.skip(&reader) }
        try reader.expectEnd()
    }

    /// Throws unless `row` is exactly the fields of a row.
    package func check(_ row: UnsafeRawBufferPointer) throws(CodecError) {
        var reader = ByteReader(row)
        for position in shapes.indices { try skip(position, in: &reader) }
        try reader.expectEnd()
    }

    /// Throws unless `value` is exactly one value of the field at `position`.
    package func check(
        _ value: UnsafeRawBufferPointer, at position: Int
    ) throws(CodecError) {
        var reader = ByteReader(value)
        try skip(position, in: &reader)
        try reader.expectEnd()
    }

    /// Calls `body` with the bytes of each field.
    package func forEachField(
        of row: UnsafeRawBufferPointer,
        _ body: (Int, UnsafeRawBufferPointer) throws(CodecError) -> Void
    ) throws(CodecError) {
        var reader = ByteReader(row)
        for position in shapes.indices {
            let start = reader.position
            try skip(position, in: &reader)
            try body(position, reader.slice(from: start, to: reader.position))
        }
        try reader.expectEnd()
    }

    /// The values of a row, by name.
    package func values(
        of row: UnsafeRawBufferPointer
    ) throws(CodecError) -> [(name: String, value: StoredValue)] {
        var reader = ByteReader(row)
        var values: [(name: String, value: StoredValue)] = []
        for field in definition.fields {
            values.append((field.name, try StoredValue(field.type, from: &reader)))
        }
        try reader.expectEnd()
        return values
    }
}
