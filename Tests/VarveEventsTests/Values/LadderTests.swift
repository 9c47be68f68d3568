import Foundation
import Testing
import VarveEvents
import VarveTestSupport

/// Generic code, which sees less of a type than a concrete call site.
private enum Unconstrained {
    static func kind<Value>(_ type: Value.Type) -> FieldKind { _FieldCodec.kind(type) }

    static func bytes<Value>(_ value: Value) throws(CodecError) -> [UInt8] {
        var writer = ByteWriter()
        try _FieldCodec.store(value, "value", into: &writer)
        return writer.copyBytes()
    }

    static func load<Value>(_ bytes: [UInt8], as type: Value.Type) throws(CodecError) -> Value {
        try bytes.withReader { reader throws(CodecError) in try _FieldCodec.load(from: &reader) }
    }

    static func same<Value>(_ first: Value, _ second: Value) -> Bool {
        _FieldCodec.same(first, second)
    }
}

private enum AsRaw {
    static func bytes<Value: RawRepresentable>(_ value: Value) throws(CodecError) -> [UInt8]
    where Value.RawValue: Storable {
        var writer = ByteWriter()
        try _FieldCodec.store(value, "value", into: &writer)
        return writer.copyBytes()
    }

    static func load<Value: RawRepresentable>(_ bytes: [UInt8]) throws(CodecError) -> Value
    where Value.RawValue: Storable {
        try bytes.withReader { reader throws(CodecError) in try _FieldCodec.load(from: &reader) }
    }
}

private enum AsCodable {
    static func bytes<Value: Codable>(_ value: Value) throws(CodecError) -> [UInt8] {
        var writer = ByteWriter()
        try _FieldCodec.store(value, "value", into: &writer)
        return writer.copyBytes()
    }
}

/// Properties of every kind, to see what a macro's key path finds.
private struct Sample {
    var text = "text"
    var colour = Colour.green
    var maybeColour: Colour? = .red
    var colours: [Colour] = [.red, .blue]
    var colourSet: Set<Colour> = [.green]
    var byName: [String: Colour] = ["a": .blue]
    var level = Level.high
    var maybeLevel: Level? = .low
    var point = Point()
    var maybePoint: Point? = Point()
    var address = Address(street: "Oak", number: 1)
    var everything = Everything.two
    var maybeEverything: Everything? = .one
    var unstorable = Unstorable()
    var maybeUnstorable: Unstorable? = Unstorable()
}

@Suite("The ladder of stored forms")
struct LadderTests {
    /// Every function of the family agrees on the value's bytes, in concrete and generic code.
    private func check<Value>(
        _ value: Value, _ kind: FieldKind, _ hex: String, concrete: [UInt8],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(Hex.text(concrete) == hex, sourceLocation: sourceLocation)
        #expect(Unconstrained.kind(Value.self) == kind, sourceLocation: sourceLocation)
        #expect(try Unconstrained.bytes(value) == concrete, sourceLocation: sourceLocation)
        let again = try Unconstrained.load(concrete, as: Value.self)
        #expect(try Unconstrained.bytes(again) == concrete, sourceLocation: sourceLocation)
        #expect(Unconstrained.same(value, again), sourceLocation: sourceLocation)
        guard case .stored(let type, _) = kind else { return }
        #expect(try StoredValue(type, bytes: concrete).bytes == concrete)
    }

    @Test("A Storable type takes the first rung everywhere")
    func storable() throws {
        let sample = Sample()
        var writer = ByteWriter()
        try _FieldCodec.store(sample.text, "text", into: &writer)
        #expect(_FieldCodec.kind(\Sample.text) == .stored(.string, .storable))
        try check(
            sample.text, .stored(.string, .storable), "04 74 65 78 74",
            concrete: writer.copyBytes())
        writer.removeAll()
        try _FieldCodec.store(sample.address, "address", into: &writer)
        try check(
            sample.address, .stored(Address.storedType, .storable), "03 4f 61 6b 01 02",
            concrete: writer.copyBytes())
    }

    @Test("A raw-value type is its raw value, also inside containers")
    func rawValues() throws {
        let sample = Sample()
        let colour = StoredType.raw("Colour", .string)
        let level = StoredType.raw("Level", .int64)
        var writer = ByteWriter()
        try _FieldCodec.store(sample.colour, "colour", into: &writer)
        #expect(_FieldCodec.kind(\Sample.colour) == .stored(colour, .rawValue))
        try check(
            sample.colour, .stored(colour, .rawValue), "05 67 72 65 65 6e",
            concrete: writer.copyBytes())
        #expect(try AsRaw.bytes(sample.colour) == writer.copyBytes())
        #expect(try AsCodable.bytes(sample.colour) == writer.copyBytes())
        writer.removeAll()
        try _FieldCodec.store(sample.maybeColour, "maybeColour", into: &writer)
        #expect(_FieldCodec.kind(\Sample.maybeColour) == .stored(.optional(colour), .rawValue))
        try check(
            sample.maybeColour, .stored(.optional(colour), .rawValue), "01 03 72 65 64",
            concrete: writer.copyBytes())
        writer.removeAll()
        try _FieldCodec.store(sample.maybeLevel, "maybeLevel", into: &writer)
        try check(
            sample.maybeLevel, .stored(.optional(level), .rawValue), "01 01",
            concrete: writer.copyBytes())
        writer.removeAll()
        try _FieldCodec.store(sample.colours, "colours", into: &writer)
        try check(
            sample.colours, .stored(.array(colour), .rawValue), "02 03 72 65 64 04 62 6c 75 65",
            concrete: writer.copyBytes())
        writer.removeAll()
        try _FieldCodec.store(sample.colourSet, "colourSet", into: &writer)
        try check(
            sample.colourSet, .stored(.set(colour), .rawValue), "01 05 67 72 65 65 6e",
            concrete: writer.copyBytes())
        writer.removeAll()
        try _FieldCodec.store(sample.byName, "byName", into: &writer)
        try check(
            sample.byName, .stored(.dictionary(.string, colour), .rawValue),
            "01 01 61 04 62 6c 75 65", concrete: writer.copyBytes())
    }

    @Test("A Codable type is JSON, an optional one nil or JSON")
    func json() throws {
        let sample = Sample()
        let document = #"{"at":0.1,"x":0,"y":0}"#
        #expect(_FieldCodec.kind(\Sample.point) == .stored(.json("Point"), .json))
        let bytes = [UInt8(document.utf8.count)] + Array(document.utf8)
        var writer = ByteWriter()
        try _FieldCodec.store(sample.point, "point", into: &writer)
        try check(
            sample.point, .stored(.json("Point"), .json), Hex.text(bytes),
            concrete: writer.copyBytes())
        #expect(try AsCodable.bytes(sample.point) == bytes)
        writer.removeAll()
        try _FieldCodec.store(sample.maybePoint, "maybePoint", into: &writer)
        try check(
            sample.maybePoint, .stored(.optional(.json("Point")), .json), Hex.text([1] + bytes),
            concrete: writer.copyBytes())
    }

    @Test("A type of several rungs takes the best, also where the call site cannot see it")
    func bestRung() throws {
        let sample = Sample()
        let kind = FieldKind.stored(Everything.storedType, .storable)
        var writer = ByteWriter()
        try _FieldCodec.store(sample.everything, "everything", into: &writer)
        #expect(_FieldCodec.kind(\Sample.everything) == kind)
        try check(sample.everything, kind, "01", concrete: writer.copyBytes())
        #expect(try AsRaw.bytes(sample.everything) == [1])
        #expect(try AsRaw.load([1]) == Everything.two)
        #expect(try AsCodable.bytes(sample.everything) == [1])
        writer.removeAll()
        try _FieldCodec.store(sample.maybeEverything, "maybeEverything", into: &writer)
        try check(
            sample.maybeEverything, .stored(.optional(Everything.storedType), .storable),
            "01 00", concrete: writer.copyBytes())
    }

    @Test("A concrete load takes the rung of the property's own type, optional or not")
    func concreteLoads() throws {
        func load<Value>(
            _ hex: String, _ body: (inout ByteReader) throws -> Value
        ) rethrows -> Value {
            try Hex.bytes(hex).withUnsafeBytes { bytes in
                var reader = ByteReader(bytes)
                let value = try body(&reader)
                #expect(reader.isAtEnd)
                return value
            }
        }
        let colour: Colour = try load("03 72 65 64") { try _FieldCodec.load(from: &$0) }
        #expect(colour == .red)
        let maybe: Colour? = try load("01 03 72 65 64") { try _FieldCodec.load(from: &$0) }
        #expect(maybe == .red)
        let none: Colour? = try load("00") { try _FieldCodec.load(from: &$0) }
        #expect(none == nil)
        let number: Int? = try load("01 0a") { try _FieldCodec.load(from: &$0) }
        #expect(number == 5)
        let everything: Everything? = try load("01 01") { try _FieldCodec.load(from: &$0) }
        #expect(everything == .two)
    }

    @Test("A type without a stored form is named, and storing it fails by property name")
    func unsupported() {
        #expect(
            _FieldCodec.kind(\Sample.unstorable) == .unsupported(typeName: "Unstorable"))
        #expect(
            _FieldCodec.kind(\Sample.maybeUnstorable)
                == .unsupported(typeName: "Optional<Unstorable>"))
        let error = CodecError.notStorable(property: "unstorable", typeName: "Unstorable")
        #expect(throws: error) {
            var writer = ByteWriter()
            try _FieldCodec.store(Unstorable(), "unstorable", into: &writer)
        }
    }

    @Test("A value that reads back differently is refused by property name")
    func roundTrip() {
        #expect(throws: CodecError.notRoundTrippable(property: "mood")) {
            var writer = ByteWriter()
            try _FieldCodec.store(Fickle("a"), "mood", into: &writer)
        }
        #expect(throws: CodecError.notRoundTrippable(property: "moods")) {
            var writer = ByteWriter()
            try _FieldCodec.store([Fickle("a")], "moods", into: &writer)
        }
    }

    @Test("A change has the bytes of the rung, and none where the bytes are the same")
    func changes() throws {
        var changes = FieldChanges()
        try _FieldCodec.change(0, "text", "a", "a", into: &changes)
        try _FieldCodec.change(1, "colour", Colour.red, .red, into: &changes)
        try _FieldCodec.change(2, "point", Point(), Point(), into: &changes)
        try _FieldCodec.change(3, "note", Double.nan, Double.nan, into: &changes)
        #expect(count(of: changes) == 0)
        try _FieldCodec.change(4, "text", "é", "e\u{301}", into: &changes)
        try _FieldCodec.change(5, "colour", Colour?.none, .red, into: &changes)
        try _FieldCodec.change(6, "zero", 0.0, -0.0, into: &changes)
        try _FieldCodec.change(7, "everything", Everything.one, .two, into: &changes)
        #expect(count(of: changes) == 4)
        var seen: [String] = []
        changes.forEach { index, old, new in
            seen.append("\(index): \(Hex.text([UInt8](old))) > \(Hex.text([UInt8](new)))")
        }
        #expect(
            seen == [
                "4: 02 c3 a9 > 03 65 cc 81", "5: 00 > 01 03 72 65 64",
                "6: 00 00 00 00 00 00 00 00 > 00 00 00 00 00 00 00 80", "7: 00 > 01",
            ])
        #expect(throws: CodecError.notStorable(property: "x", typeName: "Unstorable")) {
            try _FieldCodec.change(
                8, "x", Unstorable(closure: 1), Unstorable(closure: 2), into: &changes)
        }
        #expect(count(of: changes) == 4)
        changes.removeAll()
        #expect(count(of: changes) == 0)
    }

    @Test("Row 51: JSON nested deeper than the limit is refused before a parser sees it")
    func deepJSON() {
        let depth = StoredType.nestingLimit + 1
        let document =
            [UInt8](repeating: UInt8(ascii: "["), count: depth)
            + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
        var bytes = ByteWriter()
        bytes.writeCount(document.count)
        bytes.write(document)
        let expected = CodecError.nestingTooDeep(offset: 64, limit: 64)
        let stored = bytes.copyBytes()
        #expect(throws: expected) { try Unconstrained.load(stored, as: Point.self) }
    }

    @Test("Types are asked for by many threads at once and always answer the same")
    func concurrency() async {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<500).allSatisfy { _ in
                        Unconstrained.kind([Colour?].self)
                            == .stored(.array(.optional(.raw("Colour", .string))), .rawValue)
                            && Unconstrained.kind([String: Point].self)
                                == .stored(.dictionary(.string, .json("Point")), .json)
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
