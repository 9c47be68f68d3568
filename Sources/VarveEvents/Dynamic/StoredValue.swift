/// A value of any stored type, decoded without the app's types: what the tool shows.
///
/// Two are equal if type and bytes are.
package struct StoredValue: Sendable {
    package let type: StoredType
    /// The value as it is stored.
    package let bytes: [UInt8]
    package let content: StoredContent

    /// Decodes bytes that hold exactly one value of `type`.
    package init(_ type: StoredType, bytes: UnsafeRawBufferPointer) throws(CodecError) {
        var reader = ByteReader(bytes)
        content = try StoredContent(type, from: &reader)
        try reader.expectEnd()
        self.type = type
        self.bytes = [UInt8](bytes)
    }

    package init(_ type: StoredType, bytes: [UInt8]) throws(CodecError) {
        self = try bytes.withReader { reader throws(CodecError) in
            try StoredValue(type, bytes: reader.rest)
        }
    }

    /// Reads the next value of `type`.
    package init(_ type: StoredType, from reader: inout ByteReader) throws(CodecError) {
        let start = reader.position
        content = try StoredContent(type, from: &reader)
        self.type = type
        bytes = [UInt8](reader.slice(from: start, to: reader.position))
    }
}

extension StoredValue: Hashable {
    package static func == (first: StoredValue, second: StoredValue) -> Bool {
        first.bytes == second.bytes && first.type == second.type
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }
}
