import Testing

/// Words that only this project used, and the terms of the field to use instead. Docs and public comments
/// are free of them; elsewhere their number can only fall.
@Suite("Words")
struct WordTests {
    struct Phrase {
        /// Words that follow one another, in small letters; `|` is between alternatives.
        let words: String
        let instead: String
        /// How often it may be in comments and names of Sources and Tools. Lower it when there are fewer.
        let ceiling: Int

        var alternatives: [[Substring]] {
            words.split(separator: " ").map { $0.split(separator: "|") }
        }
    }

    /// The one table. A new row begins with the number that there is.
    static let table: [Phrase] = [
        Phrase(
            words: "whoever|nobody|somebody",
            instead: "the caller, the reader, the writer, the thread; no thread", ceiling: 150),
        Phrase(words: "who ask|asks", instead: "the caller", ceiling: 5),
        Phrase(words: "let|lets|letting go", instead: "released", ceiling: 10),
        Phrase(
            words: "take|takes|taken|taking|took back", instead: "rolled back, reverted, undone",
            ceiling: 95),
        Phrase(words: "give|gives|given back", instead: "released, returned", ceiling: 19),
        Phrase(
            words: "is|are|be|been|was|were told", instead: "is notified, receives, is reported",
            ceiling: 60),
        Phrase(words: "in his|her turn", instead: "under the writer lock", ceiling: 0),
        Phrase(
            words: "he|him|his", instead: "it, its: the actor is a thread or a caller", ceiling: 14),
        Phrase(words: "stands", instead: "is, is stored; represents", ceiling: 125),
        Phrase(
            words: "stand at|for|behind|in|against|before|beside",
            instead: "are, are stored; represent", ceiling: 50),
        Phrase(
            words: "answer|answers|answered", instead: "returns, prints; the result", ceiling: 115),
        Phrase(words: "ask|asks|asked|asking ahead", instead: "prefetch", ceiling: 8),
        Phrase(words: "posting tree", instead: "index tree", ceiling: 20),
        Phrase(words: "ladder|rung|rungs", instead: "codec resolution, codec", ceiling: 184),
        Phrase(words: "foreseen", instead: "precomputed", ceiling: 31),
        Phrase(words: "patience", instead: "spin policy", ceiling: 9),
    ]

    /// Pages that quote names of tests.
    static let quoting = ["Docs/CONFORMANCE.md"]

    /// The rows of the table by their first words.
    private let rows: [Substring: [(row: Int, rest: [[Substring]])]]

    init() {
        var rows: [Substring: [(row: Int, rest: [[Substring]])]] = [:]
        for (row, phrase) in Self.table.enumerated() {
            let alternatives = phrase.alternatives
            for first in alternatives[0] {
                rows[first, default: []].append((row, Array(alternatives.dropFirst())))
            }
        }
        self.rows = rows
    }

    @Test("Pages for readers use the field's terms")
    func pages() throws {
        let pages = Repository.shared.paths.filter { path in
            path == "README.md" || path.hasPrefix("Docs/") && path.hasSuffix(".md")
        }
        for path in pages where !Self.quoting.contains(path) {
            for (index, line) in try Repository.shared.file(path).lines.enumerated() {
                // What is between back quotes is a name.
                for phrase in phrases(in: line.replacing(/`+[^`]*`+/, with: " ")) {
                    Issue.record("\(path):\(index + 1): '\(phrase.words)': \(phrase.instead)")
                }
            }
        }
    }

    @Test("A line of a page has at most 160 characters, but for rows of tables")
    func lengths() throws {
        for path in Repository.shared.paths where path.hasPrefix("Docs/") && path.hasSuffix(".md") {
            for (index, line) in try Repository.shared.file(path).lines.enumerated() {
                let isRow = line.drop { $0 == " " }.hasPrefix("|")
                #expect(isRow || line.count <= 160, "\(path):\(index + 1)")
            }
        }
    }

    @Test("Comments and names of the sources have fewer and fewer of the words")
    func sources() throws {
        var counts = Self.table.map { _ in 0 }
        for file in try Repository.shared.swiftFiles("Sources", "Tools") {
            for line in file.lines {
                for row in found(in: Self.isComment(line) ? line : Self.spelledOut(line)) {
                    counts[row] += 1
                }
            }
        }
        for (phrase, count) in zip(Self.table, counts) {
            #expect(
                count <= phrase.ceiling,
                "'\(phrase.words)' is there \(count) times; write: \(phrase.instead)")
        }
    }

    @Test("A comment never begins with 'The same', which means nothing in a page of documentation")
    func sameness() throws {
        for file in try Repository.shared.swiftFiles("Sources", "Tools") {
            var isInside = false
            for (index, line) in file.lines.enumerated() {
                let text = line.drop { $0 == " " }
                let begins = text.hasPrefix("///") && !isInside
                isInside = text.hasPrefix("///")
                let isSame = begins && text.hasPrefix("/// The same")
                #expect(!isSame, "\(file.path):\(index + 1)")
            }
        }
    }

    @Test("The words are found in sentences and in names")
    func recognition() {
        #expect(phrases(in: "It is told, and Nobody waits.").count == 2)
        #expect(phrases(in: "a tale that is toldly understanding").isEmpty)
        #expect(found(in: Self.spelledOut("func askAhead(of: Posting)")).count == 1)
    }

    /// The rows of the table that are in a line for people.
    func phrases(in line: String) -> [Phrase] {
        found(in: line).map { Self.table[$0] }
    }

    private func found(in line: String) -> [Int] {
        let words = line.lowercased().split { !$0.isLetter }
        return words.indices.flatMap { start in
            (rows[words[start]] ?? []).filter { _, rest in
                let following = words.dropFirst(start + 1)
                return following.count >= rest.count
                    && zip(following, rest).allSatisfy { $1.contains($0) }
            }.map(\.row)
        }
    }

    private static func isComment(_ line: String) -> Bool {
        line.drop { $0 == " " }.hasPrefix("//")
    }

    /// Names as the words that they are made of: `askAhead` is "ask ahead".
    private static func spelledOut(_ line: String) -> String {
        var text = ""
        for character in line {
            if character.isUppercase { text.append(" ") }
            text.append(character)
        }
        return text
    }
}
