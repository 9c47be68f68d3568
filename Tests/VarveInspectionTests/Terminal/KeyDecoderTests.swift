import Testing
import VarveTestSupport

@testable import VarveTerminal

@Suite("Keys")
struct KeyDecoderTests {
    private func keys(_ pieces: [String], isFinal: Bool = true) -> [Key] {
        var decoder = KeyDecoder()
        var keys: [Key] = []
        for piece in pieces {
            decoder.add(Array(piece.utf8))
            while let key = decoder.next() { keys.append(key) }
        }
        while isFinal, let key = decoder.next(isFinal: true) { keys.append(key) }
        return keys
    }

    @Test("Letters, control letters and the keys of a line are found one by one")
    func plain() {
        #expect(
            keys(["aG\r\n\t\u{7F}\u{8}\u{C}\u{1A} é漢"]) == [
                .character("a"), .character("G"), .enter, .enter, .tab, .backspace, .backspace,
                .control("l"), .control("z"), .character(" "), .character("é"), .character("漢"),
            ])
    }

    @Test(
        "A sequence is one key, in both forms of terminals, with modifiers or without",
        arguments: [
            ("\u{1B}[A", Key.up), ("\u{1B}OB", .down), ("\u{1B}[5~", .pageUp),
            ("\u{1B}[6~", .pageDown),
            ("\u{1B}[H", .home), ("\u{1B}OF", .end), ("\u{1B}[1~", .home), ("\u{1B}[8~", .end),
            ("\u{1B}[Z", .backTab), ("\u{1B}[1;5C", .right), ("\u{1B}[6;2~", .pageDown),
            ("\u{1B}OM", .enter), ("\u{1B}[1;2A", .shiftUp), ("\u{1B}[1;3B", .shiftDown),
        ])
    func sequence(_ bytes: String, _ key: Key) {
        #expect(keys([bytes], isFinal: false) == [key])
        // However it is cut into pieces.
        #expect(keys(bytes.map(String.init), isFinal: false) == [key])
    }

    @Test("A lone escape is a key only when nothing follows, and one before a letter at once")
    func escapes() {
        #expect(keys(["\u{1B}"], isFinal: false).isEmpty)
        #expect(keys(["\u{1B}"]) == [.escape])
        #expect(keys(["\u{1B}q"]) == [.escape, .character("q")])
        #expect(keys(["\u{1B}\u{1B}[A"]) == [.escape, .up])
        #expect(keys(["\u{1B}["]) == [.escape, .character("[")])
    }

    @Test("What no key has is passed over, and the keys behind it are found")
    func unknownSequences() {
        #expect(keys(["\u{1B}[<0;12;5M\u{1B}[99~\u{1B}[1;2xq"]) == [.character("q")])
        #expect(keys(["\u{1B}[12\u{1B}[B"]) == [.down])
        #expect(keys(["\u{1B}[12"]).isEmpty)
        #expect(
            keys(["\u{1B}[" + String(repeating: "1", count: 10_000), "q"]) == [.character("q")])
    }

    @Test("Bytes that are no text make no trap and keep no key behind them back")
    func invalidBytes() {
        var decoder = KeyDecoder()
        decoder.add([0xE6, 0xBC])
        #expect(decoder.next() == nil)
        #expect(decoder.isUndecided)
        decoder.add([0xA2, 0xFF, 0xC3, 0x61])
        #expect(decoder.next() == .character("漢"))
        #expect(decoder.next() == .character("\u{FFFD}"))
        #expect(decoder.next() == .character("\u{FFFD}"))
        #expect(decoder.next() == .character("a"))
        #expect(!decoder.isUndecided)
    }

    @Test("Any bytes come to an end")
    func randomBytes() {
        var generator = SeededGenerator(seed: 42)
        for _ in 0..<2_000 {
            var decoder = KeyDecoder()
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                // Escapes and brackets as often as everything else together.
                [0x1B, 0x5B, 0x4F, UInt8.random(in: 0...255, using: &generator)].randomElement(
                    using: &generator) ?? 0
            }
            decoder.add(bytes)
            var count = 0
            while decoder.next(isFinal: true) != nil { count += 1 }
            #expect(count <= bytes.count && !decoder.isUndecided, "\(bytes)")
        }
    }
}
