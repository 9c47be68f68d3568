import Observation
import Testing
import Varve

@EntityModel
private struct Employee {
    let id: Int
    var name: String
    var salary: Int
    var age: Int
    var position: String? = nil

    @Relationship(inverse: \.employees) var company: Company?
}

@EntityModel
private struct Company {
    let id: String
    var name: String

    @Relationship(inverse: \.company) var employees: [Employee]?
}

/// Contexts, fetched objects and observation.
@MainActor
extension SwiftDatastoreConformanceTests {
    private func company() throws -> Store {
        let store = try Store.inMemory(Company.self)
        try store.writing { context in
            try Company(id: "c", name: "Stone").save(to: &context)
            let people = [("Tom", 3_000, 35), ("Ann", 5_000, 41), ("Bob", 3_000, 28)]
            for (id, (name, salary, age)) in people.enumerated() {
                try Employee(id: id, name: name, salary: salary, age: age, company: .id("c"))
                    .save(to: &context)
            }
        }
        return store
    }

    private func names(_ context: Context) -> [String] {
        Employee.query().resolve(in: context).map(\.name)
    }

    @Test("SD-16: what one context creates, another one sees once it was saved")
    func contexts() async throws {
        let store = try company()
        let first = store.draft()
        let second = store.draft()
        try first.edit { context in
            try Employee(id: 9, name: "Zoe", salary: 1, age: 20).save(to: &context)
        }
        #expect(names(second.context).count == 3 && names(store.context).count == 3)
        try await first.commit()
        #expect(names(store.context).count == 4 && names(second.context).count == 3)
        try second.rebase()
        #expect(names(second.context).count == 4)
    }

    @Test("SD-17: work is done apart, and its error reaches the caller")
    func perform() async throws {
        struct Failure: Error {}
        let store = try company()
        try await store.write { context in
            try Employee(id: 9, name: "Zoe", salary: 1, age: 20).save(to: &context)
        }
        await #expect(throws: Failure.self) {
            try await store.write { _ in throw Failure() }
        }
        #expect(names(store.context).count == 4)
    }

    @Test(
        "SD-18: a child context is saved into its parent, and only the outermost one into the store"
    )
    func children() async throws {
        let store = try company()
        let parent = store.draft()
        let child = parent.draft()
        try child.edit { _ = try Employee.delete(id: 0, from: &$0) }
        #expect(names(parent.context).count == 3)
        try await child.commit()
        #expect(names(parent.context).count == 2 && names(store.context).count == 3)
        try await parent.commit()
        #expect(names(store.context) == ["Ann", "Bob"])
    }

    @Test("SD-19: objects are made and deleted in a context")
    func creating() throws {
        let store = try company()
        let draft = store.draft()
        let made = try draft.edit { context in
            try context.create(Employee(id: 9, name: "Zoe", salary: 1, age: 20))
        }
        #expect(made.name == "Zoe")
        try draft.edit { _ = try made.delete(from: &$0) }
        #expect(names(draft.context).count == 3)
    }

    @Test("SD-20, SD-22: unsaved changes are known, and reverted")
    func reverting() throws {
        let store = try company()
        let draft = store.draft()
        func pay(_ salary: Int) throws {
            try draft.edit { context in
                var employee: Employee = try .require(0, in: context)
                employee.salary = salary
                try employee.save(to: &context)
            }
        }
        #expect(!draft.hasChanges)
        try pay(3_500)
        #expect(draft.hasChanges)
        try draft.commit()
        try pay(4_000)
        try draft.revert()
        let employee: Employee? = draft.context.find(0)
        #expect(employee?.salary == 3_500 && !draft.hasChanges)
    }

    @Test("SD-21: saving says what was inserted, updated and deleted")
    func savedChanges() throws {
        let store = try company()
        let draft = store.draft()
        try draft.edit { context in
            try Employee(id: 9, name: "Zoe", salary: 1, age: 20).save(to: &context)
            var employee: Employee = try .require(0, in: context)
            employee.age += 1
            try employee.save(to: &context)
            _ = try Employee.delete(id: 2, from: &context)
        }
        let changes = try draft.changes.changes(of: Employee.self)
        #expect(Set(changes.map(\.kind)) == [.inserted, .updated, .deleted])
        #expect(changes.first { $0.kind == .updated }?.changedProperties == ["age"])
        try draft.commit()
    }

    @Test("SD-23: an object of one context is found in another one by its id")
    func converting() throws {
        let store = try company()
        let shown = try #require(
            Employee.query().sorted(by: \.salary).first().resolve(in: store.context))
        let draft = store.draft()
        try draft.edit { context in
            var employee = try shown.ref.require(in: context)
            employee.age += 1
            try employee.save(to: &context)
        }
        try draft.commit()
        let after: Employee? = store.context.find(shown.id)
        #expect(after?.age == shown.age + 1)
    }

    @Test("SD-24: a context takes in what was saved elsewhere, without losing its own edits")
    func refreshing() throws {
        let store = try company()
        let draft = store.draft()
        try draft.edit { context in
            var employee: Employee = try .require(0, in: context)
            employee.name = "Thomas"
            try employee.save(to: &context)
        }
        try store.writing { context in
            var employee: Employee = try .require(0, in: context)
            employee.salary = 9_000
            try employee.save(to: &context)
        }
        try draft.rebase()
        let employee: Employee? = draft.context.find(0)
        #expect(employee?.name == "Thomas" && employee?.salary == 9_000)
    }

    @Test("SD-33: a view reads on the main actor, and follows what is saved elsewhere")
    func viewContext() async throws {
        let store = try company()
        let employees = ObservedResults(
            of: Employee.filter(\.age > 30).sorted(by: \.name, \.salary.desc).limit(20), in: store)
        #expect(employees.list[0].name == "Ann" && employees.list.count == 2)
        try store.writing { context in
            try Employee(id: 9, name: "Al", salary: 1, age: 50).save(to: &context)
        }
        while employees.list.count < 3 { await Task.yield() }
        #expect(employees.list[0].name == "Al")
        #expect(Employee.filter(\.age > 30).count(in: store.context) == 3)
    }

    @Test("SD-34, SD-35: fetched objects have sections with names, numbers of objects, and objects")
    func fetchedObjects() throws {
        let store = try company()
        let fetched = ObservedSections(
            of: Employee.filter(\.age > 22 || \.age <= 60).sorted(by: \.name.desc, \.age),
            by: .property(\.salary), in: store)
        #expect(fetched.sections.count == 2)
        #expect(fetched.sections[0].key == 3_000 && fetched.sections[0].count == 2)
        #expect(fetched.sections[SectionPosition(section: 0, row: 1)].name == "Bob")
        #expect(fetched.sections.map { $0.entities.map(\.name) } == [["Tom", "Bob"], ["Ann"]])
    }

    @Test("SD-36: changes say what was inserted, updated, deleted and moved, by section and row")
    func observeChanges() async throws {
        let store = try company()
        var updates = store.results(
            of: Employee.query().sorted(by: \.name), sectionedBy: .property(\.salary)
        ).makeAsyncIterator()
        #expect(await updates.next()?.changes.insertedSections == [0, 1])
        func save(_ employee: Employee) throws {
            try store.writing { try employee.save(to: &$0) }
        }
        func position(_ section: Int, _ row: Int) -> SectionPosition {
            SectionPosition(section: section, row: row)
        }
        try save(Employee(id: 3, name: "Cid", salary: 3_000, age: 30))
        #expect(await updates.next()?.changes.inserted == [position(0, 1)])
        try save(Employee(id: 3, name: "Cid", salary: 3_000, age: 31))
        #expect(await updates.next()?.changes.updated == [position(0, 1)])
        try save(Employee(id: 3, name: "Cid", salary: 5_000, age: 31))
        let moved = await updates.next()?.changes.moved.first
        #expect(moved?.from == position(0, 1) && moved?.to == position(1, 1))
        try store.writing { _ = try Employee.delete(id: 3, from: &$0) }
        #expect(await updates.next()?.changes.deleted == [position(1, 1)])
    }

    @Test("SD-37: attributes and relations are observed, whichever copy of the object was changed")
    func observingProperties() async throws {
        let store = try company()
        var positions = store.values(of: Employee.self, id: 0, \.position).makeAsyncIterator()
        #expect(await positions.next() == .some(.some(nil)))
        let company = ObservedEntity(Company.query("c").with(\.$employees), in: store)
        #expect(company.entity?.employees?.count == 3)
        let draft = store.draft()
        try draft.edit { context in
            var employee: Employee = try .require(0, in: context)
            employee.position = "developer"
            employee.$company = .null
            try employee.save(to: &context)
        }
        try await draft.commit()
        #expect(await positions.next() == "developer")
        while company.entity?.employees?.count == 3 { await Task.yield() }
        #expect(company.entity?.employees?.map(\.name) == ["Ann", "Bob"])
    }
}
