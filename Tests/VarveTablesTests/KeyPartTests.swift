import Foundation
import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

@Suite("Keys whose order is that of the values")
struct KeyPartTests {
    private static func key<Value: Storable>(
        _ value: Value, isDescending: Bool = false
    ) throws -> (bytes: [UInt8], isExact: Bool) {
        let part = try #require(KeyPart(Value.storedType, isDescending: isDescending))
        var stored = ByteWriter()
        try value.store(into: &stored)
        var key = ByteWriter()
        let isExact = try stored.withBytes { bytes in
            var reader = ByteReader(bytes)
            let isExact = try part.encode(&reader, into: &key)
            #expect(reader.isAtEnd)
            return isExact
        }
        return (key.copyBytes(), isExact)
    }

    /// Values in ascending order have keys in ascending order, and descending ones the other way
    /// round.
    private static func check<Value: Storable>(_ ascending: [Value]) throws {
        for (first, second) in zip(ascending, ascending.dropFirst()) {
            let keys = (try key(first).bytes, try key(second).bytes)
            #expect(keys.0.lexicographicallyPrecedes(keys.1), "\(first), \(second)")
            let reversed = (
                try key(first, isDescending: true).bytes, try key(second, isDescending: true).bytes
            )
            #expect(reversed.1.lexicographicallyPrecedes(reversed.0), "\(first), \(second)")
        }
    }

    @Test("Integers of every width, around every power of two")
    func integers() throws {
        var values: Set<Int64> = [0, .min, .max]
        for bit in 0..<63 {
            for near in [-1, 0, 1] as [Int64] {
                values.insert(1 << Int64(bit) + near)
                values.insert(-(1 << Int64(bit)) + near)
            }
        }
        try Self.check(values.sorted())
        try Self.check(values.compactMap { Int16(exactly: $0) }.sorted())
        try Self.check(values.map { UInt64(bitPattern: $0) }.sorted())
        try Self.check((Int8.min...Int8.max).map { $0 })
        try Self.check((UInt8.min...UInt8.max).map { $0 })
        try Self.check([false, true])
    }

    @Test("Floating-point numbers and dates; -0 is 0, NaN comes last")
    func floatingPoint() throws {
        let doubles = [
            -Double.infinity, -.greatestFiniteMagnitude, -1.5, -.leastNonzeroMagnitude, 0,
            .leastNonzeroMagnitude, 1, 1.5, .greatestFiniteMagnitude, .infinity, .nan,
        ]
        try Self.check(doubles)
        try Self.check([-Float.infinity, -2, 0, 0.5, .infinity, .nan])
        try Self.check(doubles.dropLast().map { Date(timeIntervalSinceReferenceDate: $0) })
        #expect(try Self.key(-0.0).bytes == Self.key(0.0).bytes)
        #expect(try Self.key(-Double.nan).bytes == Self.key(Double.nan).bytes)
        #expect(try Self.key(-Float.zero).bytes == Self.key(Float.zero).bytes)
    }

    @Test("Texts in the order of Swift, with zeros within, composed and decomposed")
    func texts() throws {
        let texts = [
            "", "\0", "\0\0", "\u{1}", "\u{1}\0", "a", "a\0", "a\u{1}", "ab", "b", "z", "é", "é!",
            "ﬀ", "日本", "👍",
        ]
        try Self.check(texts.sorted())
        #expect(try Self.key("e\u{301}").bytes == Self.key("é").bytes)
        let long = String(repeating: "x", count: 63)
        #expect(try Self.key(long).isExact)
        #expect(try !Self.key(long + "y").isExact)
        #expect(try Self.key(long + "yz").bytes == Self.key(long + "y").bytes)
        // Cut in the middle of an escape.
        #expect(try Self.key(long + "\0").bytes.count == 65)
        var generator = SeededGenerator(seed: 7)
        let alphabet = [
            "a", "b", "\0", "e", "\u{301}", "\u{327}", "й", "한", "\u{1100}", "\u{1161}",
        ]
        for _ in 0..<3_000 {
            func text() -> String {
                (0..<generator.below(6)).map { _ in alphabet[generator.below(alphabet.count)] }
                    .joined()
            }
            let composed = [text(), text()].map(\.precomposedStringWithCanonicalMapping)
            let keys = [try Self.key(composed[0]).bytes, try Self.key(composed[1]).bytes]
            #expect(
                keys[0].lexicographicallyPrecedes(keys[1])
                    == composed[0].utf8.lexicographicallyPrecedes(composed[1].utf8),
                "\(composed.map { Array($0.unicodeScalars) })")
            #expect((keys[0] == keys[1]) == (composed[0] == composed[1]))
        }
    }

    @Test("Decimals of both signs and every power; NaN comes last")
    func decimals() throws {
        var values: Set<Decimal> = [0]
        for text in [
            "1", "1.5", "0.05", "0.049", "99", "100", "101", "12345678901234567890", "3e40",
            "7e-30",
        ] {
            let value = try #require(Decimal(string: text))
            values.formUnion([value, -value])
        }
        try Self.check(values.sorted() + [.nan])
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            func decimal() -> Decimal {
                Decimal(Int(truncatingIfNeeded: generator.next()) >> generator.below(64))
                    / [1, 10, 1_000][generator.below(3)]
            }
            let (first, second) = (decimal(), decimal())
            let keys = (try Self.key(first).bytes, try Self.key(second).bytes)
            #expect(keys.0.lexicographicallyPrecedes(keys.1) == (first < second))
            #expect((keys.0 == keys.1) == (first == second))
        }
    }

    @Test("nil comes first, and a key of two parts is ordered by the first, then the second")
    func optionalsAndParts() throws {
        try Self.check([nil, Int?.some(.min), -1, 0, .max])
        try Self.check([nil, String?.some(""), "a"])
        var keys: [(first: String, second: Int?, bytes: [UInt8])] = []
        for first in ["", "\0", "a", "a\0", "ab"] {
            for second in [nil, -1, 0, 300] as [Int?] {
                keys.append(
                    (first, second, try Self.key(first).bytes + (try Self.key(second).bytes)))
            }
        }
        let sorted = keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        #expect(sorted.map(\.first) == keys.map(\.first))
        #expect(sorted.map(\.second) == keys.map(\.second))
    }

    @Test("Types of the application's own order have no keys")
    func otherTypes() {
        for type in [.text("Code"), .data, .url, .array(.int8), .json("J")] as [StoredType] {
            #expect(KeyPart(type) == nil)
            #expect(KeyPart(.optional(type)) == nil)
            #expect(KeyPart(.raw("Raw", type)) == nil)
        }
    }

    @Test("What is stored as its raw value has the key of that value")
    func rawValues() throws {
        for (raw, value) in [(.int64, [6]), (.string, [2, 0x61, 0x62])] as [(StoredType, [UInt8])] {
            for (type, bytes) in [
                (raw, value), (.optional(raw), [1] + value), (.optional(raw), [0]),
            ] {
                let named: StoredType =
                    type == raw ? .raw("Level", raw) : .optional(.raw("Level", raw))
                let part = try #require(KeyPart(named, isDescending: true))
                let plain = try #require(KeyPart(type, isDescending: true))
                #expect(try Self.key(of: bytes, part) == Self.key(of: bytes, plain))
                #expect(part.byteCountMax == plain.byteCountMax && part.isOfText == plain.isOfText)
            }
        }
    }

    private static func key(of value: [UInt8], _ part: KeyPart) throws -> [UInt8] {
        try value.withUnsafeBytes { bytes in
            var key = ByteWriter()
            var reader = ByteReader(bytes)
            _ = try part.encode(&reader, into: &key)
            return key.copyBytes()
        }
    }

    @Test("Bytes that are no value are an error, never a trap")
    func malformed() throws {
        var generator = SeededGenerator(seed: 5)
        let types: [StoredType] = [
            .int64, .uint64, .double, .float, .string, .uuid, .decimal, .optional(.decimal), .bool,
        ]
        for _ in 0..<20_000 {
            let part = try #require(KeyPart(types[generator.below(types.count)]))
            let bytes = generator.bytes(
                generator.below(12), alphabet: generator.chance(2) ? 60 : 255)
            bytes.withUnsafeBytes { bytes in
                var key = ByteWriter()
                var reader = ByteReader(bytes)
                _ = try? part.encode(&reader, into: &key)
            }
        }
    }
}
