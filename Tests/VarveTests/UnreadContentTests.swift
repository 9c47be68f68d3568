import Testing
import VarveLog
import VarveTestSupport

@testable import Varve

// Versions of an app whose types lack what another version has written.

enum FullModel {
    enum Kind: String { case mail, fax, letter }

    @EntityModel("Note")
    struct Note: Equatable {
        let id: Int
        var text: String
        var kind: FullModel.Kind
        var former: FullModel.Kind?
        var kinds: [FullModel.Kind]? = nil

        @Relationship var author: FullModel.Person? = nil
    }

    @EntityModel("Person")
    struct Person {
        let id: String
        var name: String
    }
}

enum LesserModel {
    enum Kind: String { case mail, letter }

    /// Without `fax`.
    @EntityModel("Note")
    struct Note: Equatable {
        let id: Int
        var text: String
        var kind: LesserModel.Kind
        var former: LesserModel.Kind?
        var kinds: [LesserModel.Kind]? = nil

        @Relationship var author: FullModel.Person? = nil
    }
}

enum UndeclaredModel {
    /// `text` is `content` and `author` is `writer` by now, which nothing says.
    @EntityModel("Note")
    struct Note {
        let id: Int
        var content: String?
        var kind: FullModel.Kind
        var former: FullModel.Kind?
        var kinds: [FullModel.Kind]? = nil

        @Relationship var writer: FullModel.Person? = nil
    }

    @EntityModel("Note")
    struct DemandingNote {
        let id: Int
        var content: String
        var kind: FullModel.Kind
        var former: FullModel.Kind?
    }

    /// A note by another name.
    @EntityModel("Memo")
    struct Memo {
        let id: Int
        var text: String
        var kind: FullModel.Kind
        var former: FullModel.Kind?
    }
}

enum CodableModel {
    struct Before: Codable { var a: Int }
    struct After: Codable {
        var a: Int
        var b: Int
    }

    @EntityModel("Setting")
    struct SettingBefore {
        let id: Int
        var value: CodableModel.Before
    }

    @EntityModel("Setting")
    struct SettingAfter {
        let id: Int
        @PersistedName("value") var value: CodableModel.After
    }
}

@Suite("What the app's types do not show")
struct UnreadContentTests {
    private func open(
        _ disk: SimulatedDisk, _ mode: Store.Mode = .readWrite,
        _ types: any EntityModelProtocol.Type...
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: UInt64(disk.operations.count + 1)),
            mode: mode, durability: .commit, retention: .everything, compactsAutomatically: false,
            types: types)
    }

    private func note(
        _ id: Int, _ kind: FullModel.Kind, _ former: FullModel.Kind? = nil
    ) -> FullModel.Note {
        FullModel.Note(
            id: id, text: "\(id)", kind: kind, former: former, kinds: former.map { [$0] })
    }

    /// Behind transaction 1: all are mail. 2: note 1 was a fax. 3: note 2 is a fax. 4: note 3, a fax, is deleted. 5: note
    /// 4 is a fax and then none.
    private func written() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = try open(disk, .readWrite, FullModel.Note.self)
        try store.write { context in
            for id in 1...4 { try note(id, .mail).save(to: &context) }
            try FullModel.Person(id: "p", name: "P").save(to: &context)
        }
        try store.write { context in
            var first = note(1, .mail, .fax)
            first.$author = .id("p")
            try first.save(to: &context)
        }
        try store.write { try note(2, .fax).save(to: &$0) }
        try store.write { context in
            try note(3, .fax).save(to: &context)
            try FullModel.Note.delete(id: 3, from: &context)
        }
        try store.write { try note(4, .fax).save(to: &$0) }
        try store.write { try note(4, .letter).save(to: &$0) }
        try store.close()
        return disk
    }

    private func ids(_ context: Context) -> [Int] {
        LesserModel.Note.query().resolve(in: context).map(\.id)
    }

    @Test("Properties, relations and types that were renamed without a declaration are reported")
    func renamed() throws {
        let disk = try written()
        #expect(
            try open(SimulatedDisk(disk.image), .readOnly, FullModel.Note.self).opening.unread
                .isEmpty)
        for mode in [Store.Mode.readWrite, .readOnly] {
            let store = try open(SimulatedDisk(disk.image), mode, UndeclaredModel.Note.self)
            let unread = store.opening.unread
            #expect(unread.types.isEmpty && unread.values.isEmpty)
            #expect(
                unread.properties == [
                    .init(type: "Note", property: "text", count: 4, likelyName: "content")
                ])
            #expect(
                unread.relations == [
                    .init(type: "Note", relation: "author", count: 1, likelyName: "writer")
                ])
            #expect(unread.description.contains("write @PersistedName(\"text\")"))
        }
        let memos = try open(SimulatedDisk(disk.image), .readWrite, UndeclaredModel.Memo.self)
        #expect(
            memos.opening.unread.types == [
                .init(type: "Note", count: 3, deletedCount: 1, likelyName: "Memo"),
                .init(type: "Person", count: 1, deletedCount: 0, likelyName: nil),
            ])
        #expect(memos.opening.unread.description.contains("write @EntityModel(\"Note\")"))
    }

    @Test("Properties and relations without a value are not reported")
    func withoutValues() throws {
        let disk = SimulatedDisk()
        let full = try open(disk, .readWrite, FullModel.Note.self)
        try full.write { context in
            try FullModel.Note(id: 1, text: "", kind: .mail, former: nil).save(to: &context)
        }
        try full.close()
        for mode in [Store.Mode.readWrite, .readOnly] {
            let store = try open(SimulatedDisk(disk.image), mode, UndeclaredModel.Note.self)
            #expect(store.opening.unread.isEmpty, "\(store.opening.unread)")
        }
    }

    @Test("A renamed property without a default is refused with the name that it may have had")
    func demanding() throws {
        #expect {
            _ = try open(try written(), .readWrite, UndeclaredModel.DemandingNote.self)
        } throws: { error in
            guard case StoreError.schema(let problems) = error else { return false }
            return problems.map(\.property) == ["content"]
                && "\(problems[0])".contains("@PersistedName(\"text\")")
        }
    }

    @Test("An unknown raw value is nil where that is possible, and its bytes are kept")
    func unknownOptional() throws {
        let disk = try written()
        do {
            let store = try open(disk, .readWrite, LesserModel.Note.self)
            let first = try #require(LesserModel.Note.query(1).resolve(in: store.context))
            #expect(first.former == nil && first.kinds == nil && first.kind == .mail)
            try store.write { context in
                var first = first
                first.text = "changed"
                try first.save(to: &context)
            }
            try store.undo()
            try store.redo()
            try store.compact(retaining: .newestState)
            try store.close()
        }
        let store = try open(disk, .readWrite, FullModel.Note.self)
        let first = try #require(FullModel.Note.query(1).resolve(in: store.context))
        #expect(first.text == "changed" && first.former == .fax && first.kinds == [.fax])
    }

    @Test(
        "An entity with an unknown raw value in a property that needs one is named, kept, and not to be changed"
    )
    func withheld() throws {
        let disk = try written()
        do {
            let store = try open(disk, .readWrite, LesserModel.Note.self)
            store.context.checkInvariants()
            #expect(ids(store.context) == [1, 4])
            #expect(Deleted<LesserModel.Note>.query().count(in: store.context) == 0)
            let values = store.opening.unread.values
            #expect(values.map(\.id) == ["2", "3"])
            #expect(values.allSatisfy { $0.type == "Note" && $0.property == "kind" })
            #expect(values.allSatisfy { $0.value == "\"fax\"" })
            for id in [2, 3] {
                #expect {
                    try store.write { context in
                        try LesserModel.Note(id: id, text: "", kind: .mail, former: nil)
                            .save(to: &context)
                    }
                } throws: { error in
                    guard case StoreError.unreadable(let value) = error else { return false }
                    return value.id == "\(id)" && value.property == "kind"
                }
            }
            try store.write { context in
                var fourth = try #require(LesserModel.Note.query(4).resolve(in: context))
                fourth.text = "changed"
                try fourth.save(to: &context)
            }
            try store.compact(retaining: .newestState)
            try store.close()
        }
        // From the checkpoint, by both.
        let lesser = try open(SimulatedDisk(disk.image), .readOnly, LesserModel.Note.self)
        #expect(ids(lesser.context) == [1, 4])
        #expect(lesser.opening.unread.values.map(\.id) == ["2", "3"])
        let store = try open(disk, .readWrite, FullModel.Note.self)
        #expect(
            FullModel.Note.query().resolve(in: store.context).map(\.kind) == [.mail, .fax, .letter])
        #expect(FullModel.Note.query(4).resolve(in: store.context)?.text == "changed")
        #expect(Deleted<FullModel.Note>.query(3).resolve(in: store.context)?.entity.kind == .fax)
        try store.restore(FullModel.Note.self, id: 3)
        #expect(FullModel.Note.query(3).resolve(in: store.context)?.kind == .fax)
    }

    @Test("Progress does not go back where the log is read again without rows that are withheld")
    func progress() throws {
        let disk = try written()
        let steps = Lock<[OpeningProgress.Phase]>([])
        let store = try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1), mode: .readWrite,
            durability: .commit, retention: .everything, compactsAutomatically: false,
            progress: { step in
                steps.withLock { if $0.last != step.phase { $0.append(step.phase) } }
            }, types: [LesserModel.Note.self])
        #expect(store.opening.unread.values.map(\.id) == ["2", "3"])
        #expect(steps.withLock { $0 } == [.checkpoint, .replay, .entities, .recovery])
    }

    @Test("An unknown raw value in the past does not end looking back")
    func past() async throws {
        let disk = try written()
        let visible = [[], [1, 2, 3, 4], [1, 2, 3, 4], [1, 3, 4], [1, 4], [1], [1, 4]]
        for mode in [Store.Mode.readWrite, .readOnly] {
            let store = try open(SimulatedDisk(disk.image), mode, LesserModel.Note.self)
            for route in [PastRoute.back, .forth] {
                for (transaction, expected) in visible.enumerated() {
                    let context = try store.context(
                        asOf: .transaction(TransactionID(UInt64(transaction))), route)
                    context.checkInvariants()
                    #expect(ids(context) == expected, "transaction \(transaction), \(route)")
                }
            }
            let versions = try store.history(of: LesserModel.Note.self, id: 4)
            #expect(versions.map { $0.entity?.kind } == [.letter, nil, .mail])
            #expect(versions.map { $0.unreadable?.property } == [nil, "kind", nil])
            #expect(try store.history(of: LesserModel.Note.self, id: 2).count == 2)
            let diff = try store.diff(from: .transaction(1), to: .transaction(6))
            let changes = try diff.changes(of: LesserModel.Note.self)
            #expect(changes.map(\.id).sorted() == [1, 2, 3, 4])
            #expect(changes.first { $0.id == 2 }?.kind == .updated)
            var feed = store.changes().makeAsyncIterator()
            var unreadable: [Int] = []
            for _ in 1...6 {
                guard case .transaction(let change)? = try await feed.next() else { break }
                for case .unreadable(let id, let value) in try change.changes(
                    of: LesserModel.Note.self)
                {
                    unreadable.append(id)
                    #expect(value.property == "kind")
                }
            }
            #expect(unreadable == [3])
        }
    }

    @Test("An undo that would bring an unknown raw value back, or change one, is refused by name")
    func undo() throws {
        let disk = try written()
        let store = try open(disk, .readWrite, LesserModel.Note.self)
        // Note 4 would be a fax again, and note 2 is one.
        #expect {
            try store.undo()
        } throws: { error in
            guard case StoreError.unreadable(let value) = error else { return false }
            return value.id == "4"
        }
        #expect(ids(store.context) == [1, 4])
        #expect {
            try store.revert(3)
        } throws: { error in
            guard case StoreError.unreadable(let value) = error else { return false }
            return value.id == "2"
        }
        try store.write { context in
            var first = try #require(LesserModel.Note.query(1).resolve(in: context))
            first.text = "changed"
            try first.save(to: &context)
        }
        try store.undo()
        #expect(LesserModel.Note.query(1).resolve(in: store.context)?.text == "1")
    }

    @Test("A Codable type that refuses what the log holds is named with its property and id")
    func codable() throws {
        let disk = SimulatedDisk()
        let store = try open(disk, .readWrite, CodableModel.SettingBefore.self)
        try store.write {
            try CodableModel.SettingBefore(id: 7, value: .init(a: 1)).save(to: &$0)
        }
        try store.close()
        #expect {
            _ = try open(disk, .readWrite, CodableModel.SettingAfter.self)
        } throws: { error in
            guard case StoreError.unreadable(let value) = error else { return false }
            return value.type == "Setting" && value.id == "7" && value.property == "value"
                && "\(error)".contains("init(from:)")
                && "\(error)".contains(".convert(\"value\", of: \"Setting\", from: ")
        }
        // The step that the error names.
        let migrated = try Store(
            in: disk, mode: .readWrite, durability: .commit, compactsAutomatically: false,
            migrations: [
                Migration(
                    "settings",
                    .convert(
                        "value", of: "Setting", from: CodableModel.Before.self,
                        to: CodableModel.After.self
                    ) { CodableModel.After(a: $0.a, b: 2) })
            ], types: [CodableModel.SettingAfter.self])
        let setting = CodableModel.SettingAfter.query(7).resolve(in: migrated.context)
        #expect(setting?.value.a == 1 && setting?.value.b == 2)
    }
}
