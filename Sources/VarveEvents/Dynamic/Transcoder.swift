/// Turns the bytes of one stored type into those of another, where nothing can be lost.
///
/// Allowed are: the same type; a value becoming optional; a wider integer (or Float to Double);
/// structures by field name, where fields that the source lacks have a fill or are optional;
/// enumerations by case name, where the target knows every case of the source; a raw-value type
/// and its raw type;
/// texts of ids; and any change of the rung, JSON to and from structured forms included. What
/// only a value can tell (a raw value without a case, a JSON document of another shape) is
/// refused when it is met.
package struct Transcoder: Sendable {
    package let source: StoredType
    package let target: StoredType

    /// Whether the bytes stay as they are.
    package let isIdentity: Bool

    /// Throws ``CodecError/notTranscodable(from:to:reason:)`` if the change is not safe.
    package init(from source: StoredType, to target: StoredType) throws(CodecError) {
        try Conversion.check(source, target)
        self.source = source
        self.target = target
        isIdentity = Conversion.haveSameBytes(source, target)
    }

    /// Reads one value of the source type and appends it as one of the target type.
    package func transcode(
        _ reader: inout ByteReader, into writer: inout ByteWriter
    ) throws(CodecError) {
        if isIdentity {
            let start = reader.position
            try source.skip(&reader)
            return writer.write(reader.slice(from: start, to: reader.position))
        }
        let content = try StoredContent(source, from: &reader)
        let budget = FillBudget(source, target)
        let converted = try Conversion.convert(content, source, target, budget)
        try converted.store(as: target, into: &writer)
    }

    /// The source's bytes for a value in the target's; nil where no value of the source becomes that one.
    package func sourceBytes(of value: UnsafeRawBufferPointer) -> [UInt8]? {
        if isIdentity { return [UInt8](value) }
        var reader = ByteReader(value)
        guard let content = try? StoredContent(target, from: &reader), reader.isAtEnd,
            let original = Conversion.reverse(content, source, target)
        else { return nil }
        var writer = ByteWriter(capacity: max(value.count, 1))
        guard (try? original.store(as: source, into: &writer)) != nil else { return nil }
        let bytes = writer.copyBytes()
        guard let again = try? transcode(bytes), again.elementsEqual(value) else { return nil }
        return bytes
    }

    /// The target's bytes for a value in the source's.
    package func transcode(_ bytes: [UInt8]) throws(CodecError) -> [UInt8] {
        try bytes.withReader { reader throws(CodecError) in
            var writer = ByteWriter()
            try transcode(&reader, into: &writer)
            try reader.expectEnd()
            return writer.copyBytes()
        }
    }
}
