import Testing
import VarveEvents
import VarveTestSupport

@testable import Varve

@EntityModel
private struct Board {
    let id: Int
    @Relationship(deleteRule: .cascade, orphans: .delete, inverse: \.board) var cards: [Card]?
}

@EntityModel
private struct Card {
    let id: Int
    var text = ""
    @Relationship(inverse: \.cards) var board: Board?
    @Relationship(inverse: \.cards, deleteRule: .cascade, orphans: .delete) var parts: [Part]?
}

@EntityModel
private struct Part {
    let id: Int
    @Relationship(inverse: \.parts) var cards: [Card]?
}

@Suite("Orphans of drafts")
struct DraftOrphanTests {
    private func store() throws -> Store {
        let store = try Store.inMemory(Board.self)
        try store.write { context in
            let cards = (1...3).map { Card(id: $0, parts: .ids([1, 2])) }
            for id in [1, 2, 9] { try Part(id: id).save(to: &context) }
            try Board(id: 1, cards: .relation(cards)).save(to: &context)
        }
        return store
    }

    private func ids<Entity: EntityModelProtocol>(
        _ type: Entity.Type, _ store: Store
    ) -> [Entity.ID] {
        Entity.query().resolve(in: store.context).map(\.id)
    }

    /// How the newest transaction says that its entities were deleted.
    private func causes(_ store: Store) throws -> [String] {
        let newest = store.lastTransaction
        return try store.readingHistory { history in
            var causes: [String] = []
            try history.forEach(from: newest) { view in
                var events = view.events
                while let event = try events.next() {
                    guard case .delete(let deletion) = event else { continue }
                    if case .cascade = deletion.cause {
                        causes.append("cascade")
                    } else {
                        causes.append("\(deletion.cause)")
                    }
                }
                return true
            }
            return causes
        }
    }

    @Test(
        "What a draft and others take from one list each is deleted by the commit, and by a rebase")
    func bothSides() throws {
        for rebases in [false, true] {
            let store = try store()
            try store.write { try Card(id: 3, parts: .ids([2])).save(to: &$0) }
            let draft = store.draft()
            try draft.edit { try Card(id: 1, parts: .ids([2])).save(to: &$0) }
            try store.write { try Card(id: 2, parts: .ids([2])).save(to: &$0) }
            #expect(ids(Part.self, store) == [1, 2, 9])
            if rebases {
                try draft.rebase()
                #expect(Part.query().resolve(in: draft.context).map(\.id) == [2, 9])
            }
            try draft.commit()
            #expect(ids(Part.self, store) == [2, 9])
            #expect(try causes(store) == ["cascade"])
            #expect(Deleted<Part>.query().resolve(in: store.context).map(\.id) == [1])
            try store.undo()
            #expect(Part.query(1).related(\.$cards).resolve(in: store.context).map(\.id) == [1])
        }
    }

    @Test("An orphan of a draft is logged as a cascade of its list's entity, as that of a write is")
    func cause() throws {
        let shorten = { (context: inout Context) in
            try Board(id: 1, cards: .ids([1, 3])).save(to: &context)
            _ = try Part.delete(id: 9, from: &context)
        }
        let written = try store()
        try written.write { try shorten(&$0) }
        let store = try store()
        let draft = store.draft()
        try draft.edit { try shorten(&$0) }
        try draft.commit()
        #expect(ids(Card.self, store) == [1, 3])
        // The card and its parts, and the part that was in no list.
        #expect(try causes(store).sorted() == ["cascade", "cascade", "cascade", "direct"])
        #expect(try causes(store) == causes(written))
    }

    @Test("What a choice spares stays, although its list goes")
    func spared() throws {
        let store = try store()
        let draft = store.draft()
        try draft.edit { _ = try Board.delete(id: 1, from: &$0) }
        try store.write { try Card(id: 2, text: "changed").save(to: &$0) }
        try draft.rebase(.takeTheirs)
        #expect(Card.query().resolve(in: draft.context).map(\.id) == [2])
        try draft.commit()
        #expect(ids(Card.self, store) == [2] && ids(Board.self, store).isEmpty)
    }
}
