import Testing

@testable import AptGraphInput

@Suite("Malformed stanzas")
struct MalformedTests {
    /// The one problem of a stanza that stands between two good ones, which must survive it.
    private func problem(_ stanza: String) throws -> StanzaProblem? {
        let text = minimal("before") + "\n" + stanza + "\n" + minimal("after")
        #expect(try stanzas(of: text).map(\.name) == ["before", "after"])
        let problems = try problems(of: text)
        #expect(problems.count == 1)
        return problems.first
    }

    @Test("A stanza without a field that every package has is reported at its first line")
    func missingFields() throws {
        let lines = ["Package: a", "Version: 1", "Architecture: all"]
        for (index, field) in ["Package", "Version", "Architecture"].enumerated() {
            var rest = lines
            rest.remove(at: index)
            let problem = try problem(rest.joined(separator: "\n") + "\n")
            #expect(problem == StanzaProblem(line: 5, reason: .missingField(field)))
        }
    }

    @Test("A line of no known shape is reported by its own number")
    func brokenLines() throws {
        #expect(
            try problem(minimal("a") + "no colon here\n")
                == StanzaProblem(line: 8, reason: .lineWithoutColon))
        #expect(
            try problem("Package: a\n: 1\n") == StanzaProblem(line: 6, reason: .lineWithoutName))
        #expect(
            try problem(" folded\n" + minimal("a"))
                == StanzaProblem(line: 5, reason: .continuationWithoutField))
        #expect(
            try problem("Package: a\nVersion: 1\n 2\nArchitecture: all\n")
                == StanzaProblem(line: 7, reason: .fieldSpansLines("Version")))
    }

    @Test("A field that is there twice is reported at its second line")
    func duplicates() throws {
        #expect(
            try problem(minimal("a") + "version: 2\n")
                == StanzaProblem(line: 8, reason: .duplicateField("Version")))
    }

    @Test("A line of spaces does not separate stanzas, so nothing is lost without a word")
    func spacesOnly() throws {
        #expect(
            try problem(minimal("a") + "Tag: x\n  \n" + minimal("b"))
                == StanzaProblem(line: 10, reason: .duplicateField("Package")))
    }

    @Test("Values that cannot be what they should are reported with their text")
    func values() throws {
        #expect(
            try problem("Package: a b\nVersion: 1\nArchitecture: all\n")
                == StanzaProblem(
                    line: 5, reason: .invalidPackageName(field: "Package", text: "a b")))
        #expect(
            try problem("Package:\nVersion: 1\nArchitecture: all\n")
                == StanzaProblem(line: 5, reason: .emptyField("Package")))
        for text in ["12x", "-1", "9223372036854775808", "1.5"] {
            #expect(
                try problem(minimal("a") + "Size: \(text)\n")
                    == StanzaProblem(line: 8, reason: .notANumber(field: "Size", text: text)))
        }
    }

    @Test("Bytes that are not UTF-8 are reported in fields that are kept, and only there")
    func invalidUTF8() throws {
        // A lone continuation byte, a cut sequence, a sequence cut to the length of the
        // replacement character, an overlong form, a surrogate.
        let samples: [[UInt8]] = [
            [0x80], [0xE2, 0x82], [0xF0, 0x9F, 0xA6], [0xC0, 0xAF], [0xED, 0xA0, 0x80],
        ]
        for sample in samples {
            let start = Array((minimal("a") + "Section: x").utf8)
            let expected = StanzaProblem(line: 4, reason: .invalidUTF8("Section"))
            #expect(try entries(of: start + sample + [0x79, 0x0A]) == [.problem(expected)])
            let unkept = Array((minimal("a") + "Tag: x").utf8) + sample
            #expect(try entries(of: unkept).count == 1)
            let stanza = PackageStanza(name: "a", version: "1", architecture: "all")
            #expect(try entries(of: unkept) == [.stanza(stanza)])
        }
    }

    @Test("A stanza beyond the limit is passed over in bounded memory, and the next one is read")
    func tooLarge() throws {
        let bytesMax = StanzaBuffer.stanzaBytesMax
        let filler = "Tag: " + String(repeating: "x", count: 60) + "\n"
        let many = String(repeating: filler, count: 2 * bytesMax / filler.utf8.count)
        let long = "Tag: " + String(repeating: "x", count: 2 * bytesMax) + "\n"
        for body in [many, long, long + many, many + long] {
            let text = minimal("a") + "\n" + minimal("b") + body + "\n" + minimal("c")
            let lines = body.utf8.count(where: { $0 == UInt8(ascii: "\n") })
            let expected: [PackagesReader.Entry] = [
                .stanza(PackageStanza(name: "a", version: "1", architecture: "all")),
                .problem(StanzaProblem(line: 5, reason: .tooLarge(bytesMax: bytesMax))),
                .stanza(
                    PackageStanza(
                        name: "c", version: "1", architecture: "all", line: 5 + 3 + lines + 1)),
            ]
            #expect(try entries(of: text) == expected)
            #expect(
                try entries(of: PieceSource(Array(text.utf8), pieceBytesMax: 100_000, seed: 7))
                    == expected)
            var buffer = StanzaBuffer(MemoryByteSource(Array(text.utf8)))
            while try buffer.next() != nil {}
            #expect(buffer.bytes.count <= 2 * bytesMax)
        }
        let endless = minimal("a") + long
        #expect(
            try entries(of: endless)
                == [.problem(StanzaProblem(line: 1, reason: .tooLarge(bytesMax: bytesMax)))])
    }

    @Test("Random damage to good text never traps, and what is whole is still read")
    func randomDamage() throws {
        for seed in 1...40 as ClosedRange<UInt64> {
            var generator = StanzaGenerator(seed: seed)
            var text = ""
            for _ in 0..<20 {
                let stanza = generator.stanza(line: 1)
                text += generator.text(of: stanza) + "\n"
            }
            var bytes = Array(text.utf8)
            for _ in 0..<30 {
                let index = Int.random(in: bytes.indices, using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = try entries(of: Array(bytes.prefix(bytes.count / 2)))
            let tail = Array(("\n\n" + minimal("whole")).utf8)
            guard case .stanza(let last) = try entries(of: bytes + tail).last else {
                Issue.record("seed \(seed): the last stanza is gone")
                continue
            }
            #expect(last.name == "whole", "seed \(seed)")
        }
    }

    @Test("Every reason reads as one line that names the place")
    func descriptions() {
        let problem = StanzaProblem(
            line: 12, reason: .malformedRelation(field: "Depends", fault: .missingName))
        #expect("\(problem)" == "line 12: Depends: a package name is missing")
        #expect(
            "\(StanzaProblem(line: 3, reason: .missingField("Package")))"
                == "line 3: the stanza has no Package field")
    }
}
