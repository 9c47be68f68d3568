import Testing
import Varve

// The types of an app's first version, and of later ones whose entities are others.

@EntityModel("Person")
struct Dweller {
    let id: Int
    var name: String
    var street: String? = nil
    var city = ""

    @Relationship(inverse: \.owner) var car: Car?
    @Relationship(inverse: \.people) var house: Home?
    @Relationship() var friends: [Dweller]?
}

@EntityModel("Car")
struct Car {
    let id: Int
    var plate: String
    @Relationship(inverse: \.car) var owner: Dweller?
}

@EntityModel("House")
struct Home {
    let id: String
    @Relationship(inverse: \.house) var people: [Dweller]?
    @Relationship() var parked: [Car]?
}

enum Dwellers {
    static let types: [any EntityModelProtocol.Type] = [Dweller.self, Car.self, Home.self]

    /// Five transactions: three people, one of whom moves, one of whom gets a car, one of whom is deleted; and a car that is
    /// parked.
    static func fill(_ store: Store) throws {
        try store.write("1") { context in
            try Home(id: "h").save(to: &context)
            try Dweller(id: 1, name: "Ada", street: "Elm 1", city: "X", house: .id("h"))
                .save(to: &context)
            try Dweller(id: 2, name: "Bob", house: .id("h"), friends: .ids([1])).save(to: &context)
            try Dweller(
                id: 3, name: "Cy", street: "Oak 3", city: "Y", house: .id("h"),
                friends: .ids([2, 1])
            ).save(to: &context)
            try Car(id: 7, plate: "A 1").save(to: &context)
            var ada = try #require(Dweller.query(1).resolve(in: context))
            ada.$car = .id(7)
            try ada.save(to: &context)
        }
        try store.write("2") { context in
            _ = try Dweller.query(1).update(in: &context) { $0.street = "Elm 2" }
        }
        try store.write("3") { context in
            try Car(id: 8, plate: "B 2").save(to: &context)
            var bob = try #require(Dweller.query(2).resolve(in: context))
            (bob.street, bob.city) = ("Fir 4", "X")
            bob.$car = .id(8)
            try bob.save(to: &context)
        }
        try store.write("4") { try Dweller.delete(id: 3, from: &$0) }
        try store.write("5") { context in
            var home = try #require(Home.query("h").resolve(in: context))
            home.$parked = .ids([8])
            try home.save(to: &context)
        }
    }
}

// MARK: - Split

@EntityModel("Person")
struct Resident {
    let id: Int
    var name: String
    @Relationship(inverse: \.person) var address: Address?
    @Relationship(inverse: \.owner) var car: ResidentCar?
    @Relationship(inverse: \.people) var house: ResidentHouse?
    @Relationship() var friends: [Resident]?
}

@EntityModel("Car")
struct ResidentCar {
    let id: Int
    var plate: String
    @Relationship(inverse: \.car) var owner: Resident?
}

@EntityModel("House")
struct ResidentHouse {
    let id: String
    @Relationship(inverse: \.house) var people: [Resident]?
    @Relationship() var parked: [ResidentCar]?
}

@EntityModel("Address")
struct Address {
    let id: Int
    var street: String
    var city: String
    @Relationship(inverse: \.address) var person: Resident?
}

// MARK: - Join

@EntityModel("Person")
struct CarOwner {
    let id: Int
    var name: String
    var street: String? = nil
    var city = ""
    var plate: String? = nil

    @Relationship(inverse: \.people) var house: Garage?
    @Relationship() var friends: [CarOwner]?
}

@EntityModel("Car")
struct LoneCar {
    let id: Int
    var plate: String
}

@EntityModel("House")
struct Garage {
    let id: String
    @Relationship(inverse: \.house) var people: [CarOwner]?
    @Relationship() var parked: [LoneCar]?
}

// MARK: - New ids

@EntityModel("Person")
struct Tenant {
    let id: String
    var name: String
    var street: String? = nil
    var city = ""

    @Relationship(inverse: \.owner) var car: TenantCar?
    @Relationship(inverse: \.people) var house: TenantHouse?
    @Relationship() var friends: [Tenant]?
}

@EntityModel("Car")
struct TenantCar {
    let id: Int
    var plate: String
    @Relationship(inverse: \.car) var owner: Tenant?
}

@EntityModel("House")
struct TenantHouse {
    let id: String
    @Relationship(inverse: \.house) var people: [Tenant]?
    @Relationship() var parked: [TenantCar]?
}

/// A step about entities as a whole, and what a store shows then, by the transaction of the former store.
struct EntityCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let migration: Migration
    let types: [any EntityModelProtocol.Type]
    let describe: @Sendable (Context) -> [String]
    let expected: [[String]]
    /// Where undo leads to something else than the past shows.
    var undoneOtherwise: [Int: [String]] = [:]
    let counts: [String: Int]
    let changes: [String]

    func undone(_ transaction: Int) -> [String] {
        undoneOtherwise[transaction] ?? expected[transaction]
    }

    static let all = [split, join, newIDs]

    static let split = EntityCase(
        testDescription: "split",
        migration: Migration(
            "addresses",
            .split("Person", into: "Address", linkedBy: .relation("address")) { row in
                guard let street = try row["street", as: String?.self] else { return nil }
                var address = SplitEntity()
                try address.set("street", to: street)
                try address.take("city", from: row)
                return address
            }, .remove("street", of: "Person"), .remove("city", of: "Person")),
        types: [Resident.self, Address.self, ResidentCar.self, ResidentHouse.self],
        describe: { describeSplit($0) },
        expected: [
            [],
            [
                "1 Ada at [1]", "2 Bob at []", "3 Cy at [3]", "1 Elm 1, X of [1]",
                "3 Oak 3, Y of [3]",
            ],
            [
                "1 Ada at [1]", "2 Bob at []", "3 Cy at [3]", "1 Elm 2, X of [1]",
                "3 Oak 3, Y of [3]",
            ],
            [
                "1 Ada at [1]", "2 Bob at [2]", "3 Cy at [3]", "1 Elm 2, X of [1]",
                "2 Fir 4, X of [2]", "3 Oak 3, Y of [3]",
            ], splitState, splitState,
        ],
        counts: ["Person": 3, "Address": 3],
        changes: ["add type Address", "remove Person.street", "add relation Person.address"])

    private static let splitState = [
        "1 Ada at [1]", "2 Bob at [2]", "1 Elm 2, X of [1]", "2 Fir 4, X of [2]",
        "deleted 3 at [3]", "deleted Oak 3 of [3]",
    ]

    static let join = EntityCase(
        testDescription: "join",
        migration: Migration(
            "cars",
            .join("car", of: "Person") { row, car in
                try row.set("plate", to: String?.some(car["plate", as: String.self]))
            }, .remove("car", of: "Person")),
        types: [CarOwner.self, LoneCar.self, Garage.self],
        describe: { describeJoin($0) },
        expected: [
            [], ["1 Ada A 1", "2 Bob -", "3 Cy -"], ["1 Ada A 1", "2 Bob -", "3 Cy -"],
            ["1 Ada A 1", "2 Bob B 2", "3 Cy -"], ["1 Ada A 1", "2 Bob B 2", "deleted 3 -"],
            ["1 Ada A 1", "2 Bob B 2", "car B 2", "deleted 3 -"],
        ],
        counts: ["Person": 2, "Car": 1],
        changes: ["add Person.plate: String?", "remove relation Person.car"])

    static let newIDs = EntityCase(
        testDescription: "new ids",
        migration: Migration(
            "ids", .newIDs(of: "Person") { row in "p\(try row.id(as: Int.self))" }),
        types: [Tenant.self, TenantCar.self, TenantHouse.self],
        describe: { describeNewIDs($0) },
        expected: [
            [],
            [
                "p1 Ada Elm 1 [7] [\"h\"] []", "p2 Bob - [] [\"h\"] [\"p1\"]",
                "p3 Cy Oak 3 [] [\"h\"] [\"p2\", \"p1\"]", "car A 1 of [\"p1\"]",
                "house of [\"p1\", \"p2\", \"p3\"]",
            ],
            [
                "p1 Ada Elm 2 [7] [\"h\"] []", "p2 Bob - [] [\"h\"] [\"p1\"]",
                "p3 Cy Oak 3 [] [\"h\"] [\"p2\", \"p1\"]", "car A 1 of [\"p1\"]",
                "house of [\"p1\", \"p2\", \"p3\"]",
            ],
            [
                "p1 Ada Elm 2 [7] [\"h\"] []", "p2 Bob Fir 4 [8] [\"h\"] [\"p1\"]",
                "p3 Cy Oak 3 [] [\"h\"] [\"p2\", \"p1\"]", "car A 1 of [\"p1\"]",
                "car B 2 of [\"p2\"]", "house of [\"p1\", \"p2\", \"p3\"]",
            ], newIDsState, newIDsState,
        ],
        counts: ["Person": 3], changes: ["give Person new ids, from Int64 to String"])

    private static let newIDsState = [
        "p1 Ada Elm 2 [7] [\"h\"] []", "p2 Bob Fir 4 [8] [\"h\"] [\"p1\"]",
        "car A 1 of [\"p1\"]", "car B 2 of [\"p2\"]", "house of [\"p1\", \"p2\"]",
        "deleted p3 of [\"h\"] [\"p2\", \"p1\"]",
    ]

    private static func describeSplit(_ context: Context) -> [String] {
        var lines: [String] = []
        for person in Resident.query().id(\.$address).resolve(in: context) {
            lines.append("\(person.id) \(person.name) at \(person.$address.heldIDs)")
        }
        for address in Address.query().id(\.$person).resolve(in: context) {
            let owner = address.$person.heldIDs
            lines.append("\(address.id) \(address.street), \(address.city) of \(owner)")
        }
        for deleted in Deleted<Resident>.query().resolve(in: context) {
            lines.append("deleted \(deleted.entity.id) at \(deleted.entity.$address.heldIDs)")
        }
        for deleted in Deleted<Address>.query().resolve(in: context) {
            let owner = deleted.entity.$person.heldIDs
            lines.append("deleted \(deleted.entity.street) of \(owner)")
        }
        return lines
    }

    private static func describeJoin(_ context: Context) -> [String] {
        var lines: [String] = []
        for owner in CarOwner.query().resolve(in: context) {
            lines.append("\(owner.id) \(owner.name) \(owner.plate ?? "-")")
        }
        for car in LoneCar.query().resolve(in: context) { lines.append("car \(car.plate)") }
        for deleted in Deleted<CarOwner>.query().resolve(in: context) {
            lines.append("deleted \(deleted.entity.id) \(deleted.entity.plate ?? "-")")
        }
        return lines
    }

    private static func describeNewIDs(_ context: Context) -> [String] {
        var lines: [String] = []
        for tenant in Tenant.query().id(\.$car).id(\.$house).id(\.$friends).resolve(in: context) {
            let row = "\(tenant.id) \(tenant.name) \(tenant.street ?? "-")"
            let links = "\(tenant.$car.heldIDs) \(tenant.$house.heldIDs)"
            lines.append("\(row) \(links) \(tenant.$friends.heldIDs)")
        }
        for car in TenantCar.query().id(\.$owner).resolve(in: context) {
            lines.append("car \(car.plate) of \(car.$owner.heldIDs)")
        }
        for house in TenantHouse.query().id(\.$people).resolve(in: context) {
            lines.append("house of \(house.$people.heldIDs)")
        }
        for deleted in Deleted<Tenant>.query().resolve(in: context) {
            let links = "\(deleted.entity.$house.heldIDs) \(deleted.entity.$friends.heldIDs)"
            lines.append("deleted \(deleted.entity.id) of \(links)")
        }
        return lines
    }
}
