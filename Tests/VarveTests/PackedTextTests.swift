import Foundation
import Testing
import Varve
import VarveTestSupport

@testable import VarveGraph

/// A value that stores itself as another text than it has.
private struct Reversed: Storable, Equatable {
    static var storedType: StoredType { .string }
    var text: String

    init(_ text: String) { self.text = text }

    func store(into writer: inout ByteWriter) throws(CodecError) {
        try String(text.reversed()).store(into: &writer)
    }

    static func load(from reader: inout ByteReader) throws(CodecError) -> Reversed {
        Reversed(String(try String.load(from: &reader).reversed()))
    }
}

@EntityModel
private struct Letter: Equatable {
    @FullTextIndex<Self>(\.subject, \.body) private var texts
    @FullTextIndex<Self>(\.seal.text) private var sealText
    @FullTextIndex<Self>(\.summary) private var summaryText
    @Index<Self>(\.rank) private var rankIndex

    let id: String
    var rank: Int
    var mark: Int?
    var tags: [String]
    var seal: Reversed
    var weights: [String: Double]
    var subject: String
    var received: Date
    var body: String?

    var summary: String { subject + "; " + (body ?? "") }
}

@Suite("Texts that are looked for in rows' bytes")
struct PackedTextTests {
    private static let words = ["fox", "Foxes", "lake", "LAKESIDE", "été", "ete\u{301}", "straße"]

    private static func letters(_ seed: UInt64) -> [Letter] {
        var random = SeededGenerator(seed: seed)
        func text() -> String {
            (0..<Int.random(in: 0...5, using: &random)).map { _ in
                words.randomElement(using: &random)!
            }.joined(separator: " ")
        }
        return (0..<300).map { number in
            Letter(
                id: "letter \(number)", rank: number, mark: number % 3 == 0 ? nil : number,
                tags: (0..<number % 4).map { "fox \($0)" }, seal: Reversed(text()),
                weights: number % 2 == 0 ? [:] : ["lake": 1], subject: text(),
                received: Date(timeIntervalSince1970: Double(number)),
                body: Bool.random(using: &random) ? text() : nil)
        }
    }

    /// Opens a store that was closed with these letters in it: their rows are bytes.
    private static func reopened(_ place: StoreTests.Place, _ letters: [Letter]) throws -> Store {
        let store = try Store(at: place.url, Letter.self)
        try store.write { context in try letters.save(to: &context) }
        try store.compact()
        try store.close()
        return try Store(at: place.url, Letter.self)
    }

    private static func isPacked(_ context: Context, _ index: Int) -> Bool {
        guard let table = context.table(of: Letter.self) else { return false }
        return table.settledPlace(at: Slot(index))?.isPacked ?? false
    }

    /// The condition as a look at each of the letters tells it.
    private struct Sample {
        let predicate: QueryPredicate<Letter>
        let isMet: (Letter) -> Bool

        init(_ predicate: QueryPredicate<Letter>, _ isMet: @escaping (Letter) -> Bool) {
            self.predicate = predicate
            self.isMet = isMet
        }
    }

    /// Substrings, without case unless as they are, of whole characters: as `contains`, by what Swift itself says.
    private static func holds(_ text: String?, _ part: String, asIs: Bool = false) -> Bool {
        guard let text else { return false }
        let characters = Array(asIs ? text : text.lowercased())
        let wanted = Array(asIs ? part : part.lowercased())
        guard characters.count >= wanted.count else { return false }
        return (0...(characters.count - wanted.count)).contains {
            Array(characters[$0..<($0 + wanted.count)]) == wanted
        }
    }

    private static func samples(_ part: String) -> [Sample] {
        [
            Sample(.string(\.subject, \.body, contains: part)) {
                holds($0.subject, part) || holds($0.body, part)
            },
            Sample(.string(\.body, contains: part)) { holds($0.body, part) },
            Sample(.string(\.body, contains: part) && \.rank > 100) {
                holds($0.body, part) && $0.rank > 100
            },
            Sample(\.mark != nil && .string(\.body, contains: part) && \.rank < 250) {
                holds($0.body, part) && $0.mark != nil && $0.rank < 250
            },
            Sample(.string(\.subject, contains: part) && .string(\.body, notContains: "lake")) {
                holds($0.subject, part) && !holds($0.body, "lake")
            },
            Sample(.string(\.subject, contains: part) || .string(\.body, contains: "straß")) {
                holds($0.subject, part) || holds($0.body, "straß")
            },
            Sample(.string(\.subject, hasPrefix: part)) {
                $0.subject.lowercased().hasPrefix(part.lowercased())
            },
            Sample(.string(\.subject, hasSuffix: part)) {
                $0.subject.lowercased().hasSuffix(part.lowercased())
            },
            Sample(.string(\.subject, contains: part, caseSensitive: true)) {
                holds($0.subject, part, asIs: true)
            },
            Sample(.string(\.seal.text, contains: part)) { holds($0.seal.text, part) },
            Sample(.string(\.summary, contains: part)) { holds($0.summary, part) },
        ]
    }

    @Test(
        "The rows that are found are those that a look at each finds",
        arguments: TestSize.choose(1...2, nightly: 1...5 as ClosedRange<UInt64>))
    func law(seed: UInt64) throws {
        let place = StoreTests.Place()
        let letters = Self.letters(seed)
        var store = try Self.reopened(place, letters)
        for part in ["fox", "lakes", "ét", "straß", "e fox", "xof", "x", ""] {
            let context = store.context
            #expect(Self.isPacked(context, 0))
            let samples = Self.samples(part).map { ($0, expected: letters.filter($0.isMet)) }
            for round in 0..<3 {
                for (number, (sample, expected)) in samples.enumerated() {
                    let note: Comment = "seed \(seed), round \(round), \(part), sample \(number)"
                    let found = Letter.filter(sample.predicate)
                    #expect(found.count(in: context) == expected.count, note)
                    #expect(found.resolve(in: context) == expected, note)
                    #expect(found.exists(in: context) == !expected.isEmpty, note)
                    #expect(found.first().resolve(in: context) == expected.first, note)
                    #expect(found.last().resolve(in: context) == expected.last, note)
                    #expect(
                        found.limit(3, offset: 2).resolve(in: context)
                            == Array(expected.dropFirst(2).prefix(3)), note)
                    #expect(
                        found.sorted(by: \.rank.desc).resolve(in: context)
                            == expected.reversed(), note)
                }
            }
            // Rows that were looked at are values by now.
            try store.close()
            store = try Store(at: place.url, Letter.self)
        }
        try store.close()
    }

    @Test("Counting makes no rows")
    func counting() throws {
        let place = StoreTests.Place()
        let store = try Self.reopened(place, Self.letters(7))
        let packed = (0..<300).filter { Self.isPacked(store.context, $0) }
        #expect(packed.count >= 296)
        for _ in 0..<20 {
            #expect(Letter.filter(.string(\.subject, contains: "fox")).count(in: store.context) > 0)
        }
        #expect((0..<300).filter { Self.isPacked(store.context, $0) } == packed)
        try store.close()
    }

    @Test(
        "Among candidates for another condition a regular expression finds what a look at each finds"
    )
    func expressions() throws {
        let place = StoreTests.Place()
        let letters = Self.letters(9)
        let store = try Self.reopened(place, letters)
        let expression = try NSRegularExpression(pattern: "fo[xy]")
        let query = Letter.filter(
            \.rank > 250 && \.mark != nil && .string(\.subject, matches: expression))
        let expected = letters.filter {
            $0.rank > 250 && $0.mark != nil && $0.subject.contains(/fo[xy]/)
        }
        #expect(!expected.isEmpty)
        #expect(query.resolve(in: store.context) == expected)
        #expect(query.count(in: store.context) == expected.count)
        try store.close()
    }

    @Test("Many ids of rows that are bytes are found as those of others are")
    func manyIDs() throws {
        let place = StoreTests.Place()
        let letters = (0..<20_000).map { number in
            Letter(
                id: "letter \(number)", rank: number, tags: [], seal: Reversed(""), weights: [:],
                subject: "s", received: Date(timeIntervalSince1970: 0))
        }
        let store = try Self.reopened(place, letters)
        #expect(Self.isPacked(store.context, 23))
        let numbers = (0..<900).map { $0 * 23 }
        let expected = numbers.map { $0 < 20_000 ? $0 : nil }
        for _ in 0..<9 {
            let found: [Letter?] = store.context.findAll(numbers.map { "letter \($0)" })
            #expect(found.map { $0?.rank } == expected)
        }
        try store.close()
    }
}
