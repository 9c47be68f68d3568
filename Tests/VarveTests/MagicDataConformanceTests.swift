import Foundation
import Testing
import Varve

private struct Job: Codable, Hashable, Sendable {
    var title: String
    var salary: Int
}

/// A value type of the app, whose stored form is a text.
private struct Plate: RawRepresentable, Codable, Hashable, Sendable {
    var rawValue: String
}

/// The manual's `TestModel`, with a property of each type that it lists.
@EntityModel
private struct Person {
    var id = UUID().uuidString
    var name: String
    var age = 0
    var hasPet = false
    var born = Date(timeIntervalSinceReferenceDate: 0)
    var token = UUID()
    var page: URL? = nil
    var height: Double? = nil
    var weight: Float? = nil
    var school: Data? = nil
    var petName: String? = nil
    var job: Job? = nil
    var plate: Plate? = nil
    var marks: [Int] = []
    var scores: [String: Double] = [:]
    var tags: Set<String> = []

    var customString: String { "My ID: \(id), name: \(name)" }
}

@EntityModel
private struct Disc {
    let id: Int
    var title = ""

    @Relationship var cover: Song? = nil
    @Relationship(inverse: \.discs) var songs: [Song]?
}

@EntityModel
private struct Song {
    let id: Int
    var text: String

    @Relationship(inverse: \.songs) var discs: [Disc]?
}

/// A value that refuses to be coded.
@EntityModel
private struct Measurement {
    let id: Int
    var value: Reading

    struct Reading: Codable, Sendable {
        var degrees: Double

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            guard degrees >= -273.15 else {
                let context = EncodingError.Context(
                    codingPath: encoder.codingPath, debugDescription: "too cold")
                throw EncodingError.invalidValue(degrees, context)
            }
            try container.encode(degrees)
        }

        init(degrees: Double) { self.degrees = degrees }

        init(from decoder: any Decoder) throws {
            degrees = try decoder.singleValueContainer().decode(Double.self)
        }
    }
}

/// MagicData's objects, values and relations, as a user writes them here. Names begin with the rows of
/// Docs/CONFORMANCE.md.
@Suite("MagicData, row by row", .timeLimit(.minutes(5)))
struct MagicDataConformanceTests {
    private let store: Store

    init() throws { store = try Store.inMemory(Person.self, Disc.self, Measurement.self) }

    private func save(_ entity: some EntityModelProtocol) throws {
        try store.write { _ = try entity.save(to: &$0) }
    }

    /// An disc of three songs, the second of which is its cover.
    private func saveDisc() throws {
        let songs = ["a", "b", "c"].enumerated().map { Song(id: $0.offset + 1, text: $0.element) }
        try save(
            Disc(id: 1, title: "First", cover: .id(2), songs: .relation(songs)))
    }

    private func songs(of id: Int = 1) -> String {
        Disc.query(id).related(\.$songs).resolve(in: store.context).map(\.text).joined()
    }

    @Test("MD-01 to MD-04: an object is a struct with an id, values with or without defaults")
    func objects() throws {
        let person = Person(name: "hi")
        try save(person)
        let found = try Person.require(person.id, in: store.context)
        #expect(found.name == "hi" && found.petName == nil && found.height == nil)
        #expect(found.customString == "My ID: \(person.id), name: hi")
        #expect(Person(name: "hi").id != person.id)
        // MD-02: a value without a default is what the initializer was given, and then what it was set to.
        var changed = found
        changed.name = "hello"
        try save(changed)
        #expect(try Person.require(person.id, in: store.context).name == "hello")
        try save(Song(id: 1, text: "a"))
        #expect(try Song.require(1, in: store.context).text == "a")
        // Values with defaults, which nothing set.
        #expect(found.age == 0 && !found.hasPet && found.marks == [] && found.scores == [:])
        #expect(Disc(id: 1).title == "")
    }

    @Test("MD-06: every type of the manual's list is stored, and booleans and dates, too")
    func types() throws {
        var person = Person(
            name: "Ann", age: -7, hasPet: true, born: Date(timeIntervalSince1970: 1.5),
            page: URL(string: "https://example.org/a?b"), height: 1.8, weight: 0.1,
            school: Data([0, 255]), petName: "Rex", job: Job(title: "chef", salary: 3))
        person.marks = [3, 1, 3]
        person.scores = ["x": 0.5]
        person.tags = ["b", "a"]
        try save(person)
        let found = try Person.require(person.id, in: store.context)
        #expect(found.age == -7 && found.hasPet && found.born == person.born)
        #expect(found.token == person.token && found.page == person.page)
        #expect(found.height == 1.8 && found.weight == 0.1 && found.school == Data([0, 255]))
        #expect(found.petName == "Rex" && found.job == Job(title: "chef", salary: 3))
        #expect(
            found.marks == [3, 1, 3] && found.scores == ["x": 0.5] && found.tags == ["a", "b"])
    }

    @Test("MD-07: a type of one's own is stored as its raw value")
    func ownTypes() throws {
        var person = Person(name: "Ann")
        person.plate = Plate(rawValue: "B-AB 1")
        try save(person)
        #expect(Person.filter(\.plate == Plate(rawValue: "B-AB 1")).count(in: store.context) == 1)
    }

    @Test("MD-08: a value that cannot be coded is an error that names it, and nothing is saved")
    func codingErrors() throws {
        let error = #expect(throws: StoreError.self) {
            try save(Measurement(id: 1, value: .init(degrees: -300)))
        }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("Measurement") && text.contains("value"), "\(text)")
        #expect(store.context.count(Measurement.self) == 0)
    }

    @Test("MD-05, MD-20: a copy of an object is a value of its own")
    func copies() throws {
        let first = Person(name: "hi")
        var second = first
        second.name = "hello"
        #expect(first.name == "hi")
        try save(first)
        var found = try Person.require(first.id, in: store.context)
        found.name = "hello"
        #expect(try Person.require(first.id, in: store.context).name == "hi")
    }

    @Test("MD-11: rows have an order of their own, that of their first save")
    func insertionOrder() throws {
        for name in ["c", "a", "b"] { try save(Person(id: name, name: name)) }
        try save(Person(id: "c", name: "again"))
        #expect(Person.query().resolve(in: store.context).map(\.name) == ["again", "a", "b"])
    }

    @Test(
        "MD-13: objects that are loaded are saved with their parent, and logged where they changed")
    func nestedSaves() throws {
        try saveDisc()
        var disc = try #require(Disc.query(1).with(\.$songs).resolve(in: store.context))
        let unchanged = try store.writeReporting("Save") { try disc.save(to: &$0) }
        #expect(unchanged.transaction == nil)
        var songs = disc.songs ?? []
        songs[1].text = "B"
        disc.$songs = .relation(songs)
        let changed = try store.writeReporting("Save") { _ = try disc.save(to: &$0) }
        let transaction = try #require(changed.transaction)
        #expect(try transaction.changes(of: Song.self).map(\.id) == [2])
        #expect(try transaction.changes(of: Disc.self).isEmpty && self.songs() == "aBc")
    }

    @Test("MD-14: a type that is reached by a relation needs no mention")
    func registration() throws {
        try saveDisc()
        #expect(store.context.count(Song.self) == 3)
    }

    @Test("MD-16, MD-17, MD-18: all objects, one by its id, and whether it is there")
    func reading() throws {
        try saveDisc()
        #expect(Song.query().resolve(in: store.context).map(\.text) == ["a", "b", "c"])
        #expect(try Song.require(2, in: store.context).text == "b")
        #expect(throws: ContextError.self) { try Song.require(9, in: store.context) }
        #expect(Song.query(2).exists(in: store.context))
        #expect(!Song.query(9).exists(in: store.context))
    }

    @Test("MD-21: a removed object leaves lists and to-one relations, and no access crashes")
    func removing() throws {
        try saveDisc()
        try store.write { _ = try Song.delete(id: 2, from: &$0) }
        let disc = try #require(
            Disc.query(1).with(\.$songs).with(\.$cover).resolve(in: store.context))
        #expect(disc.cover == nil && disc.songs?.map(\.text) == ["a", "c"])
        #expect(try store.write { try !Song.delete(id: 2, from: &$0) })
    }

    @Test("MD-23: a to-one object is loaded where the query says so")
    func toOne() throws {
        try saveDisc()
        #expect(Disc.query(1).with(\.$cover).resolve(in: store.context)?.cover?.text == "b")
        #expect(Disc.query(1).resolve(in: store.context)?.cover == nil)
    }

    @Test("MD-25: a set takes an object once, and objects leave it by id or by a condition")
    func sets() throws {
        try saveDisc()
        try save(Disc(id: 1, title: "First", songs: .appending(ids: [1, 3])))
        #expect(songs() == "abc")
        let disc = try Disc.require(1, in: store.context)
        try store.write { try disc.detach([1], relation: \.$songs, in: &$0) }
        #expect(songs() == "bc")
        try store.write { context in
            let late = Disc.query(1).related(\.$songs).filter(\.text > "b").resolve(in: context)
            try disc.detach(late.map(\.id), relation: \.$songs, in: &context)
        }
        #expect(songs() == "b" && store.context.count(Song.self) == 3)
    }

    @Test("MD-28: the other side of a relation is read, counted, and kept in step")
    func reverse() throws {
        try saveDisc()
        try save(Disc(id: 2, title: "Second", songs: .ids([3])))
        let fathers = Song.query(3).related(\.$discs)
        #expect(fathers.count(in: store.context) == 2)
        #expect(fathers.resolve(in: store.context).map(\.title) == ["First", "Second"])
        try store.write { _ = try Disc.delete(id: 1, from: &$0) }
        #expect(fathers.resolve(in: store.context).map(\.id) == [2])
    }

    @Test("MD-32: a random element, and the count, without the rest")
    func randomElement() throws {
        try saveDisc()
        let ids = Disc.query(1).id(\.$songs).resolve(in: store.context)?.$songs.ids ?? []
        let id = try #require(ids.randomElement())
        #expect(ids.count == 3 && Song.query(id).exists(in: store.context))
        #expect(ids[1..<2].randomElement() == 2)
        #expect(Disc.query(1).related(\.$songs).count(in: store.context) == 3)
    }

    @Test("MD-38: stores write beside one another, and snapshots are read on any thread")
    func concurrency() async throws {
        let other = try Store.inMemory(Song.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (start, store) in [(0, store), (100, other)] {
                group.addTask {
                    for id in start..<start + 20 {
                        try await store.write { try Song(id: id, text: "x").save(to: &$0) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let snapshot = store.context
        let count = await Task.detached { snapshot.count(Song.self) }.value
        #expect(count == 20 && other.context.count(Song.self) == 20)
    }
}
