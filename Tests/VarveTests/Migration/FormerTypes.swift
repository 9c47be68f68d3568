import Foundation
import Varve

/// The types of an app's first version, with something of every kind that a later version may change.
enum Former {
    enum Mood: String, Codable, Sendable { case low, high }

    @Storable enum State: Equatable { case open, paused, done(by: String) }

    @Storable struct Place: Equatable {
        var x: Int
        var y: Int
    }

    struct Note: Codable, Equatable, Sendable {
        var text: String
        var size: Int
    }

    @EntityModel("Part")
    struct Part {
        let id: Int
        var name = ""
        var count = 0
        var level: Int32 = 0
        var size: Int? = nil
        var mood: Mood = .high
        var state: State = .open
        var place: Place = Place(x: 0, y: 0)
        var note: Note = Note(text: "", size: 0)

        @Relationship(inverse: \.parts) var boxes: [Box]?
        @Relationship var owner: Box? = nil
    }

    @EntityModel("Box")
    struct Box {
        let id: String
        var label = "l"

        @Relationship(inverse: \.boxes) var parts: [Part]?
    }

    @EntityModel("Memo")
    struct Memo {
        let id: Int
        var text: String
        var mood: Mood
    }

    static let types: [any EntityModelProtocol.Type] = [Part.self, Box.self, Memo.self]

    private static func part(_ id: Int, mood: Mood = .high, state: State = .open) -> Part {
        Part(
            id: id, name: "n\(id)", count: id, mood: mood, state: state,
            place: Place(x: id, y: -id), note: Note(text: "t\(id)", size: id))
    }

    /// What the first version wrote: three parts, the third of which is deleted, two boxes and a memo.
    static func fill(_ store: Store) throws {
        try store.write("Add") { context in
            for id in ["a", "b"] { try Box(id: id).save(to: &context) }
            var first = part(1, mood: .low, state: .paused)
            first.$boxes = .ids(["b", "a"])
            first.$owner = .id("a")
            try first.save(to: &context)
            var second = part(2, state: .done(by: "me"))
            (second.size, second.level) = (20, 7)
            second.$boxes = .ids(["a"])
            try second.save(to: &context)
            var third = part(3)
            third.$boxes = .ids(["b"])
            try third.save(to: &context)
            try Memo(id: 1, text: "m", mood: .low).save(to: &context)
        }
        try store.write("Change") { context in
            _ = try Part.query(1).update(in: &context) { $0.count = 10 }
            try Part.delete(id: 3, from: &context)
        }
    }

    /// Everything that a context shows, but for times.
    static func describe(_ context: Context) -> [String] {
        func text(_ part: Part) -> String {
            "\(part.id) \(part.name) \(part.count) \(part.level) \(part.size ?? -1) \(part.mood)"
                + " \(part.state) \(part.place) \(part.note)"
                + " \(part.$boxes.heldIDs) \(part.$owner.heldIDs)"
        }
        let parts = Part.query().id(\.$boxes).id(\.$owner).resolve(in: context).map(text)
        let boxes = Box.query().id(\.$parts).resolve(in: context).map {
            "\($0.id) \($0.label) \($0.$parts.heldIDs)"
        }
        let memos = Memo.query().resolve(in: context).map { "\($0.id) \($0.text) \($0.mood)" }
        let deleted = Deleted<Part>.query().resolve(in: context).map { text($0.entity) }
        return parts + boxes + memos + deleted
    }
}
