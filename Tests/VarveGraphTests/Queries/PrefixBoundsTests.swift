import Testing
import VarveTestSupport

@testable import VarveGraph

@EntityModel
private struct Title {
    @Index<Self>(\.text.desc) private var byText
    @Index<Self>(\.note.nilFirst) private var byNote
    let id: Int
    var text: String
    var note: String?
}

/// Of random texts of what makes texts hard.
@Suite("Prefixes in an ordered index")
struct PrefixBoundsTests {
    /// Letters of several cases, and what folds to them or is composed with them.
    private static let starts = [
        "s", "S", "ſ", "ß", "ẞ", "ﬆ", "st", "ﬁ", "fi", "K", "k", "K", "e", "é", "e\u{301}", "ẽ",
        "İ", "i", "ı", "ŉ",
        "ǰ", "j", "a\u{80}", "a", "Å", "Å", "\u{301}", "~", "\u{7F}", "1", ";", "\u{37E}", "", "日",
    ]

    @Test("No text that has the prefix lies outside of the ranges", arguments: 1...20)
    func ranges(seed: UInt64) {
        var texts = RandomTexts(seed: seed)
        for _ in 0..<200 {
            let start = Self.starts.randomElement(using: &texts.generator) ?? ""
            let text = start + texts.text(parts: 3)
            let prefix = Bool.random(using: &texts.generator) ? start : texts.needle(from: text)
            for folding in Self.foldings {
                let pattern = TextPattern(prefix, place: .atStart, folding: folding)
                guard let bounds = PrefixBounds(pattern), pattern.isFound(in: text) else {
                    continue
                }
                let holding = bounds.ranges.filter { Self.contains($0, text) }
                #expect(
                    holding.count == 1, "seed \(seed): \(text.debugDescription), \(pattern)")
            }
        }
    }

    @Test("Queries find with an index what a scan finds", arguments: 1...6)
    func queries(seed: UInt64) throws {
        var texts = RandomTexts(seed: seed)
        var context = Context()
        var titles: [Title] = []
        for id in 0..<400 {
            let start = Self.starts.randomElement(using: &texts.generator) ?? ""
            let text = start + texts.text(parts: 2)
            titles.append(Title(id: id, text: text, note: id % 5 == 0 ? nil : text))
        }
        try titles.save(to: &context)
        for _ in 0..<40 {
            let prefix = texts.needle(
                from: titles.randomElement(using: &texts.generator)?.text ?? "")
            for folding in Self.foldings where folding.passesOver != .allButTokens {
                let pattern = TextPattern(prefix, place: .atStart, folding: folding)
                let exact = !folding.foldsCase
                let marks = folding.passesOver == .nothing
                let words = "seed \(seed): \(prefix.debugDescription), \(folding)"
                let found = Title.filter(
                    .string(
                        \.text, hasPrefix: prefix, caseSensitive: exact, diacriticSensitive: marks))
                #expect(
                    found.resolve(in: context).map(\.id)
                        == titles.filter { pattern.isFound(in: $0.text) }.map(\.id), "\(words)")
                let noted = Title.filter(
                    .string(
                        \.note, hasPrefix: prefix, caseSensitive: exact, diacriticSensitive: marks))
                #expect(
                    noted.resolve(in: context).map(\.id)
                        == titles.filter { $0.note.map(pattern.isFound) ?? false }.map(\.id),
                    "\(words)")
            }
        }
    }

    @Test("A long table is not scanned for a prefix")
    func plan() throws {
        var context = Context()
        try (0..<2_000).map { Title(id: $0, text: "Name \($0)", note: "note \($0)") }
            .save(to: &context)
        let named = Title.filter(.string(\.text, hasPrefix: "Name 199", caseSensitive: true))
        #expect(named.explain(in: context).candidates == 11)
        #expect(named.sorted(by: \.text).limit(2).resolve(in: context).map(\.id) == [199, 1_990])
        try Title(id: 5_000, text: "ßx", note: "Élan").save(to: &context)
        let sharp = Title.filter(.string(\.text, hasPrefix: "SS"))
        #expect(sharp.explain(in: context).candidates == 1)
        #expect(sharp.resolve(in: context).map(\.id) == [5_000])
        let marked = Title.filter(.string(\.note, hasPrefix: "el", diacriticSensitive: false))
        #expect(marked.explain(in: context).candidates == 1)
        #expect(marked.resolve(in: context).map(\.id) == [5_000])
    }

    private static let foldings = [true, false].flatMap { caseSensitive in
        [true, false].map {
            TextFolding(caseSensitive: caseSensitive, diacriticSensitive: $0)
        }
    }

    private static func contains(_ range: (lower: String, upper: String?), _ text: String) -> Bool {
        TextOrder.compare(range.lower, text) <= 0
            && range.upper.map { TextOrder.compare(text, $0) < 0 } ?? true
    }
}
