import Foundation
import Testing
import Varve
import VarveTestSupport

@EntityModel("Item")
private struct ItemV3 {
    let id: Int
    var title: String
    var state: StateV2
    var mood: MoodV2?
    var raw: RawV2
    var nickname: String? = nil

    @Relationship(inverse: \.items) var folder: FolderV3?
}

@EntityModel("Item")
private struct ItemV4 {
    let id: Int
    var title: String
    var state: StateV2
    var feeling: MoodV2?
    var raw: RawV2
}

@EntityModel("Folder")
private struct FolderV3 {
    let id: String
    var title = "l"

    @Relationship(inverse: \.folder) var items: [ItemV3]?
}

@Suite("Steps of migrations")
struct MigrationStepTests {
    private let files = SimulatedDisk()

    private func open(
        _ types: [any EntityModelProtocol.Type], _ migrations: [Migration] = []
    ) throws -> Store {
        try Store(
            in: files, mode: .readWrite, durability: .commit, migrations: migrations, types: types)
    }

    @Test("A plan names what is renamed")
    func plan() throws {
        let former = try open([TaskV1.self])
        try former.write { try TaskV1(id: 1, name: "a", state: .open, raw: .high).save(to: &$0) }
        try former.close()
        let plan = try Store.plan(
            in: files, migrations: [Renamings.migration], types: [ItemV2.self])
        #expect(
            plan.changes.prefix(3).map(\.description) == [
                "rename type Task to Item", "rename Item.name to title",
                "rename Item.list to folder",
            ])
        #expect("\(plan)".contains("rename type List to Folder"), "\(plan)")
        #expect(plan.refusal == nil)
    }

    private func migratedStore() throws -> Store {
        let former = try open([TaskV1.self])
        try Renamings.fill(former)
        try former.close()
        return try open([ItemV2.self], [Renamings.migration])
    }

    @Test("Types, properties and relations are renamed, and cases of enumerations are removed")
    func renaming() throws {
        let store = try migratedStore()
        #expect(
            ItemV2.query().resolve(in: store.context) == [
                ItemV2(id: 1, title: "c!", state: .open, mood: nil, raw: .high),
                ItemV2(id: 2, title: "b!", state: .done(by: "me"), mood: .good, raw: .high),
            ])
        #expect(FolderV2.query("x").related(\.$items).resolve(in: store.context).map(\.id) == [1])
        #expect(store.opening.unread.isEmpty, "\(store.opening.unread)")
        try store.write { try ItemV2.delete(id: 2, from: &$0) }
        #expect(Deleted<ItemV2>.query(2).resolve(in: store.context)?.entity.title == "b!")
        try store.close()
        let again = try open([ItemV2.self])
        #expect(ItemV2.query().resolve(in: again.context).map(\.title) == ["c!"])
    }

    @Test("A property of the past has its value of then, without the removed cases")
    func past() throws {
        let store = try migratedStore()
        let past = try store.context(asOf: .transaction(1))
        #expect(
            ItemV2.query(1).resolve(in: past)
                == ItemV2(id: 1, title: "a", state: .open, mood: nil, raw: .high))
        #expect(FolderV2.query("x").related(\.$items).resolve(in: past).map(\.id) == [1])
        past.checkInvariants()
        #expect(
            try store.history(of: ItemV2.self, id: 1).map { $0.entity?.title } == ["c!", "c", "a"])
    }

    @Test("An older app that declares former names is refused, also where they could be new")
    func formerNames() throws {
        try migratedStore().close()
        do {
            _ = try open([TaskV1.self])
            Issue.record("an older app opened the store")
        } catch StoreError.migratedByNewerApp(["items"], let problems) {
            #expect(problems.map(\.type).sorted() == ["List", "Task"])
        }
        let moods = Migration("moods", .rename("mood", of: "Item", to: "feeling"))
        try open([ItemV4.self], [Renamings.migration, moods]).close()
        do {
            _ = try open([ItemV2.self])
            Issue.record("an older app opened the store")
        } catch StoreError.migratedByNewerApp(["items", "moods"], let problems) {
            #expect(problems.map { "\($0.type).\($0.property ?? "")" } == ["Item.mood"])
        }
        // One that knows the newest migration may use a former name anew.
        #expect(try open([ItemV2.self], [moods]).context.count(ItemV2.self) == 2)
    }

    @Test("A step about a name that was given up passes over a store from before that")
    func reusedNames() throws {
        let former = try open([TaskV1.self])
        try former.write { context in
            try ListV1(id: "x").save(to: &context)
            try TaskV1(id: 1, name: "a", state: .open, raw: .high, list: .id("x"))
                .save(to: &context)
        }
        try former.close()
        // Apps in between had another `name` of the same type, and another type of the name.
        let later = Migration(
            "later", .rename("name", of: "Item", to: "nickname"), .remove("list", of: "Item"),
            .remove(type: "Task"), .rename(type: "List", to: "Other"))
        let store = try open([ItemV3.self], [Renamings.migration, later])
        let found = ItemV3.query().resolve(in: store.context)
        #expect(found.map(\.title) == ["a!"] && found.map(\.nickname) == [nil])
        #expect(store.opening.unread.isEmpty, "\(store.opening.unread)")
        #expect(FolderV3.query("x").related(\.$items).resolve(in: store.context).map(\.id) == [1])
    }

    @Test("A name that is taken is refused")
    func takenName() throws {
        try migratedStore().close()
        let taken = Migration("taken", .rename("title", of: "Item", to: "state"))
        #expect(throws: StoreError.self) { try open([ItemV2.self], [Renamings.migration, taken]) }
        #expect(try open([ItemV2.self], [Renamings.migration]).lastTransaction == 3)
    }

    @Test("A store with a directory is copied before, and says how far it is")
    func backup() throws {
        let place = StoreTests.Place()
        let former = try Store(at: place.url, types: Migrations.formerTypes)
        try Migrations.fill(former)
        try former.close()
        let reports = Reports()
        let store = try Store(
            at: place.url, migrations: Migrations.all,
            migrating: MigrationOptions { reports.add($0) }, types: Migrations.types)
        let copy = URL(fileURLWithPath: place.url.path + ".before-4")
        defer { try? FileManager.default.removeItem(at: copy) }
        #expect(
            reports.all == [
                "converting 0 of 3", "converting 3 of 3", "backingUp 0 of 1", "backingUp 1 of 1",
            ])
        #expect(store.context.count(WorkerV2.self) == 2)
        let before = try Store(at: copy, mode: .readOnly, types: Migrations.formerTypes)
        #expect(before.context.count(WorkerV1.self) == 2 && before.lastTransaction == 3)
    }

    @Test("Where the copy cannot be made, the store is not migrated")
    func failingBackup() throws {
        let place = StoreTests.Place()
        let former = try Store(at: place.url, types: Migrations.formerTypes)
        try Migrations.fill(former)
        try former.close()
        func open(_ backup: MigrationOptions.Backup) throws -> Store {
            try Store(
                at: place.url, migrations: Migrations.all,
                migrating: MigrationOptions(backup: backup), types: Migrations.types)
        }
        // Something is there.
        #expect(throws: StoreError.self) { try open(.at(place.url)) }
        let again = try Store(at: place.url, types: Migrations.formerTypes)
        #expect(again.lastTransaction == 3)
        try again.close()
        #expect(try open(.none).lastTransaction == 4)
    }
}

// Unchecked: the opening thread alone writes it, and the test reads it when that is done.
private final class Reports: @unchecked Sendable {
    private(set) var all: [String] = []

    func add(_ progress: MigrationProgress) {
        all.append("\(progress.stage) \(progress.done) of \(progress.total)")
    }
}
