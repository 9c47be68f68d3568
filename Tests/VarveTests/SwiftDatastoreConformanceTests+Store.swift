import Foundation
import Testing
import VarveLog
import VarveTestSupport

@testable import Varve

@EntityModel
private struct Clerk: Equatable, Hashable {
    @AutoIncrement let id: Int
    var name: String
    var badge = ""

    func didCreate(in context: inout Context) throws {
        try Visit(text: "created \(id)").save(to: &context)
    }

    func didUpdate(in context: inout Context) throws {
        try Visit(text: "updated \(id)").save(to: &context)
    }
}

@EntityModel
private struct Visit: Equatable, Hashable {
    @AutoIncrement let id: Int
    var text: String
}

@EntityModel("Clerk")
private struct LaterClerk: Equatable {
    @AutoIncrement let id: Int
    var fullName: String
    var badge = ""
}

/// Creation, ids, places of stores, errors and migrations.
extension SwiftDatastoreConformanceTests {
    private func visits(_ store: Store) -> [String] {
        Visit.query().resolve(in: store.context).map(\.text)
    }

    @Test("SD-02: a hook runs when an object is created, and not when it is changed or read")
    func creation() throws {
        let store = try Store.inMemory(Clerk.self, Visit.self)
        let clerk = try store.write { try $0.create(Clerk(name: "Tom")) }
        #expect(visits(store) == ["created 1"])
        var changed = clerk
        changed.name = "Thomas"
        try store.write { try changed.save(to: &$0) }
        #expect(try Clerk.require(1, in: store.context).name == "Thomas")
        #expect(visits(store) == ["created 1", "updated 1"])
    }

    @Test(
        "SD-10: an id is there from the creation on, prints, compares, and finds its object anywhere"
    )
    func objectIDs() throws {
        let store = try Store.inMemory(Clerk.self, Visit.self)
        let draft = store.draft("New")
        let clerk = try draft.edit { context in
            try context.create(Clerk(name: "")) { $0.badge = "B\($0.id)" }
        }
        #expect(clerk.id == 1 && clerk.badge == "B1" && "\(clerk.ref)" == "Clerk 1")
        try draft.commit()
        #expect(try clerk.ref.require(in: store.context) == clerk)
        #expect(Set([clerk.ref, Ref<Clerk>(1)]).count == 1)
        #expect(try store.write { try $0.create(Clerk(name: "Ann")) }.id == 2)
    }

    @Test("SD-38: a store has a name, and is at the platform's place for it")
    func namedStore() throws {
        let url = Store.defaultLocation(named: "myapp.store", of: "org.example.app")
        #expect(url.lastPathComponent == "myapp.store.varve")
        #expect(url.deletingLastPathComponent().lastPathComponent == "org.example.app")
        let directory = try TemporaryDirectory()
        let place = directory.url.appending(path: "app/myapp.store.varve")
        let store = try Store(at: place, createsParents: true, Clerk.self, Visit.self)
        try store.write { try Clerk(name: "Tom").save(to: &$0) }
        #expect(FileManager.default.fileExists(atPath: place.path))
    }

    @Test(
        "SD-39: each test has a store of its own, whose folder goes with it and whose time it decides"
    )
    func storesForTests() throws {
        var path = ""
        for _ in 0..<2 {
            let store = try Store.temporary(Clerk.self, Visit.self)
            path = store.opener.fileSystem.displayPath
            #expect(
                store.context.count(Clerk.self) == 0 && FileManager.default.fileExists(atPath: path)
            )
            try store.write { try Clerk(name: "Tom").save(to: &$0) }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        let clock = TestClock(Date(timeIntervalSince1970: 1_000))
        let store = try Store.test(clock, Clerk.self, Visit.self)
        let clerk = try store.write { try $0.create(Clerk(name: "Tom")) }
        #expect(clerk.updatedAt(in: store.context) == clock.now)
    }

    @Test("SD-41: errors are localized, with what to do next, and the store logs what it does")
    func errorsAndLog() throws {
        let lines = Lock<[String]>([])
        let log = StoreLog { entry in lines.withLock { $0.append("\(entry.level) \(entry.event)") }
        }
        let store = try Store.inMemory(log: log, Clerk.self, Visit.self)
        try store.close()
        let error = #expect(throws: StoreError.self) {
            try store.write { try Clerk(name: "Tom").save(to: &$0) }
        }
        #expect(error?.localizedDescription.contains("closed") == true)
        #expect(error?.recoverySuggestion?.isEmpty == false)
        #expect(lines.withLock { $0 }.contains { $0.hasSuffix("opening") })
    }

    @Test("SD-42: a model that changed migrates what is stored")
    func migration() throws {
        let disk = SimulatedDisk()
        func open(
            _ migrations: [Migration], _ types: [any EntityModelProtocol.Type]
        ) throws -> Store {
            try Store(
                in: disk, mode: .readWrite, durability: .commit, migrations: migrations,
                types: types)
        }
        let former = try open([], [Clerk.self, Visit.self])
        try former.write { try Clerk(name: "Tom").save(to: &$0) }
        try former.close()
        let rename = Migration("full names", .rename("name", of: "Clerk", to: "fullName"))
        let store = try open([rename], [LaterClerk.self, Visit.self])
        #expect(try LaterClerk.require(1, in: store.context).fullName == "Tom")
    }
}
