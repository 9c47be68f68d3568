extension StoredType {
    /// Passes over one value of this type: finds its end, and checks no more than that takes.
    package func skip(_ reader: inout ByteReader) throws(CodecError) {
        switch self {
        case .bool, .int8, .uint8:
            try reader.skip(1)
        case .int16, .int32, .int64, .uint16, .uint32, .uint64:
            _ = try reader.readVarint()
        case .float:
            try reader.skip(4)
        case .double, .date:
            try reader.skip(8)
        case .uuid:
            try reader.skip(16)
        case .string, .data, .url, .decimal, .text, .json:
            try reader.skip(try reader.readLength())
        case .asset:
            try AssetReference.skip(&reader)
        case .raw(_, let raw):
            try raw.skip(&reader)
        case .optional(let wrapped):
            if try reader.readOptionalTag() { try wrapped.skip(&reader) }
        case .array(let element), .set(let element):
            for _ in 0..<(try reader.readCount()) { try element.skip(&reader) }
        case .dictionary(let key, let value):
            for _ in 0..<(try reader.readCount()) {
                try key.skip(&reader)
                try value.skip(&reader)
            }
        case .structure(_, let fields):
            for field in fields { try field.type.skip(&reader) }
        case .enumeration(let name, let cases):
            let index = try reader.readCaseIndex(of: name, count: cases.count)
            for field in cases[index].payload { try field.type.skip(&reader) }
        }
    }

    /// Whether values are bytes behind a length, perhaps behind an optional's tag: texts, data
    /// and JSON, of which a long one that changes a little is logged as a splice.
    package var isLengthPrefixed: Bool {
        switch self {
        case .string, .data, .url, .decimal, .text, .json: true
        case .optional(let wrapped), .raw(_, let wrapped): wrapped.isLengthPrefixed
        default: false
        }
    }

    /// The number of bytes in front of the content of a length-prefixed value: the length, and
    /// the tags of optionals around it. 0 where there is no content.
    package func headLength(of value: UnsafeRawBufferPointer) -> Int {
        var reader = ByteReader(value)
        do throws(CodecError) {
            return try passHead(&reader) ? reader.position : 0
        } catch {
            return 0
        }
    }

    private func passHead(_ reader: inout ByteReader) throws(CodecError) -> Bool {
        switch self {
        case .string, .data, .url, .decimal, .text, .json:
            return try reader.readLength() == reader.remaining
        case .raw(_, let raw):
            return try raw.passHead(&reader)
        case .optional(let wrapped):
            return try reader.readOptionalTag() ? try wrapped.passHead(&reader) : false
        default:
            return false
        }
    }
}

extension ByteReader {
    /// Reads the index of an enumeration's case. Also for generated code.
    public mutating func readCaseIndex(
        of typeName: String, count: Int
    ) throws(CodecError) -> Int {
        let offset = position
        let index = try readVarint()
        guard index < UInt64(count) else {
            throw .invalidTag(offset: offset, found: index, typeName: typeName)
        }
        return Int(truncatingIfNeeded: index)
    }
}
