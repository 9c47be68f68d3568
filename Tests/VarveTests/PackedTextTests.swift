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

    private static func isPacked(_ context: Context, _ index: Int) -> Bool {
        guard let table = context.table(of: Letter.self) else { return false }
        return table.cells.nodes.place(at: index).map(Table<Letter>.settled)?.isPacked ?? false
    }

    private static func holds(_ text: String?, _ part: String) -> Bool {
        let folding = TextFolding(caseSensitive: false, diacriticSensitive: true)
        return TextPattern(part, place: .anywhere, folding: folding).isFound(in: text ?? "")
    }

    @Test(
        "The rows that are found are those that a look at each finds",
        arguments: 1...5 as ClosedRange<UInt64>)
    func law(seed: UInt64) throws {
        let place = StoreTests.Place()
        let letters = Self.letters(seed)
        do {
            let store = try Store(at: place.url, Letter.self)
            try store.write { context in for letter in letters { try letter.save(to: &context) } }
            try store.compact()
            try store.close()
        }
        for part in ["fox", "lakes", "ét", "straß", "e fox", "rueb", "xof", "x"] {
            let store = try Store(at: place.url, Letter.self)
            let context = store.context
            let either = letters.filter {
                Self.holds($0.subject, part) || Self.holds($0.body, part)
            }.map(\.id)
            let bodies = letters.filter { Self.holds($0.body, part) }
            let seals = letters.filter { Self.holds($0.seal.text, part) }.map(\.id)
            #expect(Self.isPacked(context, 0))
            for _ in 0..<3 {
                let found = Letter.filter(.string(\.subject, \.body, contains: part))
                #expect(found.count(in: context) == either.count, "seed \(seed), \(part)")
                #expect(found.resolve(in: context).map(\.id) == either, "seed \(seed), \(part)")
                #expect(found.first().resolve(in: context)?.id == either.first)
                #expect(found.last().resolve(in: context)?.id == either.last)
                #expect(
                    found.limit(3, offset: 2).resolve(in: context).map(\.id)
                        == Array(either.dropFirst(2).prefix(3)))
                let body = Letter.filter(.string(\.body, contains: part))
                #expect(body.count(in: context) == bodies.count)
                #expect(body.resolve(in: context) == bodies)
                let ranked = body.filter(\.rank > 100)
                let expected = bodies.filter { $0.rank > 100 }
                #expect(ranked.count(in: context) == expected.count)
                #expect(ranked.resolve(in: context) == expected)
                let seal = Letter.filter(.string(\.seal.text, contains: part))
                #expect(seal.resolve(in: context).map(\.id) == seals, "seed \(seed), \(part)")
                #expect(seal.count(in: context) == seals.count)
            }
            try store.close()
        }
    }

    @Test("Counting makes no rows")
    func counting() throws {
        let place = StoreTests.Place()
        do {
            let store = try Store(at: place.url, Letter.self)
            try store.write { context in
                for letter in Self.letters(7) { try letter.save(to: &context) }
            }
            try store.compact()
            try store.close()
        }
        let store = try Store(at: place.url, Letter.self)
        let packed = (0..<300).filter { Self.isPacked(store.context, $0) }
        #expect(packed.count >= 296)
        for _ in 0..<20 {
            #expect(Letter.filter(.string(\.subject, contains: "fox")).count(in: store.context) > 0)
        }
        #expect((0..<300).filter { Self.isPacked(store.context, $0) } == packed)
        try store.close()
    }
}
