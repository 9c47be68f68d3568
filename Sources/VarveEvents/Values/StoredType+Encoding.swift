/// The binary form of a type: a tag, then what the tag calls for.
extension StoredType {
    enum Tag: UInt8 {
        case bool = 0x01
        case int8 = 0x02
        case int16 = 0x03
        case int32 = 0x04
        case int64 = 0x05
        case uint8 = 0x06
        case uint16 = 0x07
        case uint32 = 0x08
        case uint64 = 0x09
        case float = 0x0A
        case double = 0x0B
        case string = 0x0C
        case data = 0x0D
        case date = 0x0E
        case uuid = 0x0F
        case url = 0x10
        case decimal = 0x11
        case asset = 0x12
        case optional = 0x20
        case array = 0x21
        case set = 0x22
        case dictionary = 0x23
        case structure = 0x24
        case enumeration = 0x25
        case raw = 0x26
        case text = 0x27
        case json = 0x28
        /// A structure that has members which earlier definitions lack.
        case filledStructure = 0x29
    }

    /// The types that are a tag alone, in the order of their tags.
    private static let scalars: [StoredType] = [
        .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double,
        .string, .data, .date, .uuid, .url, .decimal, .asset,
    ]

    private var tag: Tag {
        switch self {
        case .bool: .bool
        case .int8: .int8
        case .int16: .int16
        case .int32: .int32
        case .int64: .int64
        case .uint8: .uint8
        case .uint16: .uint16
        case .uint32: .uint32
        case .uint64: .uint64
        case .float: .float
        case .double: .double
        case .string: .string
        case .data: .data
        case .date: .date
        case .uuid: .uuid
        case .url: .url
        case .decimal: .decimal
        case .asset: .asset
        case .optional: .optional
        case .array: .array
        case .set: .set
        case .dictionary: .dictionary
        case .structure(_, let fields):
            fields.contains { $0.fill != nil } ? .filledStructure : .structure
        case .enumeration: .enumeration
        case .raw: .raw
        case .text: .text
        case .json: .json
        }
    }

    /// Appends the type's own binary form. Types nested deeper than the limit are refused.
    package func encode(into writer: inout ByteWriter) throws(CodecError) {
        try encode(into: &writer, depth: 1)
    }

    private func encode(into writer: inout ByteWriter, depth: Int) throws(CodecError) {
        guard depth <= Self.nestingLimit else {
            throw .nestingTooDeep(offset: writer.count, limit: Self.nestingLimit)
        }
        writer.append(tag.rawValue)
        switch self {
        case .optional(let inner), .array(let inner), .set(let inner):
            try inner.encode(into: &writer, depth: depth + 1)
        case .dictionary(let key, let value):
            try key.encode(into: &writer, depth: depth + 1)
            try value.encode(into: &writer, depth: depth + 1)
        case .structure(let name, let fields):
            writer.writeText(name)
            try Self.encode(
                fields, into: &writer, depth: depth, withFills: tag == .filledStructure)
        case .enumeration(let name, let cases):
            writer.writeText(name)
            writer.writeCount(cases.count)
            for element in cases {
                writer.writeText(element.name)
                try Self.encode(element.payload, into: &writer, depth: depth)
            }
        case .raw(let name, let raw):
            writer.writeText(name)
            try raw.encode(into: &writer, depth: depth + 1)
        case .text(let name), .json(let name):
            writer.writeText(name)
        default:
            break
        }
    }

    private static func encode(
        _ fields: [Field], into writer: inout ByteWriter, depth: Int, withFills: Bool = false
    ) throws(CodecError) {
        writer.writeCount(fields.count)
        for field in fields {
            writer.writeText(field.name)
            try field.type.encode(into: &writer, depth: depth + 1)
            guard withFills else { continue }
            writer.append(field.fill == nil ? 0 : 1)
            if let fill = field.fill {
                writer.writeCount(fill.bytes.count)
                writer.write(fill.bytes)
            }
        }
    }

    /// Reads a type written by ``encode(into:)``.
    package static func decode(from reader: inout ByteReader) throws(CodecError) -> StoredType {
        try decode(from: &reader, depth: 1)
    }

    private static func decode(
        from reader: inout ByteReader, depth: Int
    ) throws(CodecError) -> StoredType {
        let offset = reader.position
        guard depth <= nestingLimit else {
            throw .nestingTooDeep(offset: offset, limit: nestingLimit)
        }
        let byte = try reader.readByte()
        guard let tag = Tag(rawValue: byte) else {
            throw .invalidTag(offset: offset, found: UInt64(byte), typeName: "StoredType")
        }
        let index = Int(tag.rawValue - Tag.bool.rawValue)
        if scalars.indices.contains(index) { return scalars[index] }
        return try decodeComposite(tag, from: &reader, depth: depth)
    }

    private static func decodeComposite(
        _ tag: Tag, from reader: inout ByteReader, depth: Int
    ) throws(CodecError) -> StoredType {
        func inner() throws(CodecError) -> StoredType {
            try decode(from: &reader, depth: depth + 1)
        }
        switch tag {
        case .optional: return .optional(try inner())
        case .array: return .array(try inner())
        case .set: return .set(try inner())
        case .dictionary: return .dictionary(try inner(), try inner())
        case .raw: return .raw(try reader.readText(), try inner())
        case .text: return .text(try reader.readText())
        case .structure:
            return .structure(
                try reader.readText(), try decodeFields(from: &reader, depth: depth))
        case .filledStructure:
            let offset = reader.position
            let name = try reader.readText()
            let fields = try decodeFields(from: &reader, depth: depth, withFills: true)
            // There is one form for each type.
            guard fields.contains(where: { $0.fill != nil }) else {
                throw .invalidValue(offset: offset, typeName: "StoredType")
            }
            return .structure(name, fields)
        case .enumeration:
            let name = try reader.readText()
            var cases: [Case] = []
            for _ in 0..<(try reader.readCount()) {
                let caseName = try reader.readText()
                cases.append(Case(caseName, try decodeFields(from: &reader, depth: depth)))
            }
            return .enumeration(name, cases)
        default: return .json(try reader.readText())
        }
    }

    private static func decodeFields(
        from reader: inout ByteReader, depth: Int, withFills: Bool = false
    ) throws(CodecError) -> [Field] {
        var fields: [Field] = []
        for _ in 0..<(try reader.readCount()) {
            let name = try reader.readText()
            let type = try decode(from: &reader, depth: depth + 1)
            let fill = withFills ? try decodeFill(of: type, from: &reader) : nil
            fields.append(Field(name, type, fill: fill))
        }
        return fields
    }

    private static func decodeFill(
        of type: StoredType, from reader: inout ByteReader
    ) throws(CodecError) -> MemberFill? {
        guard try reader.readOptionalTag() else { return nil }
        let bytes = try reader.readLengthPrefixed()
        return try MemberFill([UInt8](bytes), of: type, at: reader.position - bytes.count)
    }
}
