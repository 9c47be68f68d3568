import Foundation
import Testing
import Varve

// Four versions of one app's types, told apart by the names of the Swift types only.

@EntityModel("Person")
struct PersonV1: Equatable {
    let id: Int
    var name: String

    @Relationship(inverse: \.members) var team: TeamV1?
}

@EntityModel("Team")
struct TeamV1: Equatable {
    let id: String

    @Relationship(inverse: \.team) var members: [PersonV1]?
}

@EntityModel("Person")
struct PersonV2: Equatable {
    let id: Int
    var nickname: String?
    var name: String
    var level: Int = 7

    @Relationship(inverse: \.members) var team: TeamV2?
    @Relationship var mentor: PersonV2? = nil
}

@EntityModel("Team")
struct TeamV2: Equatable {
    let id: String

    @Relationship(inverse: \.team) var members: [PersonV2]?
}

@EntityModel("Person")
struct PersonWithDemand {
    let id: Int
    var name: String
    var age: Int
}

@EntityModel("Person")
struct PersonWithOtherType {
    let id: Int
    var name: [Int]
}

@EntityModel("Person")
struct PersonRenamed: Equatable {
    let id: Int
    @PersistedName("name") var fullName: String
}

@Suite("Changing types")
struct SchemaChangeTests {
    private func firstStore(at place: StoreTests.Place) throws {
        let store = try Store(at: place.url, PersonV1.self)
        try store.write { context in
            try TeamV1(
                id: "t",
                members: .relation([PersonV1(id: 1, name: "Ada"), PersonV1(id: 2, name: "Bob")])
            ).save(to: &context)
            try PersonV1(id: 3, name: "Cy", team: .id("t")).save(to: &context)
            try PersonV1.delete(id: 3, from: &context)
        }
        try store.close()
    }

    @Test("New optional and defaulted properties are filled in old rows and old tombstones")
    func newProperties() throws {
        let place = StoreTests.Place()
        try firstStore(at: place)
        let store = try Store(at: place.url, PersonV2.self)
        #expect(
            PersonV2.query().resolve(in: store.context)
                == [PersonV2(id: 1, name: "Ada"), PersonV2(id: 2, name: "Bob")])
        #expect(Deleted<PersonV2>.query(3).resolve(in: store.context)?.entity.level == 7)
        #expect(TeamV2.query("t").related(\.$members).count(in: store.context) == 2)
        try store.write { context in
            try PersonV2(id: 2, nickname: "B", name: "Bob", level: 9).save(to: &context)
        }
        try store.close()
        let again = try Store(at: place.url, PersonV2.self)
        #expect(PersonV2.query(2).resolve(in: again.context)?.nickname == "B")
        #expect(PersonV2.query(1).resolve(in: again.context)?.level == 7)
    }

    @Test("An older app keeps the values of properties that it does not know")
    func unknownProperties() throws {
        let place = StoreTests.Place()
        do {
            let store = try Store(at: place.url, PersonV2.self)
            try store.write { context in
                var ada = PersonV2(id: 1, nickname: "A", name: "Ada", level: 3, team: .id("t"))
                ada.$mentor = .relation(PersonV2(id: 2, nickname: "B", name: "Bob", level: 4))
                try ada.save(to: &context)
                try TeamV2(id: "t").save(to: &context)
            }
            try store.close()
        }
        do {
            let store = try Store(at: place.url, PersonV1.self)
            try store.write { context in
                try PersonV1(id: 1, name: "Ada Lovelace").save(to: &context)
                try PersonV1(id: 5, name: "New").save(to: &context)
                try PersonV1.delete(id: 2, from: &context)
            }
            try store.write { context in
                try Deleted<PersonV1>.query(2).resolve(in: context)?.restore(in: &context)
            }
            try store.close()
        }
        let store = try Store(at: place.url, PersonV2.self)
        let ada = try #require(PersonV2.query(1).id(\.$mentor).resolve(in: store.context))
        #expect(ada.name == "Ada Lovelace")
        #expect(ada.nickname == "A")
        #expect(ada.level == 3)
        #expect(ada.$mentor.id == 2)
        #expect(PersonV2.query(2).resolve(in: store.context)?.nickname == "B")
        #expect(PersonV2.query(5).resolve(in: store.context)?.level == 7)
    }

    @Test("A new property without a default is refused at opening, by type and property")
    func demandingProperty() throws {
        let place = StoreTests.Place()
        try firstStore(at: place)
        #expect(problems(at: place, PersonWithDemand.self) == ["Person.age"])
        #expect(problems(at: place, PersonWithOtherType.self) == ["Person.name"])
        _ = try Store(at: place.url, PersonV1.self)
    }

    private func problems(
        at place: StoreTests.Place, _ type: any EntityModelProtocol.Type
    ) -> [String] {
        do {
            _ = try Store(at: place.url, type)
            return []
        } catch StoreError.schema(let problems) {
            return problems.map { "\($0.type).\($0.property ?? "")" }
        } catch {
            return ["\(error)"]
        }
    }

    @Test("A property may be renamed in Swift and keep its persisted name")
    func renamedProperty() throws {
        let place = StoreTests.Place()
        try firstStore(at: place)
        let store = try Store(at: place.url, PersonRenamed.self)
        #expect(PersonRenamed.query(1).resolve(in: store.context)?.fullName == "Ada")
    }
}
