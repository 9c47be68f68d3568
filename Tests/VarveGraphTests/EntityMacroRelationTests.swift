import Testing
import VarveGraph

@Suite("Entities that @EntityModel made: relations")
struct EntityMacroRelationTests {
    @Test("Relations are described with their other side, cardinality and delete rule")
    func description() {
        let relations = Room._descriptor.relations
        #expect(relations.map(\.name) == ["owner", "notes", "formerGuests"])
        #expect(relations.map(\.isToMany) == [false, true, true])
        #expect(relations.map(\.isRequired) == [true, true, true])
        #expect(relations.map(\.deleteRule) == [.nullify, .cascade, .nullify])
        #expect(relations.map { $0.childDescriptor().name } == ["Guest", "Note", "Guest"])
        #expect(relations[0].inverse?.raw == \Guest.$rooms)
        #expect(relations[1].inverse?.raw == \Note.$room)
        #expect(relations[2].inverse == nil)
        #expect(relations[0].path.raw == \Room.$owner)
    }

    @Test("A save follows every relation and links both sides")
    func saving() throws {
        var context = Context()
        let room = Room(
            id: 1, owner: .relation(Guest(id: 1)),
            notes: .relation([Note(id: 1, text: "a"), Note(id: 2, text: "b")]))
        try room.save(to: &context)
        #expect(context.count(Guest.self) == 1)
        #expect(Guest.query(1).related(\.$rooms).resolve(in: context).map(\.id) == [1])
        #expect(Note.query(2).related(\.$room).resolve(in: context)?.id == 1)
        context.checkInvariants()
    }

    @Test("A stored row holds no relation")
    func normalization() throws {
        var context = Context()
        try Room(id: 1, owner: .id(7), notes: .ids([1])).save(to: &context)
        let stored: Room? = context.find(1)
        #expect(stored?.$owner.isNone == true)
        #expect(stored?.$notes.isNone == true)
    }

    @Test("The delete rule of the declaration is the one that acts")
    func deleteRule() throws {
        var context = Context()
        let room = Room(
            id: 1, owner: .relation(Guest(id: 1)), notes: .relation([Note(id: 1, text: "a")]))
        try room.save(to: &context)
        try room.delete(from: &context)
        #expect(context.count(Note.self) == 0)
        #expect(context.count(Guest.self) == 1)
        context.checkInvariants()
    }
}

@EntityModel("Room")
private struct Room {
    let id: Int
    @Relationship(.required, inverse: \.rooms) var owner: Guest?
    @Relationship(deleteRule: .cascade, inverse: \Note.room) var notes: Array<Note>?
    @PersistedName("formerGuests") @Relationship var guests: [Guest]? = nil
}

@EntityModel("Guest")
private struct Guest {
    let id: Int
    @Relationship(inverse: \.owner) var rooms: Optional<[Room]>
}

@EntityModel("Note")
private struct Note {
    let id: Int
    var text: String
    @Relationship(inverse: \.notes) var room: Room?
}
