import Foundation
import Testing
import VarveTestSupport

@testable import VarveEvents

@Suite("Stored types")
struct StoredTypeTests {
    static let sample = StoredType.structure(
        "Order",
        [
            .init("lines", .array(.structure("Line", [.init("price", .decimal)]))),
            .init(
                "state", .enumeration("State", [.init("new"), .init("sent", [.init("at", .date)])])),
            .init("tags", .set(.raw("Tag", .string))),
            .init("extra", .optional(.dictionary(.string, .json("Extra")))),
            .init("id", .text("Key")),
        ])

    @Test("A type has the bytes that the format says and reads back")
    func bytes() throws {
        let type = StoredType.optional(.dictionary(.string, .raw("Tag", .int64)))
        #expect(Hex.text(try encoded(type)) == "20 23 0c 26 03 54 61 67 05")
        for type in [type, Self.sample] {
            let again = try encoded(type).withReader { reader throws(CodecError) in
                let again = try StoredType.decode(from: &reader)
                try reader.expectEnd()
                return again
            }
            #expect(again == type)
        }
    }

    static let filled = StoredType.optional(
        .structure(
            "P", [.init("x", .int64), .init("level", .int64) { $0.writeSigned(7) }]))

    @Test("A structure with members that earlier definitions lack has another tag, and reads back")
    func fills() throws {
        let bytes = try encoded(Self.filled)
        #expect(Hex.text(bytes) == "20 29 01 50 02 01 78 05 00 05 6c 65 76 65 6c 05 01 01 0e")
        let again = try bytes.withReader { reader throws(CodecError) in
            try StoredType.decode(from: &reader)
        }
        #expect(try encoded(again) == bytes)
    }

    private func error(of hex: String) -> CodecError? {
        do throws(CodecError) {
            _ = try Hex.bytes(hex).withReader { reader throws(CodecError) in
                try StoredType.decode(from: &reader)
            }
            return nil
        } catch {
            return error
        }
    }

    @Test("A fill is exactly one value, no nil, no asset, and of 1,024 bytes at most")
    func wrongFills() {
        // Without a fill the other tag would do.
        let without = error(of: "29 01 50 01 01 78 05 00")
        #expect(without == .invalidValue(offset: 1, typeName: "StoredType"))
        // Two integers; half a text; a text that is not UTF-8; none; a Bool of 2.
        for (type, fill, name) in [
            ("05", "02 0e 0e", "Int64"), ("0c", "02 05 61", "String"),
            ("0c", "02 01 ff", "String"), ("05", "00", "Int64"), ("01", "01 02", "Bool"),
        ] {
            let found = error(of: "29 01 50 01 01 78 \(type) 01 \(fill)")
            guard case .invalidValue(9...10, name)? = found else {
                Issue.record("\(type) \(fill): \(String(describing: found))")
                continue
            }
        }
        #expect(error(of: "29 01 50 01 01 78 20 05 01 01 00") != nil)
        #expect(error(of: "29 01 50 01 01 78 20 05 01 02 01 0e") == nil)
        let long = String(repeating: " 61", count: 1_023)
        let tooLong = error(of: "29 01 50 01 01 78 0c 01 81 08 ff 07" + long)
        #expect(tooLong == .lengthOutOfRange(offset: 10, length: 1_025, available: 1_024))
        #expect(error(of: "29 01 50 01 01 78 0c 01 80 08 fe 07" + long.dropLast(3)) == nil)
    }

    @Test("A default value that is nil, names an asset or is long gives a member no fill")
    func noFills() throws {
        let asset = StoredType.structure(
            "P", [.init("x", .asset) { AssetReference.noContent.store(into: &$0) }])
        let none = StoredType.structure("P", [.init("x", .optional(.asset)) { $0.append(0) }])
        let long = StoredType.structure(
            "P", [.init("x", .string) { $0.writeText(String(repeating: "a", count: 1_023)) }])
        for type in [asset, none, long] { #expect(try encoded(type).first == 0x24) }
        // A list of assets that is empty names none.
        let empty = StoredType.structure("P", [.init("x", .array(.asset)) { $0.append(0) }])
        #expect(try encoded(empty).first == 0x29)
        let payload = StoredType.enumeration(
            "E", [.init("a", [.init("x", .bool) { $0.append(1) }])])
        if case .enumeration(_, let cases) = payload { #expect(cases[0].payload[0].fill == nil) }
    }

    @Test("A default value that is no value of its type is a mistake of the program")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            _ = StoredType.Field("x", .int64) { $0.writeText("x") }
        }
    }

    @Test("Every damaged type is an error or another type", arguments: [sample, filled])
    func damage(type: StoredType) throws {
        for variant in damaged(try encoded(type)) {
            let type = try? variant.withReader { reader throws(CodecError) in
                let type = try StoredType.decode(from: &reader)
                try reader.expectEnd()
                return type
            }
            if let type { #expect(try encoded(type) == variant) }
        }
    }

    @Test("Row 51: Types nested deeper than the limit are refused both ways")
    func nesting() throws {
        func nested(_ depth: Int) -> StoredType {
            (1..<depth).reduce(.bool) { type, _ in .optional(type) }
        }
        #expect(throws: Never.self) { try encoded(nested(64)) }
        #expect(throws: CodecError.nestingTooDeep(offset: 64, limit: 64)) {
            try encoded(nested(65))
        }
        let bytes = [UInt8](repeating: 0x20, count: 64) + [0x01]
        #expect(throws: CodecError.nestingTooDeep(offset: 64, limit: 64)) {
            try bytes.withReader { reader throws(CodecError) in
                try StoredType.decode(from: &reader)
            }
        }
    }

    @Test("Values are shown as JSON")
    func json() throws {
        func json(_ type: StoredType, _ hex: String) throws -> String {
            try StoredValue(type, bytes: Hex.bytes(hex)).json
        }
        #expect(try json(.int64, "01") == "-1")
        #expect(try json(.double, "00 00 00 00 00 00 f8 7f") == "\"NaN\"")
        #expect(try json(.float, "00 00 80 3f") == "1.0")
        #expect(try json(.string, "04 61 22 0a 01") == #""a\"\n\u0001""#)
        #expect(try json(.data, "02 ff 00") == "\"/wA=\"")
        #expect(try json(.date, "00 00 00 00 00 00 f0 3f") == "\"2001-01-01T00:00:01Z\"")
        #expect(try json(.date, "00 00 00 00 00 00 f0 7f") == "\"Infinity\"")
        #expect(try json(.optional(.int8), "00") == "null")
        #expect(try json(.optional(.int8), "01 05") == "5")
        #expect(try json(.dictionary(.string, .bool), "01 01 61 01") == #"{"a":true}"#)
        #expect(try json(.dictionary(.int64, .bool), "01 02 01") == "[[1,true]]")
        #expect(try json(.json("J"), "07 7b 22 61 22 3a 31 7d") == #"{"a":1}"#)
        #expect(try json(.json("J"), "02 7b 5b") == "\"{[\"")
        let state = StoredType.enumeration(
            "State", [.init("new"), .init("sent", [.init("", .bool)])])
        #expect(try json(state, "00") == "\"new\"")
        #expect(try json(state, "01 01") == #"{"sent":{"_0":true}}"#)
        #expect(try json(Address.storedType, "01 61 01 04") == #"{"street":"a","number":2}"#)
        #expect(try json(.decimal, "03 31 2e 35") == "1.5")
        #expect(try json(.set(.uint8), "02 01 02") == "[1,2]")
    }

    @Test("Dynamic values are equal if their bytes are")
    func equality() throws {
        let composed = try StoredValue(.string, bytes: Hex.bytes("02 c3 a9"))
        let decomposed = try StoredValue(.string, bytes: Hex.bytes("03 65 cc 81"))
        #expect(composed != decomposed)
        #expect(composed == (try StoredValue(.string, bytes: Hex.bytes("02 c3 a9"))))
        #expect(composed != (try StoredValue(.data, bytes: Hex.bytes("02 c3 a9"))))
    }
}
