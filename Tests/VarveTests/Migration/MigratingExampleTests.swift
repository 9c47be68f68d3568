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
}
