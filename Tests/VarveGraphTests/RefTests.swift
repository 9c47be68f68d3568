import Foundation
import Testing
import VarveGraph

@Suite("References, and entities that must be there")
struct RefTests {
    @EntityModel
    struct Note {
        var id = "1"
        var text: String
        var words = 0

        mutating func willSave(to context: inout Context) throws {
            words = text.split(separator: " ").count
        }
    }

    @Test("A reference finds its entity, and nil where there is none")
    func resolves() throws {
        var context = Context()
        try Note(id: "7", text: "a b").save(to: &context)
        let ref = Ref<Note>("7")
        #expect(ref.resolve(in: context)?.text == "a b")
        #expect(Ref<Note>("8").resolve(in: context) == nil)
        #expect(Note(id: "7", text: "").ref == ref)
        #expect("\(ref)" == "Note 7")
    }

    @Test("A reference is coded as its id alone")
    func codes() throws {
        let refs = [Ref<Note>("7"), Ref<Note>("8")]
        let data = try JSONEncoder().encode(refs)
        #expect(String(decoding: data, as: UTF8.self) == #"["7","8"]"#)
        #expect(try JSONDecoder().decode([Ref<Note>].self, from: data) == refs)
    }

    @Test("An entity that must be there is an error where it is not")
    func requires() throws {
        var context = Context()
        try Note(id: "7", text: "a").save(to: &context)
        #expect(try Note.require("7", in: context).text == "a")
        let missing = ContextError.noSuchEntity(type: "Note", id: "8")
        #expect(throws: missing) { try Note.require("8", in: context) }
        #expect(throws: missing) { try Ref<Note>("8").require(in: context) }
    }

    @Test("Creating an entity returns what is stored")
    func creates() throws {
        var context = Context()
        let note = try context.create(Note(id: "7", text: "one two three"))
        #expect(note.words == 3)
        let found: Note? = context.find("7")
        #expect(found?.text == note.text)
    }

    @Test("Entities are identifiable without saying so")
    func identifiable() {
        func ids(_ elements: [some Identifiable<String>]) -> [String] { elements.map(\.id) }
        #expect(ids([Note(id: "7", text: "")]) == ["7"])
        #expect(ids([Ref<Note>("8")]) == ["8"])
    }
}
