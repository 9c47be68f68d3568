import Foundation
import Testing
import VarveEvents
import VarveTestSupport

@Suite("Ids")
struct IDCodecTests {
    private struct Holder {
        var text = ""
        var tag = Tag(rawValue: "t")
        var coordinates = Coordinates(x: 1, y: 2)
        var point = Memory(name: "m")
        var codable = Key(name: "k")
    }

    private struct Memory: Hashable { var name: String }

    private struct Key: Hashable, Codable { var name: String }

    @Test("Ids climb the ladder with descriptions before JSON")
    func kinds() {
        #expect(_IDCodec.kind(\Holder.text) == .stored(.string, .storable))
        #expect(_IDCodec.kind(\Holder.tag) == .stored(.raw("Tag", .string), .rawValue))
        #expect(
            _IDCodec.kind(\Holder.coordinates) == .stored(.text("Coordinates"), .losslessString))
        #expect(_IDCodec.kind(\Holder.codable) == .stored(.json("Key"), .json))
        #expect(_IDCodec.kind(\Holder.point) == .unsupported(typeName: "Memory"))
    }

    @Test("Ids round-trip on every rung")
    func roundTrips() throws {
        var writer = ByteWriter()
        try _IDCodec.store("a", into: &writer)
        try _IDCodec.store(Tag(rawValue: "b"), into: &writer)
        try _IDCodec.store(Coordinates(x: 3, y: -4), into: &writer)
        try _IDCodec.store(Key(name: "k"), into: &writer)
        try withBytes(writer.copyBytes()) { bytes in
            var reader = ByteReader(bytes)
            let text: String = try _IDCodec.load(from: &reader)
            let tag: Tag = try _IDCodec.load(from: &reader)
            let coordinates: Coordinates = try _IDCodec.load(from: &reader)
            let key: Key = try _IDCodec.load(from: &reader)
            #expect(text == "a")
            #expect(tag == Tag(rawValue: "b"))
            #expect(coordinates == Coordinates(x: 3, y: -4))
            #expect(key == Key(name: "k"))
            try reader.expectEnd()
        }
        #expect(throws: CodecError.notStorable(property: "id", typeName: "Memory")) {
            try _IDCodec.store(Memory(name: "m"), into: &writer)
        }
    }

    @Test("Equal ids are ids of equal bytes; ids in memory are compared by ==")
    func sameness() {
        #expect(_IDCodec.same("a", "a"))
        #expect(!_IDCodec.same("é", "e\u{301}"))
        #expect(_IDCodec.same(Tag(rawValue: "a"), Tag(rawValue: "a")))
        #expect(!_IDCodec.same(Coordinates(x: 1, y: 2), Coordinates(x: 2, y: 1)))
        #expect(
            _IDCodec.same(
                Memory(name: "long enough to be on the heap"),
                Memory(name: "long enough to be on the heap")))
        #expect(!_IDCodec.same(Memory(name: "a"), Memory(name: "b")))
    }

    @Test("The hash of an id is the hash of its bytes, whatever the path")
    func hashes() throws {
        func check<ID: Storable>(_ id: ID) throws {
            let bytes = try id.storedBytes()
            let expected = withBytes(bytes) { KeyedHash.hash($0) }
            #expect(_IDCodec.hash(id) == expected)
        }
        for length in [0, 1, 7, 14, 15, 16, 17, 31, 127, 128, 1_000, 20_000] {
            try check(String(repeating: "x", count: length))
        }
        for value in [0, 1, -1, 63, 64, 1 << 40, Int.min, Int.max] { try check(value) }
        for value in [0, 127, 128, UInt64.max] { try check(value) }
        try check(Int32(-7))
        try check(UInt32.max)
        try check(UInt8(3))
        try check(UUID())
        try check(Date(timeIntervalSinceReferenceDate: 7))
        try check(["a", "b"])
        let expected = _IDCodec.hash("tag")
        #expect(_IDCodec.hash(Tag(rawValue: "tag")) == expected)
        #expect(_IDCodec.hash(Coordinates(x: 1, y: 2)) == _IDCodec.hash("1,2"))
        #expect(_IDCodec.hash(Memory(name: "a")) == _IDCodec.hash(Memory(name: "a")))
        #expect(_IDCodec.hash("é") != _IDCodec.hash("e\u{301}"))
    }

    @Test("Hashes of near ids spread over all bits")
    func spread() {
        var differing = 0
        var seen: Set<UInt64> = []
        for index in 0..<20_000 {
            let hash = _IDCodec.hash("package-\(index)")
            seen.insert(hash)
            differing += (hash ^ _IDCodec.hash("package-\(index + 1)")).nonzeroBitCount
        }
        #expect(seen.count == 20_000)
        let mean = Double(differing) / 20_000
        #expect(mean > 31 && mean < 33)
    }

    @Test("An id in generic code takes the rung of its type")
    func genericCode() throws {
        func bytes<ID: Hashable>(_ id: ID) throws -> [UInt8] {
            var writer = ByteWriter()
            try _IDCodec.store(id, into: &writer)
            return writer.copyBytes()
        }
        func hash<ID: Hashable>(_ id: ID) -> UInt64 { _IDCodec.hash(id) }
        #expect(try bytes("a") == [1, 0x61])
        #expect(try bytes(Tag(rawValue: "a")) == [1, 0x61])
        #expect(hash("a") == _IDCodec.hash("a"))
        #expect(hash(Tag(rawValue: "a")) == _IDCodec.hash("a"))
        #expect(hash(7) == _IDCodec.hash(7))
    }
}
