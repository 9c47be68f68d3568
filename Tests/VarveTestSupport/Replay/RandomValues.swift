package import VarveEvents

extension SeededGenerator {
    package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    package mutating func chance(_ one: Int) -> Bool { below(one) == 0 }

    /// A random type, of limited depth.
    package mutating func type(depth: Int = 2) -> StoredType {
        let scalars: [StoredType] = [
            .bool, .int8, .int32, .int64, .uint16, .uint64, .float, .double, .string, .data,
            .date, .uuid, .raw("Raw", .string), .json("Document"),
        ]
        guard depth > 0, chance(3) else { return scalars[below(scalars.count)] }
        switch below(5) {
        case 0: return .optional(type(depth: depth - 1))
        case 1: return .array(type(depth: depth - 1))
        case 2: return .set(.string)
        case 3:
            return .structure(
                "S",
                [.init("a", type(depth: depth - 1)), .init("b", .optional(type(depth: 0)))])
        default:
            return .enumeration(
                "E", [.init("none"), .init("one", [.init("", type(depth: depth - 1))])])
        }
    }

    /// Random bytes that are a value of a type.
    package mutating func value(of type: StoredType) throws -> [UInt8] {
        switch type {
        case .bool: return [UInt8(below(2))]
        case .int8, .uint8: return [UInt8(below(256))]
        case .int16, .uint16: return try UInt16(below(65_536)).storedBytes()
        case .int32: return try Int32(truncatingIfNeeded: next()).storedBytes()
        case .uint32: return try UInt32(truncatingIfNeeded: next()).storedBytes()
        case .int64, .uint64: return try (next() >> UInt64(below(64))).storedBytes()
        case .float: return bytes(4)
        case .double, .date: return bytes(8)
        case .uuid: return bytes(16)
        case .string, .text: return try text().storedBytes()
        case .json:
            return try "[\(below(100))]".storedBytes()
        case .data: return try (0..<below(20)).map { UInt8($0) }.storedBytes()
        case .raw(_, let raw): return try value(of: raw)
        case .optional(let wrapped): return chance(2) ? [0] : [1] + (try value(of: wrapped))
        case .array(let element):
            let count = below(4)
            return [UInt8(count)] + (try (0..<count).flatMap { _ in try value(of: element) })
        case .set: return try Set((0..<below(4)).map { _ in text() }).storedBytes()
        case .structure(_, let fields): return try fields.flatMap { try value(of: $0.type) }
        case .enumeration(_, let cases):
            let index = below(cases.count)
            return [UInt8(index)] + (try cases[index].payload.flatMap { try value(of: $0.type) })
        default: return [0]
        }
    }

    /// A short text; now and then one long enough to be spliced.
    package mutating func text() -> String {
        let count = chance(20) ? 1_000 + below(400) : below(12)
        return String((0..<count).map { _ in "abcdé\u{301}".randomElement(using: &self) ?? "a" })
    }
}
