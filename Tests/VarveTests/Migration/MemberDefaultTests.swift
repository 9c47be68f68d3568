import Foundation
import Testing
import Varve
import VarveTestSupport

// Two versions of a structure; the later one has new members with default values.

enum DefaultsV1 {
    @Storable struct Place: Equatable {
        var x: Int
        var name: String
    }

    @Storable enum Way: Equatable { case home, to(Place) }

    @EntityModel("Trip")
    struct Trip {
        let id: Int
        var place: Place
        var stops: [Place] = []
        var byName: [String: Place] = [:]
        var last: Place?
        var way: Way = .home
    }
}

enum DefaultsV2 {
    @Storable struct Detail: Equatable {
        var level = 3
        var tags: [String] = ["t"]
    }

    @Storable struct Place: Equatable {
        var name: String
        var height = 7
        var x: Int
        var detail = Detail()
        var note: String? = "none"
        var code: Int?
    }

    @Storable enum Way: Equatable { case home, nowhere, to(Place) }

    @EntityModel("Trip")
    struct Trip {
        let id: Int
        var place: Place
        var stops: [Place] = []
        var byName: [String: Place] = [:]
        var last: Place?
        var way: Way = .home
    }

    static func place(_ x: Int, _ name: String = "p") -> Place { Place(name: name, x: x) }
}

enum DefaultsV3 {
    /// Another default, and a wider one beside a new one.
    @Storable struct Place: Equatable {
        var name: String
        var height = 100
        var x: Int
        var detail = DefaultsV2.Detail(level: 9)
        var note: String?
        var code: Int?
        var colour = "red"
    }

    @EntityModel("Trip")
    struct Trip {
        let id: Int
        var place: Place
    }
}

@Suite("Members of storable structures that have a default value")
struct MemberDefaultTests {
    private func open(
        _ disk: SimulatedDisk, _ mode: Store.Mode = .readWrite,
        _ types: any EntityModelProtocol.Type...
    ) throws -> Store {
        try Store(
            in: disk, mode: mode, durability: .commit, retention: .everything,
            compactsAutomatically: false, types: types)
    }

    /// Trips 1 and 2; a step changes 1, and a long name, as a splice; 2 is deleted.
    private func written() throws -> SimulatedDisk {
        typealias Place = DefaultsV1.Place
        let disk = SimulatedDisk()
        let store = try open(disk, .readWrite, DefaultsV1.Trip.self)
        let long = String(repeating: "long ", count: 100)
        try store.write("Add") { context in
            for id in 1...2 {
                let place = Place(x: id, name: "p")
                try DefaultsV1.Trip(
                    id: id, place: place, stops: [place, place], byName: ["a": place],
                    last: place, way: .to(Place(x: id, name: long))
                ).save(to: &context)
            }
        }
        try store.write("Change") { context in
            _ = try DefaultsV1.Trip.query(1).update(in: &context) {
                $0.place.x = 10
                $0.stops.append(Place(x: 3, name: long + "!"))
                $0.way = .to(Place(x: 1, name: long + "?"))
            }
        }
        try store.write("Delete") { try DefaultsV1.Trip.delete(id: 2, from: &$0) }
        try store.close()
        return disk
    }

    @Test("Values from before have the defaults of the declaration, wherever the structure is")
    func reading() throws {
        let disk = try written()
        for mode in [Store.Mode.readOnly, .readWrite] {
            let store = try open(disk, mode, DefaultsV2.Trip.self)
            let trip = try DefaultsV2.Trip.require(1, in: store.context)
            #expect(trip.place == DefaultsV2.place(10))
            #expect(trip.place.detail.tags == ["t"] && trip.place.note == "none")
            #expect(trip.stops.prefix(2) == [DefaultsV2.place(1), DefaultsV2.place(1)])
            #expect(trip.byName == ["a": DefaultsV2.place(1)])
            #expect(trip.last == DefaultsV2.place(1))
            guard case .to(let place) = trip.way else { throw CancellationError() }
            #expect(place.height == 7 && place.x == 1)
            try store.close()
        }
    }

    @Test("Undo, redo, restoration, states of the past and history lead across the new members")
    func past() throws {
        let disk = try written()
        let store = try open(disk, .readWrite, DefaultsV2.Trip.self)
        typealias Trip = DefaultsV2.Trip
        let first = { try Trip.require(1, in: $0) }
        let before = try first(store.context)
        try store.write("Climb") { context in
            _ = try Trip.query(1).update(in: &context) { $0.place.height = 50 }
        }
        for transaction in 1...3 {
            let past = try store.context(asOf: .transaction(TransactionID(UInt64(transaction))))
            let trip = try first(past)
            #expect(trip.place == DefaultsV2.place(transaction == 1 ? 1 : 10))
            #expect((Trip.query(2).resolve(in: past) == nil) == (transaction == 3))
        }
        let heights = try store.history(of: Trip.self, id: 1).map { $0.entity?.place.height }
        #expect(heights == [50, 7, 7])
        try store.undo()
        #expect(try first(store.context).place == before.place)
        #expect(try store.undo().label == "Delete")
        #expect(try Trip.require(2, in: store.context).last == DefaultsV2.place(2))
        #expect(try store.undo().label == "Change")
        let original = try first(store.context)
        #expect(original.place == DefaultsV2.place(1) && original.stops.count == 2)
        for _ in 0..<3 { try store.redo() }
        #expect(try first(store.context).place.height == 50)
        #expect(try first(store.context).stops == before.stops)
        try store.revert(2, UndoOptions(force: true))
        #expect(try first(store.context).stops.count == 2)
        #expect(try store.rewind(to: .transaction(1)) != nil)
        #expect(try first(store.context).place == DefaultsV2.place(1))
    }

    @Test(
        "What the log defines stays: another default of a later version is for what is new then",
        arguments: [false, true])
    func later(isCompacted: Bool) throws {
        let disk = try written()
        let second = try open(disk, .readWrite, DefaultsV2.Trip.self)
        // Whatever is written brings the definition.
        try second.write { try DefaultsV2.Trip(id: 9, place: DefaultsV2.place(9)).save(to: &$0) }
        if isCompacted { try second.compact() }
        try second.close()
        let third = try open(disk, .readWrite, DefaultsV3.Trip.self)
        let place = try DefaultsV3.Trip.require(1, in: third.context).place
        #expect(place.height == 7 && place.detail.level == 3 && place.note == "none")
        #expect(place.colour == "red")
        try third.write { context in
            _ = try DefaultsV3.Trip.query(1).update(in: &context) { $0.place.colour = "blue" }
        }
        try third.close()
        let again = try open(disk, .readWrite, DefaultsV3.Trip.self)
        #expect(try DefaultsV3.Trip.require(1, in: again.context).place.colour == "blue")
        #expect(try DefaultsV3.Trip.require(9, in: again.context).place.height == 7)
        let old = try again.context(asOf: .transaction(1))
        #expect(try DefaultsV3.Trip.require(1, in: old).place == again.context[placeOf: 9, x: 1])
    }

    @Test("A store that is only opened, or whose values need no default, is written as before")
    func unchanged() throws {
        let disk = try written()
        let former = SimulatedDisk(disk.image)
        try open(former, .readWrite, DefaultsV1.Trip.self).close()
        let second = try open(disk, .readWrite, DefaultsV2.Trip.self)
        #expect(second.lastTransaction == 3)
        try second.close()
        #expect(disk.image.withoutLock == former.image.withoutLock)
        let again = try open(disk, .readWrite, DefaultsV1.Trip.self)
        #expect(try DefaultsV1.Trip.require(1, in: again.context).place.x == 10)
    }

    @Test("A version of the app without the members is refused once they are in the log, by name")
    func older() throws {
        let disk = try written()
        let second = try open(disk, .readWrite, DefaultsV2.Trip.self)
        try second.write { try DefaultsV2.Trip.delete(id: 1, from: &$0) }
        try second.close()
        #expect {
            _ = try open(disk, .readWrite, DefaultsV1.Trip.self)
        } throws: { error in
            guard case StoreError.schema(let problems) = error else { return false }
            return problems.allSatisfy { $0.type == "Trip" }
                && "\(error)".contains("'height' would be lost")
        }
    }
}

extension Context {
    /// The place of a trip with other coordinates.
    fileprivate subscript(placeOf id: Int, x x: Int) -> DefaultsV3.Place? {
        var place = DefaultsV3.Trip.query(id).resolve(in: self)?.place
        place?.x = x
        return place
    }
}
