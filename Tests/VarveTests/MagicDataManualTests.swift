import Foundation
import Testing
import Varve

private struct Job: Codable, Hashable, Sendable {
    let title: String
    let salary: Int
}

/// The manual's `TestModel`, with the properties that its chapters give it.
@EntityModel
private struct TestModel: Equatable, Codable {
    var id = UUID().uuidString
    var name: String
    var age = 0
    var school: Data? = nil
    var petName: String? = nil
    var hight: Double? = nil
    var job: Job? = nil
    var asset: Asset<String>? = nil

    @Relationship var sub: Sub? = nil
    @Relationship(inverse: \.father) var set: [Sub]?
    @Relationship var array: [Sub]? = nil
    @Relationship(deleteRule: .cascade, inverse: \.owner) var dict: [Entry]?

    var customString: String { "My ID: \(id), name: \(name)" }
}

@EntityModel
private struct Sub: Equatable, Codable {
    var uuid = UUID()
    var text: String

    var id: UUID { uuid }

    @Relationship(inverse: \.set) var father: [TestModel]?
}

/// The value of a key in one model's dictionary.
@EntityModel
private struct Entry: Equatable, Codable {
    var id = UUID()
    var key: String
    @Relationship var value: Sub? = nil
    @Relationship(inverse: \.dict) var owner: TestModel?
}

@EntityModel
private struct Numbered: Equatable {
    @AutoIncrement let id: Int
}

/// The examples of MagicData's manual, as they are written here, by its headings.
@Suite("Manual of MagicData")
struct MagicDataManualTests {
    private let store: Store

    init() throws { store = try Store.temporary(TestModel.self, Numbered.self) }

    private func update(_ object: some EntityModelProtocol) throws {
        try store.write { _ = try object.save(to: &$0) }
    }

    /// A model with three subs in its set.
    private func model(_ texts: String...) throws -> TestModel {
        try store.write { context in
            try context.create(
                TestModel(name: "hi", set: .relation(texts.map { Sub(text: $0) })))
        }
    }

    private func set(_ model: TestModel) -> [String] {
        TestModel.query(model.id).related(\.$set).resolve(in: store.context).map(\.text)
    }

    @Test("MagicData: a store at the app's place, at a path, for the moment, and in memory")
    func stores() throws {
        let place = Store.defaultLocation(named: "default", of: "org.example.app")
        #expect(Array(place.pathComponents.suffix(2)) == ["org.example.app", "default.varve"])
        let path = StoreTests.Place()
        let kinds: [(make: () throws -> Store, stays: Bool)] = [
            ({ try Store(at: path.url, TestModel.self) }, true),
            ({ try Store.temporary(TestModel.self) }, false),
            ({ try Store.inMemory(TestModel.self) }, false),
        ]
        for (make, stays) in kinds {
            let store = try make()
            try store.write { try TestModel(name: "hi").save(to: &$0) }
            #expect(store.context.count(TestModel.self) == 1)
            try store.close()
            #expect(try make().context.count(TestModel.self) == (stays ? 1 : 0))
        }
    }

    @Test("MagicObject: a model, and a copy of it, which is a value of its own")
    func objects() throws {
        let test = TestModel(name: "hi")
        #expect(test.customString == "My ID: \(test.id), name: hi" && test.petName == nil)
        var test2 = test
        test2.name = "hello"
        #expect(test.name == "hi")
        try update(test)
        var stored = try TestModel.require(test.id, in: store.context)
        stored.name = "hello"
        #expect(test.name == "hi")
    }

    @Test("Codable: an object is coded as itself, and read back")
    func coding() throws {
        let model = try model("a", "b")
        let found = try #require(
            TestModel.query(model.id).with(\.$set).resolve(in: store.context))
        let data = try JSONEncoder().encode(found)
        let read = try JSONDecoder().decode(TestModel.self, from: data)
        #expect(read == found && read.set?.map(\.text) == ["a", "b"])
        let other = try Store.temporary(TestModel.self)
        try other.write { _ = try read.save(to: &$0) }
        #expect(Sub.query().resolve(in: other.context).map(\.text) == ["a", "b"])
    }

    @Test("Points of Codable: a value of a type that is Codable")
    func codableValues() throws {
        let model = TestModel(name: "hi", job: Job(title: "chef", salary: 3))
        try update(model)
        #expect(try TestModel.require(model.id, in: store.context).job?.title == "chef")
    }

    @Test("Primary: texts and UUIDs have a default, and numbers count by themselves")
    func primaryValues() throws {
        #expect(UUID(uuidString: TestModel(name: "").id) != nil)
        #expect(Sub(text: "").uuid != Sub(text: "").uuid)
        let numbers = try store.write { try $0.create([Numbered(), Numbered()]) }
        #expect(numbers.map(\.id) == [1, 2])
    }

    @Test("MagicAsset, AsyncMagical: a large value is in a file, got when it is wanted, and set")
    func assets() async throws {
        var model = TestModel(name: "hi")
        model.asset = try await Asset("Hello", in: store)
        _ = try await store.write { [model] in try $0.create(model) }
        let copy = try TestModel.require(model.id, in: store.context)
        #expect(try await copy.asset?.value(in: store) == "Hello")
        model.asset = try await Asset("Hello again", in: store)
        _ = try await store.write { [model] in try $0.create(model) }
        let later = try TestModel.require(model.id, in: store.context)
        #expect(try await later.asset?.value(in: store) == "Hello again")
    }

    @Test("AsyncStream: the items of a list one by one")
    func items() throws {
        let instance = try model("a", "b", "c")
        var res: [String] = []
        TestModel.query(instance.id).related(\.$set).forEach(in: store.context) { item in
            res.append(item.text)
        }
        #expect(res == ["a", "b", "c"])
    }

    @Test("Random Value: one of a list, and one of a part of it, without the others")
    func randomValue() throws {
        let instance = try model("a", "b", "c")
        let ids = TestModel.query(instance.id).id(\.$set).resolve(in: store.context)?.$set.ids ?? []
        let random = try Sub.require(try #require(ids.randomElement()), in: store.context)
        #expect(["a", "b", "c"].contains(random.text))
        let second = try Sub.require(try #require(ids[1..<2].randomElement()), in: store.context)
        #expect(second.text == "b")
    }

    @Test("Add/Update: an object is added, and updated where it is there")
    func updating() throws {
        var object = TestModel(name: "hi")
        try update(object)
        object.name = "hello"
        try update(object)
        #expect(TestModel.query().resolve(in: store.context).map(\.name) == ["hello"])
    }

    @Test("Remove one object, Remove All")
    func removing() throws {
        let test1 = TestModel(name: "one")
        for object in [test1, TestModel(name: "two"), TestModel(name: "three")] {
            try update(object)
        }
        try store.write { _ = try test1.delete(from: &$0) }
        #expect(store.context.count(TestModel.self) == 2)
        try store.write { _ = try TestModel.query().delete(from: &$0) }
        #expect(store.context.count(TestModel.self) == 0)
    }

    @Test("Query All, Query by primary value, Know whether the object exists")
    func queries() throws {
        let instance1 = TestModel(name: "one")
        try update(instance1)
        try update(TestModel(name: "two"))
        #expect(TestModel.query().resolve(in: store.context).map(\.name) == ["one", "two"])
        #expect(try TestModel.require(instance1.id, in: store.context) == instance1)
        #expect(throws: ContextError.noSuchEntity(type: "TestModel", id: "x")) {
            try TestModel.require("x", in: store.context)
        }
        #expect(TestModel.query(instance1.id).exists(in: store.context))
    }

    @Test(
        "One to Many: an object in another one is saved with it, and loaded where the query says so"
    )
    func oneToMany() throws {
        let model = TestModel(name: "hi", sub: .relation(Sub(text: "sub")))
        try update(model)
        let found = TestModel.query(model.id).with(\.$sub).resolve(in: store.context)
        #expect(found?.sub?.text == "sub")
    }

    @Test("Set, Array: many objects in another one, in their order")
    func collections() throws {
        var model = TestModel(name: "hi")
        model.$set = .relation([Sub(text: "a"), Sub(text: "b")])
        model.$array = .relation([Sub(text: "x"), Sub(text: "y")])
        try update(model)
        let found = TestModel.query(model.id).with(\.$set).with(\.$array).resolve(in: store.context)
        #expect(found?.set?.map(\.text) == ["a", "b"] && found?.array?.map(\.text) == ["x", "y"])
    }

    @Test("Dictionary: objects by key are entities with a key, as long as relations have none")
    func dictionary() throws {
        let model = TestModel(
            name: "hi",
            dict: .relation(
                ["a", "b"].map { Entry(key: $0, value: .relation(Sub(text: "sub \($0)"))) }))
        try update(model)
        let entries = TestModel.query(model.id).related(\.$dict)
        let entry = entries.filter(\.key == "b").with(\.$value).resolve(in: store.context)
        #expect(entry.map { $0.value?.text } == ["sub b"])
        #expect(entries.resolve(in: store.context).map(\.key) == ["a", "b"])
    }

    @Test("Reverse: an object knows those that hold it")
    func reverse() throws {
        let instance = try model("a")
        let sub = try #require(Sub.query().first().resolve(in: store.context))
        let fathers = Sub.query(sub.id).related(\.$father)
        #expect(fathers.resolve(in: store.context).map(\.id) == [instance.id])
    }

    @Test("Insert, Remove, Fetch: a set takes an object once, and objects leave it")
    func sets() throws {
        let instance = try model("a", "b")
        let sub1 = Sub(text: "c")
        for _ in 0..<2 {
            try store.write { context in
                var instance = instance
                instance.$set = .appending(relation: [sub1])
                try instance.save(to: &context)
            }
        }
        #expect(set(instance) == ["a", "b", "c"])
        try store.write { try instance.detach([sub1.id], relation: \.$set, in: &$0) }
        #expect(set(instance) == ["a", "b"])
        try store.write { context in
            let late = TestModel.query(instance.id).related(\.$set).filter(\.text > "a")
            try instance.detach(late.resolve(in: context).map(\.id), relation: \.$set, in: &context)
        }
        #expect(set(instance) == ["a"] && store.context.count(Sub.self) == 3)
    }

    @Test(
        "What is ZIndex: equal objects are those of one id, and their order is that of their first saves"
    )
    func order() throws {
        for name in ["c", "a", "b"] { try update(TestModel(id: name, name: name)) }
        try update(TestModel(id: "c", name: "again"))
        #expect(TestModel.query().resolve(in: store.context).map(\.id) == ["c", "a", "b"])
    }
}
