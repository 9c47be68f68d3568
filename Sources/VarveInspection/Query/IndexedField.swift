internal import Foundation
internal import VarveTables

/// A property of a type whose values an index and a query compare alike.
///
/// Constants of a query become values that the index is searched for. The index may name rows that the condition
/// refuses, and lacks none that it admits.
struct IndexedField {
    /// Without the optional around it.
    private let type: StoredType
    private let isOptional: Bool

    /// A constant as a value of the type, or its place beside all of these.
    private enum Converted {
        case value(StoredContent)
        case belowAll, aboveAll
    }

    /// Nil for a type that has no keys, or whose keys are in another order than values are in a query.
    init?(_ type: StoredType) {
        var (type, isOptional) = (type, false)
        if case .optional(let wrapped) = type { (type, isOptional) = (wrapped, true) }
        if case .raw(_, let value) = type { type = value }
        (self.type, self.isOptional) = (type, isOptional)
        switch self.type {
        case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float,
            .double, .date, .string, .uuid:
            break
        default: return nil
        }
    }

    /// Whether texts are the values: those that begin alike have equal keys.
    var isText: Bool { type == .string }

    // MARK: Limits

    /// Nil where keys do not tell which values meet the comparison.
    func limits(_ comparison: QueryComparison, _ content: StoredContent) -> FieldLimits.Values? {
        switch comparison {
        case .equal: return values(equalTo: content).map { .equal($0) }
        case .less, .lessOrEqual:
            switch converted(content) {
            case .value(let value): return bytes(of: value).map { .range(lower: nil, upper: $0) }
            case .belowAll: return .equal([])
            case .aboveAll, nil: return nil
            }
        case .greater, .greaterOrEqual:
            switch converted(content) {
            case .value(let value): return bytes(of: value).map { .range(lower: $0, upper: nil) }
            case .aboveAll: return .equal([])
            case .belowAll, nil: return nil
            }
        case .startsWith: return prefixLimits(content)
        case .notEqual, .contains, .endsWith: return nil
        }
    }

    /// Each value that equals a constant, as rows have it; nil where bytes do not tell.
    func values(equalTo content: StoredContent) -> [[UInt8]]? {
        // Null is equal to null alone.
        if QueryValue.isNull(content) { return isOptional ? [[0]] : [] }
        if case (.uuid, .string(let text)) = (type, content) {
            guard let id = UUID(uuidString: text) else { return [] }
            return bytes(of: .uuid(id)).map { [$0] }
        }
        switch converted(content) {
        case .value(let value): return bytes(of: value).map { [$0] }
        case .belowAll, .aboveAll: return []
        case nil: return nil
        }
    }

    /// The least value that is not null, as rows have it; nil of a property that is never null.
    var leastBesideNull: [UInt8]? {
        guard isOptional else { return nil }
        if let integers = Self.integers(of: type) {
            return bytes(of: Self.content(integers.lowerBound, integers))
        }
        switch type {
        case .bool: return bytes(of: .bool(false))
        case .float: return bytes(of: .float(-.infinity))
        case .double: return bytes(of: .double(-.infinity))
        case .date: return bytes(of: .date(-.infinity))
        case .string: return bytes(of: .string(""))
        default: return nil
        }
    }

    /// Texts that begin with one of ASCII, without control characters. They lie before the text whose last character is
    /// the next one.
    private func prefixLimits(_ content: StoredContent) -> FieldLimits.Values? {
        guard type == .string, case .string(let prefix) = content, let last = prefix.utf8.last,
            prefix.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
        else { return nil }
        let end = String(decoding: prefix.utf8.dropLast() + [last + 1], as: UTF8.self)
        return .range(lower: bytes(of: content), upper: bytes(of: .string(end)))
    }

    // MARK: Constants

    /// Nil where the index and the query compare by different rules. A number is rounded to the type: what is at most the
    /// number is at most the rounded one.
    private func converted(_ content: StoredContent) -> Converted? {
        if let integers = Self.integers(of: type) {
            guard let number = Self.integer(content) else { return nil }
            if number < integers.lowerBound { return .belowAll }
            if number > integers.upperBound { return .aboveAll }
            return .value(Self.content(number, integers))
        }
        switch (type, content) {
        case (.bool, .bool), (.string, .string): return .value(content)
        case (.date, .date(let value)): return value.isNaN ? nil : .value(content)
        case (.float, _), (.double, _):
            guard let number = QueryValue.double(content), !number.isNaN else { return nil }
            return .value(type == .float ? .float(Float(number)) : .double(number))
        default: return nil
        }
    }

    private static func integer(_ content: StoredContent) -> Int128? {
        switch content {
        case .signed(let value): Int128(value)
        case .unsigned(let value): Int128(value)
        default: nil
        }
    }

    /// All integers of a type.
    private static func integers(of type: StoredType) -> ClosedRange<Int128>? {
        func all<Number: FixedWidthInteger>(_ type: Number.Type) -> ClosedRange<Int128> {
            Int128(Number.min)...Int128(Number.max)
        }
        return switch type {
        case .int8: all(Int8.self)
        case .int16: all(Int16.self)
        case .int32: all(Int32.self)
        case .int64: all(Int64.self)
        case .uint8: all(UInt8.self)
        case .uint16: all(UInt16.self)
        case .uint32: all(UInt32.self)
        case .uint64: all(UInt64.self)
        default: nil
        }
    }

    private static func content(
        _ number: Int128, _ integers: ClosedRange<Int128>
    ) -> StoredContent {
        integers.lowerBound < 0 ? .signed(Int64(number)) : .unsigned(UInt64(number))
    }

    /// As a row has the value.
    private func bytes(of content: StoredContent) -> [UInt8]? {
        var writer = ByteWriter()
        if isOptional { writer.append(1) }
        do throws(CodecError) {
            try content.store(as: type, into: &writer)
        } catch {
            // What has no stored form is in no row.
            return nil
        }
        return writer.copyBytes()
    }
}
