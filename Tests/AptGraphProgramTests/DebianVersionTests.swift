import Testing

@testable import AptGraph

@Suite("Versions")
struct DebianVersionTests {
    @Test(
        "A version is older than another",
        arguments: [
            // Epoch, then upstream version, then revision.
            ("9", "1:1"), ("0:9", "1:1"), ("1:2", "1:10"), ("1.0-1", "1.0-2"), ("1.0-9", "1.1-1"),
            ("1.0", "1.0-1"), ("1-2", "1-1-1"), ("1-1-1", "1-1-2"),
            // Numbers by their value, of any length.
            ("1.9", "1.10"), ("1.009", "1.10"), ("2", "11"),
            ("99999999999999999999998", "99999999999999999999999"),
            // A tilde comes before everything, even the end.
            ("1.0~rc1", "1.0"), ("1.0~~", "1.0~"), ("1.0~~a", "1.0~"),
            ("1.0~beta1~svn1245", "1.0~beta1"),
            ("1.0-1~bpo1", "1.0-1"), ("1~", "1"), ("a~", "a"), ("1.0~", "1.0a"),
            // Letters before the rest.
            ("1.0a", "1.0+"), ("1.0Z", "1.0a"), ("1.0", "1.0a"), ("1.0", "1.0+dfsg"),
            ("1.0+", "1.0."),
            ("1a1", "1a2"), ("1.2.3", "1.2.3.1"), ("5.2.15-2", "5.2.15-2+b13"), ("a", "a1"),
        ])
    func order(older: String, newer: String) {
        #expect(DebianVersion(older) < DebianVersion(newer))
        #expect(!(DebianVersion(newer) < DebianVersion(older)))
        #expect(DebianVersion(older) != DebianVersion(newer))
    }

    @Test(
        "Versions that are written differently may be the same",
        arguments: [
            ("1.0", "1.0"), ("0:1.0", "1.0"), ("1.0-0", "1.0"), ("00:1.0", "1.0"), ("1.01", "1.1"),
            ("1.0-1", "1.00-01"), ("", ""), ("1.a0", "1.a"), ("1.0-", "1.0"),
        ])
    func equality(first: String, second: String) {
        #expect(DebianVersion(first) == DebianVersion(second))
        #expect(!(DebianVersion(first) < DebianVersion(second)))
        #expect(!(DebianVersion(second) < DebianVersion(first)))
    }

    @Test("A colon behind anything but digits belongs to the version")
    func colonWithoutEpoch() {
        #expect(DebianVersion("1a:5") < DebianVersion("1b:4"))
        #expect(DebianVersion("1a:5") < DebianVersion("2:0"))
    }

    @Test("Whatever the texts are, the order is total")
    func laws() {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededNumbers(state: seed)
        let versions = (0..<60).map { _ in DebianVersion(Self.text(&generator)) }
        for first in versions {
            for second in versions {
                let less = first < second
                let greater = second < first
                #expect(
                    [less, greater, first == second].count { $0 } == 1,
                    "\(first.text) and \(second.text), seed \(seed)")
                for third in versions where less && second < third {
                    #expect(
                        first < third,
                        "\(first.text), \(second.text), \(third.text), seed \(seed)")
                }
            }
        }
    }

    private static func text(_ generator: inout SeededNumbers) -> String {
        let alphabet = Array("001129aZ~~+.-:")
        let length = Int.random(in: 0...6, using: &generator)
        return String((0..<length).map { _ in alphabet.randomElement(using: &generator) ?? "0" })
    }
}

/// SplitMix64.
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
