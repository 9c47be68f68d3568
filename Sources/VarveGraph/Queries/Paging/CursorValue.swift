internal import Foundation

/// How one thing that a query sorts by is written into cursors, and how rows are compared with
/// what was written.
@usableFromInline
struct CursorValue: Sendable {
    /// Less than, equal to or greater than zero, as a row comes before, with or behind a value.
    @usableFromInline
    typealias Comparison = @Sendable (UnsafeRawPointer) -> Int

    /// A value that was read, made ready for comparison.
    @usableFromInline
    struct Bound: Sendable {
        @usableFromInline let comparison: Comparison
        /// That a row does not come before the value, as something that an index may know; nil
        /// for what no index can know.
        @usableFromInline let condition: RowCondition?

        @usableFromInline
        init(comparison: @escaping Comparison, condition: RowCondition?) {
            self.comparison = comparison
            self.condition = condition
        }
    }

    /// The row's value as text, or nil where its type is not `Codable`.
    @usableFromInline let encode: @Sendable (UnsafeRawPointer) -> String?
    /// What a text says, or nil where it is no value of the type.
    @usableFromInline let bound: @Sendable (String) -> Bound?

    @inlinable
    init<Entity: EntityModelProtocol, Value: Comparable & SendableMetatype>(
        _ path: KeyPath<Entity, Value>
    ) {
        let read = PropertyReader(path)
        encode = { row in CursorText.encode(read(row)) }
        bound = { text in
            guard let value: Value = CursorText.decode(text) else { return nil }
            let bound = FixedValue(value)
            let comparison: Comparison = { row in ValueOrder.compare(read(row), bound.value) }
            let condition = PropertyCondition(
                read.path.raw, .greaterOrEqual, [bound.operand], trust: .of(Value.self))
            return Bound(
                comparison: comparison,
                condition: RowCondition(.property(condition)) { comparison($0) >= 0 })
        }
    }

    /// For something that the metadata beside a row say.
    @inlinable
    init(_ key: @escaping @Sendable (UnsafeRawPointer) -> UInt64) {
        encode = { row in String(key(row)) }
        bound = { text in
            guard let bound = UInt64(text) else { return nil }
            return Bound(
                comparison: { row in
                    let key = key(row)
                    return key < bound ? -1 : (key == bound ? 0 : 1)
                }, condition: nil)
        }
    }
}

/// A value that was just decoded.
@usableFromInline
struct FixedValue<Value>: @unchecked Sendable {
    // Nobody else references what the value may consist of, and nothing changes it.
    @usableFromInline let value: Value

    @usableFromInline
    init(_ value: Value) { self.value = value }

    /// The value for an index to look up.
    @usableFromInline var operand: QueryOperand { QueryOperand(unchecked: value) }
}

/// Values as JSON, each in an array: not every value is a JSON document by itself.
@usableFromInline
enum CursorText {
    @usableFromInline
    static func encode<Value>(_ value: Value) -> String? {
        guard let value = value as? any Encodable & Decodable else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return text(of: value, encoder)
    }

    @usableFromInline
    static func decode<Value>(_ text: String) -> Value? {
        guard let type = Value.self as? any Decodable.Type else { return nil }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return value(type, in: Data(text.utf8), decoder) as? Value
    }

    private static func text(of value: some Encodable, _ encoder: JSONEncoder) -> String? {
        (try? encoder.encode([value])).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func value<Value: Decodable>(
        _ type: Value.Type, in text: Data, _ decoder: JSONDecoder
    ) -> Any? {
        try? decoder.decode([Value].self, from: text).first
    }
}

extension Descending: Encodable where Value: Encodable {
    /// Writes the value itself.
    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension Descending: Decodable where Value: Decodable {
    /// Reads the value itself.
    public init(from decoder: any Decoder) throws { self.init(try Value(from: decoder)) }
}

extension NilFirst: Encodable where Wrapped: Encodable {
    /// Writes the optional itself.
    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension NilFirst: Decodable where Wrapped: Decodable {
    /// Reads the optional itself.
    public init(from decoder: any Decoder) throws { self.init(try Wrapped?(from: decoder)) }
}
