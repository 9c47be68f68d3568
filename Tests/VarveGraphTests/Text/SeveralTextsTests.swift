import Testing
import VarveGraph
import VarveTestSupport

/// Words of three letters are a token each, so that a note matches a word where it has it.
@Suite("Queries of several texts")
struct SeveralTextsTests {
    private static let words = ["fox", "dog", "owl", "cat"]

    private let notes: [Int: Set<String>]
    private let indexed: Context
    private let plain: Context

    init() throws {
        var random = SeededGenerator(seed: 5)
        var notes: [Int: Set<String>] = [:]
        var indexed = Context()
        var plain = Context()
        for id in 0..<60 {
            let words = Self.words.shuffled(using: &random).prefix(Int(random.next() % 5))
            notes[id] = Set(words)
            // Of different lengths, so that ranks differ.
            let padding = [String](repeating: "zebra", count: Int(random.next() % 6))
            var sample = Sample(id: id)
            sample.note = (words + padding).joined(separator: " ")
            try IndexedSample(sample).save(to: &indexed)
            try PlainSample(sample).save(to: &plain)
        }
        self.notes = notes
        self.indexed = indexed
        self.plain = plain
    }

    private func matches<Entity: SampleEntity>(_ word: String) -> QueryPredicate<Entity> {
        .string(Entity.note, matches: word)
    }

    /// Rows whose notes the test likes, by the words alone.
    private func ids(_ isFound: (Set<String>) -> Bool) -> [Int] {
        notes.filter { isFound($0.value) }.keys.sorted()
    }

    /// Holds the query against the words, whole, in pages and counted, with an index and without.
    private func check(
        _ name: String, _ expected: [Int], _ indexedQuery: QueryList<IndexedSample>,
        _ plainQuery: QueryList<PlainSample>
    ) {
        let found = indexedQuery.resolve(in: indexed).map(\.id)
        #expect(found.sorted() == expected, "\(name)")
        #expect(plainQuery.resolve(in: plain).map(\.id) == found, "\(name), without an index")
        for limit in [1, 2, 5, 100] {
            #expect(
                indexedQuery.limit(limit).resolve(in: indexed).map(\.id)
                    == Array(found.prefix(limit)), "\(name), the first \(limit)")
            #expect(
                indexedQuery.limit(limit, offset: 2).resolve(in: indexed).map(\.id)
                    == Array(found.dropFirst(2).prefix(limit)), "\(name), \(limit) behind two")
        }
        #expect(indexedQuery.count(in: indexed) == expected.count, "\(name), counted")
    }

    @Test("A row is found that meets all of them, whichever orders the rest")
    func intersection() {
        let expected = ids { $0.isSuperset(of: ["fox", "dog"]) }
        #expect(expected.count > 5)
        check(
            "and, filter", expected,
            IndexedSample.query().and(IndexedSample.filter(matches("fox"))).filter(matches("dog")),
            PlainSample.query().and(PlainSample.filter(matches("fox"))).filter(matches("dog")))
        check(
            "filter, and", expected,
            IndexedSample.filter(matches("fox")).and(IndexedSample.filter(matches("dog"))),
            PlainSample.filter(matches("fox")).and(PlainSample.filter(matches("dog"))))
        check(
            "two filters", expected,
            IndexedSample.filter(matches("fox")).filter(matches("dog")),
            PlainSample.filter(matches("fox")).filter(matches("dog")))
        check(
            "three", ids { $0.isSuperset(of: ["fox", "dog", "owl"]) },
            IndexedSample.query().and(
                IndexedSample.filter(matches("fox")).filter(matches("owl"))
            ).filter(matches("dog")),
            PlainSample.query().and(
                PlainSample.filter(matches("fox")).filter(matches("owl"))
            ).filter(matches("dog")))
    }

    @Test("What or adds meets its own text, and a later filter counts for both")
    func union() {
        check(
            "or", ids { !$0.isDisjoint(with: ["fox", "dog"]) },
            IndexedSample.filter(matches("fox")).or(IndexedSample.filter(matches("dog"))),
            PlainSample.filter(matches("fox")).or(PlainSample.filter(matches("dog"))))
        check(
            "or, filter", ids { !$0.isDisjoint(with: ["fox", "dog"]) && $0.contains("cat") },
            IndexedSample.filter(matches("fox")).or(matches("dog")).filter(matches("cat")),
            PlainSample.filter(matches("fox")).or(matches("dog")).filter(matches("cat")))
        check(
            "or behind and",
            ids { $0.isSuperset(of: ["fox", "dog"]) || $0.isSuperset(of: ["owl", "cat"]) },
            IndexedSample.query().and(IndexedSample.filter(matches("fox"))).filter(matches("dog"))
                .or(
                    IndexedSample.query().and(IndexedSample.filter(matches("owl")))
                        .filter(matches("cat"))),
            PlainSample.query().and(PlainSample.filter(matches("fox"))).filter(matches("dog"))
                .or(
                    PlainSample.query().and(PlainSample.filter(matches("owl")))
                        .filter(matches("cat"))))
    }
}
