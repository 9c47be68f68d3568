/// The stored form of raw-value types whose raw type is known to be `Storable` at compile time.
///
/// The type may conform to `Storable` itself where the call site cannot see it (generic code, a
/// retroactive conformance in another module); that conformance wins, as everywhere.
@usableFromInline
enum RawValueForm {
    @inlinable
    static func store<Value: RawRepresentable>(
        _ value: Value, into writer: inout ByteWriter
    ) throws(CodecError) where Value.RawValue: Storable {
        guard !(Value.self is any Storable.Type) else {
            return try storeByLadder(value, into: &writer)
        }
        let raw = value.rawValue
        // A raw value that gives another one back (or none) would be a different value tomorrow.
        guard let again = Value(rawValue: raw), Value.RawValue.sameBytes(again.rawValue, raw)
        else { throw .notRoundTrippable(property: "") }
        try raw.store(into: &writer)
    }

    @inlinable
    static func load<Value: RawRepresentable>(
        from reader: inout ByteReader
    ) throws(CodecError) -> Value where Value.RawValue: Storable {
        guard !(Value.self is any Storable.Type) else {
            return try loadByLadder(from: &reader)
        }
        let start = reader.position
        guard let value = Value(rawValue: try Value.RawValue.load(from: &reader)) else {
            throw CodecError.unknownRawValue(
                offset: start, typeName: String(describing: Value.self))
        }
        return value
    }

    @inlinable
    static func same<Value: RawRepresentable>(_ first: Value, _ second: Value) -> Bool
    where Value.RawValue: Storable {
        guard !(Value.self is any Storable.Type) else { return sameByLadder(first, second) }
        return Value.RawValue.sameBytes(first.rawValue, second.rawValue)
    }

    @usableFromInline
    static func storeByLadder<Value>(
        _ value: Value, into writer: inout ByteWriter
    ) throws(CodecError) {
        try Ladder.codec(for: Value.self, isID: false).store(value, into: &writer)
    }

    @usableFromInline
    static func loadByLadder<Value>(from reader: inout ByteReader) throws(CodecError) -> Value {
        try Ladder.codec(for: Value.self, isID: false).load(from: &reader)
    }

    @usableFromInline
    static func sameByLadder<Value>(_ first: Value, _ second: Value) -> Bool {
        Ladder.codec(for: Value.self, isID: false).same(first, second)
    }
}
