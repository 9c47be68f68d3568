import Testing

@testable import VarveGraph

private struct Rank: Comparable, Sendable, Codable {
    var value: Int
    static func < (first: Self, second: Self) -> Bool { first.value < second.value }
}

@EntityModel
private struct Player: Equatable {
    @Unique<Self>(\.name, collisions: .throw) private var uniqueName
    @Unique<Self>(\.team, \.number) private var uniqueNumber
    @Unique<Self>(\.rank, collisions: .swapping) private var uniqueRank

    let id: Int
    var name: String
    var team: String?
    var number = 0
    var rank = Rank(value: 0)

    @Relationship(deleteRule: .cascade, inverse: \.player) var badges: [Medal]?
}

@EntityModel
private struct Medal: Equatable {
    let id: Int
    @Relationship(inverse: \.badges) var player: Player?
}

private struct Refused: Error {}

@EntityModel
private struct Seat: Equatable {
    @Unique<Self>(\.place, collisions: .noting) private var uniquePlace

    let id: Int
    var place: Int
    var color = ""
}

@EntityModel
private struct Complaint: Equatable {
    let id: Int
}

extension CollisionResolver where Entity == Seat {
    /// Both stay, and one more complaint is noted.
    fileprivate static var noting: Self {
        CollisionResolver { _, _, _, context in
            try Complaint(id: context.count(Complaint.self)).save(to: &context)
        }
    }
}

extension CollisionResolver where Entity == Player {
    /// The one that has the rank moves down until one is free; nobody takes rank 9 from another.
    fileprivate static var swapping: Self {
        CollisionResolver { existingID, new, indexName, context in
            #expect(indexName == "uniqueRank")
            if new.rank.value == 9 { throw Refused() }
            if new.rank.value == 0 { return }
            guard var other: Player = context.find(existingID) else { return }
            other.rank.value += 1
            try other.save(to: &context)
        }
    }
}

@Suite("Unique values")
struct UniqueTests {
    private func ids(_ context: Context) -> [Int] {
        Player.query().resolve(in: context).map(\.id)
    }

    @Test("A refusal names the type, both ids and the index, and changes nothing")
    func refusal() throws {
        var context = Context()
        try Player(id: 1, name: "Ada", number: 1).save(to: &context)
        let error = CollisionResolver<Player>.Errors.uniqueValueIndexViolation(
            existing: 1, new: 2, indexName: "uniqueName")
        #expect(throws: error) { try Player(id: 2, name: "Ada", number: 2).save(to: &context) }
        #expect(error.description.contains("uniqueName"))
        #expect(error.description.contains("Player 2"))
        #expect(ids(context) == [1])
        context.checkInvariants()
    }

    @Test("Saving an entity again is no collision with itself, nor is giving a value up and back")
    func itself() throws {
        var context = Context()
        try Player(id: 1, name: "Ada", number: 1).save(to: &context)
        try Player(id: 1, name: "Ada", number: 1).save(to: &context)
        try Player(id: 1, name: "Bob", number: 1).save(to: &context)
        try Player(id: 2, name: "Ada", number: 2).save(to: &context)
        #expect(ids(context) == [1, 2])
        context.checkInvariants()
    }

    @Test("An upsert deletes the other with what depends on it, in the save's own change")
    func upsert() throws {
        var context = Context()
        try Player(
            id: 1, name: "Ada", team: "a", number: 1, badges: .relation([Medal(id: 5)])
        ).save(to: &context)
        try Player(id: 2, name: "Bob", team: "a", number: 1).save(to: &context)
        #expect(ids(context) == [2])
        #expect(Medal.query().resolve(in: context).isEmpty)
        #expect(Deleted<Player>.query(1).resolve(in: context)?.entity.name == "Ada")
        context.checkInvariants()
    }

    @Test("Of several values together all must be equal; two nils are")
    func compound() throws {
        var context = Context()
        try Player(id: 1, name: "a", team: "a", number: 1).save(to: &context)
        try Player(id: 2, name: "b", team: "a", number: 2).save(to: &context)
        try Player(id: 3, name: "c", team: nil, number: 1).save(to: &context)
        #expect(ids(context) == [1, 2, 3])
        try Player(id: 4, name: "d", team: nil, number: 1).save(to: &context)
        #expect(ids(context) == [1, 2, 4])
    }

    @Test("When a later index refuses, what an earlier one deleted is back")
    func laterRefusal() throws {
        var context = Context()
        try Player(id: 1, name: "a", number: 1, rank: Rank(value: 9)).save(to: &context)
        try Player(id: 2, name: "b", number: 2, rank: Rank(value: 5)).save(to: &context)
        let before = context
        #expect(throws: Refused.self) {
            try Player(id: 3, name: "c", number: 2, rank: Rank(value: 9)).save(to: &context)
        }
        #expect(ids(context) == [1, 2])
        #expect(Deleted<Player>.query().resolve(in: context).isEmpty)
        #expect(Player.query().resolve(in: before) == Player.query().resolve(in: context))
        context.checkInvariants()
    }

    @Test("A resolver may change the others, in turn, until the value is free")
    func chain() throws {
        var context = Context()
        for id in 1...4 {
            try Player(id: id, name: "\(id)", number: id, rank: Rank(value: id)).save(to: &context)
        }
        try Player(id: 5, name: "5", number: 5, rank: Rank(value: 1)).save(to: &context)
        let ranks = Player.query().resolve(in: context).map(\.rank.value)
        #expect(ranks == [2, 3, 4, 5, 1])
        context.checkInvariants()
    }

    @Test("A tolerated collision leaves both in the index, whichever of them changes or goes")
    func tolerated() throws {
        var context = Context()
        for id in 1...3 { try Player(id: id, name: "\(id)", number: id).save(to: &context) }
        let zero = QueryOperand(Rank(value: 0))
        func holders() throws -> [Int] {
            let table = try #require(context.table(of: Player.self))
            let index = try #require(
                table.indexDefinitions.firstIndex { $0.name == "uniqueRank" })
            let range = try #require(table.postings(of: index, in: IndexBounds(equal: [zero])))
            var ids: [Int] = []
            table.forEachPosting(of: index, in: range, order: .ascending(depth: 1)) { slot, _ in
                ids.append(table.id(of: Slot(slot)))
                return true
            }
            return ids
        }
        #expect(try holders() == [1, 2, 3])
        try Player(id: 1, name: "1", number: 1, rank: Rank(value: 7)).save(to: &context)
        #expect(try holders() == [2, 3])
        try Player.delete(id: 2, from: &context)
        #expect(try holders() == [3])
        context.checkInvariants()
    }

    @Test("Entities that keep a value together are asked about at each save, others never again")
    func askedAgain() throws {
        var context = Context()
        var complaints: [Int] = []
        func save(_ seat: Seat) throws {
            try seat.save(to: &context)
            complaints.append(context.count(Complaint.self))
        }
        try save(Seat(id: 1, place: 1))
        try save(Seat(id: 1, place: 1, color: "red"))
        #expect(complaints == [0, 0])
        try save(Seat(id: 2, place: 1))
        try save(Seat(id: 2, place: 1, color: "red"))
        try save(Seat(id: 1, place: 1, color: "blue"))
        try save(Seat(id: 3, place: 2))
        try save(Seat(id: 3, place: 2, color: "red"))
        #expect(complaints == [0, 0, 1, 2, 3, 3, 3])
        context.checkInvariants()
    }

    @Test("A save that gives a value up frees it, and takes no value that is kept")
    func freed() throws {
        var context = Context()
        try Player(id: 1, name: "Ada", number: 1).save(to: &context)
        try Player(id: 2, name: "Bob", number: 2).save(to: &context)
        try Player(id: 1, name: "Eve", number: 1).save(to: &context)
        try Player(id: 2, name: "Ada", number: 2).save(to: &context)
        #expect(throws: CollisionResolver<Player>.Errors.self) {
            try Player(id: 1, name: "Ada", number: 1).save(to: &context)
        }
        #expect(Player.query(1).resolve(in: context)?.name == "Eve")
        context.checkInvariants()
    }

    @Test("The merged value decides, not what was given to the save")
    func merged() throws {
        var context = Context()
        try Player(id: 1, name: "a", team: "x", number: 1).save(to: &context)
        try Player(id: 2, name: "b", team: "y", number: 1).save(to: &context)
        // A fragment without a team keeps the stored one: no collision of (nil, 1) with anybody.
        try Player(id: 3, name: "c", team: nil, number: 1).save(to: &context)
        try Player(id: 2, name: "b", team: nil, number: 1).save(to: &context, options: .fragment)
        #expect(ids(context) == [1, 2, 3])
        #expect(Player.query(2).resolve(in: context)?.team == "y")
        context.checkInvariants()
    }

    @Test("An upsert whose cascade takes the entity that is being saved stores it anew")
    func cascadeToItself() throws {
        var context = Context()
        try Folder(id: 1, name: "top", children: .relation([Folder(id: 2, name: "sub")]))
            .save(to: &context)
        try Folder(id: 2, name: "top").save(to: &context)
        #expect(Folder.query().resolve(in: context).map(\.id) == [2])
        #expect(Folder.query(2).resolve(in: context)?.name == "top")
        #expect(Deleted<Folder>.query().resolve(in: context).map(\.id) == [1])
        context.checkInvariants()
    }

    @Test("With a resolver that ignores nil, any number of entities have none")
    func ignoringNil() throws {
        var context = Context()
        for id in 1...3 {
            try Citizen(id: id, email: "\(id)", seat: id).save(to: &context)
        }
        try Citizen(id: 4, nickname: "n", email: "4", seat: 4).save(to: &context)
        #expect(throws: CollisionResolver<Citizen>.Errors.self) {
            try Citizen(id: 5, nickname: "n", email: "5", seat: 5).save(to: &context)
        }
        #expect(Citizen.query().resolve(in: context).map(\.id) == [1, 2, 3, 4])
        context.checkInvariants()
    }
}

@EntityModel
private struct Folder {
    @Unique<Self>(\.name) private var uniqueName

    let id: Int
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \.parent) var children: [Folder]?
    @Relationship(inverse: \.children) var parent: Folder?
}
