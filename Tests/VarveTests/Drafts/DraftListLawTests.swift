import Testing
import Varve
import VarveTestSupport

/// What a merge of one list comes to, written down without a look at how the library does it.
private struct ListModel {
    let base: [Int]
    let mine: [Int]
    let theirs: [Int]

    private func order(_ list: [Int], of members: [Int]) -> [Int] {
        list.filter(members.contains)
    }

    /// What all three lists have, in the order of one of them.
    private func common(_ list: [Int]) -> [Int] {
        list.filter { base.contains($0) && mine.contains($0) && theirs.contains($0) }
    }

    /// Whether the draft reordered what it left in the list.
    private var isReordered: Bool { order(base, of: mine) != order(mine, of: base) }

    var isConflict: Bool {
        isReordered && common(theirs) != common(base) && common(theirs) != common(mine)
    }

    /// The links: those that both have, and what either side added.
    private var members: Set<Int> {
        Set(theirs).subtracting(Set(base).subtracting(mine))
            .union(Set(mine).subtracting(base))
    }

    func merged(keepsMine: Bool) -> [Int] {
        let members = members
        let mine = mine.filter(members.contains)
        let theirs = theirs.filter(members.contains)
        if isReordered, keepsMine || !isConflict { return Self.weave(mine, theirs) }
        let added = Set(mine).subtracting(base).subtracting(theirs)
        return Self.weave(theirs.filter { !added.contains($0) }, mine)
    }

    /// The first list, with what only the second has: each behind what it follows there, and at the end what is at the
    /// end there.
    private static func weave(_ lead: [Int], _ other: [Int]) -> [Int] {
        var list = lead
        let last = other.lastIndex(where: lead.contains) ?? -1
        // From behind, so that what follows the same comes in its order.
        for (index, element) in other.enumerated().reversed()
        where index < last && !lead.contains(element) {
            let previous = other[..<index].last(where: lead.contains)
            let place = previous.flatMap { list.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
            list.insert(element, at: place)
        }
        return list + other.dropFirst(last + 1).filter { !lead.contains($0) }
    }
}

@Suite("Lists and many-to-many relations of drafts, against a model")
struct DraftListLawTests {
    /// A list of a relation that is to many on both sides, or whose other side knows nothing.
    private enum Side: CaseIterable {
        case shelf, related

        func list(_ context: Context) -> [Int] {
            switch self {
            case .shelf: Shelf.query("s").related(\.$books).resolve(in: context).map(\.id)
            case .related: Book.query(100).related(\.$related).resolve(in: context).map(\.id)
            }
        }

        func set(_ list: [Int], in context: inout Context) throws {
            switch self {
            case .shelf:
                var shelf: Shelf = try #require(context.find("s"))
                shelf.$books = .ids(list)
                try shelf.save(to: &context)
            case .related:
                var book: Book = try #require(context.find(100))
                book.$related = .ids(list)
                try book.save(to: &context)
            }
        }

        var name: String { self == .shelf ? "books" : "related" }
    }

    private func edited(_ list: [Int], _ random: inout SeededGenerator) -> [Int] {
        var list = list
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: list.removeFirst(min(1, list.count))
            case 1:
                let new = Int.random(in: 0..<9, using: &random)
                if !list.contains(new) {
                    list.insert(new, at: Int.random(in: 0...list.count, using: &random))
                }
            default:
                if list.count > 1 { list.swapAt(0, Int.random(in: 1..<list.count, using: &random)) }
            }
        }
        return list
    }

    @Test(
        "Links of both sides stay, and an order that both changed is a conflict with a choice",
        arguments: Side.allCases, 1...10 as ClosedRange<UInt64>)
    private func lists(side: Side, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try Store.inMemory(Author.self, Shelf.self)
        try store.write { context in
            for id in 0..<9 { try Book(id: id, title: "\(id)").save(to: &context) }
            try Book(id: 100, title: "holder").save(to: &context)
            try Shelf(id: "s").save(to: &context)
            try side.set([0, 1, 2, 3], in: &context)
        }
        for round in 0..<30 {
            let place: Comment = "\(side), seed \(seed), round \(round)"
            let base = side.list(store.context)
            let draft = store.draft()
            let mine = edited(base, &random)
            let theirs = edited(base, &random)
            try draft.edit { try side.set(mine, in: &$0) }
            try store.write { try side.set(theirs, in: &$0) }
            let model = ListModel(base: base, mine: mine, theirs: theirs)
            let named = try draft.conflicts().filter { $0.kind == .order(relation: side.name) }
            #expect(named.isEmpty == !model.isConflict, place)
            let keepsMine = Bool.random(using: &random)
            try draft.rebase(keepsMine ? .keepMine : .takeTheirs)
            let expected = model.merged(keepsMine: keepsMine)
            #expect(side.list(draft.context) == expected, "\(mine) onto \(theirs), \(place)")
            try draft.commit()
            #expect(side.list(store.context) == expected, place)
            store.context.checkInvariants()
            guard side == .shelf else { continue }
            let shelved = Book.query().with(\.$shelves).resolve(in: store.context)
                .filter { $0.shelves?.isEmpty == false }
            #expect(Set(shelved.map(\.id)) == Set(expected), "the other side, \(place)")
        }
    }
}
