import Foundation
import Testing
import Varve
import VarveTestSupport

private enum Before {
    @EntityModel("Member")
    struct Member: Equatable {
        let id: Int
        var email: String?
        var team = ""
    }
}

private enum After {
    /// The same type, with indexes.
    @EntityModel("Member")
    struct Member: Equatable {
        @Unique<Self>(\.email, collisions: .throw) private var uniqueEmail
        @Index<Self>(\.team, \.email.nilFirst.desc) private var teamIndex
        @HashIndex<Self>(\.team) private var teamHash
        @FullTextIndex<Self>(\.team, \.email) private var text

        let id: Int
        var email: String?
        var team = ""
    }
}

private enum Upserting {
    @EntityModel
    struct Seat: Equatable {
        @Unique<Self>(\.place) private var uniquePlace

        let id: Int
        var place: Int
        @Relationship(deleteRule: .cascade, inverse: \.seat) var notes: [Note]?
    }

    @EntityModel
    struct Note: Equatable {
        let id: Int
        @Relationship(inverse: \.notes) var seat: Seat?
    }
}

@Suite("Indexes of a store")
struct IndexTests {
    typealias Place = StoreTests.Place

    /// What indexes answer, as text.
    private func answers(_ context: Context) -> [String] {
        let teams = ["", "a", "b", "ü", "u\u{308}", "team c"]
        var answers: [String] = []
        for team in teams {
            let equal = After.Member.filter(\.team == team)
            answers.append("= \(team) \(equal.resolve(in: context).map(\.id))")
            let above = After.Member.filter(\.team > team).sorted(by: \.team)
            answers.append("> \(team) \(above.resolve(in: context).map(\.id))")
        }
        let sorted = After.Member.query().sorted(by: \.team, \.email.nilFirst.desc)
        answers.append("sorted \(sorted.resolve(in: context).map(\.id))")
        let found = After.Member.filter(.string(\.team, \.email, matches: "team c"))
        answers.append("words \(found.resolve(in: context).map(\.id))")
        for number in 0..<20 {
            let equal = After.Member.filter(\.email == "\(number)@x")
            answers.append("@ \(equal.resolve(in: context).map(\.id))")
        }
        return answers
    }

    @Test("Answers, order and invariants are the same after opening again", arguments: 1...4)
    func reopening(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let place = Place()
        var store = try Store(at: place.url, durability: .none, After.Member.self)
        for round in 0..<40 {
            _ = try? store.write("step") { context in
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    let id = Int.random(in: 0..<25, using: &random)
                    if Int.random(in: 0..<4, using: &random) == 0 {
                        try After.Member.delete(id: id, from: &context)
                        continue
                    }
                    var member = After.Member(id: id)
                    let teams = ["", "a", "b", "ü", "u\u{308}", "team c", "team d"]
                    member.team = teams.randomElement(using: &random) ?? ""
                    // A collision takes the whole transaction back.
                    member.email = Bool.random(using: &random) ? "\(id)@x" : "\(round)@x"
                    try member.save(to: &context, options: .fragment)
                }
            }
            guard round % 8 == 7 else { continue }
            store.context.checkInvariants()
            let live = answers(store.context)
            try store.close()
            store = try Store(at: place.url, durability: .none, After.Member.self)
            #expect(answers(store.context) == live, "seed \(seed)")
            store.context.checkInvariants()
        }
    }

    @Test("An undo that gives two entities each other's value back leaves the constraint in force")
    func swappedBack() throws {
        let place = Place()
        let store = try Store(at: place.url, After.Member.self)
        func save(_ id: Int, _ email: String, _ team: String = "") throws {
            try store.write { try After.Member(id: id, email: email, team: team).save(to: &$0) }
        }
        try save(1, "a@x")
        try save(2, "b@x")
        try store.write { context in
            try After.Member(id: 1, email: "c@x").save(to: &context)
            try After.Member(id: 2, email: "a@x").save(to: &context)
            try After.Member(id: 1, email: "b@x").save(to: &context)
        }
        try store.undo()
        #expect(After.Member.filter(\.email == "a@x").resolve(in: store.context).map(\.id) == [1])
        #expect(After.Member.filter(\.email == "b@x").resolve(in: store.context).map(\.id) == [2])
        try save(1, "a@x", "team")
        #expect(throws: CollisionResolver<After.Member>.Errors.self) { try save(1, "b@x") }
        #expect(throws: CollisionResolver<After.Member>.Errors.self) { try save(2, "a@x") }
        store.context.checkInvariants()
    }

    @Test("Late in their order, rows with slots of their own are in the indexes where they were")
    func slotsBeforeRows() throws {
        let place = Place()
        var store = try Store(at: place.url, durability: .none, Upserting.Seat.self)
        try store.write { context in
            // The notes mention seats, whose rows come in another order, and not all of them.
            for id in 0..<300 {
                try Upserting.Note(id: id, seat: .id(id * 7 % 300)).save(to: &context)
            }
            for id in (0..<300).reversed() where id % 11 != 0 {
                try Upserting.Seat(id: id, place: id * 13 % 1_009).save(to: &context)
            }
        }
        let seats = Upserting.Seat.query().resolve(in: store.context).map(\.id)
        #expect(seats == (0..<300).reversed().filter { $0 % 11 != 0 })
        for isCompacted in [false, true] {
            if isCompacted { try store.compact() }
            try store.close()
            store = try Store(at: place.url, durability: .none, Upserting.Seat.self)
            store.context.checkInvariants()
            #expect(Upserting.Seat.query().resolve(in: store.context).map(\.id) == seats)
            for id in seats.prefix(5) {
                let found = Upserting.Seat.filter(\.place == id * 13 % 1_009)
                #expect(found.resolve(in: store.context).map(\.id) == [id])
            }
        }
    }

    @Test("A constraint that stored rows break already is no hindrance to opening")
    func lateConstraint() throws {
        let place = Place()
        do {
            let store = try Store(at: place.url, Before.Member.self)
            try store.write("Add") { context in
                for id in 1...4 {
                    try Before.Member(id: id, email: id < 4 ? "same@x" : nil).save(to: &context)
                }
            }
            try store.close()
        }
        let store = try Store(at: place.url, After.Member.self)
        store.context.checkInvariants()
        let same = After.Member.filter(\.email == "same@x")
        #expect(same.resolve(in: store.context).map(\.id) == [1, 2, 3])
        // Saving one of them again is refused as long as there is another.
        #expect(throws: CollisionResolver<After.Member>.Errors.self) {
            try store.write { try After.Member(id: 2, email: "same@x").save(to: &$0) }
        }
        try store.write { context in
            try After.Member.delete(id: 1, from: &context)
            try After.Member.delete(id: 3, from: &context)
            try After.Member(id: 2, email: "same@x", team: "t").save(to: &context)
        }
        #expect(same.resolve(in: store.context).map(\.team) == ["t"])
    }

    @Test("What an upsert deleted stays deleted, with its tombstone and what it took along")
    func upsertOutcome() throws {
        let place = Place()
        let seat = Upserting.Seat(id: 1, place: 7, notes: .relation([Upserting.Note(id: 10)]))
        do {
            let store = try Store(at: place.url, Upserting.Seat.self)
            try store.write { try seat.save(to: &$0) }
            try store.write { try Upserting.Seat(id: 2, place: 7).save(to: &$0) }
            try store.close()
        }
        let store = try Store(at: place.url, Upserting.Seat.self)
        #expect(Upserting.Seat.query().resolve(in: store.context).map(\.id) == [2])
        #expect(Upserting.Note.query().resolve(in: store.context).isEmpty)
        let tombstone = Deleted<Upserting.Seat>.query(1).resolve(in: store.context)
        #expect(tombstone?.entity.place == 7)
        #expect(tombstone?.entity.$notes.ids == [10])
        store.context.checkInvariants()
        // The other way round: the first comes back and takes its place.
        try store.write { try tombstone?.restore(in: &$0) }
        #expect(Upserting.Seat.query().resolve(in: store.context).map(\.id) == [1])
    }

    @Test("A resolver that throws leaves no trace in the store")
    func throwingResolver() throws {
        let store = try Store.temporary(After.Member.self)
        try store.write { try After.Member(id: 1, email: "a@x", team: "a").save(to: &$0) }
        #expect(throws: CollisionResolver<After.Member>.Errors.self) {
            try store.write { context in
                try After.Member(id: 2, email: "b@x", team: "b").save(to: &context)
                try After.Member(id: 3, email: "a@x", team: "c").save(to: &context)
            }
        }
        #expect(After.Member.query().resolve(in: store.context).map(\.id) == [1])
        #expect(After.Member.filter(\.team == "b").resolve(in: store.context).isEmpty)
        #expect(store.lastTransaction == 1)
        store.context.checkInvariants()
    }
}
