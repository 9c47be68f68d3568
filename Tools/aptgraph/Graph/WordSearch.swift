import Varve

/// Finds the packages whose name or summary has all of some words, in any case.
struct WordSearch: Sendable {
    /// How well a package fits; the lowest comes first.
    enum Rank: Int, Comparable, Sendable {
        /// The words are the name.
        case name, startOfName, inName, partlyInName, inSummary

        static func < (first: Rank, second: Rank) -> Bool { first.rawValue < second.rawValue }
    }

    private let words: [Word]
    private let joined: String

    init(_ words: [String]) {
        self.words = words.map(Word.init)
        joined = words.map { $0.lowercased() }.joined(separator: "-")
    }

    func packages(in context: Context) -> [Package] {
        let search = self
        let found = Package.filter(.satisfying { search.matches($0) }).resolve(in: context)
        return found.map { (rank: rank(of: $0), package: $0) }
            .sorted { ($0.rank, $0.package.id) < ($1.rank, $1.package.id) }
            .map(\.package)
    }

    func matches(_ package: Package) -> Bool {
        words.allSatisfy { word in
            word.isIn(package.id) || package.summary.map(word.isIn) ?? false
        }
    }

    func rank(of package: Package) -> Rank {
        let name = package.id.lowercased()
        if name == joined { return .name }
        if name.hasPrefix(joined) { return .startOfName }
        let hits = words.count { $0.isIn(package.id) }
        if hits == words.count { return .inName }
        return hits > 0 ? .partlyInName : .inSummary
    }

    /// A word to look for, made ready once for many texts.
    private struct Word: Sendable {
        private let text: String
        /// The bytes in lower case, where the word is ASCII: then bytes can be compared.
        private let bytes: [UInt8]?

        init(_ word: String) {
            text = word.lowercased()
            bytes = text.utf8.allSatisfy { $0 < 0x80 } ? Array(text.utf8) : nil
        }

        func isIn(_ text: String) -> Bool {
            guard let bytes else { return text.lowercased().contains(self.text) }
            var text = text
            return text.withUTF8 { Self.find(bytes, in: $0) }
        }

        private static func find(_ word: [UInt8], in text: UnsafeBufferPointer<UInt8>) -> Bool {
            guard let first = word.first else { return true }
            guard text.count >= word.count else { return false }
            for start in 0...(text.count - word.count) where lowercase(text[start]) == first {
                var length = 1
                while length < word.count, lowercase(text[start + length]) == word[length] {
                    length += 1
                }
                if length == word.count { return true }
            }
            return false
        }

        private static func lowercase(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
    }
}
