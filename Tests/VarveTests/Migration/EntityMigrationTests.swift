import Foundation
import Testing
import Varve
import VarveTestSupport

@Suite("Migrations that split, join and renumber entities")
struct EntityMigrationTests {
    private let files = SimulatedDisk()

    private func open(
        _ types: [any EntityModelProtocol.Type], _ migrations: [Migration] = [],
        on disk: SimulatedDisk? = nil
    ) throws -> Store {
        try Store(
            in: disk ?? files, mode: .readWrite, durability: .commit, compactsAutomatically: false,
            migrations: migrations, types: types)
    }

    private func migrated(_ tested: EntityCase) throws -> Store {
        let former = try open(Dwellers.types)
        try Dwellers.fill(former)
        try former.close()
        return try open(tested.types, [tested.migration])
    }

    private func failure(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("Entities are as the steps say, live and in the log", arguments: EntityCase.all)
    func outcome(_ tested: EntityCase) throws {
        let store = try migrated(tested)
        #expect(tested.describe(store.context) == tested.expected[5])
        store.context.checkInvariants()
        #expect(store.lastTransaction == 6)
        try store.close()
        let again = try open(tested.types, [tested.migration])
        #expect(tested.describe(again.context) == tested.expected[5])
        #expect(again.lastTransaction == 6)
        try again.compact()
        try again.close()
        let compacted = try open(tested.types, [tested.migration])
        #expect(tested.describe(compacted.context) == tested.expected[5])
    }

    @Test("A dry run counts what the real one does, and changes nothing", arguments: EntityCase.all)
    func plan(_ tested: EntityCase) throws {
        let former = try open(Dwellers.types)
        try Dwellers.fill(former)
        try former.close()
        let before = files.image.files
        let plan = try Store.plan(
            in: files, migrations: [tested.migration], types: tested.types)
        #expect(plan.refusal == nil)
        #expect(plan.changedRows == tested.counts)
        #expect(files.image.files == before)
        for line in tested.changes {
            #expect(plan.changes.map(\.description).contains(line), "\(plan)")
        }
    }

    @Test("States of the past are split, joined and renumbered too", arguments: EntityCase.all)
    func past(_ tested: EntityCase) throws {
        let store = try migrated(tested)
        for transaction in 0...5 {
            let past = try store.context(asOf: .transaction(TransactionID(UInt64(transaction))))
            #expect(
                tested.describe(past) == tested.expected[transaction], "behind \(transaction)")
            past.checkInvariants()
        }
        try store.compact()
        let past = try store.context(asOf: .transaction(1))
        #expect(tested.describe(past) == tested.expected[1])
    }

    @Test(
        "Steps from before are undone and redone as if they had been made behind",
        arguments: EntityCase.all)
    func undo(_ tested: EntityCase) throws {
        let store = try migrated(tested)
        for transaction in (0...4).reversed() {
            try store.undo()
            #expect(
                tested.describe(store.context) == tested.undone(transaction), "to \(transaction)")
            store.context.checkInvariants()
        }
        #expect(!store.canUndo)
        for transaction in 1...5 {
            try store.redo()
            #expect(
                Set(tested.describe(store.context)) == Set(tested.undone(transaction)),
                "again to \(transaction)")
            store.context.checkInvariants()
        }
        try store.close()
        let again = try open(tested.types, [tested.migration])
        #expect(Set(tested.describe(again.context)) == Set(tested.expected[5]))
    }

    @Test("A rewind makes the store what it was", arguments: EntityCase.all)
    func rewind(_ tested: EntityCase) throws {
        let store = try migrated(tested)
        try store.rewind(to: .transaction(2))
        #expect(Set(tested.describe(store.context)) == Set(tested.expected[2]))
        store.context.checkInvariants()
        try store.undo()
        #expect(Set(tested.describe(store.context)) == Set(tested.expected[5]))
    }

    @Test("A power cut at any moment leaves the store before or behind", arguments: EntityCase.all)
    func crashes(_ tested: EntityCase) throws {
        let former = try open(Dwellers.types)
        try Dwellers.fill(former)
        try former.close()
        let disk = SimulatedDisk(files.image)
        _ = try open(tested.types, [tested.migration], on: disk)
        let operations = disk.operations
        var generator = SeededGenerator(seed: 41)
        for position in 0...operations.count {
            let point = disk.crashPoint(at: position)
            let killed = [Survival](repeating: .whole, count: point.pending.count)
            let fates = SimulatedDisk.survivals(at: point, of: operations, using: &generator)
            for survivals in [killed] + fates.shuffled(using: &generator).prefix(2) {
                let image = SimulatedDisk(disk.image(at: point, survivals))
                let again = try open(tested.types, [tested.migration], on: image)
                #expect(again.lastTransaction == 6, "at \(position), \(survivals)")
                #expect(tested.describe(again.context) == tested.expected[5])
            }
        }
    }

    // MARK: Each by itself

    @Test("The history of an entity goes on under the id that it had before")
    func historyAcrossIDs() throws {
        let store = try migrated(.newIDs)
        let story = try store.history(of: Tenant.self, id: "p1")
        #expect(story.map(\.transaction.id) == [6, 2, 1])
        #expect(story.map(\.change) == [.updated, .updated, .inserted])
        #expect(story.map { $0.entity?.street } == ["Elm 2", "Elm 2", "Elm 1"])
        let deleted = try store.history(of: Tenant.self, id: "p3")
        #expect(deleted.map(\.transaction.id) == [6, 4, 1])
    }

    @Test("The history of an entity shows its values before a split, and begins where it was made")
    func historyAcrossSplit() throws {
        let store = try migrated(.split)
        let story = try store.history(of: Resident.self, id: 1)
        #expect(story.map(\.transaction.id) == [6, 2, 1])
        #expect(story.map { $0.entity?.name } == ["Ada", "Ada", "Ada"])
        #expect(try store.history(of: Address.self, id: 1).map(\.transaction.id) == [6])
    }

    @Test("A version from before a join says where to look for what others had")
    func historyAcrossJoin() throws {
        let store = try migrated(.join)
        let story = try store.history(of: CarOwner.self, id: 1)
        #expect(story.map { $0.entity?.plate } == ["A 1", nil, nil])
        let reason = "\(story[1].unreadable.map { "\($0)" } ?? "")"
        #expect(reason.contains("context(asOf:)"), "\(reason)")
    }

    @Test("A deletion from before is restored under the new id, with its links")
    func restoring() throws {
        let store = try migrated(.newIDs)
        try store.restoreDeletion(of: Tenant.self, id: "p3")
        #expect(Tenant.query("p3").resolve(in: store.context)?.name == "Cy")
        #expect(
            TenantHouse.query("h").id(\.$people).resolve(in: store.context)?.$people.heldIDs
                == ["p1", "p2", "p3"])
        store.context.checkInvariants()
    }

    @Test("What is saved behind has a place of its own, and what is undone then too")
    func order() throws {
        let store = try migrated(.split)
        try store.write(options: WriteOptions(scope: "other")) { context in
            try Address(id: 9, street: "New 9", city: "X").save(to: &context)
            try Resident(id: 9, name: "Zoe", address: .id(9)).save(to: &context)
        }
        for _ in 1...5 { try store.undo() }
        for _ in 1...5 { try store.redo() }
        store.context.checkInvariants()
        #expect(Set(Address.query().resolve(in: store.context).map(\.id)) == [1, 2, 9])
        #expect(Resident.query(2).with(\.$address).resolve(in: store.context)?.address?.id == 2)
    }

    @Test("A store that is opened without the migration says that the past needs it")
    func notGiven() throws {
        for tested in EntityCase.all {
            let disk = SimulatedDisk()
            let former = try open(Dwellers.types, on: disk)
            try Dwellers.fill(former)
            try former.close()
            try open(tested.types, [tested.migration], on: disk).close()
            let store = try open(tested.types, on: disk)
            #expect(tested.describe(store.context) == tested.expected[5])
            let text = failure { _ = try store.context(asOf: .transaction(1)) }
            #expect(text.contains("opened without it"), "\(tested): \(text)")
        }
    }
}
