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

/// A store whose tables wait finds entities by the indexes that its checkpoint has.
@Suite("Indexes that a checkpoint stores")
struct StoredIndexTests {
    private static let count = 20_000

    private static func open(
        _ disk: any FileSystem, isWaiting: Bool = true, loading: Store.Loading = .whenRead
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1),
            configuration: LogConfiguration(), mode: .readWrite, durability: .commit,
            retention: .everything, compactsAutomatically: false, loading: loading,
            types: [Person.self], waitingSlotsMin: isWaiting ? 0 : .max)
    }

    private static func makeDisk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = try open(disk)
        try store.write { context in
            for number in 0..<count { try Person(number).save(to: &context) }
        }
        try store.compact()
        try store.close()
        return disk
    }

    /// Whether the table of people is filled. That of those who were deleted may be.
    private static func isFilled(_ context: Context) -> Bool {
        context.tables.tables.unfilled.contains { $0.hasFilled && $0.descriptor.name == "Person" }
    }

    /// Every query that an index serves finds what a pass over all people does.
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
}
