import Foundation
import Testing
import Varve
import VarveTestSupport

// A structure that is stored in one form, then in another, and gets members in between.

enum FormsV1 {
    struct Place: Codable, Equatable { var x: Int }

    @Storable struct Kept: Equatable { var x: Int }

    @EntityModel("Stop")
    struct Stop {
        let id: Int
        var place: Place
        var kept = Kept(x: 0)
    }
}

enum FormsV2 {
    @Storable struct Place: Codable, Equatable {
        var x: Int
        var height = 7
        var note: String? = "n"
    }

    @EntityModel("Stop")
    struct Stop {
        let id: Int
        var place: Place
        var kept = Place(x: 0)
    }
}

enum FormsV3 {
    @Storable struct Place: Codable, Equatable {
        var x: Int
        var height = 100
        var note: String?
        var colour = "red"
    }

    @EntityModel("Stop")
    struct Stop {
        let id: Int
        var place: Place
        var kept = Place(x: 0)
    }
}

enum FormsJSON {
    struct Place: Codable, Equatable {
        var x: Int
        var height: Int?
        var note: String?
    }

    @EntityModel("Stop")
    struct Stop {
        let id: Int
        var place: FormsV2.Place
        var kept = Place(x: 0)
    }
}

@Suite("Members with a default value, where the form of their structure changes")
struct MemberDefaultChangeTests {
    private func open(
        _ disk: SimulatedDisk, _ migrations: [Migration] = [],
        _ types: any EntityModelProtocol.Type...
    ) throws -> Store {
        try Store(
            in: disk, mode: .readWrite, durability: .commit, retention: .everything,
            compactsAutomatically: false, migrations: migrations, types: types)
    }

    private func written() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = try open(disk, [], FormsV1.Stop.self)
        try store.write { context in
            for id in 1...2 {
                try FormsV1.Stop(id: id, place: .init(x: id), kept: .init(x: id))
                    .save(to: &context)
            }
        }
        try store.close()
        return disk
    }

    @Test("Documents have the default values of members that they lack, of every later definition")
    func fromJSON() throws {
        let disk = try written()
        let second = try open(disk, [], FormsV2.Stop.self)
        let stop = try FormsV2.Stop.require(1, in: second.context)
        #expect(stop.place.x == 1 && stop.place.height == 7 && stop.place.note == nil)
        #expect(stop.kept == FormsV2.Place(x: 1))
        try second.write { context in
            _ = try FormsV2.Stop.query(2).update(in: &context) { $0.place.x = 20 }
        }
        try second.close()
        let third = try open(disk, [], FormsV3.Stop.self)
        // Row 1 is still in the first definition.
        for id in 1...2 {
            let stop = try FormsV3.Stop.require(id, in: third.context)
            #expect(stop.place.height == 7 && stop.place.colour == "red" && stop.place.note == nil)
            #expect(stop.kept.height == 7 && stop.kept.colour == "red" && stop.kept.note == "n")
        }
        let past = try third.context(asOf: .transaction(1))
        #expect(try FormsV3.Stop.require(2, in: past).place.height == 7)
    }

    @Test("A structure that values lack members of becomes no JSON without a step that converts it")
    func toJSON() throws {
        let disk = try written()
        let second = try open(disk, [], FormsV2.Stop.self)
        try second.write { context in
            _ = try FormsV2.Stop.query(2).update(in: &context) { $0.place.x = 20 }
        }
        try second.close()
        #expect {
            _ = try open(disk, [], FormsJSON.Stop.self)
        } throws: { error in
            guard case StoreError.schema(let problems) = error else { return false }
            return problems.map(\.property) == ["kept"] && "\(error)".contains(".convert(\"kept\"")
                && "\(error)".contains("'height'")
        }
        let convert = Migration(
            "kept",
            .convert(
                "kept", of: "Stop", from: FormsV2.Place.self, to: FormsJSON.Place.self
            ) { FormsJSON.Place(x: $0.x, height: $0.height, note: $0.note) })
        let third = try open(disk, [convert], FormsJSON.Stop.self)
        let expected = FormsJSON.Place(x: 1, height: 7, note: "n")
        #expect(try FormsJSON.Stop.require(1, in: third.context).kept == expected)
        let past = try third.context(asOf: .transaction(1))
        #expect(try FormsJSON.Stop.require(1, in: past).kept == expected)
    }
}
