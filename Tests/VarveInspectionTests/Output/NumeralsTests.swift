import Testing
import VarveInspection

@testable import VarveTool

@Suite("Numbers and times for people")
struct NumeralsTests {
    @Test("Digits are grouped by three")
    func grouping() {
        #expect(Numerals.grouped(0) == "0")
        #expect(Numerals.grouped(999) == "999")
        #expect(Numerals.grouped(1_000) == "1,000")
        #expect(Numerals.grouped(-1_234_567) == "-1,234,567")
        #expect(Numerals.grouped(UInt64.max) == "18,446,744,073,709,551,615")
        #expect(Numerals.grouped(Int64.min) == "-9,223,372,036,854,775,808")
        #expect(Numerals.counted(1, "entity", "entities") == "1 entity")
        #expect(Numerals.counted(2_000, "entity", "entities") == "2,000 entities")
    }

    @Test(
        "Sizes come in the unit that fits",
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (1_023, "1,023 bytes"), (1_024, "1.0 KiB"),
            (1_536, "1.5 KiB"), (1_048_575, "1.0 MiB"), (1_048_576, "1.0 MiB"),
            (13_423_104, "12.8 MiB"), (.max, "16777216.0 TiB"),
        ] as [(UInt64, String)])
    func sizes(_ bytes: UInt64, _ expected: String) {
        #expect(Numerals.size(ByteCount(bytes)) == expected)
    }

    @Test("A ratio has two digits, and there is none of nothing")
    func ratios() {
        #expect(Numerals.ratio(raw: ByteCount(100), stored: ByteCount(30)) == "3.33")
        #expect(Numerals.ratio(raw: ByteCount(5), stored: ByteCount(100)) == "0.05")
        #expect(Numerals.ratio(raw: ByteCount(1_999), stored: ByteCount(1_000)) == "2.00")
        #expect(Numerals.ratio(raw: ByteCount(1), stored: .zero) == nil)
        #expect(Numerals.ratio(raw: .zero, stored: ByteCount(192)) == nil)
    }

    @Test(
        "An age comes in the largest unit that fits",
        arguments: [
            (0, "just now", "0s"), (1, "1 second ago", "1s"), (59, "59 seconds ago", "59s"),
            (60, "1 minute ago", "1m"), (7_199, "1 hour ago", "1h"), (-60, "in 1 minute", "-1m"),
            (86_400 * 2, "2 days ago", "2d"), (86_400 * 20, "2 weeks ago", "2w"),
            (86_400 * 90, "2 months ago", "2mo"), (86_400 * 800, "2 years ago", "2y"),
        ] as [(Int64, String, String)])
    func ages(_ seconds: Int64, _ phrase: String, _ abbreviation: String) {
        let age = Age(
            of: Moment(microseconds: 0), at: Moment(microseconds: seconds * 1_000_000))
        #expect(age.phrase == phrase)
        #expect(age.abbreviation == abbreviation)
    }

    @Test("Times that no log should claim have an age all the same")
    func extremes() {
        let (least, most) = (Moment(microseconds: .min), Moment(microseconds: .max))
        #expect(Age(of: least, at: most).phrase.hasSuffix("years ago"))
        #expect(Age(of: most, at: least).phrase.hasPrefix("in "))
    }
}
