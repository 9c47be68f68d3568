import Foundation
import Testing
import Varve
import VarveTestSupport

// A type without relations, whose entities get other ids.

@EntityModel("Guest")
private struct Guest {
    let id: Int
    var name: String
}

@EntityModel("Guest")
private struct NamedGuest {
    let id: String
    var name: String
}

// One that is split by a relation without another side.

@EntityModel("Badge")
private struct Badge {
    let id: Int
    var text: String
    @Relationship var guest: Guest? = nil
    @Relationship var host: Guest? = nil
}

@EntityModel("Guest")
private struct TitledGuest {
    let id: Int
    var title: String
}

@EntityModel("Badge")
private struct TitledBadge {
    let id: Int
    var text: String
    @Relationship var guest: TitledGuest? = nil
}

// Two types with a relation, before and behind.

@EntityModel("Guest")
private struct Boarder {
    let id: Int
    var name: String
    @Relationship var room: Room? = nil
}

@EntityModel("Room")
private struct Room {
    let id: Int
    var name: String
}

@EntityModel("Key")
private struct Key {
    let id: Int
    var text: String
    @Relationship var room: Room? = nil
}

@EntityModel("Badge")
private struct BoarderBadge {
    let id: Int
    var text: String
    @Relationship var guest: Boarder? = nil
}

@EntityModel("Memo")
private struct Memo {
    let id: Int
    var text: String
}

/// A migration whose definitions do not say what it did to entities.
private struct SilentCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let former: [any EntityModelProtocol.Type]
    let now: [any EntityModelProtocol.Type]
    let migration: Migration
    /// Whether a step of before is undone: a value that the step set since is a conflict.
    var isUndone = true
    let fill: @Sendable (inout Context) throws -> Void
    /// Of each state behind a transaction, with the migration in the list.
    let describe: @Sendable (Context) -> [String]
    let expected: [String]

    static let all = [newIDs, split, splitOfKnown, join, joinOfUnnamed]

    static let newIDs = SilentCase(
        testDescription: "new ids without relations", former: [Guest.self],
        now: [NamedGuest.self],
        migration: Migration("ids", .newIDs(of: "Guest") { "g\(try $0.id(as: Int.self))" }),
        fill: { try Guest(id: 1, name: "Eve").save(to: &$0) },
        describe: { NamedGuest.query().resolve(in: $0).map(\.id) }, expected: ["g1"])

    static let split = SilentCase(
        testDescription: "a split by a relation without another side", former: [Guest.self],
        now: [Guest.self, Badge.self],
        migration: Migration(
            "badges",
            .split("Guest", into: "Badge", linkedBy: .inverse("guest")) { row in
                var badge = SplitEntity()
                try badge.set("text", to: try row["name", as: String.self])
                return badge
            }), fill: { try Guest(id: 1, name: "Eve").save(to: &$0) },
        describe: { Badge.query().resolve(in: $0).map { "\($0.id)" } }, expected: ["1"])

    static let splitOfKnown = SilentCase(
        testDescription: "a split into a type and by a relation that were there",
        former: [Boarder.self, Room.self], now: [Boarder.self, Room.self],
        migration: Migration(
            "rooms",
            .split("Guest", into: "Room", linkedBy: .relation("room")) { row in
                var room = SplitEntity()
                try room.set("name", to: try row["name", as: String.self])
                return room
            }), fill: { try Boarder(id: 1, name: "Eve").save(to: &$0) },
        describe: { Room.query().resolve(in: $0).map { "\($0.id)" } }, expected: ["1"])

    static let join = SilentCase(
        testDescription: "a join by a relation that stays declared",
        former: [Boarder.self, Room.self], now: [Boarder.self, Room.self],
        migration: joining, isUndone: false, fill: { try fillRooms(&$0) },
        describe: { Room.query().resolve(in: $0).map(\.name) }, expected: ["Red"])

    static let joinOfUnnamed = SilentCase(
        testDescription: "a join into a type that the app does not name",
        former: [Boarder.self, Room.self], now: [Room.self], migration: joining,
        isUndone: false, fill: { try fillRooms(&$0) },
        describe: { Room.query().resolve(in: $0).map(\.name) }, expected: ["Red"])

    private static func fillRooms(_ context: inout Context) throws {
        try Room(id: 1, name: "Blue").save(to: &context)
        try Room(id: 2, name: "Red").save(to: &context)
        try Boarder(id: 1, name: "Eve", room: .id(1)).save(to: &context)
    }

    private static let joining = Migration(
        "names",
        .join("room", of: "Guest") { row, room in
            let name = try row["name", as: String.self]
            try row.set("name", to: name + ", " + room["name", as: String.self])
        })
}

@Suite("The past of entities, without the migration that split, joined or renumbered them")
struct EntityMigrationNotGivenTests {
    private let files = SimulatedDisk()

    private func open(
        _ types: [any EntityModelProtocol.Type], _ migrations: [Migration] = []
    ) throws -> Store {
        try Store(
            in: files, mode: .readWrite, durability: .commit, compactsAutomatically: false,
            migrations: migrations, types: types + [Memo.self])
    }

    /// Two transactions about the entities, with one about others in scope "notes" between them, and the migration.
    private func migrate(_ tested: SilentCase) throws {
        let former = try open(tested.former)
        try former.write("entities") { try tested.fill(&$0) }
        try former.write("note", options: WriteOptions(scope: "notes")) {
            try Memo(id: 1, text: "n").save(to: &$0)
        }
        try former.write("more") { context in
            if tested.former.count == 1 {
                _ = try Guest.query(1).update(in: &context) { $0.name = "Ada" }
            } else {
                _ = try Boarder.query(1).update(in: &context) { $0.name = "Ada" }
            }
        }
        try former.close()
        try open(tested.now, [tested.migration]).close()
    }

    private func refusal(_ body: () throws -> Void) -> StoreError? {
        do {
            try body()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    private func text(_ error: StoreError?) -> String { error.map { "\($0)" } ?? "no error" }

    private func isNotGiven(_ error: StoreError?, _ tested: SilentCase) -> Bool {
        guard case .acrossMigration(let barrier) = error, case .notGiven = barrier.reason else {
            return false
        }
        return barrier.migration == tested.migration.name && barrier.transaction == 4
    }

    @Test("With the migration, the past is as its steps make it", arguments: SilentCase.all)
    private func given(_ tested: SilentCase) throws {
        try migrate(tested)
        let store = try open(tested.now, [tested.migration])
        for transaction in 1...4 {
            let past = try store.context(asOf: .transaction(TransactionID(UInt64(transaction))))
            #expect(tested.describe(past) == tested.expected, "behind \(transaction)")
        }
        guard tested.isUndone else { return }
        try store.undo()
        #expect(tested.describe(store.context) == tested.expected)
        try store.undo()
        #expect(tested.describe(store.context).isEmpty)
        store.context.checkInvariants()
    }

    @Test("Without it, states and steps of before are refused", arguments: SilentCase.all)
    private func notGiven(_ tested: SilentCase) throws {
        try migrate(tested)
        let store = try open(tested.now)
        #expect(tested.describe(store.context) == tested.expected)
        for transaction: UInt64 in 1...3 {
            let point = HistoryPoint.transaction(TransactionID(transaction))
            let error = refusal { _ = try store.context(asOf: point) }
            #expect(isNotGiven(error, tested), "behind \(transaction): \(text(error))")
        }
        #expect(try store.context(asOf: .transaction(0)).ids(Memo.self).isEmpty)
        let rewound = refusal { try store.rewind(to: .transaction(1)) }
        #expect(isNotGiven(rewound, tested), "\(text(rewound))")
        let reverted = refusal { try store.revert(1) }
        #expect(isNotGiven(reverted, tested), "\(text(reverted))")
        #expect(tested.describe(store.context) == tested.expected)
    }

    @Test("Without it, a step about other entities is undone", arguments: SilentCase.all)
    private func others(_ tested: SilentCase) throws {
        try migrate(tested)
        let store = try open(tested.now)
        try store.undo(scope: "notes")
        #expect(Memo.query().resolve(in: store.context).isEmpty)
        try store.redo(scope: "notes")
        #expect(Memo.query().resolve(in: store.context).map(\.id) == [1])
        let error = refusal { try store.undo() }
        #expect(isNotGiven(error, tested), "\(text(error))")
    }

    @Test("Without it, histories and deletions of renumbered entities are refused")
    func renumbered() throws {
        let tested = SilentCase.newIDs
        let former = try open(tested.former)
        try former.write { try tested.fill(&$0) }
        try former.write { try Guest(id: 2, name: "Bob").save(to: &$0) }
        try former.write { try Guest.delete(id: 2, from: &$0) }
        try former.close()
        try open(tested.now, [tested.migration]).close()
        let store = try open(tested.now)
        let story = refusal { _ = try store.history(of: NamedGuest.self, id: "g1") }
        #expect(isNotGiven(story, tested), "\(text(story))")
        let restored = refusal { try store.restoreDeletion(of: NamedGuest.self, id: "g2") }
        #expect(isNotGiven(restored, tested), "\(text(restored))")
        try store.close()
        let again = try open(tested.now, [tested.migration])
        #expect(try again.history(of: NamedGuest.self, id: "g1").map(\.transaction.id) == [4, 1])
        try again.restoreDeletion(of: NamedGuest.self, id: "g2")
        #expect(NamedGuest.query().resolve(in: again.context).map(\.id) == ["g1", "g2"])
    }

    @Test("Of two splits into one type, in one opening, the one that is not given is missed")
    func twoOfOneKind() throws {
        func badges(_ name: String, by relation: SplitLink) -> Migration {
            Migration(
                name,
                .split("Guest", into: "Badge", linkedBy: relation) { row in
                    var badge = try SplitEntity(id: name == "first" ? 1 : 2)
                    try badge.set("text", to: name)
                    return badge
                })
        }
        let former = try open([Guest.self])
        try former.write { try Guest(id: 1, name: "Eve").save(to: &$0) }
        try former.close()
        let types: [any EntityModelProtocol.Type] = [Guest.self, Badge.self]
        let both = [
            badges("first", by: .inverse("guest")), badges("second", by: .inverse("host")),
        ]
        let migrated = try open(types, both)
        #expect(Badge.query().resolve(in: migrated.context).map(\.id) == [1, 2])
        let words = try #require(migrated.transaction(2).metadata["varve.entities"]).split(
            separator: " ")
        #expect(words.count == 2 && Set(words).count == 1 && words[0].hasPrefix("split:"))
        try migrated.close()
        let half = try open(types, [both[1]])
        let error = refusal { _ = try half.context(asOf: .transaction(1)) }
        guard case .acrossMigration(let barrier) = error, case .notGiven = barrier.reason else {
            Issue.record("\(text(error))")
            return
        }
        #expect(barrier.migration == "first")
        try half.close()
        let whole = try open(types, both)
        let past = try whole.context(asOf: .transaction(1))
        #expect(Badge.query().resolve(in: past).map(\.id) == [1, 2])
    }

    @Test("Where the other half of a list is given, the error names the migration that is not")
    func halfOfList() throws {
        let both = [
            Migration("names", .rename("name", of: "Guest", to: "title")),
            Migration(
                "badges",
                .split("Guest", into: "Badge", linkedBy: .inverse("guest")) { row in
                    var badge = SplitEntity()
                    try badge.set("text", to: row["title", as: String.self])
                    return badge
                }),
        ]
        let former = try open([Guest.self])
        try former.write { try Guest(id: 1, name: "Eve").save(to: &$0) }
        try former.close()
        let types: [any EntityModelProtocol.Type] = [TitledGuest.self, TitledBadge.self]
        try open(types, both).close()
        let half = try open(types, [both[1]])
        let error = refusal { _ = try half.context(asOf: .transaction(1)) }
        guard case .acrossMigration(let barrier) = error, case .notGiven = barrier.reason else {
            Issue.record("\(text(error))")
            return
        }
        #expect(barrier.migration == "names")
        try half.close()
        let past = try open(types, both).context(asOf: .transaction(1))
        #expect(TitledBadge.query().resolve(in: past).map(\.text) == ["Eve"])
    }

    @Test("Without it, a step about what is linked with a neighbour alone is undone")
    func neighbourOfNeighbour() throws {
        let migration = Migration(
            "badges",
            .split("Guest", into: "Badge", linkedBy: .inverse("guest")) { row in
                var badge = SplitEntity()
                try badge.set("text", to: row["name", as: String.self])
                return badge
            })
        let former = try open([Boarder.self, Key.self])
        try former.write { context in
            try Room(id: 1, name: "Blue").save(to: &context)
            try Boarder(id: 1, name: "Eve", room: .id(1)).save(to: &context)
        }
        try former.write(options: WriteOptions(scope: "keys")) {
            try Key(id: 1, text: "new", room: .id(1)).save(to: &$0)
        }
        try former.write(options: WriteOptions(scope: "keys")) { context in
            _ = try Key.query(1).update(in: &context) { $0.text = "copied" }
        }
        try former.close()
        let types: [any EntityModelProtocol.Type] = [BoarderBadge.self, Key.self]
        try open(types, [migration]).close()
        let store = try open(types)
        try store.undo(scope: "keys")
        #expect(try Key.require(1, in: store.context).text == "new")
        // This one names the room, which guests lead to.
        let error = refusal { try store.undo(scope: "keys") }
        #expect(text(error).contains("'badges'"), "\(text(error))")
        try store.close()
        let whole = try open(types, [migration])
        try whole.undo(scope: "keys")
        #expect(Key.query().resolve(in: whole.context).isEmpty)
        whole.context.checkInvariants()
    }

    @Test("The transaction says in the log what its steps did to entities")
    func record() throws {
        try migrate(.newIDs)
        let store = try open([NamedGuest.self], [SilentCase.newIDs.migration])
        #expect(try store.transaction(4).metadata == ["varve.entities": "ids:1:3"])
    }
}
