import Foundation
import Testing
import VarveGraph

@Suite("Entities that @EntityModel made: the codec")
struct EntityMacroCodecTests {
    @Test("Every stored property comes back from its bytes, and relations come back unset")
    func roundTrip() throws {
        let player = Player.example
        let decoded = try player.decodedCopy()
        #expect(decoded.id == player.id)
        #expect(decoded.name == "Ada")
        #expect(decoded.born == player.born)
        #expect(decoded.profile == Player.Profile(text: "mathematics"))
        #expect(decoded.rank == .second)
        #expect(decoded.forced == 8)
        #expect(decoded.a == nil && decoded.b == 4)
        #expect(decoded.c == 1 && decoded.d == 2)
        #expect(decoded.default == [.second, nil])
        #expect(decoded.scores == 7)
        #expect(decoded.shape == .polygon(sides: 5, labels: ["x": 1]))
        #expect(decoded.secretValue == 99)
        #expect(decoded.kind == 42)
        #expect(decoded.$rival.isNone && decoded.$friends.isNone)
    }

    @Test("What was read once is read again alike, with texts of any length and script")
    func rereading() throws {
        for name in ["", "Ada", "exactly fifteen", "sixteen letters!", "Zażółć gęślą jaźń 🦕🦖"] {
            var player = Player.example
            player.name = name
            let bytes = try player.storedBytes()
            try bytes.withUnsafeBytes { bytes in
                var reader = ByteReader(bytes)
                let again = Player(_id: player.id, rereading: &reader)
                try reader.expectEnd()
                #expect(again.name == name && again.id == player.id)
                #expect(try again.storedBytes() == Array(bytes))
                #expect(again.$rival.isNone && again.$friends.isNone)
            }
        }
    }

    @Test("An entity that reads itself is read again by its own initializer")
    func rereadingByHand() throws {
        var writer = ByteWriter()
        try Handmade(id: 1, text: "as written")._store(into: &writer)
        writer.withBytes { bytes in
            var reader = ByteReader(bytes)
            #expect(Handmade(_id: 1, rereading: &reader).text == "as written, read by hand")
        }
    }

    @Test("The row is described field by field, in the order of declaration")
    func description() {
        let fields = Player._descriptor.fields
        #expect(
            fields.map(\.name) == [
                "name", "born", "profile", "rank", "forced", "a", "b", "c", "d", "default",
                "points", "shape", "secret",
            ])
        #expect(
            fields.filter { $0.fill != nil }.map(\.name) == [
                "profile", "rank", "forced", "a", "b", "default", "points", "secret",
            ])
        #expect(Player._descriptor.idKind == .stored(.uuid, .storable))
        #expect(fields[0].kind == .stored(.string, .storable))
        #expect(fields[4].kind == .stored(.optional(.int64), .storable))
    }

    @Test("A field's fill value is its default")
    func fillValues() throws {
        var filled: [String: [UInt8]] = [:]
        for field in Player._descriptor.fields {
            var writer = ByteWriter()
            try field.fill?(&writer)
            filled[field.name] = writer.copyBytes()
        }
        #expect(try Int(3).storedBytes() == filled["points"])
        #expect(try Int?.none.storedBytes() == filled["a"])
        #expect(filled["name"] == [])
    }

    @Test("Only the fields whose bytes differ are noted, by their position")
    func changes() throws {
        let old = Player.example
        var new = old
        new.name = "Grace"
        new.forced = nil
        new.scores = 8
        var changes = FieldChanges()
        try Player._changes(from: old, to: new, into: &changes)
        var noted: [Int] = []
        changes.forEach { index, _, _ in noted.append(index) }
        #expect(noted == [0, 4, 10])

        changes.removeAll()
        try Player._changes(from: old, to: old, into: &changes)
        let isUnchanged = changes.isEmpty
        #expect(isUnchanged)
    }

    @Test("A patch keeps the stored value of every optional that is nil in the new one")
    func patch() {
        let old = Player.example
        var new = Player(id: old.id, name: "Grace", born: old.born, c: 5, d: 6)
        new.$rival = .id(UUID())
        let merged = Player.patch.merge(old, new: new)
        #expect(merged.name == "Grace" && merged.c == 5 && merged.d == 6)
        #expect(merged.profile == old.profile && merged.forced == 8 && merged.b == 4)
        #expect(merged.rank == .first, "a property that is not optional is replaced")
        #expect(merged.default == [], "an optional that is not nil is replaced")
        #expect(merged.$rival.id == new.$rival.id)
    }

    @Test("An id is stored, compared and hashed as its bytes")
    func ids() throws {
        var writer = ByteWriter()
        let id = UUID()
        try Player._storeID(id, into: &writer)
        let decoded = try writer.withBytes { bytes throws(CodecError) in
            var reader = ByteReader(bytes)
            return try Player._loadID(from: &reader)
        }
        #expect(decoded == id)
        #expect(Player._sameID(id, decoded) && !Player._sameID(id, UUID()))
        #expect(Player._hashID(id) == Player._hashID(decoded))
    }

    @Test("A truncated row ends in an error, at every length")
    func truncation() throws {
        var writer = ByteWriter()
        try Player.example._store(into: &writer)
        let bytes = writer.copyBytes()
        for count in 0..<bytes.count {
            bytes.withUnsafeBytes { buffer in
                var reader = ByteReader(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                #expect(throws: CodecError.self, "\(count) bytes of \(bytes.count)") {
                    _ = try Player(_id: UUID(), from: &reader)
                }
            }
        }
    }
}

@EntityModel("Player")
private struct Player {
    struct Profile: Codable, Equatable { var text: String }
    enum Rank: Int { case first = 1, second }

    @Storable
    enum Shape: Equatable {
        case point
        case polygon(sides: Int, labels: [String: Int])
    }

    let id: UUID
    var name: String
    let born: Date
    var profile: Profile?
    var rank = Rank.first { didSet {} }
    var forced: Int!
    var a: Int?, b: Int?
    var c, d: Int
    var `default`: [Rank?]? = []
    @PersistedName("points") var scores = 3
    var shape: Shape
    private var secret: Int? = nil
    let kind = 42
    var summary: String { name }
    static let zero = 0

    @Relationship var rival: Player? = nil
    @Relationship var friends: [Player]? = .relation([])

    var secretValue: Int? { secret }

    init(id: UUID, name: String, born: Date, c: Int, d: Int) {
        (self.id, self.name, self.born, self.c, self.d) = (id, name, born, c, d)
        shape = .point
    }

    static var example: Player {
        var player = Player(
            id: UUID(), name: "Ada", born: Date(timeIntervalSince1970: 1e9), c: 1, d: 2)
        player.profile = Profile(text: "mathematics")
        player.rank = .second
        player.forced = 8
        player.b = 4
        player.default = [.second, nil]
        player.scores = 7
        player.shape = .polygon(sides: 5, labels: ["x": 1])
        player.secret = 99
        player.$rival = .id(UUID())
        return player
    }
}

@EntityModel
private struct Handmade {
    let id: Int
    var text: String

    init(id: Int, text: String) {
        self.id = id
        self.text = text
    }

    init(_id id: Int, from reader: inout ByteReader) throws(CodecError) {
        self.init(id: id, text: try reader.readText() + ", read by hand")
    }
}

extension EntityModelProtocol {
    fileprivate func storedBytes() throws -> [UInt8] {
        var writer = ByteWriter()
        try _store(into: &writer)
        return writer.copyBytes()
    }

    fileprivate func decodedCopy() throws -> Self {
        var writer = ByteWriter()
        try _store(into: &writer)
        return try writer.withBytes { bytes throws(CodecError) in
            var reader = ByteReader(bytes)
            let decoded = try Self(_id: id, from: &reader)
            try reader.expectEnd()
            return decoded
        }
    }
}
