import Foundation
import Testing
import Varve
import VarveTestSupport

@Suite("Replay equals live state")
struct ReplayLawTests {
    struct Stop: Error {}

    /// One random change, of entities that changes of no other part touch.
    func change(
        _ context: inout Context, _ random: inout SeededGenerator, part: Int = 0
    ) throws {
        let first = part * 100
        func isOwn(_ number: Int) -> Bool { (first..<first + 100).contains(number) }
        func author() -> String { "a\(first + Int.random(in: 0..<12, using: &random))" }
        func book() -> Int { first + Int.random(in: 0..<30, using: &random) }
        func books() -> [Int] { (0..<Int.random(in: 0..<6, using: &random)).map { _ in book() } }
        func shelf() -> String { "s\(first + Int.random(in: 0..<5, using: &random))" }
        func word() -> String {
            ["", "x", "é", "longer text", "\u{65}\u{301}"].randomElement(using: &random)!
        }
        switch Int.random(in: 0..<17, using: &random) {
        case 0: try Author(id: author(), name: word(), books: .ids(books())).save(to: &context)
        case 1: try Author(id: author(), name: word(), born: book()).save(to: &context)
        case 2:
            try Author(id: author(), name: word(), books: .appending(ids: books()))
                .save(to: &context, options: .fragment)
        case 3:
            try Author(
                id: author(), name: word(),
                books: .relation(books().map { Book(id: $0, title: word()) })
            ).save(to: &context)
        case 4: try Book(id: book(), title: word(), author: .id(author())).save(to: &context)
        case 5: try Book(id: book(), title: word(), author: .null).save(to: &context)
        case 6:
            var text = Book.query(book()).resolve(in: context)?.text ?? ""
            text += String(repeating: word() + "\(book())", count: 60)
            try Book(id: book(), title: word(), text: text).save(to: &context)
        case 7:
            try Book(id: book(), title: word(), shelves: .ids([shelf(), shelf()])).save(
                to: &context)
        case 8: try Shelf(id: shelf(), label: word(), books: .ids(books())).save(to: &context)
        case 9:
            var value = Book(id: book(), title: word())
            value.$sequel = .id(book())
            value.$related = .ids(books())
            try value.save(to: &context)
        case 10: try Author.delete(id: author(), from: &context)
        case 11: try Book.delete(id: book(), from: &context)
        case 12:
            let deleted = Deleted<Book>.query().resolve(in: context).filter { isOwn($0.id) }
            try deleted.randomElement(using: &random)?.restore(in: &context)
            let authors = Deleted<Author>.query().resolve(in: context)
            try authors.first { isOwn(Int($0.id.dropFirst()) ?? 0) }?.restore(in: &context)
        case 13:
            let deleted = Deleted<Book>.query().resolve(in: context).filter { isOwn($0.id) }
            try deleted.randomElement(using: &random)?.delete(from: &context)
        case 14:
            // Gone for good and back in one write.
            let id = author()
            try Author.delete(id: id, from: &context)
            try Deleted<Author>.delete(id: id, from: &context)
            if Bool.random(using: &random) {
                try Author(id: id, name: word()).save(to: &context)
            } else {
                try Deleted(Author(id: id, name: word())).save(to: &context)
            }
        case 15:
            try Profile(id: shelf(), text: word(), author: .id(author())).save(to: &context)
        default:
            try Deleted(Book(id: book(), title: word(), author: .id(author()))).save(to: &context)
        }
    }

    @Test(
        "Rows, links, order, stamps and tombstones are the same after opening again",
        arguments: TestSize.choose(1...5, nightly: 1...12 as ClosedRange<UInt64>))
    func replayEqualsLive(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let place = StoreTests.Place()
        var store = try Store(at: place.url, durability: .none, Author.self, Shelf.self)
        for _ in 0..<120 {
            let fails = Int.random(in: 0..<8, using: &random) == 0
            let before = describe(store.context)
            do {
                try store.write("step") { context in
                    for _ in 0..<Int.random(in: 1...6, using: &random) {
                        try change(&context, &random)
                    }
                    if fails { throw Stop() }
                }
            } catch is Stop {
                #expect(difference(before, describe(store.context)) == nil, "seed \(seed)")
            }
            if Int.random(in: 0..<12, using: &random) == 0 {
                store.context.checkInvariants()
                let live = describe(store.context)
                let last = store.lastTransaction
                try store.close()
                store = try Store(at: place.url, durability: .none, Author.self, Shelf.self)
                #expect(difference(live, describe(store.context)) == nil, "seed \(seed)")
                #expect(store.lastTransaction == last, "seed \(seed)")
                store.context.checkInvariants()
            }
        }
    }
}
