import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

@EntityModel("Worker")
private struct WorkerWithGivenName {
    let id: Int
    var given: String
    var last: String
    var age: Int
    var mail: String
    var note: String = ""
}

@Suite("Migrations")
struct MigrationTests {
    private let files = SimulatedDisk()

    private func open(
        _ types: [any EntityModelProtocol.Type] = Migrations.types,
        _ migrations: [Migration] = [], mode: Store.Mode = .readWrite,
        retention: Retention = .standard
    ) throws -> Store {
        try Store(
            in: files, mode: mode, durability: .commit, retention: retention,
            compactsAutomatically: false, migrations: migrations, types: types)
    }

    private func makeFormerStore() throws {
        let store = try open(Migrations.formerTypes)
        try Migrations.fill(store)
        try store.close()
    }

    private func expectMigrated(_ context: Context) {
        #expect(
            WorkerV2.query().resolve(in: context) == [
                WorkerV2(id: 1, fullName: "Ada Byron", age: "37 years", mail: "ada@x"),
                WorkerV2(id: 2, fullName: "Bob Moss", age: "20 years", mail: "none"),
            ])
        let deleted = Deleted<WorkerV2>.query(3).resolve(in: context)?.entity
        #expect(deleted?.fullName == "Cy Poe" && deleted?.age == "70 years")
        #expect(WorkerV2.query(1).related(\.$teams).resolve(in: context)?.id == "b")
        #expect(CrewV2.query("a").related(\.$workers).resolve(in: context).map(\.id) == [2])
        #expect(CrewV2.query("b").related(\.$workers).resolve(in: context).map(\.id) == [1])
        #expect(context.count(DraftV2.self) == 0)
        context.checkInvariants()
    }

    /// What keeps a store from opening.
    private func failure(_ body: () throws -> Void) -> StoreError? {
        do {
            try body()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    @Test("Steps convert, join, fill, remove and narrow in one transaction, once")
    func steps() throws {
        try makeFormerStore()
        let store = try open(Migrations.types, Migrations.all)
        expectMigrated(store.context)
        #expect(store.lastTransaction == 4)
        #expect(store.opening.unread.isEmpty, "\(store.opening.unread)")
        let made = try store.history(of: WorkerV2.self, id: 1).first?.transaction
        #expect(made?.label == "Migrate: 1 full names, 2 the rest" && made?.kind == .schema)
        #expect(store.undoLabel == "Fire")
        try store.close()
        // From the log alone.
        let again = try open(Migrations.types, Migrations.all)
        expectMigrated(again.context)
        #expect(again.lastTransaction == 4)
        try again.write { try WorkerV2(id: 4, fullName: "D", age: "1", mail: "d").save(to: &$0) }
        try again.close()
        let without = try open()
        #expect(without.context.count(WorkerV2.self) == 3)
    }

    @Test("A compaction drops the transaction, and the migrations are not performed again")
    func compaction() throws {
        try makeFormerStore()
        let store = try open(Migrations.types, Migrations.all, retention: .transactions(1))
        try store.write { try CrewV2(id: "c").save(to: &$0) }
        try store.compact()
        try store.close()
        let again = try open(Migrations.types, Migrations.all)
        expectMigrated(again.context)
        #expect(again.lastTransaction == 5 && again.floor > 4)
        try again.forget(CrewV2.self, id: "c")
        try again.compact()
        try again.close()
        let last = try open(Migrations.types, Migrations.all)
        #expect(last.lastTransaction == 6)
    }

    @Test("The state behind a migration is that of its log")
    func replay() throws {
        try makeFormerStore()
        let store = try open(Migrations.types, Migrations.all)
        let before = Migrations.describe(store.context)
        let reader = try open(mode: .readOnly)
        #expect(before == Migrations.describe(reader.context))
        try store.close()
        let again = try open()
        #expect(before == Migrations.describe(again.context))
        try again.compact()
        try again.close()
        let compacted = try open(Migrations.types, Migrations.all)
        #expect(before == Migrations.describe(compacted.context))
    }

    @Test("A new store performs none, and remembers that")
    func newStore() throws {
        let never = Migration("never", of: "Worker") { _ in throw CancellationError() }
        var store = try open(Migrations.types, [never])
        #expect(store.lastTransaction == 1)
        try store.write {
            try WorkerV2(id: 1, fullName: "A", age: "1", mail: "").save(to: &$0)
        }
        try store.close()
        store = try open(Migrations.types, [never])
        #expect(store.lastTransaction == 2)
        try store.close()
    }

    @Test("A store that misses several performs them in order, each on what the one before made")
    func missed() throws {
        try makeFormerStore()
        let halves = Migration(
            "halves",
            .convert("age", of: "Worker", from: Int.self, to: Double.self) { Double($0) / 2 },
            .rows(of: "Worker") { try $0.set("half", to: $0["age", as: Double.self]) })
        let texts = Migration(
            "texts",
            .rows(of: "Worker") { try $0.set("age", to: "\($0["half", as: Double.self])") },
            .remove("half", of: "Worker"))
        let rest = Migration("rest", steps: Array(Migrations.rest.steps.dropFirst()))
        let store = try open(Migrations.types, [halves, Migrations.names, texts, rest])
        #expect(WorkerV2.query().resolve(in: store.context).map(\.age) == ["18.5", "10.0"])
        #expect(store.lastTransaction == 4)
        // One more comes later.
        try store.close()
        let later = Migration("later", of: "Worker") {
            try $0.set("age", to: $0["age", as: String.self] + "!")
        }
        let again = try open(Migrations.types, [halves, Migrations.names, texts, rest, later])
        #expect(WorkerV2.query().resolve(in: again.context).map(\.age) == ["18.5!", "10.0!"])
        #expect(again.lastTransaction == 5)
    }

    @Test("A step that throws leaves the store as it was, and names migration and entity")
    func throwing() throws {
        try makeFormerStore()
        let before = contents()
        let failing = Migration("failing", of: "Worker") { row in
            if try row.id(as: Int.self) == 2 { throw CancellationError() }
        }
        let found = failure { _ = try open(Migrations.types, [failing] + Migrations.all) }
        guard case .migration(let failure)? = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(failure.migration == "failing" && failure.type == "Worker" && failure.id == "2")
        #expect(failure.error is CancellationError)
        #expect(contents() == before)
        let store = try open(Migrations.formerTypes)
        #expect(WorkerV1.query(2).resolve(in: store.context)?.age == 20)
    }

    private func contents() -> [String: [UInt8]] {
        files.image.files.filter { $0.key.hasPrefix("segment") }
    }

    @Test("A store that is only read says which migrations it needs")
    func readOnly() throws {
        try makeFormerStore()
        let found = failure { _ = try open(Migrations.types, Migrations.all, mode: .readOnly) }
        guard case .needsMigration(["1 full names", "2 the rest"])? = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        try open(Migrations.types, Migrations.all).close()
        expectMigrated(try open(Migrations.types, Migrations.all, mode: .readOnly).context)
    }

    @Test(
        "What a step cannot do is an error that names the property",
        arguments: [
            ("has no value", Migration("m", .remove("note", of: "Worker"))),
            (
                "there is no property 'frist'",
                Migration("m", of: "Worker") { _ = try $0["frist", as: String.self] }
            ),
            (
                "cannot be read as Int",
                Migration("m", of: "Worker") { _ = try $0["first", as: Int.self] }
            ),
            (
                "no such property; declare it",
                Migration("m", of: "Worker") { row in
                    for name in ["fullName", "age", "mail", "other"] { try row.set(name, to: "") }
                }
            ),
            (
                "was set to Int64 and is String",
                Migration("m", of: "Worker") { row in
                    for name in ["fullName", "age", "mail"] { try row.set(name, to: 1) }
                }
            ),
            (
                "stays to-many",
                Migration("m", .toOne("workers", of: "Crew", keeping: .first))
            ),
        ])
    func errors(text: String, migration: Migration) throws {
        try makeFormerStore()
        let base = Migration(
            "base", .remove("note", of: "Worker"), .remove(type: "Draft"),
            .toOne("teams", of: "Worker", keeping: .last))
        let found = failure { _ = try open(Migrations.types, [base, migration]) }
        let description = found.map { "\($0)" } ?? ""
        #expect(description.contains(text), "\(description)")
        guard case .migration? = found else {
            Issue.record("\(description)")
            return
        }
    }

    @Test("Two migrations of one name are refused")
    func repeatedName() throws {
        let found = failure {
            _ = try open(Migrations.types, [Migrations.names, Migrations.names])
        }
        #expect("\(found.map { "\($0)" } ?? "")".contains("two migrations have this name"))
    }

    @Test("An app from before a migration is refused by type and property")
    func olderApp() throws {
        try makeFormerStore()
        try open(Migrations.types, Migrations.all).close()
        let found = failure { _ = try open([WorkerV1.self, CrewV1.self]) }
        guard case .migratedByNewerApp(["1 full names", "2 the rest"], let problems)? = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(problems.contains { $0.property == "age" })
        let text = "\(found.map { "\($0)" } ?? "")"
        #expect(text.contains("a newer version of the app has migrated the store"), "\(text)")
        #expect(text.contains("Worker.age") && !text.contains("write a migration"), "\(text)")
        let refusal = try plan([WorkerV1.self, CrewV1.self], []).refusal
        #expect(refusal.map { "\($0)" } == text)
    }

    @Test("An app that has dropped older migrations is not an older one where its types do not fit")
    func droppedMigrations() throws {
        try makeFormerStore()
        try open(Migrations.types, Migrations.all).close()
        let found = failure { _ = try open([WorkerV1.self, CrewV1.self], [Migrations.rest]) }
        guard case .schema(let problems)? = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(problems.contains { $0.property == "age" })
    }

    @Test("An app whose list ends before that of the log is older, also where its types fit")
    func olderList() throws {
        try makeFormerStore()
        let list =
            Migrations.all + [Migration("3 crews", of: "Crew") { try $0.set("name", to: "x") }]
        try open(Migrations.types, list).close()
        for mode in [Store.Mode.readWrite, .readOnly] {
            let found = failure { _ = try open(Migrations.types, Migrations.all, mode: mode) }
            guard case .migratedByNewerApp(["3 crews"], [])? = found else {
                Issue.record("\(String(describing: found))")
                return
            }
        }
        // One that has dropped the older ones is not.
        expectMigrated(try open(Migrations.types, [list[2]]).context)
    }

    @Test("A higher version of a migration is performed again, a lower one never")
    func versions() throws {
        try makeFormerStore()
        func marks(_ versions: [Int]) throws -> String? {
            let marks = versions.map { version in
                Migration("marks", version: version, of: "Crew") { row in
                    try row.set("name", to: row["name", as: String.self] + "\(version)")
                }
            }
            let store = try open(Migrations.formerTypes, marks)
            defer { try? store.close() }
            return CrewV1.query("a").resolve(in: store.context)?.name
        }
        #expect(try marks([1]) == "1")
        #expect(try marks([1, 2]) == "12")
        #expect(try marks([1, 2]) == "12")
        #expect(try marks([4]) == "124")
        #expect(throws: StoreError.self) { try marks([1, 2]) }
    }

    @Test("A change that needs a migration is refused with the step to write")
    func advice() throws {
        try makeFormerStore()
        let text = failure { _ = try open([WorkerV2.self, CrewV2.self]) }.map { "\($0)" } ?? ""
        let steps = [
            #".convert("age", of: "Worker", from: Int64.self, to: String.self) { … }"#,
            #".fill("mail", of: "Worker", with: …)"#,
            #".remove("note", of: "Worker")"#,
            #".toOne("teams", of: "Worker", keeping: .first)"#,
            #".fill("fullName", of: "Worker", with: …)"#,
        ]
        for step in steps { #expect(text.contains(step), "\(text)") }
    }

    @Test("A new property that a step leaves without a value may be a former one")
    func likelyRename() throws {
        try makeFormerStore()
        func text(_ types: [any EntityModelProtocol.Type], _ steps: MigrationStep...) -> String {
            let fill = Migration("m", steps: [.fill("mail", of: "Worker", with: "")] + steps)
            return failure { _ = try open(types, [fill]) }.map { "\($0)" } ?? ""
        }
        let advised = text([WorkerWithGivenName.self])
        #expect(
            advised.contains(
                "'given' has no value; if it is 'first' under a new name, "
                    + #"write @PersistedName("first"), or a migration "#
                    + #".rename("first", of: "Worker", to: "given"); else set one of type String"#),
            "\(advised)")
        let removed = text([WorkerWithGivenName.self], .remove("first", of: "Worker"))
        #expect(removed.contains("'given' has no value; set one of type String"), "\(removed)")
        let renamed = text(
            [WorkerWithGivenName.self], .rename("first", of: "Worker", to: "given"))
        #expect(renamed == "")
    }

    private func plan(
        _ types: [any EntityModelProtocol.Type], _ migrations: [Migration]
    ) throws -> StorePlan {
        try Store.plan(in: files, migrations: migrations, types: types)
    }

    @Test("A plan says what opening would do, and does nothing")
    func planning() throws {
        try makeFormerStore()
        let before = contents()
        let found = try plan(Migrations.types, Migrations.all)
        #expect(
            "\(found)" == """
                perform migration '1 full names'
                perform migration '2 the rest'
                add Worker.fullName: String
                convert Worker.age from Int64 to String
                convert Worker.mail from String? to String
                add Worker.note: Int64?
                remove Worker.first
                remove Worker.last
                remove Worker.note
                make relation Worker.teams to-one
                remove type Draft
                add type Draft
                change or remove 2 entities of type Draft
                change or remove 3 entities of type Worker
                """)
        #expect(found.refusal == nil && contents() == before)
        let refused = try plan(Migrations.types, [])
        guard case .schema(let problems)? = refused.refusal else {
            Issue.record("\(refused)")
            return
        }
        #expect(problems.count == 7 && "\(refused)".contains("refused: Worker.fullName"))
        #expect("\(try plan(Migrations.types, [Migrations.names]))".contains("refused"))
        try open(Migrations.types, Migrations.all).close()
        #expect("\(try plan(Migrations.types, Migrations.all))" == "nothing to do")
    }
}
