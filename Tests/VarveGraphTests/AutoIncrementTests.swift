import Foundation
import Testing
import VarveGraph

/// Types beside an entity, whose names mean nothing at file scope.
private enum Notes {
    enum Kind: Int, Codable { case plain, urgent }

    @EntityModel
    struct Note: Equatable {
        @AutoIncrement let id: Int
        var text: String
        var kind: Kind = .plain

        @Relationship(inverse: \.notes) var list: List?

        mutating func willSave(to context: inout Context) throws {
            if text == "refused" { throw Refusal() }
            text = text.replacing("#", with: "\(id)")
        }
    }

    @EntityModel
    struct List: Equatable {
        @AutoIncrement let id: UInt16
        @Unique<Self>(\.title, collisions: .upsert) private var byTitle
        var title: String

        @Relationship(deleteRule: .cascade, inverse: \.list) var notes: [Note]?
        @Relationship var last: Note? = nil
    }

    @EntityModel
    struct Small: Equatable {
        @AutoIncrement let id: Int8
        var text = ""
    }

    struct Refusal: Error {}
}

@Suite("Ids that a context gives")
struct AutoIncrementTests {
    private typealias Note = Notes.Note
    private typealias List = Notes.List

    @Test("A value without an id is inserted under the next one, which its hooks know")
    func given() throws {
        var context = Context()
        let first = try context.create(Note(text: "note #", kind: .urgent))
        #expect(first == Note(id: 1, text: "note 1", kind: .urgent))
        #expect(try context.create(Note(text: "b")).id == 2)
        var changed = first
        changed.text = "changed"
        try changed.save(to: &context)
        #expect(Note.query().resolve(in: context).map(\.text) == ["changed", "b"])
    }

    @Test("Entities inside one another get theirs, and are linked by them")
    func graph() throws {
        var context = Context()
        let notes = [Note(text: "a"), Note(text: "b"), Note(text: "a")]
        let list = try context.create(
            List(title: "x", notes: .relation(notes), last: .relation(Note(text: "c"))))
        #expect(list.id == 1)
        let stored = List.query(1).with(\.$notes).with(\.$last).resolve(in: context)
        #expect(stored?.notes?.map(\.id) == [1, 2, 3])
        #expect(stored?.last?.id == 4)
        #expect(context.find(3, as: Note.self)?.text == "a")
    }

    @Test("A list of new values gets an id each, also beside some that have one")
    func batch() throws {
        var context = Context()
        let notes = (0..<40).map {
            $0 % 4 == 3 ? Note(id: 100 + $0, text: "\($0)") : Note(text: "\($0)")
        }
        try notes.save(to: &context)
        let ids = Note.query().resolve(in: context).map(\.id)
        #expect(Set(ids).count == 40)
        #expect(ids.prefix(5) == [1, 2, 3, 103, 104])
    }

    @Test(
        "An id that the application gives counts as given, and one that something leads to is passed over"
    )
    func explicit() throws {
        var context = Context()
        try Note(id: 10, text: "ten").save(to: &context)
        try Note(id: -5, text: "below").save(to: &context)
        try List(title: "x", notes: .ids([11, 13])).save(to: &context)
        #expect(try context.create(Note(text: "a")).id == 12)
        #expect(try context.create(Note(text: "b")).id == 14)
        try Note(id: 11, text: "late").save(to: &context)
        #expect(List.query(1).with(\.$notes).resolve(in: context)?.notes?.map(\.text) == ["late"])
        #expect(try context.create(Note(text: "c")).id == 15)
    }

    @Test("Neither a deletion nor a failed save makes an id free")
    func notAgain() throws {
        var context = Context()
        let first = try context.create(Note(text: "a"))
        try first.delete(from: &context)
        #expect(throws: Notes.Refusal.self) { try Note(text: "refused").save(to: &context) }
        #expect(throws: Notes.Refusal.self) {
            try [Note(text: "b"), Note(text: "refused")].save(to: &context)
        }
        #expect(Note.query().isEmpty(in: context))
        #expect(try context.create(Note(text: "c")).id == 5)
    }

    @Test("Copies of a context never give the same id")
    func copies() throws {
        var context = Context()
        try Note(text: "a").save(to: &context)
        var copy = context
        let ids = try [
            context.create(Note(text: "b")).id, copy.create(Note(text: "c")).id,
            context.create(Note(text: "d")).id, copy.create(Note(text: "e")).id,
        ]
        #expect(ids == [2, 3, 4, 5])
        // Also where there was nothing yet that has one.
        var first = Context()
        var second = first
        #expect(try first.create(Note(text: "a")).id == 1)
        #expect(try second.create(Note(text: "b")).id == 2)
    }

    @Test("A unique value finds the entity that has it, which goes for the new one")
    func unique() throws {
        var context = Context()
        let first = try context.create(List(title: "x"))
        let second = try context.create(List(title: "x"))
        #expect((first.id, second.id) == (1, 2))
        #expect(List.query().resolve(in: context).map(\.id) == [2])
    }

    @Test("A relation takes new entities at a position, and none from an entity without an id")
    func positions() throws {
        var context = Context()
        let list = try context.create(List(title: "x", notes: .relation([Note(text: "a")])))
        try list.insert(Note(text: "b"), at: 0, relation: \.$notes, in: &context)
        #expect(List.query(1).with(\.$notes).resolve(in: context)?.notes?.map(\.id) == [2, 1])
        let unsaved = List(title: "y")
        #expect(throws: ContextError.noSuchEntity(type: "Notes.List", id: "0")) {
            try unsaved.insert(Note(text: "c"), at: 0, relation: \.$notes, in: &context)
        }
        #expect(throws: ContextError.noSuchEntity(type: "Notes.List", id: "0")) {
            try List(title: "y", notes: .ids([1])).save(\.$notes, to: &context)
        }
        #expect(List.query(1).with(\.$notes).resolve(in: context)?.notes?.map(\.id) == [2, 1])
    }

    @Test("A link to an entity without an id is refused, and nothing has changed")
    func unsavedChild() throws {
        var context = Context()
        let list = try context.create(List(title: "x", notes: .relation([Note(text: "a")])))
        let unsaved = Note(text: "b").id
        let saves: [(inout Context) throws -> Void] = [
            { try list.insert([1, unsaved], at: 0, relation: \.$notes, in: &$0) },
            { try List(id: 1, title: "y", notes: .ids([1, unsaved])).save(to: &$0) },
            { try List(id: 1, title: "y", notes: .appending(ids: [unsaved])).save(to: &$0) },
            { try List(id: 1, title: "y", last: .id(unsaved)).save(to: &$0) },
            {
                // Behind a relation whose entities are saved first.
                let notes = [Note(text: "c")]
                try List(id: 1, title: "y", notes: .relation(notes), last: .id(unsaved))
                    .save(to: &$0)
            },
        ]
        for save in saves {
            #expect(throws: ContextError.noSuchEntity(type: "Notes.Note", id: "0")) {
                try save(&context)
            }
        }
        let stored = List.query(1).with(\.$notes).with(\.$last).resolve(in: context)
        #expect(stored?.title == "x" && stored?.last == nil)
        #expect(stored?.notes?.map(\.id) == [1])
        #expect(Note.query().count(in: context) == 1)
    }

    @Test(
        "When a type has no id left, the error names entity and property, and nothing has changed")
    func exhausted() throws {
        var context = Context()
        for number in 1...127 { #expect(try context.create(Notes.Small()).id == Int8(number)) }
        try Notes.Small.delete(id: 5, from: &context)
        let before = Notes.Small.query().resolve(in: context)
        for _ in 0..<2 {
            #expect(
                throws: ContextError.idsExhausted(
                    type: "Notes.Small", property: "id", last: "127")
            ) { try Notes.Small(text: "over").save(to: &context) }
        }
        #expect(Notes.Small.query().resolve(in: context) == before)
        let error = ContextError.idsExhausted(type: "Notes.Small", property: "id", last: "127")
        #expect(
            error.localizedDescription
                == "the store has given all ids of Notes.Small up to 127, the greatest of 'id'; "
                + "restart the app if it gave so great an id itself, in what was not kept; "
                + "else move the entities to a type whose 'id' is a wider integer")
        // What has an id is saved as ever.
        try Notes.Small(id: 5, text: "again").save(to: &context)
        #expect(context.find(5, as: Notes.Small.self)?.text == "again")
    }
}

extension Context {
    fileprivate func find<Entity: EntityModelProtocol>(
        _ id: Entity.ID, as type: Entity.Type
    ) -> Entity? { find(id) }
}
