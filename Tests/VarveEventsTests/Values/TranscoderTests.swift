import Foundation
import Testing
import VarveTestSupport

@testable import VarveEvents

@Suite("Transcoding between stored types")
struct TranscoderTests {
    private func transcode(
        _ source: StoredType, _ target: StoredType, _ hex: String
    ) throws -> String {
        Hex.text(try Transcoder(from: source, to: target).transcode(Hex.bytes(hex)))
    }

    private func reason(_ source: StoredType, _ target: StoredType) -> String? {
        do {
            _ = try Transcoder(from: source, to: target)
            return nil
        } catch {
            if case .notTranscodable(_, _, let reason) = error { return reason }
            return "\(error)"
        }
    }

    @Test("A value may become optional, and integers wider")
    func widening() throws {
        #expect(try transcode(.string, .optional(.string), "01 61") == "01 01 61")
        #expect(try transcode(.int8, .int64, "ff") == "01")
        #expect(try transcode(.uint8, .int16, "c8") == "90 03")
        #expect(try transcode(.uint8, .optional(.uint32), "c8") == "01 c8 01")
        #expect(try transcode(.float, .double, "00 00 80 3f") == "00 00 00 00 00 00 f0 3f")
        #expect(reason(.optional(.string), .string) == "a value may be nil")
        #expect(reason(.int64, .int32) == "the types differ")
        #expect(reason(.uint64, .int64) == "the types differ")
        #expect(reason(.int8, .uint64) == "the types differ")
        #expect(reason(.string, .int64) == "the types differ")
    }

    @Test("Containers are transcoded element by element, sets sorted anew")
    func containers() throws {
        #expect(try transcode(.array(.int8), .array(.int16), "02 01 ff") == "02 02 01")
        // -1 is ff as Int8 and 01 as Int16: the order turns around.
        #expect(try transcode(.set(.int8), .set(.int16), "02 01 ff") == "02 01 02")
        #expect(
            try transcode(
                .dictionary(.string, .bool), .dictionary(.string, .optional(.bool)), "01 01 61 01")
                == "01 01 61 01 01")
    }

    @Test("Structures are matched by field name; new fields are nil; none is lost")
    func structures() throws {
        let old = StoredType.structure("Old", [.init("a", .int8), .init("b", .string)])
        let new = StoredType.structure(
            "New", [.init("b", .string), .init("c", .optional(.bool)), .init("a", .int64)])
        #expect(try transcode(old, new, "ff 01 78") == "01 78 00 01")
        #expect(reason(new, old) == "the types differ")
        #expect(
            reason(old, .structure("S", [.init("a", .int8)])) == "'b' would be lost")
        let more = StoredType.structure(
            "S", [.init("a", .int8), .init("b", .string), .init("d", .bool)])
        #expect(
            reason(old, more) == "'d' is new, not optional and without a default value")
    }

    @Test("A new member has its default value, and a value with that alone leads back")
    func defaults() throws {
        let old = StoredType.structure("S", [.init("a", .int8)])
        let new = StoredType.structure(
            "S", [.init("d", .string) { $0.writeText("x") }, .init("a", .int16)])
        #expect(try transcode(old, new, "ff") == "01 78 01")
        #expect(
            try transcode(.array(.optional(old)), .array(.optional(new)), "02 00 01 05")
                == "02 00 01 01 78 0a")
        // Widened members do not lead back, others do where nothing was put into the new one.
        let same = StoredType.structure(
            "S", [.init("d", .string) { $0.writeText("x") }, .init("a", .int8)])
        for (source, target) in [(old, same), (.optional(old), .optional(same))] {
            let transcoder = try Transcoder(from: source, to: target)
            let tag: [UInt8] = source == old ? [] : [1]
            let made = try transcoder.transcode(tag + [5])
            #expect(made.withUnsafeBytes { transcoder.sourceBytes(of: $0) } == tag + [5])
            let other = tag + [1, UInt8(ascii: "y"), 5]
            #expect(other.withUnsafeBytes { transcoder.sourceBytes(of: $0) } == nil)
        }
        let cases = StoredType.enumeration("E", [.init("a"), .init("b", [.init("", old)])])
        let more = StoredType.enumeration(
            "E", [.init("c"), .init("b", [.init("", same)]), .init("a")])
        let transcoder = try Transcoder(from: cases, to: more)
        let made = try transcoder.transcode([1, 5])
        #expect(made == [1, 1, UInt8(ascii: "x"), 5])
        #expect(made.withUnsafeBytes { transcoder.sourceBytes(of: $0) } == [1, 5])
        #expect([UInt8(0)].withUnsafeBytes { transcoder.sourceBytes(of: $0) } == nil)
    }

    @Test("A default value that cannot be stored is none")
    func unstorable() {
        let type = StoredType.structure(
            "S",
            [
                .init("a", .int8),
                .init("d", .bool) { _ throws(CodecError) in
                    throw .notStorable(property: "d", typeName: "T")
                },
            ])
        #expect(reason(.structure("S", [.init("a", .int8)]), type)?.contains("'d'") == true)
    }

    @Test("A member that a document lacks has its default value; an optional one is nil")
    func defaultsOfDocuments() throws {
        let type = StoredType.structure(
            "S",
            [
                .init("a", .int8), .init("d", .string) { $0.writeText("x") },
                .init("note", .optional(.string)) {
                    $0.append(1)
                    $0.writeText("n")
                },
            ])
        let document = Array(#"{"a":5}"#.utf8)
        let json = [UInt8(document.count)] + document
        #expect(
            Hex.text(try Transcoder(from: .json("S"), to: type).transcode(json)) == "05 01 78 00")
        let list = Array(#"[{"a":5},{"a":6,"d":"y"}]"#.utf8)
        #expect(
            Hex.text(
                try Transcoder(from: .json("[S]"), to: .array(type)).transcode(
                    [UInt8(list.count)] + list)) == "02 05 01 78 00 06 01 79 00")
    }

    @Test("Fills are kept behind JSON and raw values of structures, and nowhere else")
    func kept() {
        let old = StoredType.structure("S", [.init("a", .int8)])
        let new = StoredType.structure(
            "S", [.init("d", .string) { $0.writeText("x") }, .init("a", .int8)])
        func hasFill(_ type: StoredType) -> Bool { "\(type.fills)" != "[]" }
        for former in [.json("S"), old, .raw("R", old)] {
            for type in [new, .raw("R", new), .optional(new)] {
                #expect(hasFill(type.succeeding(former)), "\(former) \(type)")
            }
            #expect(hasFill(StoredType.array(new).succeeding(.array(former))))
        }
        for type in [new, .raw("R", new), .optional(new), .array(new)] {
            #expect(!hasFill(type.withoutFills))
        }
    }

    @Test("Fills that would make a value too large are refused while it is converted")
    func tooLarge() throws {
        let old = StoredType.structure("S", [.init("a", .bool)])
        let new = StoredType.structure(
            "S",
            [
                .init("a", .bool),
                .init("d", .string) { $0.writeText(String(repeating: "x", count: 1_022)) },
            ])
        let transcoder = try Transcoder(from: .array(old), to: .array(new))
        func list(_ count: Int) -> [UInt8] {
            var writer = ByteWriter()
            writer.writeCount(count)
            return writer.copyBytes() + [UInt8](repeating: 1, count: count)
        }
        #expect(try transcoder.transcode(list(3)).count == 1 + 3 * 1_025)
        #expect {
            try transcoder.transcode(list((256 << 20) / 1_024 + 1))
        } throws: {
            "\($0)".contains("the members that it lacks would take more than 268435456 bytes")
        }
    }

    @Test("Enumerations are matched by case name")
    func enumerations() throws {
        let old = StoredType.enumeration("E", [.init("a"), .init("b", [.init("x", .int8)])])
        let new = StoredType.enumeration(
            "E", [.init("c"), .init("b", [.init("x", .optional(.int8))]), .init("a")])
        #expect(try transcode(old, new, "00") == "02")
        #expect(try transcode(old, new, "01 05") == "01 01 05")
        #expect(reason(new, old) == "case 'c' is gone")
        #expect(
            reason(old, .enumeration("E", [.init("a"), .init("b")]))
                == "the payload of case 'b' changed")
    }

    @Test("Names alone change no bytes")
    func names() throws {
        let transcoder = try Transcoder(
            from: .optional(.raw("Old", .string)), to: .optional(.string))
        #expect(transcoder.isIdentity)
        #expect(try Transcoder(from: .json("A"), to: .json("B")).isIdentity)
        #expect(try Transcoder(from: .text("A"), to: .string).isIdentity)
        #expect(!(try Transcoder(from: .string, to: .optional(.string)).isIdentity))
    }

    @Test("A decoder accepts the other rungs: JSON to structures and back")
    func rungs() throws {
        var writer = ByteWriter()
        let point = Point(x: 1.5, y: -3, at: Date(timeIntervalSinceReferenceDate: 0.25), note: "é")
        try _FieldCodec.store(point, "point", into: &writer)
        let json = writer.copyBytes()
        let structure = StoredType.structure(
            "Point",
            [
                .init("x", .double), .init("y", .int64), .init("at", .date),
                .init("note", .optional(.string)), .init("extra", .optional(.bool)),
            ])
        let bytes = try Transcoder(from: .json("Point"), to: structure).transcode(json)
        #expect(
            try StoredValue(structure, bytes: bytes).json
                == #"{"x":1.5,"y":-3,"at":"2001-01-01T00:00:00.250000Z","note":"é","extra":null}"#)
        let back = try Transcoder(from: structure, to: .json("Point")).transcode(bytes)
        #expect(back == json)
        let wrong = StoredType.structure("Point", [.init("missing", .bool)])
        #expect(throws: CodecError.self) {
            try Transcoder(from: .json("Point"), to: wrong).transcode(json)
        }
    }

    @Test("JSON of every shape turns into values and back")
    func shapes() throws {
        struct Everyday: Codable {
            var numbers = [1, 2]
            var names: Set<String> = ["a"]
            var byName = ["k": true]
            var byNumber = [7: "x"]
            var data = Data([1, 2, 3])
            var url = URL(string: "https://example.org/a")!
            var id = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!
            var amount = Decimal(string: "1.25")!
            var big = UInt64.max
            var colour = Colour.blue
            var choice = Choice.second(3, label: nil)
        }
        enum Choice: Codable {
            case first
            case second(Int, label: String?)
        }
        let type = StoredType.structure(
            "Everyday",
            [
                .init("numbers", .array(.int64)), .init("names", .set(.string)),
                .init("byName", .dictionary(.string, .bool)),
                .init("byNumber", .dictionary(.int64, .string)), .init("data", .data),
                .init("url", .url), .init("id", .uuid), .init("amount", .decimal),
                .init("big", .uint64), .init("colour", .raw("Colour", .string)),
                .init(
                    "choice",
                    .enumeration(
                        "Choice",
                        [
                            .init("first"),
                            .init(
                                "second",
                                [.init("", .int64), .init("label", .optional(.string))]),
                        ])),
            ])
        var writer = ByteWriter()
        try _FieldCodec.store(Everyday(), "everyday", into: &writer)
        let json = writer.copyBytes()
        let bytes = try Transcoder(from: .json("E"), to: type).transcode(json)
        #expect(try Transcoder(from: type, to: .json("E")).transcode(bytes) == json)
        #expect(
            try StoredValue(type, bytes: bytes).json.contains(#""choice":{"second":{"_0":3,"#))
    }

    @Test("An enumeration without payloads and its raw form turn into each other")
    func rawEnumerations() throws {
        let cases = StoredType.enumeration("C", [.init("red"), .init("blue")])
        let raw = StoredType.raw("C", .string)
        #expect(try transcode(cases, raw, "01") == "04 62 6c 75 65")
        #expect(try transcode(raw, cases, "03 72 65 64") == "00")
        #expect(throws: CodecError.self) { try transcode(raw, cases, "01 78") }
        #expect(
            reason(.enumeration("C", [.init("a", [.init("", .bool)])]), raw)
                == "a case has a payload")
    }

    @Test("Damaged documents and values end in an error, never a trap")
    func damage() throws {
        var writer = ByteWriter()
        try _FieldCodec.store(Point(note: "x"), "point", into: &writer)
        let structure = StoredType.structure(
            "Point",
            [
                .init("x", .double), .init("y", .int64), .init("note", .optional(.string)),
                .init("at", .date),
            ])
        let transcoder = try Transcoder(from: .optional(.json("P")), to: .optional(structure))
        for variant in damaged([1] + writer.copyBytes()) {
            guard let bytes = try? transcoder.transcode(variant) else { continue }
            _ = try StoredValue(.optional(structure), bytes: bytes)
        }
    }
}

extension StoredType {
    fileprivate var fills: [[UInt8]] {
        switch self {
        case .optional(let type), .array(let type), .raw(_, let type): type.fills
        case .structure(_, let fields): fields.compactMap { $0.fill?.bytes }
        default: []
        }
    }
}
