import Testing
import VarveLog
import VarveTestSupport

@testable import Varve

/// One query in sections, held against the query asked anew and grouped by hand after every transaction.
private final class SectionFollower: StoreFollowing {
    private let check: (Store, Comment) -> Void

    init<E: EntityModelProtocol, Key: Equatable & Sendable>(
        _ store: Store, _ name: String, _ query: QueryList<E>, _ key: SectionKey<E, Key>,
        _ read: @escaping (E, Context) -> Key, _ isBefore: @escaping (Key, Key) -> Bool
    ) {
        var updates = store.results(of: query, sectionedBy: key).makeAsyncIterator()
        var list = BatchList<E>()
        var applied: [[E]] = []
        var keys: [Key] = []
        func same(_ first: [[E]], _ second: [[E]]) -> Bool {
            first.map(\.count) == second.map(\.count)
                && zip(first.joined(), second.joined()).allSatisfy { $0.isIdentical(to: $1) }
        }
        check = { store, place in
            let place: Comment = "\(name), \(place)"
            while let update = updates.poll() {
                let sections = update.sections
                list.perform(update.changes, counts: sections.map(\.count), place) { sections[$0] }
                applied = sections.applying(update.changes, to: applied) { sections[$0] }
                keys = sections.keys
                #expect(same(applied, list.sections), place)
                #expect(sections.list.count == sections.map(\.count).reduce(0, +), place)
                for index in sections.list.indices {
                    #expect(sections.index(of: sections.position(of: index)) == index, place)
                }
            }
            var fresh: [(key: Key, rows: [E])] = []
            for row in query.resolve(in: store.context) {
                let key = read(row, store.context)
                if let section = fresh.firstIndex(where: { $0.key == key }) {
                    fresh[section].rows.append(row)
                } else {
                    fresh.append((key, [row]))
                }
            }
            fresh.sort { isBefore($0.key, $1.key) }
            #expect(keys == fresh.map(\.key), "keys, \(place)")
            #expect(same(list.sections, fresh.map(\.rows)), "rows, \(place)")
        }
    }

    func follow(_ store: Store, _ place: String) { check(store, Comment(rawValue: place)) }
}

@Suite("Live results in sections, against a model")
struct SectionLawTests {
    private func nilFirst<Value: Comparable>(_ first: Value?, _ second: Value?) -> Bool {
        NilFirst(first) < NilFirst(second)
    }

    private func author(_ book: Book, _ context: Context) -> Author? {
        Book.query(book.id).related(\.$author).resolve(in: context)
    }

    private func followers(_ store: Store) -> [SectionFollower] {
        let books = Book.query().sorted(by: \.id)
        return [
            SectionFollower(
                store, "property", books, .property(\.title), { book, _ in book.title }, <),
            SectionFollower(
                store, "descending", Book.query(), .property(\.title, .descending),
                { book, _ in book.title }, >),
            SectionFollower(
                store, "optional", Author.query().sorted(by: \.name), .property(\.born),
                { author, _ in author.born }, nilFirst),
            SectionFollower(
                store, "optional, descending", Author.filter(\.name != "x"),
                .property(\.born, .descending), { author, _ in author.born },
                { nilFirst($1, $0) }),
            SectionFollower(
                store, "computed", books.filter(\.id > 4), .property(\.title.count),
                { book, _ in book.title.count }, <),
            SectionFollower(
                store, "related", books, .related(\.$author, \.name),
                { author($0, $1)?.name }, nilFirst),
            SectionFollower(
                store, "related, optional, descending", Book.query().sorted(by: \.title),
                .related(\.$author, \.born, .descending), { author($0, $1)?.born },
                { nilFirst($1, $0) }),
            SectionFollower(
                store, "related, one way", books, .related(\.$sequel, \.title),
                { Book.query($0.id).related(\.$sequel).resolve(in: $1)?.title }, nilFirst),
            SectionFollower(
                store, "limit", books.limit(7, offset: 1), .property(\.title),
                { book, _ in book.title }, <),
            SectionFollower(
                store, "union", Book.filter(\.id < 5).or(\.title == "x"),
                .related(\.$author, \.name), { author($0, $1)?.name }, nilFirst),
            SectionFollower(
                store, "of a relation", Author.query("a1").related(\.$books), .property(\.title),
                { book, _ in book.title }, <),
            SectionFollower(
                store, "with a relation", books.with(\.$author), .property(\.title),
                { book, _ in book.title }, <),
        ]
    }

    @Test(
        "Batches lead a list that knows nothing else from what a query found to what it finds",
        arguments: TestSize.choose(1...3, nightly: 1...12 as ClosedRange<UInt64>))
    func equalsFreshQueries(seed: UInt64) throws {
        try LiveRun(seed: seed, steps: 70).follow(by: followers)
    }

    @Test(
        "A long list is followed row by row, also where many rows change sections at once",
        arguments: TestSize.choose(1...2, nightly: 1...6 as ClosedRange<UInt64>))
    func longLists(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try Store.inMemory(Author.self)
        func word() -> String { "w\(Int.random(in: 0..<9, using: &random))" }
        try store.write { context in
            for number in 0..<12 {
                try Author(id: "a\(number)", name: word()).save(to: &context)
            }
            for number in 0..<400 {
                try Book(id: number, title: word(), author: .id("a\(number % 12)"))
                    .save(to: &context)
            }
        }
        let live = followers(store)
        for number in 0..<60 {
            try store.write { context in
                for _ in 0..<Int.random(in: 1...12, using: &random) {
                    let id = Int.random(in: 0..<420, using: &random)
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0: try Book.delete(id: id, from: &context)
                    case 1:
                        let author = "a\(id % 12)"
                        try Author(id: author, name: word(), born: id % 5).save(to: &context)
                    case 2:
                        try Book(id: id, title: word(), author: .id("a\(id % 7)"))
                            .save(to: &context)
                    default: try Book(id: id, title: word()).save(to: &context)
                    }
                }
            }
            for follower in live { follower.follow(store, "seed \(seed) step \(number)") }
            guard Int.random(in: 0..<6, using: &random) == 0 else { continue }
            try store.undo()
            for follower in live { follower.follow(store, "seed \(seed) step \(number), undone") }
        }
    }
}
