import Testing
import VarveTestSupport

@testable import VarveGraph

@Suite("Hashes of values")
struct ValueHashTests {
    @Test("Texts that are equal have one hash, whatever they are written with")
    func equalTexts() {
        let texts = [
            "", "K", "\u{212A}", ";", "\u{37E}", "`", "\u{1FEF}", "1 K; `\u{212A}",
            "1 \u{212A}; `K",
            "1 K\u{37E} \u{1FEF}K", "é", "e\u{301}", "caf\u{E9} K", "cafe\u{301} \u{212A}",
            "K\u{301}",
            "\u{212A}\u{301}", "\u{1E30}", "e", "\r\n", "\n", "a longer one of ASCII, and no more",
            "a longer one of ASCII, \u{212A}nd no more", "a longer one of ASCII, Knd no more",
        ]
        checkHashes(of: texts)
    }

    /// Two texts have one hash exactly where Swift says that they are equal.
    private func checkHashes(of texts: [String], _ note: String = "") {
        for first in texts {
            for second in texts {
                #expect(
                    (ValueHash.hash(first) == ValueHash.hash(second)) == (first == second),
                    "\(note) \(first.debugDescription), \(second.debugDescription)")
            }
        }
    }

    @Test("Of all scalars, three are equal to one of ASCII, and hash like it")
    func scalars() {
        let plain = Set((0..<128).map { String(Unicode.Scalar(UInt8($0))) })
        var found = 0
        for value in UInt32(128)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(scalar)
            guard let index = plain.firstIndex(of: text) else { continue }
            found += 1
            #expect(ValueHash.hash(text) == ValueHash.hash(plain[index]))
        }
        #expect(found == 3)
    }

    @Test("Random texts hash alike exactly where Swift says that they are equal", arguments: 1...4)
    func randomTexts(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet: [Unicode.Scalar] = [
            "a", "K", ";", "\u{212A}", "\u{37E}", "\u{301}", "\u{E1}",
        ]
        let texts = (0..<300).map { _ in
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                text.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
            }
            return String(text)
        }
        checkHashes(of: texts, "seed \(seed):")
    }

    @Test("Texts of every length have hashes of their own")
    func lengths() {
        var hashes = Set<UInt64>()
        for count in 0..<200 {
            for letter in ["a", "b"] {
                hashes.insert(ValueHash.hash(String(repeating: letter, count: count)))
            }
        }
        // The empty one was there twice.
        #expect(hashes.count == 399)
    }

    @Test("An optional text hashes by what it holds, and nil is no text")
    func optionals() {
        let none: String? = nil
        #expect(ValueHash.hash(Optional("Ada")) == ValueHash.hash(Optional("Ada")))
        #expect(ValueHash.hash(Optional("\u{212A}")) == ValueHash.hash(Optional("K")))
        #expect(ValueHash.hash(none) == ValueHash.hash(none))
        #expect(ValueHash.hash(none) != ValueHash.hash(Optional("")))
        #expect(ValueHash.hash(7) == ValueHash.hash(7))
        #expect(ValueHash.hash(7) != ValueHash.hash(8))
    }
}
