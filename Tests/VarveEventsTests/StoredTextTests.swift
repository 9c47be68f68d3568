import Testing
import VarveEvents

@Suite("Stored texts that no string is made of")
struct StoredTextTests {
    @Test("A text is the same as its own bytes and as no others, whatever its length")
    func comparing() {
        let texts =
            ["", "a", "b", "ab", "ü", "u\u{308}", "a\u{0}", "a\u{0}b"]
            + [126, 127, 128, 129, 300, 20_000].flatMap { count in
                [
                    String(repeating: "x", count: count),
                    String(repeating: "x", count: count - 1) + "y",
                ]
            }
        for stored in texts {
            var writer = ByteWriter()
            writer.writeText(stored)
            for text in texts {
                let isSame = writer.withBytes { StoredText.isText(text, in: $0) }
                #expect(isSame == (Array(text.utf8) == Array(stored.utf8)))
            }
        }
        #expect(!StoredText.isText("", in: UnsafeRawBufferPointer(start: nil, count: 0)))
    }
}
