import Foundation
import Testing
import Varve
import VarveTestSupport

private enum Position: Int16, Codable {
    case developer = 0
    case designer
    case owner
}

@EntityModel("Worker")
private struct Worker {
    let id: UUID
    var name: String
    var secondName: String? = nil
    var born = Date(timeIntervalSinceReferenceDate: 0)
    var age: Int
    var salary: Float = 0
    var position: Position? = nil

    @Relationship(inverse: \.owner) var office: Office?
    @Relationship(inverse: \.workers) var firm: Firm?
    @Relationship(inverse: \.worker) var tasks: [Errand]?
}

@EntityModel
private struct Office {
    let id: Int
    @Relationship var owner: Worker? = nil
}

@EntityModel
private struct Firm {
    let id: Int
    @Relationship var workers: [Worker]? = nil
}

@EntityModel
private struct Errand {
    let id: Int
    @Relationship var worker: Worker? = nil
}

/// What an older build knows of positions.
private enum FormerPosition: Int16, Codable { case developer }

@EntityModel("Worker")
private struct FormerWorker {
    let id: UUID
    var name: String
    var position: FormerPosition? = nil
}

@EntityModel("Worker")
private struct NamelessWorker {
    let id: UUID
    var nickname: Int
}

/// SwiftDatastore's objects, attributes, relations and fetches, as a user writes them here. Names begin with the rows of
/// Docs/CONFORMANCE.md.
@Suite("SwiftDatastore, row by row", .timeLimit(.minutes(5)))
struct SwiftDatastoreConformanceTests {
    private let store: Store

    init() throws {
        store = try Store.inMemory(Worker.self, Firm.self)
        try store.write { context in
            for (name, age, salary) in [
                ("Tom Smith", 35, 3_000), ("Ann Lee", 41, 5_000), ("Theo Smith", 17, 3_000),
            ] as [(String, Int, Float)] {
                try Worker(id: UUID(), name: name, age: age, salary: salary).save(to: &context)
            }
        }
    }

    private func worker(_ name: String) throws -> Worker {
        try #require(Worker.filter(\.name == name).first().resolve(in: store.context))
    }

    @Test(
        "SD-01, SD-05: the persisted name is chosen; an unknown raw value reads as nil and is kept")
    func persistedNames() throws {
        let disk = SimulatedDisk()
        func open(_ type: any EntityModelProtocol.Type) throws -> Store {
            try Store(in: disk, mode: .readWrite, durability: .commit, types: [type])
        }
        let id = UUID()
        var store = try open(Worker.self)
        try store.write {
            try Worker(id: id, name: "Zoe", age: 30, position: .owner).save(to: &$0)
        }
        try store.close()
        store = try open(FormerWorker.self)
        var former = try FormerWorker.require(id, in: store.context)
        #expect(former.name == "Zoe" && former.position == nil)
        former.name = "Zoë"
        try store.write { try former.save(to: &$0) }
        try store.close()
        store = try open(Worker.self)
        let found = try Worker.require(id, in: store.context)
        #expect(found.name == "Zoë" && found.position == .owner)
    }

    @Test("SD-03, SD-04, SD-06, SD-07: attributes, optional ones, dates, and constants")
    func attributes() throws {
        let tom = try worker("Tom Smith")
        #expect(tom.secondName == nil && tom.salary == 3_000)
        var changed = tom
        changed.secondName = "Lee"
        changed.born = Date(timeIntervalSince1970: 86_400)
        try store.write { try changed.save(to: &$0) }
        let found = try Worker.require(tom.id, in: store.context)
        #expect(found.secondName == "Lee" && found.born == Date(timeIntervalSince1970: 86_400))
    }

    @Test("SD-08, SD-09: types are named once, and what does not fit is an error that names it")
    func startChecks() throws {
        let disk = SimulatedDisk()
        let first = try Store(in: disk, mode: .readWrite, durability: .commit, types: [Worker.self])
        // Types that relations lead to come along.
        try first.write { try Office(id: 1).save(to: &$0) }
        try first.close()
        let error = #expect(throws: StoreError.self) {
            _ = try Store(
                in: disk, mode: .readWrite, durability: .commit, types: [NamelessWorker.self])
        }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("Worker.nickname"), "\(text)")
    }

    @Test("SD-11, SD-14: a to-one relation, one side of which names the inverse")
    func toOne() throws {
        let tom = try worker("Tom Smith")
        try store.write { try Office(id: 1, owner: .id(tom.id)).save(to: &$0) }
        let found = Worker.query(tom.id).with(\.$office).resolve(in: store.context)
        #expect(found?.office?.id == 1)
        let ann = try worker("Ann Lee")
        try store.write { context in
            var ann = ann
            ann.$office = .id(1)
            try ann.save(to: &context)
        }
        #expect(Office.query(1).related(\.$owner).resolve(in: store.context)?.name == "Ann Lee")
        #expect(Worker.query(tom.id).related(\.$office).resolve(in: store.context) == nil)
    }

    @Test("SD-12, SD-13: to-many relations are ordered, hold an object once, and both sides follow")
    func toMany() throws {
        let (tom, ann) = (try worker("Tom Smith"), try worker("Ann Lee"))
        try store.write { try Firm(id: 1, workers: .ids([ann.id, tom.id, ann.id])).save(to: &$0) }
        let workers = Firm.query(1).related(\.$workers)
        #expect(workers.resolve(in: store.context).map(\.name) == ["Ann Lee", "Tom Smith"])
        #expect(Worker.query(tom.id).related(\.$firm).resolve(in: store.context)?.id == 1)
        try store.write { context in
            var tom = tom
            tom.$tasks = .relation([Errand(id: 2), Errand(id: 1)])
            tom.$firm = .null
            try tom.save(to: &context)
        }
        #expect(workers.resolve(in: store.context).map(\.name) == ["Ann Lee"])
        let tasks = Worker.query(tom.id).related(\.$tasks).resolve(in: store.context)
        #expect(tasks.map(\.id) == [2, 1])
    }

    @Test("SD-25: many are deleted by a condition, in one step that is undone")
    func deleteMany() throws {
        let count = try store.write("Fire") {
            try Worker.filter(.string(\.name, hasSuffix: "Smith")).delete(from: &$0)
        }
        #expect(count == 2 && store.context.count(Worker.self) == 1)
        try store.undo()
        #expect(store.context.count(Worker.self) == 3)
    }

    @Test("SD-26: many are updated by a condition, enumerations and nil too")
    func updateMany() throws {
        let count = try store.write("Promote") {
            try Worker.update(where: \.age >= 18, in: &$0) { worker in
                worker.position = .developer
                worker.secondName = nil
                worker.salary += 1
            }
        }
        #expect(count == 2)
        #expect(Worker.filter(\.position == .developer).count(in: store.context) == 2)
        let none = try store.write { context in
            try Worker.update(where: \.age > 99, in: &context) { $0.age = 0 }
        }
        #expect(none == 0)
    }

    @Test("SD-27, SD-28, SD-32: objects are fetched by condition, order, offset and limit")
    func fetching() throws {
        let fetched = Worker.filter(\.age > 10).sorted(by: \.salary, \.name.desc)
            .limit(2, offset: 1)
        #expect(fetched.resolve(in: store.context).map(\.name) == ["Theo Smith", "Ann Lee"])
        let first = Worker.filter(\.age > 30).sorted(by: \.salary.desc).first()
        #expect(first.resolve(in: store.context)?.name == "Ann Lee")
        #expect(Worker.query().max(\.salary, in: store.context) == 5_000)
        #expect(Worker.query().min(\.age, in: store.context) == 17)
    }

    @Test("SD-29: properties are fetched alone, with their types")
    func fetchingProperties() throws {
        let pairs: [(Float, String)] = Worker.query().sorted(by: \.salary, \.name)
            .select(\.salary, \.name, in: store.context)
        #expect(pairs.map(\.1) == ["Theo Smith", "Tom Smith", "Ann Lee"])
        #expect(pairs.map(\.0) == [3_000, 3_000, 5_000])
    }

    @Test("SD-30, SD-31: counts, and conditions with every operator of the manual")
    func conditions() throws {
        func count(_ predicate: QueryPredicate<Worker>) -> Int {
            Worker.filter(predicate).count(in: store.context)
        }
        #expect(count(\.age > 30) == 2 && count(\.age >= 35) == 2 && count(\.age < 35) == 1)
        #expect(count(\.age <= 35) == 2 && count(\.age == 35) == 1 && count(\.age != 35) == 2)
        #expect(count(\.secondName == nil) == 3 && count(!(\.age == 35)) == 2)
        #expect(count(.string(\.name, contains: "smi")) == 2)
        #expect(
            count(
                \.age >= 18 && .string(\.name, hasPrefix: "T")
                    || .string(\.name, hasSuffix: "e")) == 2)
    }

    @Test("SD-40: an app has several stores, each with its types")
    func severalStores() throws {
        let other = try Store.inMemory(Errand.self)
        try other.write { try Errand(id: 1).save(to: &$0) }
        #expect(other.context.count(Errand.self) == 1 && store.context.count(Errand.self) == 0)
    }
}
