import Testing
import VarveGraph

@Suite("What a save did")
struct SaveResultTests {
    @EntityModel
    struct Note: Equatable {
        let id: Int
        var title: String
        var stars = 0
        var saves = 0

        @Relationship(inverse: \.notes) var tags: [Tag]?

        mutating func willSave(to context: inout Context) throws {
            guard title == "counted" else { return }
            saves += 1
        }

        func didSave(to context: inout Context) throws {
            guard title == "short-lived" else { return }
            try delete(from: &context)
        }
    }

    @EntityModel
    struct Tag: Equatable {
        let id: String

        @Relationship(inverse: \.tags) var notes: [Note]?
    }

    @Test("A save says whether it inserted, updated, or left everything as it was")
    func results() throws {
        var context = Context()
        #expect(try Note(id: 1, title: "a").save(to: &context).change == .inserted)
        #expect(try Note(id: 1, title: "a").save(to: &context).change == .unchanged)
        let changed = try Note(id: 1, title: "b", stars: 5).save(to: &context)
        #expect(changed.change == .updated(properties: ["title", "stars"]))
        #expect(changed.changedProperties == ["title", "stars"] && !changed.isInsertion)
        try Note.delete(id: 1, from: &context)
        #expect(try Note(id: 1, title: "b").save(to: &context).change == .inserted)
    }

    @Test("A save is also an expression without a result, where one is wanted")
    func withoutResult() throws {
        func store(_ note: Note, in context: inout Context) throws {
            guard note.id < 2 else { return try note.save(to: &context, options: .fragment) }
            return try note.save(to: &context)
        }
        let saves: [(Note, inout Context) throws -> Void] = [
            store, { try $0.save(to: &$1) }, { return try $0.save(to: &$1) },
        ]
        var context = Context()
        for (id, save) in saves.enumerated() { try save(Note(id: id, title: "a"), &context) }
        try store(Note(id: 2, title: "b"), in: &context)
        #expect(Note.query().resolve(in: context).map(\.title) == ["a", "a", "b"])
        let _: Void = try Note(id: 2, title: "b").save(to: &context)
        let result = try Note(id: 0, title: "c").save(to: &context)
        #expect(result.change == .updated(properties: ["title"]) && result.id == 0)
    }

    @Test("Relations that lead elsewhere count, whether entities come along or not")
    func relations() throws {
        var context = Context()
        try Note(id: 1, title: "a", tags: .ids(["x", "y"])).save(to: &context)
        let moved = Note(id: 1, title: "a", tags: .ids(["y", "x"]))
        #expect(try moved.save(to: &context).change == .updated(properties: ["tags"]))
        #expect(try moved.save(to: &context).change == .unchanged)
        let loaded = Note(id: 1, title: "a", tags: .appending(relation: [Tag(id: "z")]))
        #expect(try loaded.save(to: &context).change == .updated(properties: ["tags"]))
        #expect(
            try Tag(id: "z", notes: .ids([])).save(to: &context).changedProperties == [
                "notes"
            ])
    }

    @Test("The result is about what is stored: after hooks and merge strategies")
    func stored() throws {
        var context = Context()
        try Note(id: 1, title: "a", stars: 3).save(to: &context)
        let counted = try Note(id: 1, title: "counted", stars: 3).save(to: &context)
        #expect(counted.change == .updated(properties: ["title", "saves"]))
        let kept = try Note(id: 1, title: "z").save(
            to: &context, options: MergeStrategy { old, _ in old })
        #expect(kept.change == .unchanged)
        #expect(try Note(id: 2, title: "short-lived").save(to: &context).change == .unchanged)
    }

    @Test("A result within a transaction is about its own save alone")
    func nested() throws {
        var context = Context()
        context.beginTracking(transaction: 1, time: 5, token: TransactionToken())
        var changes: [SaveChange] = []
        for (title, stars, tags) in [
            ("a", 0, ["x"]), ("b", 0, ["x"]), ("b", 5, ["x"]), ("b", 5, ["y"]), ("b", 5, ["y"]),
        ] {
            try Note(id: 2, title: title).save(to: &context)
            let note = Note(id: 1, title: title, stars: stars, tags: .ids(tags))
            changes.append(try note.save(to: &context).change)
        }
        context.endTracking()
        #expect(
            changes == [
                .inserted, .updated(properties: ["title"]), .updated(properties: ["stars"]),
                .updated(properties: ["tags"]), .unchanged,
            ])
    }
}

@Suite("Hooks of creation and update")
struct CreationHookTests {
    @EntityModel
    struct Entry: Equatable {
        let id: Int
        var text = ""
        @Relationship(inverse: \.parent) var children: [Entry]?
        @Relationship(inverse: \.children) var parent: Entry?

        func didCreate(in context: inout Context) throws {
            try Line.add("created \(id)", to: &context)
            if text == "refused" { throw Refusal() }
        }
        func didUpdate(in context: inout Context) throws {
            try Line.add("updated \(id)", to: &context)
        }
        func didSave(to context: inout Context) throws {
            try Line.add("saved \(id)", to: &context)
        }
    }

    @EntityModel
    struct Line: Equatable {
        let id: Int
        var text: String

        static func add(_ text: String, to context: inout Context) throws {
            try Line(id: Line.query().count(in: context), text: text).save(to: &context)
        }
    }

    struct Refusal: Error {}

    private func lines(_ context: Context) -> [String] {
        Line.query().resolve(in: context).map(\.text)
    }

    @Test("didCreate runs at the first save of an id, didUpdate at later ones, before didSave")
    func order() throws {
        var context = Context()
        try Entry(id: 1).save(to: &context)
        try Entry(id: 1).save(to: &context)
        try Entry.delete(id: 1, from: &context)
        try Entry(id: 1).save(to: &context)
        #expect(
            lines(context) == [
                "created 1", "saved 1", "updated 1", "saved 1", "created 1", "saved 1",
            ])
    }

    @Test("Entities that come along have theirs, each before the hooks of the one that holds it")
    func graph() throws {
        var context = Context()
        try Entry(id: 2).save(to: &context)
        let leaf = Entry(id: 3, children: .relation([Entry(id: 4)]))
        try Entry(id: 1, children: .relation([Entry(id: 2), leaf])).save(to: &context)
        #expect(
            lines(context) == [
                "created 2", "saved 2", "updated 2", "saved 2", "created 4", "saved 4", "created 3",
                "saved 3", "created 1", "saved 1",
            ])
    }

    @Test("What didCreate throws rolls the save back")
    func throwing() throws {
        var context = Context()
        #expect(throws: Refusal.self) {
            try Entry(id: 1, text: "refused").save(to: &context)
        }
        #expect(Entry.query().isEmpty(in: context) && lines(context).isEmpty)
    }
}
