import Foundation
import VarveInspection
import VarveTestSupport

/// Random types, and values of them that are hard to carry over.
struct RandomValues {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func chance(_ percent: Int) -> Bool { number(0..<100) < percent }

    mutating func element<Element>(_ elements: [Element]) -> Element {
        elements[number(0..<elements.count)]
    }

    // MARK: Types

    private static let scalars: [StoredType] = [
        .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double,
        .string, .data, .date, .uuid, .url, .decimal,
    ]

    mutating func type(depth: Int = 0) -> StoredType {
        guard depth < 3, chance(45) else {
            return chance(15) ? .json("Form") : element(Self.scalars)
        }
        switch number(0..<8) {
        case 0, 1: return .optional(type(depth: depth + 1))
        case 2: return .array(type(depth: depth + 1))
        case 3: return .set(element([.int64, .string, .date, .uuid, .double]))
        case 4:
            return .dictionary(
                element([.string, .int64, .uuid, .raw("Key", .string)]), type(depth: depth + 1))
        case 5: return .structure("Part", members(depth + 1))
        case 6:
            return .enumeration(
                "Choice \"x\"",
                [.init("none"), .init("some", members(depth + 1)), .init("$stored", members(3))])
        default: return .raw("Raw", element([.string, .int32, .optional(.string)]))
        }
    }

    private mutating func members(_ depth: Int) -> [StoredType.Field] {
        (0..<number(1..<3)).map { position in
            StoredType.Field(
                element(["", "name \(position)", "a,\"b\n", "_0"]), type(depth: depth))
        }
    }

    // MARK: Values

    private static let texts: [String] = [
        "", "null", "true", "1", "NaN", "{\"$stored\":\"AA==\"}", "[]", " ", ",", "\"", "'",
        "''; DROP TABLE x; --", "a\nb", "a\r\nb", "\r", "\n.quit\n", "a\0b", "\u{FEFF}x", "=1+1",
        "e\u{301}", "é", "😀👨‍👩‍👧", HostileStore.characters, "\\u0041\\", "\u{8}\u{C}\u{7F}", "/*",
        // Signs that make one character with their neighbours.
        "'\u{301}", "\u{0D4E}'", "\"\u{301}", ",\u{301}",
    ]

    mutating func text() -> String { element(Self.texts) + (chance(50) ? "\(number(0..<9))" : "") }

    mutating func bytes(of type: StoredType) -> [UInt8] {
        var writer = ByteWriter()
        do {
            try content(of: type).store(as: type, into: &writer)
        } catch {
            preconditionFailure("a random value can be stored: \(error)")
        }
        return writer.copyBytes()
    }

    private static let doubles: [Double] = [
        0, -0.0, 1, -1.5, 0.1, 1e300, -Double.leastNonzeroMagnitude, .infinity, -.infinity, .nan,
        .nan.nextUp, 123_456_789.123_456_7,
        Double(nan: 7, signaling: false), 807_458_722.123_456_7, 252_423_993_600, -63_113_904_000.5,
    ]

    mutating func content(of type: StoredType) -> StoredContent {
        switch type {
        case .bool: return .bool(chance(50))
        case .int8: return .signed(Int64(element([Int8.min, -1, 0, .max])))
        case .int16: return .signed(Int64(element([Int16.min, 0, .max])))
        case .int32: return .signed(Int64(element([Int32.min, 0, .max])))
        case .int64: return .signed(element([.min, -1, 0, 1, .max, Int64(number(0..<999))]))
        case .uint8: return .unsigned(UInt64(element([UInt8.min, .max])))
        case .uint16: return .unsigned(UInt64(element([UInt16.min, .max])))
        case .uint32: return .unsigned(UInt64(element([UInt32.min, .max])))
        case .uint64: return .unsigned(element([0, 1, UInt64(Int64.max) + 1, .max]))
        case .float:
            return .float(element([0, -0.0, 1.5, 0.1, .nan, .infinity, .greatestFiniteMagnitude]))
        case .double: return .double(element(Self.doubles))
        case .date:
            return .date(
                chance(50) ? element(Self.doubles) : Double(number(0..<900_000_000)) + 0.1)
        case .string, .text: return .string(text())
        case .data: return .data(random.bytes(number(0..<9)))
        case .uuid:
            return .uuid(
                UUID(
                    uuid: (
                        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(number(0..<256))
                    )))
        case .url:
            return .url(element(["https://example.com/a?b=c", "a b", "", "https://é.example/"]))
        case .decimal:
            return .decimal(
                element(["0", "-1.5", "NaN", "12345678901234567890.123", "0.000001"]))
        case .json:
            return .json(
                Array(
                    element([
                        "{\"a\":[1,2.5,null,\"x\"]}", "null", "[ 1, 2 ]", "{\"a\":\n1}",
                        "no document",
                        "\"\\u00e9\"", "\"\u{7F}\"", "12345678901234567890", "1E5",
                    ]).utf8))
        default: return composite(of: type)
        }
    }

    private mutating func composite(of type: StoredType) -> StoredContent {
        switch type {
        case .optional(let wrapped):
            return .optional(chance(35) ? nil : content(of: wrapped))
        case .array(let element):
            return .array((0..<number(0..<4)).map { _ in content(of: element) })
        case .set(let element): return .set(distinct(element))
        case .dictionary(let key, let value):
            return .dictionary(
                distinct(key).map { StoredContent.Entry(key: $0, value: content(of: value)) })
        case .structure(_, let fields): return .structure(members(fields))
        case .enumeration(_, let cases):
            let index = number(0..<cases.count)
            return .enumeration(
                index: index, name: cases[index].name, payload: members(cases[index].payload))
        case .raw(_, let raw): return content(of: raw)
        default: preconditionFailure("a scalar is made by the caller")
        }
    }

    private mutating func members(_ fields: [StoredType.Field]) -> [StoredContent.Member] {
        fields.map { StoredContent.Member(name: $0.name, value: content(of: $0.type)) }
    }

    /// Values with different bytes.
    private mutating func distinct(_ type: StoredType) -> [StoredContent] {
        var seen: Set<[UInt8]> = []
        return (0..<number(0..<4)).map { _ in content(of: type) }.filter { value in
            var writer = ByteWriter()
            try? value.store(as: type, into: &writer)
            return seen.insert(writer.copyBytes()).inserted
        }
    }
}
