import Foundation
import Testing
import Varve
import VarveTestSupport

@EntityModel("Person")
private struct LoneTenant {
    let id: String
    var name: String
}

@EntityModel("Person")
private struct Citizen {
    let id: Int
    var name: String
    @Relationship(inverse: \.people) var town: Town?
}

@EntityModel("Town")
private struct Town {
    let id: String
    @Relationship(inverse: \.town) var people: [Citizen]?
}

@EntityModel("Person")
private struct Lodger {
    let id: Int
    @Relationship() var lodge: Lodge?
}

@EntityModel("House")
private struct Lodge {
    let id: String
}

/// A second migration of entities that a first one has made, or renumbered.
private struct Sequel: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let first: EntityCase
    let migration: Migration
    /// The change of a line of what the first migration leads to.
    let change: @Sendable (String) -> String

    static let all = [
        Sequel(
            testDescription: "other ids again", first: .newIDs,
            migration: Migration(
                "again", .newIDs(of: "Person") { "q" + (try $0.id(as: String.self)) })
        ) { $0.replacing(/p(\d)/) { "qp\($0.output.1)" } },
        Sequel(
            testDescription: "other ids of what was split", first: .split,
            migration: Migration(
                "addresses by number", .newIDs(of: "Address") { try $0.id(as: Int.self) + 100 })
        ) { line in
            line.replacing(/at \[(\d)\]/) { "at [10\($0.output.1)]" }
                .replacing(/^(\d) (Elm|Oak|Fir)/) { "10\($0.output.1) \($0.output.2)" }
        },
    ]
}

@Suite("Migrations of entities, one after the other")
struct EntityMigrationSequelTests: MigrationSuite {
    private func formerDisk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let former = try open(disk, Dwellers.types)
        try Dwellers.fill(former)
        try former.close()
        return disk
    }

    /// Checks the newest state, those of the past, and what undo and redo lead to.
    private func check(
        _ store: Store, _ describe: (Context) -> [String], _ expected: [[String]]
    ) throws {
        #expect(Set(describe(store.context)) == Set(expected[5]))
        for transaction in 0...5 {
            let past = try store.context(asOf: .transaction(TransactionID(UInt64(transaction))))
            #expect(Set(describe(past)) == Set(expected[transaction]), "behind \(transaction)")
            past.checkInvariants()
        }
        for transaction in (0...4).reversed() {
            try store.undo()
            #expect(Set(describe(store.context)) == Set(expected[transaction]))
            store.context.checkInvariants()
        }
        for _ in 1...5 { try store.redo() }
        #expect(Set(describe(store.context)) == Set(expected[5]))
        store.context.checkInvariants()
    }

    @Test(
        "A second migration follows the first, in another opening or the same",
        arguments: Sequel.all)
    private func sequel(_ sequel: Sequel) throws {
        let (first, expected) = (sequel.first, sequel.first.expected.map { $0.map(sequel.change) })
        let migrations = [first.migration, sequel.migration]
        let together = try open(formerDisk(), first.types, migrations)
        #expect(together.lastTransaction == 6)
        try check(together, first.describe, expected)
        let disk = try formerDisk()
        try open(disk, first.types, [first.migration]).close()
        let apart = try open(disk, first.types, migrations)
        #expect(apart.lastTransaction == 7)
        try check(apart, first.describe, expected)
    }

    @Test("The history of an entity goes through several ids")
    func history() throws {
        let disk = try formerDisk()
        let sequel = Sequel.all[0]
        try open(disk, sequel.first.types, [sequel.first.migration]).close()
        let store = try open(
            disk, sequel.first.types, [sequel.first.migration, sequel.migration])
        let story = try store.history(of: Tenant.self, id: "qp1")
        #expect(story.map(\.transaction.id) == [7, 6, 2, 1])
        #expect(story.map { $0.entity?.id } == Array(repeating: "qp1", count: 4))
        #expect(story.map { $0.entity?.street } == ["Elm 2", "Elm 2", "Elm 2", "Elm 1"])
    }

    @Test("Links of types and relations that the app does not name follow too")
    func unnamed() throws {
        let disk = try formerDisk()
        try open(disk, [LoneTenant.self], [EntityCase.newIDs.migration]).close()
        let tested = EntityCase.newIDs
        let store = try open(disk, tested.types, [tested.migration])
        #expect(store.lastTransaction == 6)
        try check(store, tested.describe, tested.expected)
    }

    @Test("Rows that give one id are linked to one entity, which is deleted where all of them are")
    func shared() throws {
        let towns = Migration(
            "towns",
            .split("Person", into: "Town", linkedBy: .inverse("people")) { row in
                let city = try row["city", as: String.self]
                return city.isEmpty ? nil : try SplitEntity(id: city)
            })
        let store = try open(formerDisk(), [Citizen.self, Town.self], [towns])
        func describe(_ context: Context) -> [String] {
            Town.query().id(\.$people).resolve(in: context).map { "\($0.id) \($0.$people.heldIDs)" }
                + Deleted<Town>.query().resolve(in: context).map { "deleted \($0.entity.id)" }
        }
        #expect(describe(store.context) == ["X [1, 2]", "deleted Y"])
        #expect(
            Citizen.query().id(\.$town).resolve(in: store.context).map(\.$town.heldIDs)
                == [["X"], ["X"]])
        #expect(describe(try store.context(asOf: .transaction(1))) == ["X [1]", "Y [3]"])
        store.context.checkInvariants()
    }

    @Test("Entities are split into a type that has some, behind these")
    func existing() throws {
        let lodges = Migration(
            "lodges",
            .split("Person", into: "House", linkedBy: .relation("lodge")) { row in
                try SplitEntity(id: row.idText == "1" ? "h" : "new")
            })
        let disk = try formerDisk()
        let store = try open(disk, [Lodger.self, Lodge.self], [lodges])
        let lodgers = Lodger.query().id(\.$lodge).resolve(in: store.context)
        #expect(lodgers.map(\.$lodge.heldIDs) == [["h"], ["new"]])
        #expect(Lodge.query().resolve(in: store.context).map(\.id) == ["h", "new"])
        try store.write { try Lodge(id: "later").save(to: &$0) }
        #expect(Lodge.query().resolve(in: store.context).map(\.id) == ["h", "new", "later"])
        store.context.checkInvariants()
        let past = try store.context(asOf: .transaction(1))
        #expect(Lodge.query().resolve(in: past).map(\.id) == ["h", "new"])
        past.checkInvariants()
    }
}
