import Foundation
import Testing
import Varve

private enum Position: Int16, Codable, Comparable {
    case developer, uiDesigner, productOwner

    static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

/// The manual's `Employee`, with the properties that its chapters give it.
@EntityModel("Employee")
private struct Employee: Equatable {
    /// A constant, with a value of its own for each object.
    var id = UUID()
    var name: String
    var surname = ""
    var dateOfBirth = Date(timeIntervalSince1970: 0)
    var age: Int
    var salary: Float = 0
    var secondName: String? = nil
    var profileImageData: Data? = nil
    var position: Position? = nil

    @Relationship(inverse: \.owner) var office: Office?
    @Relationship(inverse: \.employees) var company: Company?
    @Relationship(inverse: \.employee) var tasks: [Chore]?

    func didCreate(in context: inout Context) throws {
        try Notice(text: "\(name) was created").save(to: &context)
    }
}

@EntityModel("Office")
private struct Office: Equatable {
    let id: Int
    @Relationship(inverse: \.office) var owner: Employee?
}

@EntityModel("Company")
private struct Company: Equatable {
    let id: Int
    @Relationship(inverse: \.company) var employees: [Employee]?
}

@EntityModel("Task")
private struct Chore: Equatable {
    let id: Int
    @Relationship(inverse: \.tasks) var employee: Employee?
}

@EntityModel
private struct Notice: Equatable {
    @AutoIncrement let id: Int
    var text: String
}

/// The examples of SwiftDatastore's manual, as they are written here, by its headings: objects, properties, setup and
/// operations.
@Suite("Manual of SwiftDatastore: objects and operations")
struct SwiftDatastoreManualTests {
    private let store: Store

    init() throws {
        store = try Store.inMemory(Employee.self, Notice.self)
        try store.write { context in
            for (name, surname, age, salary) in [
                ("Tom", "Smith", 35, 3_000), ("Ann", "Lee", 41, 5_000),
                ("Eve", "Smithson", 17, 1_000),
            ] as [(String, String, Int, Float)] {
                try Employee(name: name, surname: surname, age: age, salary: salary)
                    .save(to: &context)
            }
        }
    }

    private func employee(_ name: String = "Tom") throws -> Employee {
        try #require(Employee.filter(\.name == name).first().resolve(in: store.context))
    }

    private func save(_ entity: some EntityModelProtocol) throws {
        try store.write { _ = try entity.save(to: &$0) }
    }

    @Test("Create DatastoreObject: a struct, and a hook behind its creation")
    func objects() throws {
        let texts = Notice.query().resolve(in: store.context).map(\.text)
        #expect(texts == ["Tom was created", "Ann was created", "Eve was created"])
        try save(try employee())
        #expect(store.context.count(Notice.self) == 3)
    }

    @Test("NotOptional, Optional: properties, constants, and values that may be missing")
    func attributes() throws {
        var tom = try employee()
        #expect(tom.secondName == nil && tom.profileImageData == nil)
        tom.secondName = "Lee"
        tom.profileImageData = Data([1, 2])
        tom.dateOfBirth = Date(timeIntervalSince1970: 86_400)
        try save(tom)
        #expect(try employee() == tom)
    }

    @Test("Enum: a case is set and read")
    func enums() throws {
        var tom = try employee()
        tom.position = .developer
        try save(tom)
        #expect(try employee().position == .developer)
    }

    @Test("ToOne: an office and its owner, from either side")
    func toOne() throws {
        let (tom, ann) = (try employee(), try employee("Ann"))
        try save(Office(id: 1, owner: .id(tom.id)))
        #expect(Employee.query(tom.id).related(\.$office).resolve(in: store.context)?.id == 1)
        var changed = ann
        changed.$office = .id(1)
        try save(changed)
        #expect(Office.query(1).related(\.$owner).resolve(in: store.context)?.name == "Ann")
    }

    @Test("ToMany: the employees of a company, and the company of each")
    func toMany() throws {
        let (tom, ann, eve) = (try employee(), try employee("Ann"), try employee("Eve"))
        try save(Company(id: 1, employees: .relation([tom, ann])))
        try save(Company(id: 1, employees: .appending(ids: [eve.id])))
        let employees = Company.query(1).related(\.$employees)
        #expect(employees.resolve(in: store.context).map(\.name) == ["Tom", "Ann", "Eve"])
        var changed = ann
        changed.$company = .id(2)
        try save(changed)
        #expect(employees.resolve(in: store.context).map(\.name) == ["Tom", "Eve"])
    }

    @Test("ToMany.Ordered: tasks keep their order, and none comes twice")
    func ordered() throws {
        var tom = try employee()
        tom.$tasks = .relation([Chore(id: 3), Chore(id: 1), Chore(id: 2)])
        try save(tom)
        tom.$tasks = .appending(ids: [1])
        try save(tom)
        let tasks = Employee.query(tom.id).related(\.$tasks)
        #expect(tasks.resolve(in: store.context).map(\.id) == [3, 1, 2])
    }

    @Test("Setup: a store of a model with a name, and another configuration with another one")
    func setup() throws {
        let place = StoreTests.Place()
        let model: [any EntityModelProtocol.Type] = [Employee.self, Company.self, Office.self]
        let datastore = try Store(at: place.url, types: model)
        try datastore.write { try Office(id: 1).save(to: &$0) }
        let other = try Store.inMemory(types: model)
        #expect(datastore.context.count(Office.self) == 1 && other.context.count(Office.self) == 0)
    }

    @Test("SwiftDatastoreContext, Child Context: drafts, and drafts of drafts")
    func contexts() throws {
        let parentContext = store.draft()
        let childContext = parentContext.draft()
        try childContext.edit { try Office(id: 1).save(to: &$0) }
        #expect(parentContext.context.count(Office.self) == 0)
        try childContext.commit()
        #expect(parentContext.context.count(Office.self) == 1)
        #expect(store.context.count(Office.self) == 0)
        try parentContext.commit()
        #expect(store.context.count(Office.self) == 1)
    }

    @Test("perform: success is what comes behind it, and failure an error that changes nothing")
    func perform() async throws {
        struct Failure: Error {}
        let count = try await store.write { context in
            try Office(id: 1).save(to: &context)
            return context.count(Office.self)
        }
        #expect(count == 1)
        await #expect(throws: Failure.self) {
            try await store.write { context in
                try Office(id: 2).save(to: &context)
                throw Failure()
            }
        }
        #expect(store.context.count(Office.self) == 1)
    }

    @Test("createObject, deleteObject, saveChanges")
    func operations() throws {
        let draft = store.draft()
        let bob = try draft.edit { context in
            try context.create(Employee(name: "Bob", age: 20)) { employee in
                employee.salary = 2_000
            }
        }
        #expect(bob.salary == 2_000 && store.context.count(Employee.self) == 3)
        try draft.commit()
        #expect(store.context.count(Employee.self) == 4)
        try draft.edit { _ = try bob.delete(from: &$0) }
        try draft.commit()
        #expect(store.context.count(Employee.self) == 3)
    }

    @Test("revertChanges: what was saved stays, what was not goes")
    func reverting() throws {
        let draft = store.draft()
        var bob = try draft.edit { try $0.create(Employee(name: "Bob", age: 20, salary: 3_000)) }
        try draft.commit()
        bob.salary = 4_000
        try draft.edit { [bob] in _ = try bob.save(to: &$0) }
        try draft.revert()
        #expect(try Employee.require(bob.id, in: draft.context).salary == 3_000)
    }

    @Test("fetch, fetchFirst: conditions, order, offset and limit; the greatest salary")
    func fetching() throws {
        let employees = Employee.filter(\.age > 16).sorted(by: \.name, \.salary.desc)
            .limit(20, offset: 1)
        #expect(employees.resolve(in: store.context).map(\.name) == ["Eve", "Tom"])
        let first = Employee.filter(\.age > 30).sorted(by: \.salary.desc).first()
        #expect(first.resolve(in: store.context)?.name == "Ann")
        #expect(Employee.query().max(\.salary, in: store.context) == 5_000)
    }

    @Test("fetchProperties: some properties alone, as tuples of their types")
    func fetchingProperties() throws {
        let properties: [(Float, String)] = Employee.query().sorted(by: \.salary)
            .select(\.salary, \.name, in: store.context)
        #expect(properties.first?.0 == 1_000 && properties.map(\.1) == ["Eve", "Tom", "Ann"])
    }

    @Test("count: how many meet a condition")
    func counting() throws {
        #expect(Employee.filter(\.age > 30).count(in: store.context) == 2)
    }

    @Test("convert existing object: what a view has found is changed elsewhere, by its id")
    func converting() throws {
        let shown = try #require(
            Employee.query().sorted(by: \.salary).first().resolve(in: store.context))
        let draft = store.draft()
        try draft.edit { context in
            var employee = try shown.ref.require(in: context)
            employee.age += 1
            try employee.save(to: &context)
        }
        try draft.commit()
        #expect(try employee("Eve").age == 18)
    }

    @Test("deleteMany, updateMany: by a condition, with their numbers")
    func many() throws {
        let updated = try store.write { context in
            try Employee.update(where: .string(\.surname, hasSuffix: "Smith"), in: &context) {
                $0.age = 36
                $0.name = "Jim"
            }
        }
        #expect(updated == 1 && Employee.filter(\.name == "Jim").count(in: store.context) == 1)
        let deleted = try store.write { context in
            try Employee.delete(
                where: .string(\.surname, hasPrefix: "Smith"), from: &context)
        }
        #expect(deleted == 2 && store.context.count(Employee.self) == 1)
    }

    @Test("refresh: a context takes in what another one has saved")
    func refreshing() throws {
        let (datastoreContext1, datastoreContext2) = (store.draft(), store.draft())
        let tom = try employee()
        try datastoreContext2.edit { context in
            var tom = tom
            tom.salary = 4_000
            try tom.save(to: &context)
        }
        try datastoreContext2.commit()
        #expect(try Employee.require(tom.id, in: datastoreContext1.context).salary == 3_000)
        try datastoreContext1.rebase()
        #expect(try Employee.require(tom.id, in: datastoreContext1.context).salary == 4_000)
    }
}
