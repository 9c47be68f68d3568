import Foundation
import Testing
import Varve
import VarveTestSupport

@EntityModel("Person")
private struct FormerCitizen {
    let id: Int
    var city: String
}

@EntityModel("Town")
private struct FormerTown {
    let id: String
    var mayor: String
    var country: String?
}

@EntityModel("Person")
private struct Citizen {
    let id: Int
    var city: String
    @Relationship(inverse: \.citizens) var town: Town?
}

@EntityModel("Town")
private struct Town {
    let id: String
    var head: String
    var country: String
    @Relationship(inverse: \.town) var citizens: [Citizen]?
}

// Two types with a relation, before and behind.

@EntityModel("Lodger")
private struct Lodger {
    let id: Int
    @Relationship var room: Room? = nil
}

@EntityModel("Room")
private struct Room {
    let id: Int
    var name: String
}

@Suite("Entities that are split into ones that are there")
struct EntityMigrationSharingTests {
    private let files = SimulatedDisk()

    /// Opens a store of two towns, of which Z is deleted, with a migration.
    private func migrated(
        _ body: @escaping @Sendable (inout MigrationRow) throws -> SplitEntity?
    ) throws -> Store {
        let former = try Store(
            in: files, mode: .readWrite, durability: .commit,
            types: [FormerCitizen.self, FormerTown.self])
        try former.write { context in
            try FormerTown(id: "X", mayor: "May", country: "C").save(to: &context)
            try FormerTown(id: "Z", mayor: "Zoe").save(to: &context)
            try FormerCitizen(id: 1, city: "X").save(to: &context)
            try FormerCitizen(id: 2, city: "X").save(to: &context)
            try FormerCitizen(id: 3, city: "Z").save(to: &context)
        }
        try former.write { try FormerTown.delete(id: "Z", from: &$0) }
        try former.close()
        return try Store(
            in: files, mode: .readWrite, durability: .commit,
            migrations: [
                Migration(
                    "towns", .split("Person", into: "Town", linkedBy: .relation("town"), body),
                    .rename("mayor", of: "Town", to: "head"),
                    .fill("country", of: "Town", with: "none"))
            ], types: [Citizen.self, Town.self])
    }

    private func failure(
        _ body: @escaping @Sendable (inout MigrationRow) throws -> SplitEntity?
    ) -> String {
        do {
            _ = try migrated(body)
            return ""
        } catch {
            return "\(error)"
        }
    }

    private func describe(_ context: Context) -> [String] {
        Town.query().id(\.$citizens).resolve(in: context).map {
            "\($0.id) \($0.head), \($0.country): \($0.$citizens.heldIDs)"
        }
    }

    @Test("They need none of their values set, and keep them")
    func unset() throws {
        let store = try migrated { try SplitEntity(id: try $0["city", as: String.self]) }
        let expected = ["X May, C: [1, 2]", "Z Zoe, none: [3]"]
        #expect(describe(store.context) == expected)
        store.context.checkInvariants()
        let past = try store.context(asOf: .transaction(1))
        #expect(describe(past) == expected)
        past.checkInvariants()
    }

    @Test("Values that are set are compared, under the names that they have behind later steps")
    func set() throws {
        let text = failure { row in
            var town = try SplitEntity(id: try row["city", as: String.self])
            try town.set("mayor", to: "May")
            return town
        }
        #expect(text.contains("Town \"Z\" has another 'head' already"), "\(text)")
    }

    @Test("A deleted entity that keeps the link already keeps the stamps of its deletion")
    func stamps() throws {
        func deletion(_ store: Store) -> Date? {
            let deleted: Deleted<Lodger>? = store.context.find(1)
            return deleted?.updatedAt(in: store.context)
        }
        let former = try Store(
            in: files, mode: .readWrite, durability: .commit, types: [Lodger.self, Room.self])
        try former.write { context in
            try Room(id: 7, name: "Blue").save(to: &context)
            try Lodger(id: 1, room: .id(7)).save(to: &context)
        }
        try former.write { try Lodger.delete(id: 1, from: &$0) }
        let expected = try #require(deletion(former))
        try former.close()
        let migration = Migration(
            "rooms",
            .split("Lodger", into: "Room", linkedBy: .relation("room")) { _ in
                try SplitEntity(id: 7)
            })
        for _ in 1...2 {
            let store = try Store(
                in: files, mode: .readWrite, durability: .commit, migrations: [migration],
                types: [Lodger.self, Room.self])
            #expect(deletion(store) == expected)
            try store.close()
        }
    }

    @Test("New ones need their values")
    func new() throws {
        let text = failure { try SplitEntity(id: "new \(try $0["city", as: String.self])") }
        #expect(text.contains("'head' has no value"), "\(text)")
    }
}
