import Foundation
import Testing
import VarveTestSupport

@testable import VarveGraph

@Suite("The order of values")
struct ValueOrderTests {
    /// All laws of a total order with keys, over every pair of the values.
    private func checkLaws<Value: Comparable>(
        _ values: [Value], followsLessThan: Bool = true, _ note: String = ""
    ) {
        for first in values {
            let firstKey = ValueOrder.key(first)
            for second in values {
                let order = ValueOrder.compare(first, second)
                let secondKey = ValueOrder.key(second)
                #expect(order.signum() == -ValueOrder.compare(second, first).signum())
                if followsLessThan {
                    #expect((order < 0) == (first < second), "\(first) \(second) \(note)")
                }
                #expect(order != 0 || !followsLessThan || first == second)
                if order < 0 {
                    #expect(firstKey.key <= secondKey.key, "\(first) \(second) \(note)")
                }
                if order == 0 { #expect(firstKey == secondKey, "\(first) \(second) \(note)") }
                if firstKey.key == secondKey.key {
                    #expect(firstKey.isExact == secondKey.isExact, "\(first) \(second) \(note)")
                    if firstKey.isExact { #expect(order == 0, "\(first) \(second) \(note)") }
                }
            }
        }
    }

    private func checkIntegers<Value: FixedWidthInteger>(_ type: Value.Type) {
        var random = SeededGenerator(seed: 7)
        let edges: [Value] = [.min, .min + 1, .max, .max - 1, 0, 1]
        let values = edges + (0..<30).map { _ in Value.random(in: .min ... .max, using: &random) }
        checkLaws(values)
        checkLaws(values.map(\.desc))
        checkLaws(values.map { Optional($0).nilFirst } + [nil])
        checkLaws(values.map { Optional($0).nilFirst.desc } + [NilFirst(nil).desc])
    }

    @Test("integers of every width order by value, exactly")
    func integers() {
        checkIntegers(Int.self)
        checkIntegers(Int8.self)
        checkIntegers(Int16.self)
        checkIntegers(Int32.self)
        checkIntegers(Int64.self)
        checkIntegers(UInt.self)
        checkIntegers(UInt8.self)
        checkIntegers(UInt16.self)
        checkIntegers(UInt32.self)
        checkIntegers(UInt64.self)
        #expect(ValueOrder.key(-1).isExact)
    }

    @Test("floating point: zeros are equal, NaN equals NaN and stands behind infinity")
    func floats() {
        let values: [Double] = [
            -.infinity, -.greatestFiniteMagnitude, -1.5, -.leastNonzeroMagnitude, -0.0, 0.0,
            .leastNonzeroMagnitude, .leastNormalMagnitude, 1, 1.5, .greatestFiniteMagnitude,
            .infinity, .nan, -.nan, .signalingNaN, Double(nan: 5, signaling: false),
        ]
        checkLaws(values, followsLessThan: false)
        checkLaws(values.filter { !$0.isNaN })
        checkLaws(values.map(Float.init), followsLessThan: false)
        checkLaws(values.map(Date.init(timeIntervalSinceReferenceDate:)), followsLessThan: false)
        checkLaws(values.map(\.desc), followsLessThan: false)
        checkLaws(values.map { Optional($0).nilFirst }, followsLessThan: false)
        #expect(ValueOrder.compare(-0.0, 0.0) == 0)
        #expect(ValueOrder.compare(Double.nan, .infinity) == 1)
        #expect(ValueOrder.compare(Double.nan, -.nan) == 0)
        #expect(ValueOrder.key(Double.nan).key > ValueOrder.key(Double.infinity).key)
    }

    @Test("UUIDs order by their bytes, durations by time, characters as strings")
    func others() {
        var random = SeededGenerator(seed: 11)
        checkLaws(
            (0..<40).map { _ in
                let high = random.next() & 0x0101, low = random.next()
                return UUID(
                    uuid: (
                        UInt8(high & 1), 0, 0, 0, 0, 0, 0, UInt8(high >> 8), UInt8(low & 0xFF), 0,
                        0, 0, 0, 0, 0, UInt8(low >> 56)
                    ))
            })
        checkLaws((-40..<40).map { Duration.milliseconds($0 * 77) })
        checkLaws(["a", "b", "é", "e\u{301}", "한", "👨‍👩‍👧", "\u{1112}\u{1161}"] as [Character])
        checkLaws(["abc", "abcdefgh", "abcdefgz", ""] as [Substring])
    }

    @Test("a type of the application's own orders by its `<`, without a key")
    func ownTypes() {
        struct Version: Comparable {
            let parts: [Int]
            static func < (first: Self, second: Self) -> Bool {
                first.parts.lexicographicallyPrecedes(second.parts)
            }
        }
        checkLaws([Version(parts: [1]), Version(parts: [1, 2]), Version(parts: [0, 9])])
        #expect(ValueOrder.key(Version(parts: [])) == (0, false))
    }

    /// What strings are made of here: letters that compose, marks in and out of canonical order,
    /// Hangul in both forms, singletons, emoji sequences, zeros, Indic vowels of two parts.
    private static let pieces: [String] = [
        "a", "e", "z", "A", "0", "\0", "\u{1}", " ", "\u{7F}", "é", "e\u{301}", "q\u{301}",
        "\u{301}", "\u{323}\u{307}", "\u{307}\u{323}", "s\u{323}\u{307}", "ṩ", "Å", "Å", "ö",
        "o\u{308}", "한", "\u{1112}\u{1161}\u{11AB}", "\u{1112}\u{1161}", "\u{11AB}", "하",
        "各", "語", "\u{2126}", "Ω", "👨‍👩‍👧", "👍🏽", "🇩🇪", "\u{200D}", "\u{FE0F}",
        "\u{09C7}\u{09BE}", "\u{09CB}", "\u{0B47}\u{0B56}", "ß", "ﬁ", "\u{FB2A}", "\u{5E9}\u{5C1}",
        "\u{1D15E}", "\u{0344}", "\u{10FFFF}", "\u{F900}", "\r\n", "\n", "я", "й", "и\u{306}",
        "が", "か\u{3099}", "\u{2000}", "\u{FFFD}", "𝒳",
    ]

    @Test(
        "strings: keys follow the canonical order, whatever they are composed of", arguments: 1...8)
    func strings(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var values = ["", "\0", "\0\0", "abcdefg", "abcdefg\u{301}", "abcdef\u{301}", "abcdefgh"]
        for _ in 0..<90 {
            let length = Int.random(in: 0...6, using: &random)
            var text = String(repeating: "x", count: Int.random(in: 0...7, using: &random) / 4 * 3)
            for _ in 0..<length { text += Self.pieces.randomElement(using: &random) ?? "" }
            values.append(text)
        }
        checkLaws(values, followsLessThan: false, "seed \(seed)")
        checkLaws(values.map(\.desc), followsLessThan: false, "seed \(seed)")
        for first in values {
            for second in values { checkCanonicalOrder(first, second) }
        }
    }

    /// By the definition: the scalars of the canonical compositions, one after the other.
    private func checkCanonicalOrder(_ first: String, _ second: String) {
        let composed = [first, second].map {
            $0.precomposedStringWithCanonicalMapping.unicodeScalars.map(\.value)
        }
        let order = ValueOrder.compare(first, second)
        #expect((order < 0) == composed[0].lexicographicallyPrecedes(composed[1]))
        #expect((order == 0) == (first == second))
    }

    @Test("a decomposed character at the end comes before the composed one that is followed")
    func decomposedEnd() {
        #expect(ValueOrder.compare("и\u{306}", "й0") < 0)
        #expect(ValueOrder.compare("й0", "и\u{306}") > 0)
        #expect(ValueOrder.isLess("и\u{306}", "й0"))
    }

    @Test("a short string's key is exact, a long one's is a prefix")
    func textKeys() {
        #expect(ValueOrder.key("abcdefg").isExact)
        #expect(!ValueOrder.key("abcdefgh").isExact)
        #expect(ValueOrder.key("e\u{301}") == ValueOrder.key("é"))
        #expect(ValueOrder.key("abcdefgh").key >> 8 == ValueOrder.key("abcdefg").key >> 8)
    }

    @Test("a very long character has a key too")
    func longCharacter() {
        let tower = "a" + String(repeating: "\u{323}\u{307}", count: 500)
        checkLaws([tower, "a", "ạ", "b", tower + "b"])
    }
}
