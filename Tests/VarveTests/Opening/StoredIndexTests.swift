import Foundation
import Testing
import Varve
import VarveGraph
import VarveLog
import VarveTestSupport

@EntityModel
private struct Person: Equatable {
    @Unique<Self>(\.email, collisions: .throw) private var byEmail
    @Index<Self>(\.age) private var byAge
    @HashIndex<Self>(\.city) private var byCity

    let id: Int
    var email = ""
    var age = 0
    var city: String?
    var note = ""

    init(_ number: Int) {
        id = number
        email = "person\(number * 7919 % 100_003)@example.org"
        age = number * 31 % 200
        city = number % 7 == 0 ? nil : "city \(number % 500)"
    }
}

@EntityModel
private struct Room: Equatable {
    @Index<Self>(\.floor, \.door) private var byDoor

    let id: Int
    var floor: Int
    var door: Int

    init(_ number: Int) {
        id = number
        floor = number % 8
        door = 100 - number
    }
}

/// A store whose tables wait finds entities by the indexes that its checkpoint has.
@Suite("Indexes that a checkpoint stores")
struct StoredIndexTests {
    private struct Stop: Error {}

    private static let count = 20_000

    private static func open(
        _ disk: any FileSystem, isWaiting: Bool = true, loading: Store.Loading = .whenRead
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1),
            configuration: LogConfiguration(), mode: .readWrite, durability: .commit,
            retention: .everything, compactsAutomatically: false, loading: loading,
            types: [Person.self, Room.self], waitingSlotsMin: isWaiting ? 0 : .max)
    }

    private static func makeDisk(count: Int = count) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = try open(disk)
        try store.write { context in
            for number in 0..<count { try Person(number).save(to: &context) }
        }
        try store.compact()
        try store.close()
        return disk
    }

    /// Whether the table of a type is filled. That of what was deleted may be.
    private static func isFilled(_ context: Context, _ type: String = "Person") -> Bool {
        context.tables.tables.unfilled.contains { $0.hasFilled && $0.descriptor.name == type }
    }

    /// Every query that an index serves finds what a scan of all people does.
    private static func check(
        _ context: Context, _ all: [Person], isWaiting: Bool = true,
        location: SourceLocation = #_sourceLocation
    ) {
        func expect(_ query: QueryList<Person>, _ people: [Person]) {
            #expect(query.resolve(in: context) == people, sourceLocation: location)
            #expect(query.count(in: context) == people.count, sourceLocation: location)
        }
        for person in [all[0], all[all.count / 2], all[all.count - 1]] {
            expect(Person.filter(\.email == person.email), [person])
        }
        expect(Person.filter(\.email == "none"), [])
        let youngest = all.sorted { ($0.age, $0.id) < ($1.age, $1.id) }
        expect(Person.query().sorted(by: \.age).limit(20, offset: 5), Array(youngest[5..<25]))
        let oldest = all.sorted { ($1.age, $0.id) < ($0.age, $1.id) }
        expect(Person.query().sorted(by: \.age.desc).limit(20), Array(oldest[..<20]))
        #expect(Person.query().max(\.age, in: context) == 199, sourceLocation: location)
        #expect(Person.query().count(in: context) == all.count, sourceLocation: location)
        expect(
            Person.filter(\.city == "city 3" && \.age < 9),
            all.filter { $0.city == "city 3" && $0.age < 9 })
        expect(Person.filter(\.age > 197), all.filter { $0.age > 197 })
        expect(Person.filter(\.age < 2 && \.note == ""), all.filter { $0.age < 2 })
        #expect(isFilled(context) != isWaiting, sourceLocation: location)
        // With these it is looked at so often that it is worth filling.
        expect(Person.filter(\.age == 41), all.filter { $0.age == 41 })
        expect(Person.filter(\.age >= 41 && \.age <= 41), all.filter { $0.age == 41 })
        expect(Person.filter(\.age > 150), all.filter { $0.age > 150 })
        expect(Person.filter(\.age < 90 && \.note == ""), all.filter { $0.age < 90 })
        expect(Person.filter(\.city == "city 3"), all.filter { $0.city == "city 3" })
    }

    @Test(
        "Unique values, equal values, ranges and first rows of an order are found without the table"
    )
    func finds() throws {
        let disk = try Self.makeDisk()
        var all = (0..<Self.count).map { Person($0) }
        Self.check(try Self.open(disk).context, all)
        let store = try Self.open(disk)
        // What is changed is found as it is by now, and what it was is not.
        try store.write { context in
            for number in stride(from: 0, to: 200, by: 2) {
                all[number].age = (all[number].age + 1) % 200
                all[number].email = "new \(number)"
                try all[number].save(to: &context)
            }
            for number in 300..<310 { try Person.delete(id: number, from: &context) }
        }
        all.removeSubrange(300..<310)
        Self.check(store.context, all)
        try store.compact()
        try store.close()
        let reopened = try Self.open(disk)
        Self.check(reopened.context, all)
        try reopened.write { context in
            for number in 1_000..<4_000 { try Person.delete(id: number, from: &context) }
        }
        all.removeAll { (1_000..<4_000).contains($0.id) }
        try reopened.compact()
        try reopened.close()
        Self.check(try Self.open(disk).context, all)
        Self.check(try Self.open(disk, isWaiting: false).context, all, isWaiting: false)
    }

    private static func person(_ number: Int, _ email: String) -> Person {
        var person = Person(number)
        person.email = email
        return person
    }

    /// Whether a new person is refused an e-mail, in a write that leaves nothing.
    private static func isTaken(
        _ email: String, in store: Store, behind save: (inout Context) throws -> Void = { _ in }
    ) throws -> Bool {
        var isTaken = false
        do {
            try store.write { context in
                try save(&context)
                do {
                    try person(6_000, email).save(to: &context)
                } catch is CollisionResolver<Person>.Errors {
                    isTaken = true
                }
                throw Stop()
            }
        } catch is Stop {}
        return isTaken
    }

    @Test(
        "A unique value put since the opening is taken until its row is rolled back, changed or deleted",
        arguments: [7, 5_000])
    func takenValues(number: Int) throws {
        let store = try Self.open(Self.makeDisk(count: 2_000))
        func taken() throws -> [String] {
            try ["new", "other"].filter { try Self.isTaken($0, in: store) }
        }
        let isTakenWithin = try Self.isTaken("new", in: store) { context in
            try Self.person(number, "new").save(to: &context)
        }
        #expect(isTakenWithin)
        #expect(try taken() == [])
        try store.write { try Self.person(number, "new").save(to: &$0) }
        #expect(try taken() == ["new"])
        try store.write { try Self.person(number, "other").save(to: &$0) }
        #expect(try taken() == ["other"])
        try store.undo()
        #expect(try taken() == ["new"])
        try store.write { try Person.delete(id: number, from: &$0) }
        #expect(try taken() == [])
        try store.undo()
        #expect(try taken() == ["new"])
        #expect(!Self.isFilled(store.context))
    }

    @Test("The first rows of an order go on behind rows that were changed, to all that are equal")
    func walksBehindChanges() throws {
        let disk = SimulatedDisk()
        let made = try Self.open(disk)
        try made.write { context in
            for number in 0..<80 { try Room(number).save(to: &context) }
        }
        try made.compact()
        try made.close()
        let store = try Self.open(disk)
        // The index begins with 72, 64, 56. The last of its floor is the first that was inserted.
        try store.write { context in
            try Room.delete(id: 64, from: &context)
            var room = Room(56)
            room.floor = 3
            try room.save(to: &context)
        }
        func first(_ limit: Int) -> [Int] {
            Room.query().sorted(by: \.floor).limit(limit).resolve(in: store.context).map(\.id)
        }
        #expect(first(1) == [0])
        #expect(first(3) == [0, 8, 16])
        #expect(!Self.isFilled(store.context, "Room"))
    }
}
