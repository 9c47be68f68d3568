import Foundation
import Testing
import Varve
import VarveTestSupport

@EntityModel("Person")
private struct Guest {
    let id: Int
    var name: String
    @Relationship var place: Place? = nil
}

@EntityModel("Place")
private struct Place {
    let id: String
    var street: String
    @Relationship var guest: Guest? = nil
}

@EntityModel("Person")
private struct Numbered {
    let id: String
    @Relationship(inverse: \.people) var house: NumberedHouse?
}

@EntityModel("House")
private struct NumberedHouse {
    let id: String
    @Relationship(inverse: \.house) var people: Numbered?
}

@EntityModel("Person")
private struct Single {
    let id: Int
    @Relationship(inverse: \.people) var house: SingleHouse?
}

@EntityModel("House")
private struct SingleHouse {
    let id: String
    @Relationship(inverse: \.house) var people: Single?
}

@EntityModel("Place")
private struct LonePlace {
    let id: String
    var street = ""
}

@EntityModel
private struct Spot {
    let id: Int
    var name: String
}

private struct Refusal: Error {}

@Suite("Errors of migrations that split, join and renumber entities")
struct EntityMigrationErrorTests {
    private let files = SimulatedDisk()

    /// Opens the former store with a migration, which is to fail and to write nothing.
    private func failure(
        _ types: [any EntityModelProtocol.Type], _ steps: MigrationStep...
    ) throws -> String {
        let former = try Store(
            in: files, mode: .readWrite, durability: .commit, types: Dwellers.types)
        if former.lastTransaction == 0 { try Dwellers.fill(former) }
        try former.close()
        let before = files.image.files
        let migration = Migration("change", steps: steps)
        defer { #expect(files.image.files == before, "nothing is written") }
        let plan = try Store.plan(in: files, migrations: [migration], types: types)
        do {
            let store = try Store(
                in: files, mode: .readWrite, durability: .commit, migrations: [migration],
                types: types)
            Issue.record("opened: \(store)")
            return ""
        } catch {
            #expect("\(error)" == plan.refusal.map { "\($0)" })
            return "\(error)"
        }
    }

    private func split(
        _ body: @escaping @Sendable (inout MigrationRow) throws -> SplitEntity?
    ) -> MigrationStep {
        .split("Person", into: "Place", linkedBy: .relation("place"), body)
    }

    @Test("Two entities that would get one id are named, with the id")
    func takenID() throws {
        let text = try failure(
            [Tenant.self, TenantCar.self, TenantHouse.self],
            .newIDs(of: "Person") { try $0["city", as: String.self] })
        // Bob and Ada live in X.
        #expect(text.contains("Person 2"), "\(text)")
        #expect(
            text.contains("new id \"X\" is that of another entity, which had the id 1"), "\(text)")
    }

    @Test("An id of another type than that of the app is refused")
    func wrongID() throws {
        let text = try failure(
            [Tenant.self, TenantCar.self, TenantHouse.self], .newIDs(of: "Person") { _ in 1.5 })
        #expect(text.contains("an id of Person was set to Double and is String"), "\(text)")
        let other = try failure(
            [Guest.self, Place.self], split { _ in SplitEntity() })
        #expect(other.contains("an id of Place was set to Int"), "\(other)")
    }

    @Test("What a split makes is not split again in one opening, nor is what is split removed")
    func changedAgain() throws {
        let again = try failure(
            [Guest.self, Place.self],
            split { row in try SplitEntity(id: row.idText) },
            .split("Place", into: "Person", linkedBy: .relation("guest")) { _ in nil })
        #expect(
            again.contains("the entities of Place that the step makes are split or joined"),
            "\(again)")
        let removed = try failure(
            [Spot.self],
            .split("Person", into: "Spot", linkedBy: .inverse("person")) { row in
                var spot = SplitEntity()
                try spot.take("name", from: row)
                return spot
            },
            .remove("person", of: "Spot"), .remove(type: "Person"))
        #expect(removed.contains("Person is split and removed in the same opening"), "\(removed)")
    }

    @Test("What a step throws is in the error, with the entity")
    func thrown() throws {
        let ids = try failure(
            [Tenant.self, TenantCar.self, TenantHouse.self],
            .newIDs(of: "Person") { row -> String in throw Refusal() })
        #expect(ids.contains("migration 'change', Person 1: Refusal()"), "\(ids)")
        let parts = try failure([Guest.self, Place.self], split { _ in throw Refusal() })
        #expect(parts.contains("migration 'change', Person 1: Refusal()"), "\(parts)")
        let joins = try failure(
            [CarOwner.self, LoneCar.self], .join("car", of: "Person") { _, _ in throw Refusal() })
        #expect(joins.contains("migration 'change', Person 1: Refusal()"), "\(joins)")
    }

    @Test("A type or a relation that is not there is named")
    func names() throws {
        let type = try failure(
            [Guest.self, Place.self],
            .split("Person", into: "Plaze", linkedBy: .relation("place")) { _ in SplitEntity() })
        #expect(type.contains("no type 'Plaze' to split into"), "\(type)")
        let relation = try failure(
            [Guest.self, Place.self],
            .split("Person", into: "Place", linkedBy: .inverse("host")) { _ in SplitEntity() })
        #expect(
            relation.contains("Place has no relation 'host' that leads to Person"), "\(relation)")
    }

    @Test("An error says what to do where an app does not name a type of a split any more")
    func unnamed() throws {
        let part = try failure([Spot.self], split { _ in SplitEntity() })
        #expect(part.contains("ends with .remove(type: \"Place\")"), "\(part)")
        let holder = try failure([LonePlace.self], split { _ in try SplitEntity(id: "p") })
        #expect(holder.contains("Person has no relation 'place' that leads to Place"), "\(holder)")
        #expect(holder.contains("opens the store once with the version that does"), "\(holder)")
        let migration = Migration(
            "change", split { _ in SplitEntity() }, .remove(type: "Place"))
        let store = try Store(
            in: files, mode: .readWrite, durability: .commit, migrations: [migration],
            types: [Spot.self])
        #expect(store.lastTransaction == 6)
    }

    @Test("Where the app does not name a type, its entities get no other ids")
    func unnamedIDs() throws {
        let former = try Store(
            in: files, mode: .readWrite, durability: .commit, types: Dwellers.types)
        try Dwellers.fill(former)
        try former.close()
        let ids = Migration("ids", .newIDs(of: "Person") { _ -> String in throw Refusal() })
        let migrated = try Store(
            in: files, mode: .readWrite, durability: .commit, migrations: [ids],
            types: [Spot.self])
        #expect(migrated.lastTransaction == 6)
        try migrated.close()
        let again = try Store(
            in: files, mode: .readWrite, durability: .commit, migrations: [ids],
            types: Dwellers.types)
        #expect(Dweller.query().resolve(in: again.context).map(\.id) == [1, 2])
        #expect(
            Dweller.query().resolve(in: try again.context(asOf: .transaction(1))).map(\.id)
                == [1, 2, 3])
    }

    @Test("A new entity needs its values, and takes none that its type lacks")
    func values() throws {
        let missing = try failure(
            [Guest.self, Place.self], split { row in try SplitEntity(id: row.idText) })
        #expect(missing.contains("migration 'change', Place \"1\": 'street' has no"), "\(missing)")
        let unused = try failure(
            [Guest.self, Place.self],
            split { row in
                var place = try SplitEntity(id: row.idText)
                try place.set("street", to: "s")
                try place.set("strete", to: "s")
                return place
            })
        #expect(unused.contains("'strete' was set, and the app's type has no such"), "\(unused)")
        let absent = try failure(
            [Guest.self, Place.self],
            split { row in
                var place = try SplitEntity(id: row.idText)
                try place.take("strete", from: row)
                return place
            })
        #expect(absent.contains("there is no property 'strete'"), "\(absent)")
    }

    @Test("Entities that are split into one have to agree, and one link is one link")
    func shared() throws {
        let differing = try failure(
            [Guest.self, Place.self],
            split { row in
                var place = try SplitEntity(id: "one")
                try place.set("street", to: row.idText)
                return place
            })
        #expect(differing.contains("Place \"one\" has another 'street' already"), "\(differing)")
        let computed = try failure(
            [Guest.self, Place.self],
            split { row in
                var place = try SplitEntity(id: "one")
                try place.set("street", to: row.idText)
                return place
            }, .rows(of: "Place") { try $0.set("street", to: "all of them") })
        #expect(computed.contains("Place \"one\" has another 'street' already"), "\(computed)")
        let taken = try failure(
            [Guest.self, Place.self],
            .split("Person", into: "Place", linkedBy: .inverse("guest")) { row in
                var place = try SplitEntity(id: "one")
                try place.set("street", to: "same")
                return place
            })
        #expect(
            taken.contains("Place \"one\" is linked to another entity by 'guest'"), "\(taken)")
    }

    @Test("Steps that would need what others of the same opening make are refused")
    func together() throws {
        let joined = try failure(
            [Guest.self, Place.self], split { _ in nil },
            .join("place", of: "Person") { _, _ in })
        #expect(joined.contains("'place' is made by a split and used by a join"), "\(joined)")
        let narrowed = try failure(
            [Numbered.self, NumberedHouse.self],
            .newIDs(of: "Person") { "\(try $0.id(as: Int.self))" },
            .toOne("people", of: "House", keeping: .first))
        #expect(narrowed.contains("'people' cannot become to-one while"), "\(narrowed)")
        let joins: [MigrationStep] = [
            .join("people", of: "House") { _, _ in }, .join("house", of: "Person") { _, _ in },
        ]
        for join in joins {
            let joined = try failure(
                [Single.self, SingleHouse.self], .toOne("people", of: "House", keeping: .first),
                join)
            #expect(
                joined.contains("'people' cannot become to-one and be joined by"), "\(joined)")
        }
    }
}
