import Foundation
import Testing
import Varve
import VarveTestSupport

@Suite("Queries of stores")
struct QueryPersistenceTests {
    private func addAuthors(_ numbers: Range<Int>, to store: Store) throws {
        try store.write { context in
            for number in numbers {
                try Author(id: "\(number)", name: "n\(number % 3)", born: 1900 + number % 5)
                    .save(to: &context)
            }
        }
    }

    @Test("A cursor goes on where it was after deletes, inserts and a reopen")
    func cursors() throws {
        for query in [
            Author.query(), Author.query().sorted(by: \.name),
            Author.query().sorted(by: \.name.desc).filter(\.id != "7"),
        ] {
            let place = StoreTests.Place()
            let first: QueryPage<Author>
            let rest: [String]
            do {
                let store = try Store(at: place.url, Author.self)
                try addAuthors(0..<20, to: store)
                first = try query.page(limit: 6, in: store.context)
                let seen = Set(first.entities.map(\.id))
                rest = query.resolve(in: store.context).map(\.id).filter { !seen.contains($0) }
                try store.write { context in
                    for author in first.entities { try author.delete(from: &context) }
                }
                try store.close()
            }
            let cursor = try JSONDecoder().decode(
                QueryCursor.self, from: JSONEncoder().encode(#require(first.next)))
            let store = try Store(at: place.url, Author.self)
            let second = try query.page(after: cursor, limit: 100, in: store.context)
            #expect(second.entities.map(\.id) == rest)
        }
    }

    @Test("A bulk change is one transaction, and is there again after a reopen")
    func bulkChanges() throws {
        let place = StoreTests.Place()
        let before: String
        do {
            let store = try Store(at: place.url, Author.self)
            try addAuthors(0..<12, to: store)
            let updated = try store.write { context in
                try Author.update(where: \.born == 1902, in: &context) { $0.name = "changed" }
            }
            let deleted = try store.write { context in
                try Author.query().sorted(by: \.born.nilFirst.desc).limit(2).delete(from: &context)
            }
            #expect(updated == 2 && deleted == 2 && store.lastTransaction == 3)
            before = describe(store.context)
            try store.close()
        }
        let store = try Store(at: place.url, Author.self)
        #expect(describe(store.context) == before)
        #expect(Author.filter(\.name == "changed").count(in: store.context) == 2)
        #expect(Deleted<Author>.query().count(in: store.context) == 2)
        store.context.checkInvariants()
    }

    @Test("What a transaction changed is found by its number and by its time, also after a reopen")
    func metadata() throws {
        let place = StoreTests.Place()
        for isReopened in [false, true] {
            let store = try Store(at: place.url, Author.self)
            if !isReopened {
                try addAuthors(0..<3, to: store)
                try addAuthors(3..<5, to: store)
                try store.write { context in
                    try Author.query("1").update(in: &context) { $0.name = "changed" }
                }
            }
            let context = store.context
            let inTransactions = { (range: ClosedRange<UInt64>) in
                Author.filter(.saved(inTransactions: range)).resolve(in: context).map(\.id)
            }
            #expect(inTransactions(2...2) == ["3", "4"])
            #expect(inTransactions(1...3) == ["0", "2", "3", "4", "1"])
            #expect(
                Author.query().sorted(by: .updatedAt.desc).first().resolve(in: context)?.id == "1")
            let time = try #require(Author.query("3").resolve(in: context)?.updatedAt(in: context))
            #expect(
                Author.query().filter(.updated(within: time...time)).resolve(in: context)
                    .map(\.id) == ["3", "4"])
            try store.close()
        }
    }
}
