import Testing
import VarveGraph

@EntityModel
private struct Board: Equatable {
    let id: Int
    @Relationship(deleteRule: .cascade, orphans: .delete, inverse: \.board) var cards: [Card]?
    @Relationship(inverse: \.pins) var pinned: [Card]?
}

@EntityModel
private struct Card: Equatable {
    let id: Int
    var isLocked = false
    @Relationship(inverse: \.cards) var board: Board?
    @Relationship(inverse: \.pinned) var pins: [Board]?
    @Relationship(inverse: \.cards, deleteRule: .cascade, orphans: .delete) var parts: [Part]?

    func willDelete(from context: inout Context) throws {
        if isLocked { throw Locked() }
    }
}

@EntityModel
private struct Part: Equatable {
    let id: Int
    @Relationship(inverse: \.parts) var cards: [Card]?
}

private struct Locked: Error {}

@Suite("What leaves a list that deletes its orphans")
struct OrphanTests {
    private func board(cards: ClosedRange<Int> = 1...4) throws -> Context {
        var context = Context()
        try Board(id: 1, cards: .relation(cards.map { Card(id: $0) })).save(to: &context)
        return context
    }

    private func cards(_ context: Context) -> [Int] {
        Card.query().resolve(in: context).map(\.id)
    }

    @Test("A save of a shorter list deletes what it leaves out, as a cascade of the list's entity")
    func shorter() throws {
        var context = try board()
        try Board(id: 1, cards: .ids([4, 2])).save(to: &context)
        #expect(cards(context) == [2, 4])
        #expect(Deleted<Card>.query().resolve(in: context).map(\.id).sorted() == [1, 3])
        #expect(Board.query(1).with(\.$cards).resolve(in: context)?.cards?.map(\.id) == [4, 2])
    }

    @Test("So does whatever else takes an entity from the list, from either side")
    func everyWay() throws {
        var context = try board(cards: 1...7)
        let board = try Board.require(1, in: context)
        try board.detach(\.$cards, at: 0, in: &context)
        try board.detach(2, relation: \.$cards, in: &context)
        try Card(id: 3, board: .null).save(to: &context)
        try Board.query(1).update(in: &context) { $0.$cards = .ids([5, 6, 7]) }
        #expect(cards(context) == [5, 6, 7])
        try [Card(id: 5, board: .null), Card(id: 8)].save(to: &context)
        #expect(cards(context) == [6, 7, 8])
        try board.detach(\.$cards, in: &context)
        #expect(cards(context) == [8])
    }

    @Test("What moves to another list in the same save stays, and what is linked otherwise goes")
    func moved() throws {
        var context = try board()
        try Board(id: 2, cards: .ids([1]), pinned: .ids([2])).save(to: &context)
        #expect(cards(context) == [1, 2, 3, 4])
        try [Board(id: 1, cards: .ids([4])), Board(id: 2, cards: .ids([1, 3]))].save(to: &context)
        #expect(cards(context) == [1, 3, 4])
    }

    @Test("Orphans of a deletion follow, and an entity in two lists stays until the last has gone")
    func chain() throws {
        var context = Context()
        let shared = Part(id: 1)
        try Board(
            id: 1,
            cards: .relation([
                Card(id: 1, parts: .relation([shared, Part(id: 2)])),
                Card(id: 2, parts: .relation([shared])),
            ])
        ).save(to: &context)
        try Board(id: 1, cards: .ids([2])).save(to: &context)
        // Deleting a card deletes its parts, also shared ones: that is what a cascade says.
        #expect(Part.query().resolve(in: context).map(\.id) == [])
        try Card(id: 3, parts: .ids([9])).save(to: &context)
        try Card(id: 4, parts: .relation([Part(id: 9)])).save(to: &context)
        try Card(id: 3, parts: .ids([])).save(to: &context)
        #expect(Part.query().resolve(in: context).map(\.id) == [9])
        try Card(id: 4, parts: .ids([])).save(to: &context)
        #expect(Part.query().isEmpty(in: context))
    }

    @Test("So do the orphans of an entity that is saved at a position of a list")
    func inserted() throws {
        var context = Context()
        let parts = [Part(id: 1), Part(id: 2)]
        try Board(id: 1, cards: .relation([Card(id: 1, parts: .relation(parts))]))
            .save(to: &context)
        let board = try Board.require(1, in: context)
        try board.insert(Card(id: 1, parts: .ids([2])), at: 0, relation: \.$cards, in: &context)
        #expect(Part.query().resolve(in: context).map(\.id) == [2])
        #expect(throws: Locked.self) {
            try board.insert(
                Card(id: 2, isLocked: true), at: 0, relation: \.$cards, in: &context)
            try board.detach(2, relation: \.$cards, in: &context)
        }
        #expect(cards(context) == [1, 2])
    }

    @Test("A deletion that is refused rolls back what made the orphan")
    func refused() throws {
        var context = try board()
        try Card(id: 3, isLocked: true).save(to: &context)
        let before = Board.query(1).with(\.$cards).resolve(in: context)?.cards
        let board = try Board.require(1, in: context)
        #expect(throws: Locked.self) { try board.detach(3, relation: \.$cards, in: &context) }
        #expect(throws: Locked.self) {
            try Board(id: 1, cards: .ids([1])).save(to: &context)
        }
        #expect(throws: Locked.self) {
            try Card(id: 3, isLocked: true, board: .null).save(to: &context)
        }
        #expect(Board.query(1).with(\.$cards).resolve(in: context)?.cards == before)
        // Nothing of it is left for the next change.
        try Card(id: 9).save(to: &context)
        #expect(cards(context) == [1, 2, 3, 4, 9])
    }
}
