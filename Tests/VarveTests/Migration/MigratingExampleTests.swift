import Foundation
import Testing
import Varve

@EntityModel("Person")
private struct FormerPerson {
    let id: Int
    var first: String
    var last: String
    var age: Int
    var mail: String?
}

@EntityModel
private struct Person: Equatable {
    let id: Int
    var fullName: String
    var age: String
    var mail: String
}

/// The types before the split, and behind the join.
private enum Whole {
    @EntityModel("Person")
    struct Person: Equatable {
        let id: Int
        var name: String
        var street: String?
        var city = ""
    }
}

private enum Apart {
    @EntityModel("Person")
    struct Person {
        let id: Int
        var name: String
        @Relationship(inverse: \.person) var address: Address?
    }

    @EntityModel("Address")
    struct Address {
        let id: Int
        var street: String
        var city: String
        @Relationship(inverse: \.address) var person: Person?
    }
}

/// What an app shows meanwhile.
private struct ProgressBar: Sendable {
    func show(_ done: Int, of total: Int) {}
}

@Suite("Examples of Docs/MIGRATING.md")
struct MigratingExampleTests {
    @Test("The migrations of the page do what it says")
    func migrations() throws {
        let place = StoreTests.Place()
        let url = place.url
        let former = try Store(at: url, FormerPerson.self)
        try former.write {
            try FormerPerson(id: 1, first: "Ada", last: "Byron", age: 36).save(to: &$0)
        }
        try former.close()
        let progress = ProgressBar()
        let store = try Store(
            at: url,
            migrations: [
                Migration("full names", of: "Person") { row in
                    let first = try row["first", as: String.self]
                    try row.set("fullName", to: first + " " + row["last", as: String.self])
                },
                Migration(
                    "ages as texts",
                    .convert("age", of: "Person", from: Int.self, to: String.self) { "\($0)" },
                    .fill("mail", of: "Person", with: "none"),
                    .remove("first", of: "Person"), .remove("last", of: "Person")),
            ],
            migrating: MigrationOptions { progress.show($0.done, of: $0.total) },
            Person.self)
        defer { try? FileManager.default.removeItem(atPath: url.path + ".before-2") }
        #expect(
            Person.query().resolve(in: store.context)
                == [Person(id: 1, fullName: "Ada Byron", age: "36", mail: "none")])
        let plan = try Store.plan(at: url, Person.self)
        #expect("\(plan)" == "nothing to do")
    }

    @Test("A person is split from the address, and joined with it again")
    func entities() throws {
        let place = StoreTests.Place()
        let url = place.url
        let split = Migration(
            "addresses",
            .split("Person", into: "Address", linkedBy: .relation("address")) { row in
                guard let street = try row["street", as: String?.self] else { return nil }
                var address = SplitEntity()
                try address.set("street", to: street)
                try address.take("city", from: row)
                return address
            },
            .remove("street", of: "Person"), .remove("city", of: "Person"))
        let join = Migration(
            "addresses again",
            .join("address", of: "Person") { row, address in
                try row.set("street", to: address["street", as: String.self])
                try row.set("city", to: address["city", as: String.self])
            },
            .remove("address", of: "Person"), .remove(type: "Address"))
        let people = [
            Whole.Person(id: 1, name: "Ada", street: "Elm 1", city: "X"),
            Whole.Person(id: 2, name: "Bob"),
        ]
        let former = try Store(at: url, Whole.Person.self)
        try former.write { for person in people { try person.save(to: &$0) } }
        try former.close()
        let quiet = MigrationOptions(backup: .none)
        let apart = try Store(
            at: url, migrations: [split], migrating: quiet, Apart.Person.self, Apart.Address.self)
        let ada = Apart.Person.query(1).with(\.$address).resolve(in: apart.context)
        #expect(ada?.address?.street == "Elm 1")
        #expect(apart.context.ids(Apart.Address.self) == [1])
        try apart.close()
        let whole = try Store(
            at: url, migrations: [split, join], migrating: quiet, Whole.Person.self)
        #expect(Whole.Person.query().resolve(in: whole.context) == people)
    }
}
