import Observation
import Testing
import Varve

@EntityModel("Person")
private struct Person: Equatable {
    let id: Int
    var name: String
    var age: Int? = nil
    var salary = 0
    var position: String? = nil
}

/// The examples of SwiftDatastore's manual, as they are written here, by its headings: what a view reads and observes.
@MainActor
@Suite("Manual of SwiftDatastore: views and observation", .timeLimit(.minutes(5)))
struct SwiftDatastoreViewManualTests {
    private let store: Store

    init() throws {
        store = try Store.inMemory(Person.self)
        try store.writing { context in
            for (id, (name, age, salary)) in [
                ("Tom", 35, 3_000), ("Ann", 41, 5_000), ("Eve", 17, 3_000), ("Theo", 25, 4_000),
            ].enumerated() {
                try Person(id: id, name: name, age: age, salary: salary).save(to: &context)
            }
        }
    }

    private func change(_ id: Int, _ body: (inout Person) -> Void) throws {
        try store.writing { context in
            var person: Person = try .require(id, in: context)
            body(&person)
            try person.save(to: &context)
        }
    }

    private func names(_ query: QueryList<Person>) -> [String] {
        query.resolve(in: store.context).map(\.name)
    }

    @Test("Using ViewContext: a view reads on the main actor, without a closure")
    func viewContext() {
        let employees = Person.filter(\.age > 30).sorted(by: \.name, \.salary.desc)
            .limit(20, offset: 1)
        #expect(employees.resolve(in: store.context)[0].name == "Tom")
    }

    @Test("Using FetchedObjectsController: sections by a property, and a list where nothing groups")
    func fetchedObjects() {
        let fetched = ObservedSections(
            of: Person.filter(\.age > 22 || \.age <= 60).sorted(by: \.name.desc, \.age.nilFirst),
            by: .property(\.salary), in: store)
        // numberOfSections, numberOfObjects, getObject, sectionName
        #expect(fetched.sections.map(\.key) == [3_000, 4_000, 5_000])
        let names = fetched.sections.map { section in section.entities.map(\.name) }
        #expect(names == [["Tom", "Eve"], ["Theo"], ["Ann"]])
        #expect(fetched.sections[SectionPosition(section: 0, row: 1)].name == "Eve")
        #expect("\(fetched.sections[2].key)" == "5000")
        let all = ObservedResults(of: Person.query().sorted(by: \.name), in: store)
        #expect(all.list.map(\.name) == ["Ann", "Eve", "Theo", "Tom"])
    }

    @Test("observeChanges: inserted, updated, deleted and moved, as they come")
    func observeChanges() async throws {
        let updates = store.results(
            of: Person.query().sorted(by: \.name), sectionedBy: .property(\.salary))
        var seen: [String] = []
        for await update in updates {
            let changes = update.changes
            for position in changes.inserted {
                seen.append("inserted \(update.sections[position].name)")
            }
            for position in changes.updated {
                seen.append("updated \(update.sections[position].name)")
            }
            for move in changes.moved { seen.append("moved \(update.sections[move.to].name)") }
            for _ in changes.deleted { seen.append("deleted") }
            switch seen.count {
            case 0: try store.writing { try Person(id: 9, name: "Al", salary: 3_000).save(to: &$0) }
            case 1: try change(9) { $0.age = 30 }
            case 2: try change(9) { $0.salary = 4_000 }
            case 3: try store.writing { _ = try Person.delete(id: 9, from: &$0) }
            default: break
            }
            if seen.count == 4 { break }
        }
        #expect(seen == ["inserted Al", "updated Al", "moved Al", "deleted"])
    }

    @Test("OrderBy: by several properties, up and down")
    func orderBy() {
        #expect(
            names(Person.query().sorted(by: \.salary, \.age.nilFirst.desc)) == [
                "Tom", "Eve", "Theo", "Ann",
            ])
    }

    @Test("Where: each operator of the manual, and how they combine")
    func conditions() {
        #expect(
            names(Person.filter(\.age >= 18 && .string(\.name, hasPrefix: "T"))) == ["Tom", "Theo"])
        #expect(
            names(
                Person.filter(
                    \.age >= 18 && .string(\.name, hasPrefix: "T")
                        || .string(\.name, hasSuffix: "e"))) == ["Tom", "Eve", "Theo"])
        #expect(names(Person.filter(.string(\.name, contains: "nn"))) == ["Ann"])
        #expect(
            names(Person.filter(\.age > 35)) == ["Ann"]
                && names(Person.filter(\.age < 25)) == ["Eve"])
        #expect(names(Person.filter(\.age <= 25)) == ["Eve", "Theo"])
        #expect(names(Person.filter(\.age == 35)) == ["Tom"])
        #expect(names(Person.filter(\.age != 35)) == ["Ann", "Eve", "Theo"])
    }

    @Test("Observing DatastoreObject Properties: each new value, whoever has changed it")
    func observing() async throws {
        var values = store.values(of: Person.self, id: 0, \.position).makeAsyncIterator()
        #expect(await values.next() == .some(.some(nil)))
        try change(0) { $0.position = "developer" }
        #expect(await values.next() == "developer")
        // Another property is no news.
        try change(0) { $0.salary = 1 }
        try change(0) { $0.position = nil }
        #expect(await values.next() == .some(.some(nil)))
    }

    @Test("Testing: each test has a store of its own, which goes with it")
    func testing() throws {
        for _ in 0..<2 {
            weak var gone: Store?
            do {
                let store = try Store.temporary(Person.self)
                gone = store
                #expect(store.context.count(Person.self) == 0)
                try store.writing { try Person(id: 1, name: "Tom").save(to: &$0) }
                #expect(store.context.count(Person.self) == 1)
            }
            #expect(gone == nil)
        }
    }
}
