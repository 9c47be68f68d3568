import Testing
import VarveGraph
import VarveTestSupport

/// Words of one and two characters in scripts without spaces.
@Suite("Short words of scripts without spaces")
struct ShortWordTests {
    private static let han = ["日", "本", "東", "京", "都", "天", "气", "大", "学", "𠮷", "〇", "々"]
    private static let kana = ["の", "は", "き", "タ", "ワ", "ー", "ん"]
    private static let thai = ["ป", "ล", "า", "ท", "ู", "ก"]
    private static let others = [" ", " fox ", "iPhone", "3", "、", "。", "\n", "😀", "é"]

    /// Runs of one class of script, as the documents and words are put together from.
    private static func run(_ random: inout SeededGenerator, _ length: ClosedRange<Int>) -> String {
        let letters = random.next() % 4 == 0 ? thai : han + kana
        return (0..<Int.random(in: length, using: &random)).map { _ in
            letters.randomElement(using: &random)!
        }.joined()
    }

    private static func document(_ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...6, using: &random)).map { _ in
            random.next() % 3 == 0 ? others.randomElement(using: &random)! : run(&random, 1...5)
        }.joined()
    }

    /// A text holds a short word where its scalars have the word's next to one another: each of
    /// these letters folds to itself.
    private static func holds(_ word: String, _ text: String) -> Bool {
        let word = Array(word.unicodeScalars)
        let text = Array(text.unicodeScalars)
        return text.indices.contains { text[$0...].starts(with: word) }
    }

    private static func stores(_ documents: [String]) throws -> (indexed: Context, plain: Context) {
        var indexed = Context()
        var plain = Context()
        for (id, text) in documents.enumerated() {
            var sample = Sample(id: id)
            sample.note = text
            try IndexedSample(sample).save(to: &indexed)
            try PlainSample(sample).save(to: &plain)
        }
        return (indexed, plain)
    }

    private static func found<Entity: SampleEntity>(
        _ predicate: QueryPredicate<Entity>, in context: Context
    ) -> [Int] where Entity.ID == Int {
        Entity.filter(predicate).resolve(in: context).map(\.id)
    }

    @Test("A word of one or two characters is found wherever it is in a text, as contains finds it")
    func examples() throws {
        let documents = [
            "東京都の天気は晴れです", "今天天气很好", "北京大学在北京", "日本語を話す", "ปลาทูในน้ำ", "iPhone用ケース", "no such thing",
        ]
        let (indexed, plain) = try Self.stores(documents)
        let expected: [String: Set<Int>] = [
            "天": [0, 1], "天气": [1], "天気": [0], "京": [0, 2], "大学": [2], "京大": [2], "語": [3],
            "話す": [3],
            "用": [5], "ース": [5], "ทู": [4], "น้": [4], "晴れ 語": [0, 3], "学京": [],
        ]
        for (word, ids) in expected {
            let hits = Self.found(.string(IndexedSample.note, matches: word), in: indexed)
            #expect(Set(hits) == ids, "\(word)")
            #expect(
                Self.found(.string(PlainSample.note, matches: word), in: plain) == hits,
                "\(word), without an index")
        }
    }

    @Test("Rank: more appearances in shorter texts come first")
    func rank() throws {
        let (indexed, _) = try Self.stores(["水と空気と土と火", "水と水", "空気", "水"])
        let hits = Self.found(.string(IndexedSample.note, matches: "水"), in: indexed)
        #expect(hits == [3, 1, 0])
    }

    @Test("Against a naive model, with an index and without", arguments: 1...12 as ClosedRange)
    func model(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let documents = (0..<80).map { _ in Self.document(&random) }
        let (indexed, plain) = try Self.stores(documents)
        var found = 0
        for _ in 0..<40 {
            let word = Self.run(&random, 1...2)
            let expected = documents.indices.filter { Self.holds(word, documents[$0]) }
            let hits = Self.found(.string(IndexedSample.note, matches: word), in: indexed)
            #expect(hits.sorted() == expected, "seed \(seed), \(word)")
            #expect(
                Self.found(.string(PlainSample.note, matches: word), in: plain) == hits,
                "seed \(seed), \(word), without an index")
            let contained = Self.found(.string(IndexedSample.note, contains: word), in: indexed)
            #expect(
                contained == Self.found(.string(PlainSample.note, contains: word), in: plain),
                "seed \(seed), \(word), contains")
            #expect(Set(contained).isSubset(of: hits), "seed \(seed), \(word), contains")
            found += hits.count
        }
        #expect(found > 100, "seed \(seed): the test would be empty")
    }

    @Test("contains, hasPrefix and hasSuffix of one ideograph are served by the index")
    func plans() throws {
        let (indexed, _) = try Self.stores(["日本"] + Array(repeating: "fox", count: 200))
        for predicate: QueryPredicate<IndexedSample> in [
            .string(IndexedSample.note, contains: "本"), .string(IndexedSample.note, hasPrefix: "日"),
            .string(IndexedSample.note, hasSuffix: "本"),
        ] {
            let plan = IndexedSample.filter(predicate).explain(in: indexed).description
            #expect(plan.contains("noteWords (note), 1 candidates"), "\(plan)")
            #expect(Self.found(predicate, in: indexed) == [0])
        }
    }
}
