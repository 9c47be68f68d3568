import Foundation

/// What one rung of the ladder does for one type: kind, storing, loading and comparing come from
/// the same object, so they cannot take different rungs.
class RungCodec<Value> {
    var kind: FieldKind { .unsupported(typeName: typeName) }

    final var typeName: String { String(describing: Value.self) }

    func store(_ value: Value, into writer: inout ByteWriter) throws(CodecError) {
        throw .notStorable(property: "", typeName: typeName)
    }

    func load(from reader: inout ByteReader) throws(CodecError) -> Value {
        throw .notStorable(property: "", typeName: typeName)
    }

    func same(_ first: Value, _ second: Value) -> Bool {
        EncodedComparison.sameBytes(
            { writer throws(CodecError) in try self.store(first, into: &writer) },
            { writer throws(CodecError) in try self.store(second, into: &writer) })
    }
}

/// First rung: the type's own form.
final class StorableRung<Value: Storable>: RungCodec<Value> {
    override var kind: FieldKind { .stored(Value.storedType, .storable) }

    override func store(_ value: Value, into writer: inout ByteWriter) throws(CodecError) {
        try value.store(into: &writer)
    }

    override func load(from reader: inout ByteReader) throws(CodecError) -> Value {
        try Value.load(from: &reader)
    }

    override func same(_ first: Value, _ second: Value) -> Bool {
        Value.sameBytes(first, second)
    }
}

/// Second rung. `Raw` is `Value.RawValue`, whose conformance was found at run time.
final class RawValueRung<Value: RawRepresentable, Raw: Storable>: RungCodec<Value> {
    override init() {
        precondition(Raw.self == Value.RawValue.self, "The raw type belongs to the value's type")
    }

    override var kind: FieldKind {
        .stored(.raw(typeName, Raw.storedType), .rawValue)
    }

    // The two types are one, as `init` checked.
    private func raw(_ value: Value) -> Raw { unsafeBitCast(value.rawValue, to: Raw.self) }

    override func store(_ value: Value, into writer: inout ByteWriter) throws(CodecError) {
        let raw = raw(value)
        // A raw value that gives another one back (or none) would be a different value tomorrow.
        guard let again = Value(rawValue: value.rawValue), Raw.sameBytes(self.raw(again), raw)
        else { throw .notRoundTrippable(property: "") }
        try raw.store(into: &writer)
    }

    override func load(from reader: inout ByteReader) throws(CodecError) -> Value {
        let start = reader.position
        let raw = unsafeBitCast(try Raw.load(from: &reader), to: Value.RawValue.self)
        guard let value = Value(rawValue: raw) else {
            throw .unknownRawValue(offset: start, typeName: typeName)
        }
        return value
    }

    override func same(_ first: Value, _ second: Value) -> Bool {
        Raw.sameBytes(raw(first), raw(second))
    }
}

/// Third rung, of ids only.
final class LosslessStringRung<Value: LosslessStringConvertible>: RungCodec<Value> {
    override var kind: FieldKind { .stored(.text(typeName), .losslessString) }

    override func store(_ value: Value, into writer: inout ByteWriter) throws(CodecError) {
        try LosslessStringForm.store(value, into: &writer)
    }

    override func load(from reader: inout ByteReader) throws(CodecError) -> Value {
        try LosslessStringForm.load(from: &reader)
    }

    override func same(_ first: Value, _ second: Value) -> Bool {
        String.sameBytes(first.description, second.description)
    }
}

/// Descriptions as stored form.
enum LosslessStringForm {
    static func store(
        _ value: some LosslessStringConvertible, into writer: inout ByteWriter
    ) throws(CodecError) {
        let text = value.description
        guard let again = type(of: value).init(text), String.sameBytes(again.description, text)
        else { throw .notRoundTrippable(property: "") }
        writer.writeText(text)
    }

    static func load<Value: LosslessStringConvertible>(
        from reader: inout ByteReader
    ) throws(CodecError) -> Value {
        let start = reader.position
        guard let value = Value(try reader.readText()) else {
            throw .invalidValue(offset: start, typeName: String(describing: Value.self))
        }
        return value
    }
}

/// Last rung.
final class JSONRung<Value: Codable>: RungCodec<Value> {
    override var kind: FieldKind { .stored(.json(typeName), .json) }

    override func store(_ value: Value, into writer: inout ByteWriter) throws(CodecError) {
        let bytes = try JSONForm.encode(value)
        let again: Value = try JSONForm.decode(bytes)
        guard try JSONForm.encode(again) == bytes else { throw .notRoundTrippable(property: "") }
        writer.writeCount(bytes.count)
        bytes.withUnsafeBytes { writer.write($0) }
    }

    override func load(from reader: inout ByteReader) throws(CodecError) -> Value {
        try JSONForm.load(from: &reader)
    }

    override func same(_ first: Value, _ second: Value) -> Bool {
        guard let left = try? JSONForm.encode(first), let right = try? JSONForm.encode(second)
        else { return false }
        return left == right
    }
}
