import Foundation
import Testing
import Varve
import VarveTestSupport

/// Reads the former values of a property that was converted: the log keeps them for the past.
@EntityModel("Worker")
struct WorkerWithFormerAge: Equatable {
    let id: Int
    var fullName: String
    var age: String
    @PersistedName("age#3") var formerAge: Int? = nil
}

/// A later version, with a property in the middle of the row.
@EntityModel("Worker")
struct WorkerV3: Equatable {
    let id: Int
    var fullName: String
    var level: Int = 7
    var age: String
    var mail: String
    var note: Int? = nil

    @Relationship(inverse: \.workers) var teams: CrewV3?
}

@EntityModel("Crew")
struct CrewV3: Equatable {
    let id: String
    var name = ""

    @Relationship(inverse: \.teams) var workers: [WorkerV3]?
}

@Suite("The past of a migrated store")
struct MigrationPastTests {
    private let files = SimulatedDisk()

    private func open(
        _ types: [any EntityModelProtocol.Type], _ migrations: [Migration] = Migrations.all
    ) throws -> Store {
        try Store(
            in: files, mode: .readWrite, durability: .commit, compactsAutomatically: false,
            migrations: migrations, types: types)
    }

    private func migratedStore() throws -> Store {
        let former = try Store(
            in: files, mode: .readWrite, durability: .commit, types: Migrations.formerTypes)
        try Migrations.fill(former)
        try former.close()
        return try open(Migrations.types)
    }

    private func workers(_ context: Context) -> [String] {
        WorkerV2.query().with(\.$teams).resolve(in: context).map {
            "\($0.id) \($0.fullName), \($0.age), \($0.mail), \($0.teams?.id ?? "-")"
        }
    }

    private func failure(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return "\(error)"
        }
    }

    private static let first = [
        "1 Ada Byron, 36 years, ada@x, b", "2 Bob Moss, 20 years, none, a",
        "3 Cy Poe, 70 years, cy@x, b",
    ]

    @Test("A state from before shows the values of then, as the migration converts them")
    func context() throws {
        let store = try migratedStore()
        let past = try store.context(asOf: .transaction(1))
        #expect(workers(past) == Self.first)
        past.checkInvariants()
        #expect(CrewV2.query("a").related(\.$workers).resolve(in: past).map(\.id) == [2])
        #expect(CrewV2.query("b").related(\.$workers).resolve(in: past).map(\.id) == [1, 3])
        let second = try store.context(asOf: .transaction(2))
        #expect(workers(second)[0] == "1 Ada Byron, 37 years, ada@x, b")
        let third = try store.context(asOf: .transaction(3))
        #expect(workers(third).count == 2)
        #expect(Deleted<WorkerV2>.query(3).resolve(in: third)?.entity.age == "70 years")
        #expect(Migrations.describe(third) == Migrations.describe(store.context))
        #expect(try store.context(asOf: .transaction(0)).count(WorkerV2.self) == 0)
    }

    @Test("So it does behind a compaction, from a checkpoint behind the migration")
    func compacted() throws {
        let store = try migratedStore()
        try store.write { try CrewV2(id: "c").save(to: &$0) }
        try store.compact()
        try store.write { try CrewV2(id: "d").save(to: &$0) }
        #expect(workers(try store.context(asOf: .transaction(1))) == Self.first)
        try store.close()
        let again = try open(Migrations.types)
        #expect(workers(try again.context(asOf: .transaction(1))) == Self.first)
        #expect(try again.history(of: WorkerV2.self, id: 1).count == 3)
    }

    @Test("Differences between states on both sides of a migration are those of the values")
    func diff() throws {
        let store = try migratedStore()
        let across = try store.diff(from: .transaction(1), to: .transaction(4))
            .changes(of: WorkerV2.self)
        #expect(across.map(\.id) == [1, 3] && across.map(\.kind) == [.updated, .deleted])
        #expect(across[0].before?.age == "36 years" && across[0].after?.age == "37 years")
        #expect(across[0].changedProperties == ["age"] && across[0].links.isEmpty)
        let before = try store.diff(from: .transaction(1), to: .transaction(2))
            .changes(of: WorkerV2.self)
        #expect(before.map { $0.after?.age } == ["37 years"])
        #expect(try store.diff(from: .transaction(3), to: .transaction(4)).isEmpty)
    }

    @Test("The former values stay readable under the former name and the number")
    func formerValues() throws {
        try migratedStore().close()
        let store = try open([WorkerWithFormerAge.self])
        func ages(_ transaction: TransactionID) throws -> [Int?] {
            WorkerWithFormerAge.query()
                .resolve(in: try store.context(asOf: .transaction(transaction))).map(\.formerAge)
        }
        #expect(try ages(1) == [36, 20, 70])
        #expect(try ages(2) == [37, 20, 70])
        #expect(try ages(4) == [nil, nil])
    }

    @Test("The history of an entity goes through the migration")
    func history() throws {
        let store = try migratedStore()
        let story = try store.history(of: WorkerV2.self, id: 1)
        #expect(story.map(\.transaction.id) == [4, 2, 1])
        #expect(story.map { $0.entity?.age } == ["37 years", "37 years", "36 years"])
        #expect(story.map { $0.entity?.fullName } == Array(repeating: "Ada Byron", count: 3))
        #expect(story[1].changedProperties == ["age"])
        #expect(story[0].transaction.label == "Migrate: 1 full names, 2 the rest")
        let deleted = try store.history(of: WorkerV2.self, id: 3)
        #expect(deleted.map { $0.entity?.age } == Array(repeating: "70 years", count: 3))
    }

    @Test("Steps from before a migration are undone and redone as if they had been made behind it")
    func undo() throws {
        let store = try migratedStore()
        let migrated = Migrations.describe(store.context)
        #expect(store.undoLabel == "Fire")
        try store.undo()
        #expect(workers(store.context)[2] == "3 Cy Poe, 70 years, cy@x, b")
        #expect(
            CrewV2.query("b").related(\.$workers).resolve(in: store.context).map(\.id) == [1, 3])
        try store.undo()
        #expect(workers(store.context) == Self.first)
        store.context.checkInvariants()
        try store.undo()
        #expect(store.context.count(WorkerV2.self) == 0 && store.context.count(CrewV2.self) == 0)
        #expect(store.undoLabel == nil)
        for _ in 1...3 { try store.redo() }
        #expect(migrated == Migrations.describe(store.context))
        store.context.checkInvariants()
        try store.close()
        let again = try open(Migrations.types)
        try again.undo()
        #expect(workers(again.context).count == 3)
    }

    @Test("What came behind the migration is a conflict, as ever")
    func conflicts() throws {
        let store = try migratedStore()
        try store.write(options: WriteOptions(scope: "other")) {
            try WorkerV2(id: 1, fullName: "A", age: "1", mail: "").save(to: &$0)
        }
        try store.undo()
        let text = failure { try store.undo() }
        #expect(text.contains("Worker 1: 'age' was changed again"), "\(text)")
        try store.undo(force: true)
        #expect(workers(store.context)[0] == "1 A, 36 years, , b")
    }

    @Test("A migration is no step to undo, and cannot be reverted")
    func revertingMigration() throws {
        let store = try migratedStore()
        let text = failure { try store.revert(4) }
        #expect(text.contains("transaction 4 is the migration"), "\(text)")
        #expect(text.contains("cannot be reverted"), "\(text)")
        let forced = failure { try store.revert(4, UndoOptions(force: true)) }
        #expect(forced == text && store.lastTransaction == 4)
        try store.revert(2)
        #expect(workers(store.context)[0] == "1 Ada Byron, 36 years, ada@x, b")
    }

    @Test("A rewind to a state from before makes it what that state shows")
    func rewind() throws {
        let store = try migratedStore()
        try store.write { try WorkerV2.delete(id: 2, from: &$0) }
        try store.rewind(to: .transaction(1))
        let past = Migrations.describe(try store.context(asOf: .transaction(1)))
        #expect(past == Migrations.describe(store.context))
        store.context.checkInvariants()
        try store.undo()
        #expect(workers(store.context) == ["1 Ada Byron, 37 years, ada@x, b"])
    }

    @Test("A rewind passes writes behind the migration that have another layout than those of now")
    func rewindThroughLayouts() throws {
        let store = try migratedStore()
        try store.write {
            try WorkerV2(id: 1, fullName: "Ada King", age: "38 years", mail: "king@x").save(to: &$0)
        }
        try store.write { try WorkerV2.delete(id: 2, from: &$0) }
        try store.close()
        let again = try open([WorkerV3.self, CrewV3.self, DraftV2.self])
        try again.write {
            try WorkerV3(id: 4, fullName: "D", level: 4, age: "1", mail: "d").save(to: &$0)
        }
        try again.rewind(to: .transaction(2))
        #expect(
            WorkerV3.query().resolve(in: again.context) == [
                WorkerV3(id: 1, fullName: "Ada Byron", level: 7, age: "37 years", mail: "ada@x"),
                WorkerV3(id: 2, fullName: "Bob Moss", level: 7, age: "20 years", mail: "none"),
                WorkerV3(id: 3, fullName: "Cy Poe", level: 7, age: "70 years", mail: "cy@x"),
            ])
        again.context.checkInvariants()
    }

    @Test("A deletion from before is restored as a whole, with its links")
    func restoring() throws {
        let store = try migratedStore()
        try store.restoreDeletion(of: WorkerV2.self, id: 3)
        #expect(workers(store.context)[2] == "3 Cy Poe, 70 years, cy@x, b")
        #expect(
            CrewV2.query("b").related(\.$workers).resolve(in: store.context).map(\.id) == [1, 3])
        try store.undo()
        #expect(WorkerV2.query(3).resolve(in: store.context) == nil)
        #expect(Deleted<WorkerV2>.query(3).resolve(in: store.context)?.entity.age == "70 years")
        #expect(try store.restore(WorkerV2.self, id: 3) != nil)
        store.context.checkInvariants()
    }

    @Test("A store that is opened without a migration says which one the past needs")
    func notGiven() throws {
        try migratedStore().close()
        let store = try open(Migrations.types, [])
        #expect(workers(store.context).count == 2)
        let texts = [
            failure { _ = try store.context(asOf: .transaction(1)) },
            failure { _ = try store.history(of: WorkerV2.self, id: 1) },
            failure { try store.undo() },
        ]
        for text in texts {
            #expect(
                text.contains("'1 full names'") && text.contains("opened without it"), "\(text)")
        }
        #expect(try store.history(of: CrewV2.self, id: "a").count == 1)
        #expect(try store.context(asOf: .transaction(4)).count(WorkerV2.self) == 2)
    }

    @Test("A value of then that a step cannot convert is named, with its entity")
    func notConvertible() throws {
        let former = try open([NoteV1.self], [])
        for text in ["1", "two", "2"] {
            try former.write { try NoteV1(id: 1, number: text).save(to: &$0) }
        }
        try former.close()
        let numbers = Migration(
            "numbers",
            .convert("number", of: "Note", from: String.self, to: Int.self) {
                guard let number = Int($0) else { throw NotANumber(text: $0) }
                return number
            })
        let store = try open([NoteV2.self], [numbers])
        #expect(NoteV2.query(1).resolve(in: store.context)?.number == 2)
        let past = try store.context(asOf: .transaction(1))
        #expect(NoteV2.query(1).resolve(in: past)?.number == 1)
        let text = failure { _ = try store.context(asOf: .transaction(2)) }
        #expect(text.contains("migration 'numbers'") && text.contains("Note 1"), "\(text)")
        #expect(text.contains("two"), "\(text)")
        let story = try store.history(of: NoteV2.self, id: 1)
        #expect(story.map { $0.entity?.number } == [2, 2, nil, 1])
        #expect("\(story[2].unreadable.map { "\($0)" } ?? "")".contains("numbers"))
        guard case .notMigratable? = story[2].unreadable?.reason else {
            Issue.record("\(story[2])")
            return
        }
        #expect(failure { try store.undo() }.contains("migration 'numbers'"))
        #expect(store.lastTransaction == 4)
    }

    @Test("The name of a removed type serves another type")
    func reusedName() throws {
        let store = try migratedStore()
        try store.write { try DraftV2(id: "x", pages: [1]).save(to: &$0) }
        try store.close()
        let again = try open(Migrations.types)
        #expect(DraftV2.query().resolve(in: again.context) == [DraftV2(id: "x", pages: [1])])
        #expect(try again.context(asOf: .transaction(1)).count(DraftV2.self) == 0)
    }
}

@EntityModel("Note")
private struct NoteV1 {
    let id: Int
    var number: String
}

@EntityModel("Note")
private struct NoteV2 {
    let id: Int
    var number: Int
}

private struct NotANumber: Error {
    let text: String
}
