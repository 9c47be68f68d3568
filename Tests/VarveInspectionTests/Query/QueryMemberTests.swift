import Foundation
import Testing
import Varve

@testable import VarveInspection

@Storable
private struct Place {
    var city: String
    var zip: Int
    var marks: [String]
}

@Storable
private enum Shape {
    case none
    case circle(radius: Double)
}

private struct Note: Codable, Equatable, Sendable {
    var text: String
    var stars: Int?
}

@EntityModel
private struct Person {
    let id: Int
    var home: Place
    var work: Place?
    var tags: [String]
    var scores: Set<Int>
    var shelf: [String: Int]
    var shape: Shape
    var note: Note
    @Relationship var boss: Person? = nil
}

@Suite("Queries of values inside of values")
struct QueryMemberTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        let url = URL(fileURLWithPath: folder.file("people.varve"))
        let store = try Store(at: url, Person.self)
        try store.write("Fill") { context in
            let ann = Person(
                id: 1, home: Place(city: "Rome", zip: 100, marks: ["hill", "river"]), work: nil,
                tags: ["red", "blue"], scores: [1, 5], shelf: ["tea": 2], shape: .none,
                note: Note(text: "first", stars: 3))
            let bob = Person(
                id: 2, home: Place(city: "Oslo", zip: 7, marks: []),
                work: Place(city: "Rome", zip: 101, marks: ["hill"]), tags: [], scores: [],
                shelf: ["tea": 9, "nuts": 1], shape: .circle(radius: 1.5),
                note: Note(text: "second"), boss: .relation(ann))
            try bob.save(to: &context)
        }
        try store.close()
    }

    private var inspection: Inspection {
        get throws { try Inspection(at: folder.file("people.varve")) }
    }

    @Test(
        "A path leads into structures, dictionaries, payloads, JSON and what is related",
        arguments: [
            ("home.city == 'Rome'", "1"), ("home.zip < 50", "2"), ("work.city == 'Rome'", "2"),
            ("work is null", "1"), ("work.zip is null", "1"), ("home.marks contains 'river'", "1"),
            ("length(home.marks) == 2", "1"), ("tags contains 'blue'", "1"),
            ("count(tags) == 0", "2"), ("scores contains 5", "1"), ("shelf.tea > 5", "2"),
            ("shelf.nuts is null", "1"), ("shape.radius > 1", "2"), ("note.text == 'second'", "2"),
            ("note.stars == 3", "1"), ("note.nothing is null", "2 1"),
            ("boss.home.city == 'Rome'", "2"), ("home.city == work.city", ""),
        ])
    func paths(condition: String, ids: String) throws {
        let found = try QueryStore.answer("Person where \(condition) select id", in: inspection)
        #expect(found.map { $0[0] }.joined(separator: " ") == ids)
    }

    @Test("Members are selected, ordered by and summed up")
    func columns() throws {
        #expect(
            try QueryStore.answer("Person order by home.zip select id, home.city", in: inspection)
                == [["2", "\"Oslo\""], ["1", "\"Rome\""]])
        #expect(
            try QueryStore.answer(
                "Person select sum(home.zip), most(shelf.tea), count()", in: inspection)
                == [["107", "9", "2"]])
        #expect(
            try QueryStore.answer(
                "Person group by work.city select count() order by work.city", in: inspection)
                == [["null", "1"], ["\"Rome\"", "1"]])
    }

    @Test(
        "What no value can have is refused at its place",
        arguments: [
            (
                "Person where home.zipp == 1", 18..<22,
                "'Place' has no 'zipp'; it has city, zip, marks"
            ),
            (
                "Person where work.town == 'x'", 18..<22,
                "'Place' has no 'town'; it has city, zip, marks"
            ),
            ("Person where home.city > 5", 25..<26, "a text cannot be compared with a number"),
            ("Person where home.city.first == 1", 23..<28, "a text has no member 'first'"),
            ("Person where tags contains 5", 27..<28, "a text cannot be compared with a number"),
            (
                "Person where boss.home.marks contains 1", 38..<39,
                "a text cannot be compared with a number"
            ),
            ("Person where shape.radios > 1", 19..<25, "'Shape' has no 'radios'; it has radius"),
            (
                "Person where tags contains @updatedAt", 27..<37,
                "a text cannot be compared with a date"
            ),
            ("Person where shelf.tea == 'x'", 26..<29, "a number cannot be compared with a text"),
            ("Person select sum(home.city)", 18..<27, "sum() takes numbers, not a text"),
        ])
    func refusals(text: String, place: Range<Int>, reason: String) throws {
        let error = try #require(try QueryStore.error(text, in: inspection))
        #expect(error.description.hasPrefix(reason))
        #expect(error.place == place)
    }
}
