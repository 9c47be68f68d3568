import Foundation
import Testing
import VarveGraph

private enum Press {
    @EntityModel
    struct Article {
        @FullTextIndex<Self>(\.title, \.content) private var contentIndex
        let id: String
        var title: String
        var content: String
        var status = 0
    }

    /// The same without an index.
    @EntityModel
    struct Draft {
        let id: String
        var title: String
        var content: String
        var status = 0
    }

    @EntityModel
    struct Note {
        @FullTextIndex<Self>(\.text) private var textIndex
        let id: Int
        var text: String?
    }
}

@Suite("Manual: full-text search")
struct FullTextConformanceTests {
    private typealias Article = Press.Article
    private typealias Draft = Press.Draft
    private typealias Note = Press.Note

    private static let texts: [(title: String, content: String)] = [
        ("Swift databases", "A database in Swift, for Swift"),
        ("Cooking", "Take a swift look at the oven"),
        ("C++ and AB", "ab initio, c++ 17"),
        ("日本", "東京の日本料理"),
        ("The FOX", "quick brown fox"),
        ("Hunting", "a fox hunt with fox hounds and dogs"),
        ("Ærøskøbing", "Crème brûlée, Straße"),
    ]

    private func context() throws -> Context {
        var context = Context()
        for (index, text) in Self.texts.enumerated() {
            let (title, content) = text
            try Article(id: "\(index)", title: title, content: content, status: index % 2)
                .save(to: &context)
            try Draft(id: "\(index)", title: title, content: content, status: index % 2)
                .save(to: &context)
        }
        return context
    }

    private func articles(
        _ context: Context, _ shape: (QueryList<Article>) -> QueryList<Article>
    ) -> [String] {
        shape(Article.query()).resolve(in: context).map(\.id)
    }

    private func drafts(
        _ context: Context, _ shape: (QueryList<Draft>) -> QueryList<Draft>
    ) -> [String] {
        shape(Draft.query()).resolve(in: context).map(\.id)
    }

    // MARK: - SM-55

    @Test("SM-55: the properties of an index are one document, best matches first")
    func ranking() throws {
        let context = try context()
        let found = Article.filter(.string(\.title, \.content, matches: "swift database"))
            .resolve(in: context)
        #expect(found.map(\.id) == ["0", "1"])
        let foxes = Article.query()
            .filter(.string(\.title, \.content, matches: "fox"))
            .resolve(in: context)
        // Two in five tokens of twelve, then two in a longer document.
        #expect(foxes.map(\.id) == ["4", "5"])
        #expect(
            Article.filter(.string(\.title, \.content, matches: "search terms"))
                .resolve(in: context).isEmpty)
    }

    @Test("SM-55: with and without an index, the same rows in the same order")
    func sameAnswers() throws {
        let context = try context()
        let queries = [
            "swift", "FOX hunt", "fox", "ab", "c++", "日本", "料理", "creme", "STRASSE", "a", "", "??",
            "the quick", "dogs and databases", "fox fox hound",
        ]
        for query in queries {
            let indexed = articles(context) {
                $0.filter(.string(\.title, \.content, matches: query))
            }
            #expect(
                indexed
                    == drafts(context) { $0.filter(.string(\.title, \.content, matches: query)) },
                "\(query)")
            #expect(
                indexed
                    == articles(context) {
                        $0.filter(.string(\.content, \.title, matches: query))
                    }, "\(query)")
            #expect(
                articles(context) { $0.filter(.string(\.content, matches: query)) }
                    == drafts(context) { $0.filter(.string(\.content, matches: query)) },
                "\(query)")
            for needle in [query, query + " ", String(query.dropFirst()), String(query.dropLast())]
            {
                compareSubstrings(needle, context)
            }
        }
    }

    private func compareSubstrings(_ needle: String, _ context: Context) {
        let pairs = [
            (
                articles(context) { $0.filter(.string(\.title, \.content, contains: needle)) },
                drafts(context) { $0.filter(.string(\.title, \.content, contains: needle)) }
            ),
            (
                articles(context) { $0.filter(.string(\.content, contains: needle)) },
                drafts(context) { $0.filter(.string(\.content, contains: needle)) }
            ),
            (
                articles(context) { $0.filter(.string(\.content, \.title, hasPrefix: needle)) },
                drafts(context) { $0.filter(.string(\.content, \.title, hasPrefix: needle)) }
            ),
            (
                articles(context) {
                    $0.filter(.string(\.title, \.content, hasSuffix: needle, caseSensitive: true))
                },
                drafts(context) {
                    $0.filter(.string(\.title, \.content, hasSuffix: needle, caseSensitive: true))
                }
            ),
            (
                articles(context) {
                    $0.filter(.string(\.title, contains: needle, diacriticSensitive: false))
                },
                drafts(context) {
                    $0.filter(.string(\.title, contains: needle, diacriticSensitive: false))
                }
            ),
        ]
        for (index, pair) in pairs.enumerated() { #expect(pair.0 == pair.1, "\(index) \(needle)") }
    }

    @Test("SM-55: an index of optional text finds what is there")
    func optionalText() throws {
        var context = Context()
        try Note(id: 1, text: nil).save(to: &context)
        try Note(id: 2, text: "remember the milk").save(to: &context)
        let query = Note.filter(.string(\.text, matches: "milk"))
        #expect(query.resolve(in: context).map(\.id) == [2])
        try Note(id: 1, text: "milk").save(to: &context)
        #expect(query.resolve(in: context).map(\.id) == [1, 2])
        try Note(id: 2, text: nil).save(to: &context)
        #expect(query.resolve(in: context).map(\.id) == [1])
        context.checkInvariants()
    }

    // MARK: - The faults of part 6.1, mended

    @Test("deleted entities leave the index: they take no place, and count in no score")
    func deletes() throws {
        var context = try context()
        let fox = Article.filter(.string(\.title, \.content, matches: "fox"))
        try Article.delete(id: "4", from: &context)
        #expect(fox.first().resolve(in: context)?.id == "5")
        #expect(fox.limit(1).resolve(in: context).map(\.id) == ["5"])
        #expect(fox.limit(1, offset: 1).resolve(in: context).isEmpty)
        context.checkInvariants()
        // The order of what is left is that of a context that never had the deleted ones.
        try Article.delete(id: "0", from: &context)
        var fresh = Context()
        for article in Article.query().resolve(in: context) { try article.save(to: &fresh) }
        for query in ["fox", "swift oven", "a c++ ab"] {
            #expect(
                articles(context) { $0.filter(.string(\.title, \.content, matches: query)) }
                    == articles(fresh) { $0.filter(.string(\.title, \.content, matches: query)) })
        }
        try Deleted<Article>.query("4").resolve(in: context)?.restore(in: &context)
        #expect(fox.resolve(in: context).map(\.id) == ["4", "5"])
    }

    @Test("short needles, symbols and ideographs are found through an index, too")
    func shortNeedles() throws {
        let context = try context()
        func ids(_ needle: String) -> [String] {
            Article.filter(.string(\.title, \.content, contains: needle)).resolve(in: context)
                .map(\.id)
        }
        #expect(ids("ab") == ["0", "2"])
        #expect(ids("c++") == ["2"])
        #expect(ids("日本") == ["3"])
        #expect(ids("京") == ["3"])
        #expect(ids("x h") == ["5"])
        #expect(ids("").count == Self.texts.count)
        for needle in ["ab", "c++", "日本"] {
            #expect(
                !Article.filter(.string(\.title, \.content, matches: needle))
                    .resolve(in: context).isEmpty, "\(needle)")
        }
    }

    @Test("matches pays no attention to case without an index either")
    func caseWithoutIndex() throws {
        let context = try context()
        #expect(
            Draft.filter(.string(\.title, matches: "fox")).resolve(in: context).map(\.id) == ["4"])
        #expect(
            Draft.filter(.string(\.content, matches: "FOX hunt")).resolve(in: context).map(\.id)
                == ["5", "4"])
    }

    @Test("the order of matches holds wherever it stands among filters, and pages follow it")
    func rankAnywhere() throws {
        let context = try context()
        let query = "fox hounds swift"
        let ranked = articles(context) {
            $0.filter(.string(\.title, \.content, matches: query))
        }
        #expect(ranked.count == 4)
        #expect(
            articles(context) {
                $0.filter(\.status >= 0).filter(.string(\.title, \.content, matches: query))
            } == ranked)
        #expect(
            articles(context) {
                $0.filter(.string(\.title, \.content, matches: query)).filter(\.status == 0)
            } == ranked.filter { Int($0)! % 2 == 0 })
        #expect(
            articles(context) {
                $0.filter(.string(\.title, \.content, matches: query)).limit(2, offset: 1)
            } == Array(ranked[1...2]))
        // A sort of one's own takes over.
        #expect(
            articles(context) {
                $0.filter(.string(\.title, \.content, matches: query)).sorted(by: \.id)
            } == ranked.sorted())
    }

    @Test("equal matches come in insertion order, with and without limit")
    func ties() throws {
        var context = Context()
        for id in ["c", "a", "b"] {
            try Article(id: id, title: "same", content: "text").save(to: &context)
        }
        let query = Article.filter(.string(\.title, \.content, matches: "same"))
        #expect(query.resolve(in: context).map(\.id) == ["c", "a", "b"])
        #expect(query.limit(2).resolve(in: context).map(\.id) == ["c", "a"])
        // Saved again, it keeps its place.
        try Article(id: "c", title: "same", content: "text").save(to: &context)
        #expect(query.first().resolve(in: context)?.id == "c")
    }

    @Test("the index follows what is stored, in every copy of a context")
    func storedValues() throws {
        var context = try context()
        let snapshot = context
        try Article(id: "4", title: "The hen", content: "").save(
            to: &context,
            options: MergeStrategy { old, new in
                var merged = new
                merged.content = old.content
                return merged
            })
        let hen = Article.filter(.string(\.title, \.content, matches: "hen"))
        let brown = Article.filter(.string(\.content, \.title, matches: "brown"))
        #expect(hen.resolve(in: context).map(\.id) == ["4"])
        #expect(brown.resolve(in: context).map(\.id) == ["4"])
        #expect(hen.resolve(in: snapshot).isEmpty)
        #expect(brown.resolve(in: snapshot).map(\.id) == ["4"])
        context.checkInvariants()
        snapshot.checkInvariants()
    }
}
