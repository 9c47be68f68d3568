import Varve
import VarveTestSupport

// Two versions of an app, the later one with fewer types, cases and relations, and random ways from one to the other.

enum Shelved {
    enum Mood: String, Codable, Sendable { case low, medium, high }

    @Storable enum State: Equatable { case open, paused, done(by: String) }

    @EntityModel("Thing")
    struct Thing {
        let id: Int
        var count: Int
        var mood: Mood
        var state: State
        @Relationship(inverse: \.things) var shelf: Shelf?
        @Relationship var labels: [Label]? = nil
    }

    @EntityModel("Shelf")
    struct Shelf {
        let id: String
        var name: String
        @Relationship(inverse: \.shelf) var things: [Thing]?
    }

    @EntityModel("Label")
    struct Label {
        let id: Int
        var text: String
    }

    @EntityModel("Memo")
    struct Memo {
        let id: Int
        var text: String
    }

    static let types: [any EntityModelProtocol.Type] = [
        Thing.self, Shelf.self, Label.self, Memo.self,
    ]

    /// A random change.
    static func write(to store: Store, _ random: inout SeededGenerator) throws {
        let id = Int.random(in: 1...6, using: &random)
        let shelf = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
        switch Int.random(in: 0..<12, using: &random) {
        case 0: if store.canUndo { try store.undo() }
        case 1: if store.canRedo { try store.redo() }
        case 2: try store.write { try Thing.delete(id: id, from: &$0) }
        case 3: try store.write { try Shelf.delete(id: shelf, from: &$0) }
        case 4: try store.write { try Label.delete(id: id % 3, from: &$0) }
        case 5: try store.restoreDeletion(of: Thing.self, id: id)
        case 6: try store.write { try Shelf(id: shelf, name: "n\(id)").save(to: &$0) }
        case 7: try store.write { try Memo(id: id, text: shelf).save(to: &$0) }
        default: try save(id, in: shelf, to: store, &random)
        }
    }

    private static func save(
        _ id: Int, in shelf: String, to store: Store, _ random: inout SeededGenerator
    ) throws {
        let count = Int.random(in: 0...99, using: &random)
        let mood = [Mood.low, .medium, .high][count % 3]
        let state = [State.open, .paused, .done(by: "\(count)")][count / 3 % 3]
        let labels = (0..<3).shuffled(using: &random).prefix(count % 4)
        try store.write { context in
            if Shelf.query(shelf).resolve(in: context) == nil {
                try Shelf(id: shelf, name: "new \(count)").save(to: &context)
            }
            for label in labels where Label.query(label).resolve(in: context) == nil {
                try Label(id: label, text: "l\(count)").save(to: &context)
            }
            var thing = Thing(id: id, count: count, mood: mood, state: state)
            thing.$shelf = count.isMultiple(of: 5) ? .none : .id(shelf)
            thing.$labels = .ids(Array(labels))
            try thing.save(to: &context)
        }
    }
}

enum Unshelved {
    enum Mood: String, Codable, Sendable { case low, high }

    @Storable enum State: Equatable { case open, done(by: String) }

    @EntityModel("Piece")
    struct Piece {
        let id: Int
        var count: Int
        var mood: Mood
        var state: State
        var place = ""
    }

    @EntityModel("Shelf")
    struct Shelf {
        let id: String
        var name: String
    }

    @EntityModel("Label")
    struct Label {
        let id: Int
        var text: String
    }
}

/// A random way from the first types to the second, as steps and as what they mean.
struct RandomRemoval {
    let migrations: [Migration]
    let types: [any EntityModelProtocol.Type]
    let keepsShelves: Bool
    private let mood: Unshelved.Mood
    private let state: Unshelved.State

    init(_ random: inout SeededGenerator) {
        keepsShelves = Bool.random(using: &random)
        mood = Bool.random(using: &random) ? .low : .high
        state = Bool.random(using: &random) ? .open : .done(by: "step")
        var types: [any EntityModelProtocol.Type] = [Unshelved.Piece.self, Unshelved.Label.self]
        if keepsShelves { types.append(Unshelved.Shelf.self) }
        self.types = types
        let steps = Self.steps(keepsShelves, mood, state, &random)
        let cut = Int.random(in: 0...steps.count, using: &random)
        migrations = [
            Migration("first", steps: Array(steps[..<cut])),
            Migration("second", steps: Array(steps[cut...])),
        ]
    }

    /// In a random order, in which the relation and the shelves go behind the join.
    private static func steps(
        _ keepsShelves: Bool, _ mood: Unshelved.Mood, _ state: Unshelved.State,
        _ random: inout SeededGenerator
    ) -> [MigrationStep] {
        var free: [(String) -> MigrationStep] = [
            { .removeCase("medium", from: "mood", of: $0, replacement: mood) },
            { .removeCase("paused", from: "state", of: $0, replacement: state) },
            { .remove("labels", of: $0) },
            { _ in .remove(type: "Memo") },
        ]
        free.shuffle(using: &random)
        var joined: [(String) -> MigrationStep] = [
            {
                .join("shelf", of: $0) { row, shelf in
                    let count = try row["count", as: Int.self]
                    try row.set("place", to: shelf["name", as: String.self] + " \(count)")
                }
            }, { .remove("shelf", of: $0) },
        ]
        if !keepsShelves { joined.append { _ in .remove(type: "Shelf") } }
        var places = (0..<joined.count).map { _ in Int.random(in: 0...free.count, using: &random) }
        places.sort(by: >)
        for (place, step) in zip(places, joined.reversed()) { free.insert(step, at: place) }
        let renaming = Int.random(in: 0...free.count, using: &random)
        var steps = free[..<renaming].map { $0("Thing") }
        steps.append(.rename(type: "Thing", to: "Piece"))
        return steps + free[renaming...].map { $0("Piece") }
    }
}

extension RandomRemoval {
    /// What the steps make of a state of the first types, as lines.
    func former(_ context: Context) -> Set<String> {
        var lines: Set<String> = []
        let things = Shelved.Thing.query().id(\.$shelf).resolve(in: context)
        let deleted = Deleted<Shelved.Thing>.query().resolve(in: context).map(\.entity)
        let shelves = Shelved.Shelf.query().resolve(in: context)
        let deletedShelves = Deleted<Shelved.Shelf>.query().resolve(in: context).map(\.entity)
        let names = Dictionary(
            (shelves + deletedShelves).map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
        func text(_ thing: Shelved.Thing) -> String {
            let place = thing.$shelf.heldIDs.first.flatMap { names[$0] }
            let newMood = Unshelved.Mood(rawValue: thing.mood.rawValue) ?? mood
            let newState: Unshelved.State =
                switch thing.state {
                case .open: .open
                case .paused: state
                case .done(let name): .done(by: name)
                }
            let suffix = place.map { "\($0) \(thing.count)" } ?? ""
            return "\(thing.id) \(newMood) \(newState) \(suffix)"
        }
        for thing in things { lines.insert(text(thing)) }
        for thing in deleted { lines.insert("deleted " + text(thing)) }
        for label in Shelved.Label.query().resolve(in: context) {
            lines.insert("label \(label.id) \(label.text)")
        }
        for label in Deleted<Shelved.Label>.query().resolve(in: context) {
            lines.insert("deleted label \(label.entity.id)")
        }
        guard keepsShelves else { return lines }
        let used = Set(things.flatMap(\.$shelf.heldIDs))
        for shelf in shelves where !used.contains(shelf.id) {
            lines.insert("shelf \(shelf.id) \(shelf.name)")
        }
        let usedByDeleted = Set(deleted.flatMap(\.$shelf.heldIDs))
        for shelf in deletedShelves where !usedByDeleted.contains(shelf.id) {
            lines.insert("deleted shelf \(shelf.id)")
        }
        return lines
    }

    /// A state of the second types, as lines.
    func now(_ context: Context) -> Set<String> {
        func text(_ piece: Unshelved.Piece) -> String {
            "\(piece.id) \(piece.mood) \(piece.state) \(piece.place)"
        }
        var lines = Set(Unshelved.Piece.query().resolve(in: context).map(text))
        for piece in Deleted<Unshelved.Piece>.query().resolve(in: context) {
            lines.insert("deleted " + text(piece.entity))
        }
        for label in Unshelved.Label.query().resolve(in: context) {
            lines.insert("label \(label.id) \(label.text)")
        }
        for label in Deleted<Unshelved.Label>.query().resolve(in: context) {
            lines.insert("deleted label \(label.entity.id)")
        }
        guard keepsShelves else { return lines }
        for shelf in Unshelved.Shelf.query().resolve(in: context) {
            lines.insert("shelf \(shelf.id) \(shelf.name)")
        }
        for shelf in Deleted<Unshelved.Shelf>.query().resolve(in: context) {
            lines.insert("deleted shelf \(shelf.entity.id)")
        }
        return lines
    }
}
