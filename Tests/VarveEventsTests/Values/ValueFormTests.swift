import Foundation
import Testing
import VarveEvents
import VarveTestSupport

@Suite("The stored form of values")
struct ValueFormTests {
    private func check<Value: Storable>(
        _ value: Value, _ hex: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let bytes = try value.storedBytes()
        #expect(Hex.text(bytes) == hex, sourceLocation: sourceLocation)
        let again = try Value.load(storedBytes: bytes)
        #expect(Value.sameBytes(value, again), sourceLocation: sourceLocation)
        #expect(try again.storedBytes() == bytes, sourceLocation: sourceLocation)
        try withBytes(bytes) { bytes in
            var reader = ByteReader(bytes)
            try Value.storedType.skip(&reader)
            #expect(reader.isAtEnd, sourceLocation: sourceLocation)
            _ = try StoredValue(Value.storedType, bytes: bytes)
        }
        // Damaged bytes give an error or another value of the type; nothing traps.
        for variant in damaged(bytes) {
            guard let other = try? Value.load(storedBytes: variant) else { continue }
            #expect(try other.storedBytes() == variant, sourceLocation: sourceLocation)
        }
    }

    @Test("Scalars have the bytes that the format says")
    func scalars() throws {
        try check(true, "01")
        try check(false, "00")
        try check(UInt8(200), "c8")
        try check(Int8(-1), "ff")
        try check(0, "00")
        try check(-1, "01")
        try check(1, "02")
        try check(63, "7e")
        try check(64, "80 01")
        try check(300, "d8 04")
        try check(UInt(300), "ac 02")
        try check(Int16.min, "ff ff 03")
        try check(Int32.max, "fe ff ff ff 0f")
        try check(Int64.min, "ff ff ff ff ff ff ff ff ff 01")
        try check(UInt64.max, "ff ff ff ff ff ff ff ff ff 01")
        try check(UInt16.max, "ff ff 03")
        try check(UInt32(128), "80 01")
        try check(Float(1), "00 00 80 3f")
        try check(-0.0, "00 00 00 00 00 00 00 80")
        try check(Double.nan, "00 00 00 00 00 00 f8 7f")
    }

    @Test("Texts, data, dates and the other Foundation values have the bytes that the format says")
    func foundation() throws {
        try check("", "00")
        try check("é", "02 c3 a9")
        try check("e\u{301}", "03 65 cc 81")
        try check(Data([1, 2, 3]), "03 01 02 03")
        try check(Date(timeIntervalSinceReferenceDate: 1), "00 00 00 00 00 00 f0 3f")
        try check(
            UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!,
            "00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff")
        try check(URL(string: "a:b")!, "03 61 3a 62")
        try check(Decimal(string: "-1.50")!, "04 2d 31 2e 35")
        try check(Decimal.nan, "03 4e 61 4e")
    }

    @Test("Containers have the bytes that the format says, sets and dictionaries in order")
    func containers() throws {
        try check(Int?.none, "00")
        try check(Int?.some(5), "01 0a")
        try check(Int??.some(nil), "01 00")
        try check([1, 2], "02 02 04")
        try check([String](), "00")
        try check(Set(["b", "a", "cc"]), "03 01 61 01 62 02 63 63")
        try check(["b": 1, "a": 2], "02 01 61 04 01 62 02")
        try check([[UInt8(7)], []], "02 01 07 00")
        try check(Address(street: "Oak", number: nil), "03 4f 61 6b 00")
        try check([Nothing(), Nothing()], "02")
        try check(Everything.two, "01")
    }

    @Test("Integers have one form: a longer one, or one out of range, is refused")
    func canonicalIntegers() {
        func error<Value: Storable>(_ type: Value.Type, _ hex: String) -> CodecError? {
            do {
                _ = try Value.load(storedBytes: Hex.bytes(hex))
                return nil
            } catch {
                return error
            }
        }
        #expect(error(UInt.self, "80 00") == .varintNotCanonical(offset: 0))
        #expect(error(UInt.self, "ff 80 00") == .varintNotCanonical(offset: 0))
        #expect(
            error(UInt64.self, "ff ff ff ff ff ff ff ff ff 02") == .varintOverflow(offset: 0))
        #expect(
            error(UInt64.self, "ff ff ff ff ff ff ff ff ff 81 00") == .varintOverflow(offset: 0))
        #expect(error(UInt16.self, "80 80 04") == .valueOutOfRange(offset: 0, typeName: "UInt16"))
        #expect(error(Int16.self, "80 80 04") == .valueOutOfRange(offset: 0, typeName: "Int16"))
        #expect(
            error(UInt.self, "80") == .truncated(offset: 0, needed: 2, available: 1))
        #expect(
            error(Bool.self, "02") == .invalidTag(offset: 0, found: 2, typeName: "Bool"))
        #expect(error(Bool.self, "01 00") == .trailingBytes(offset: 1, count: 1))
    }

    @Test("Sets and dictionaries out of order, or with an element twice, are refused")
    func canonicalSets() {
        #expect(throws: CodecError.notAscending(offset: 3)) {
            try Set<String>.load(storedBytes: Hex.bytes("02 01 62 01 61"))
        }
        #expect(throws: CodecError.notAscending(offset: 3)) {
            try Set<String>.load(storedBytes: Hex.bytes("02 01 61 01 61"))
        }
        #expect(throws: CodecError.notAscending(offset: 4)) {
            try [String: Int].load(storedBytes: Hex.bytes("02 01 62 00 01 61 00"))
        }
        // Two texts that Swift holds equal, of different bytes: no set held both.
        #expect(throws: CodecError.invalidValue(offset: 0, typeName: "Set")) {
            try Set<String>.load(storedBytes: Hex.bytes("02 02 c3 a9 03 65 cc 81"))
        }
    }

    @Test("A count is believed only as far as bytes follow")
    func hostileCounts() {
        #expect(throws: CodecError.lengthOutOfRange(offset: 0, length: 1 << 40, available: 0)) {
            try [Int].load(storedBytes: Hex.bytes("80 80 80 80 80 20"))
        }
        #expect(throws: CodecError.lengthOutOfRange(offset: 0, length: 300, available: 0)) {
            try [Nothing].load(storedBytes: Hex.bytes("ac 02"))
        }
        #expect(throws: CodecError.lengthOutOfRange(offset: 0, length: 5, available: 1)) {
            try String.load(storedBytes: Hex.bytes("05 61"))
        }
        #expect(throws: CodecError.notRoundTrippable(property: "")) {
            try [Nothing](repeating: Nothing(), count: 257).storedBytes()
        }
    }

    @Test("The same means the same bytes, never ==")
    func sameness() {
        #expect(Double.sameBytes(.nan, .nan))
        #expect(!Double.sameBytes(0.0, -0.0))
        #expect(!String.sameBytes("é", "e\u{301}"))
        #expect("é" == "e\u{301}")
        #expect(Array<Double?>.sameBytes([Double.nan, nil], [Double.nan, nil]))
        #expect(!Set<String>.sameBytes(["é"], ["e\u{301}"]))
        #expect(Dictionary<Int, Int>.sameBytes([1: 2, 3: 4], [3: 4, 1: 2]))
    }

    @Test("A set of several NaN is refused when it is stored")
    func setOfNaN() {
        #expect(throws: CodecError.notRoundTrippable(property: "readings")) {
            var writer = ByteWriter()
            try _FieldCodec.store(Set([Double.nan, .nan]), "readings", into: &writer)
        }
    }

    @Test("A text that is not UTF-8 is refused")
    func invalidText() {
        #expect(throws: CodecError.invalidUTF8(offset: 0)) {
            try String.load(storedBytes: Hex.bytes("02 c3 28"))
        }
        #expect(throws: CodecError.invalidValue(offset: 0, typeName: "Decimal")) {
            try Decimal.load(storedBytes: Hex.bytes("03 31 2e 30"))
        }
    }
}
