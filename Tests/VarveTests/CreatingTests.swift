import Testing
import Varve

@EntityModel
private struct Invoice: Equatable {
    @AutoIncrement let id: Int
    var number = ""
    var saves = 0
    @Relationship(inverse: \.invoice) var items: [Item]?

    mutating func willSave(to context: inout Context) throws {
        saves += 1
        if number == "refused" { throw Refusal() }
    }

    func didSave(to context: inout Context) throws {
        if number == "fleeting" { try delete(from: &context) }
    }
}

@EntityModel
private struct Item: Equatable {
    @AutoIncrement let id: Int
    var text: String
    @Relationship(inverse: \.items) var invoice: Invoice?
}

@EntityModel
private struct Board: Equatable {
    let id: Int
    var lost = 0
    @Relationship(deleteRule: .cascade, orphans: .delete, inverse: \.board) var cards: [Card]?
}

@EntityModel
private struct Card: Equatable {
    let id: Int
    @Relationship(inverse: \.cards) var board: Board?

    /// Counts in board 1 what is lost.
    func didDelete(from context: inout Context) throws {
        guard var board = Board.query(1).resolve(in: context) else { return }
        board.lost += 1
        try board.save(to: &context)
    }
}

private struct Refusal: Error {}

@Suite("Creating entities")
struct CreatingTests {
    private let store: Store

    init() throws { store = try Store.inMemory(Invoice.self) }

    @Test("A closure completes the value, knows its id, and runs before one save")
    func completes() throws {
        let written = try store.writeReporting { context in
            try context.create(Invoice()) { invoice in
                invoice.number = "2026-\(invoice.id)"
                invoice.$items = .relation([Item(text: "a"), Item(text: "b")])
            }
        }
        #expect(written.result == Invoice(id: 1, number: "2026-1", saves: 1))
        let transaction = try #require(written.transaction)
        let saves = try transaction.changes(of: Invoice.self).filter { change in
            if case .linked = change { false } else { true }
        }
        #expect(saves.count == 1, "\(saves)")
        let items = Invoice.query(1).related(\.$items).resolve(in: store.context)
        #expect(items.map(\.text) == ["a", "b"])
    }

    @Test("An id that the app gives is left as it is, and the closure may give another")
    func givenIDs() throws {
        let given = try store.write { try $0.create(Invoice(id: 7)) { $0.number = "x" } }
        #expect(given.id == 7)
        let other = try store.write { try $0.create(Invoice()) { $0 = Invoice(id: 20) } }
        #expect(other.id == 20 && store.context.count(Invoice.self) == 2)
    }

    @Test("Where the closure or the save throws, nothing is changed and no id comes twice")
    func failures() throws {
        try store.write { context in
            #expect(throws: Refusal.self) {
                try context.create(Invoice()) { _ in throw Refusal() }
            }
            #expect(throws: Refusal.self) {
                try context.create(Invoice()) { $0.number = "refused" }
            }
            let next = try context.create(Invoice())
            #expect(next.id == 3)
        }
        #expect(store.context.ids(Invoice.self) == [3])
    }

    @Test("What a hook deletes again is an error that has the id, and leaves nothing")
    func fleeting() throws {
        let report = try store.writeReporting { context in
            #expect(throws: ContextError.noSuchEntity(type: "Invoice", id: "1")) {
                try context.create(Invoice(number: "fleeting"))
            }
        }
        // The number that it was given is logged, and nothing else.
        #expect(try report.transaction?.changes(of: Invoice.self).isEmpty != false)
        #expect(store.context.count(Invoice.self) == 0)
        #expect(Deleted<Invoice>.query().count(in: store.context) == 0)
    }

    private func board() throws -> Context {
        var context = Context()
        try Board(id: 1, cards: .relation((1...4).map { Card(id: $0) })).save(to: &context)
        return context
    }

    private func cards(_ context: Context) -> [Int] {
        Card.query().resolve(in: context).map(\.id)
    }

    @Test("An entity that its own save makes an orphan is an error, alone and among others")
    func orphaned() throws {
        var context = try board()
        let error = ContextError.noSuchEntity(type: "Card", id: "3")
        #expect(throws: error) { try context.create(Card(id: 3, board: .null)) }
        #expect(throws: error) { try context.create(Card(id: 3, board: .null)) { _ in } }
        #expect(throws: error) {
            try context.create([Card(id: 5), Card(id: 3, board: .null)])
        }
        #expect(cards(context) == [1, 2, 3, 4])
        #expect(Board.query(1).resolve(in: context)?.lost == 0)
    }

    @Test("What the hooks of orphans change of an entity is in what is returned")
    func changedByOrphans() throws {
        var context = try board()
        #expect(try context.create(Board(id: 1, cards: .ids([1, 2, 4]))).lost == 1)
        let boards = try context.create([Board(id: 1, cards: .ids([4])), Board(id: 2)])
        #expect(boards.map(\.lost) == [2, 0])
        #expect(cards(context) == [4])
    }

    @Test("In an array an orphan of the one is kept by another that takes it")
    func takenByAnother() throws {
        var context = try board()
        try context.create([Board(id: 1, cards: .ids([4])), Board(id: 2, cards: .ids([2, 3]))])
        #expect(cards(context) == [2, 3, 4])
    }
}
