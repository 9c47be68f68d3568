/// The beginning of a command line of bash, split as bash does: the words before the cursor, and the one that the cursor
/// is in.
struct ShellLine {
    enum Quote {
        case none, single, double
    }

    /// The words in front of the last one, without their quotation.
    private(set) var words: [String] = []
    /// The part of the last word before an open quotation mark; empty without one.
    private(set) var prefix = ""
    /// The part of the last word behind that mark; without one the whole word.
    private(set) var word = ""
    /// The quotation that is open at the end.
    private(set) var quote = Quote.none
    /// What is written of the word, behind an open quotation mark where there is one.
    private(set) var written = ""

    /// The last word as a whole, without quotation.
    var last: String { prefix + word }

    init(_ line: String) {
        var isEscaped = false
        var isWord = false
        for character in line {
            if isEscaped {
                isEscaped = false
                if quote == .double, !"\"\\$`".contains(character) { word.append("\\") }
                append(character)
                continue
            }
            switch (quote, character) {
            case (.none, " "), (.none, "\t"), (.none, "\n"):
                if isWord { finishWord() }
                isWord = false
                continue
            case (.none, "\\"), (.double, "\\"):
                isEscaped = true
                written.append(character)
            case (.none, "'"): open(.single)
            case (.none, "\""): open(.double)
            case (.single, "'"), (.double, "\""): close(character)
            default: append(character)
            }
            isWord = true
        }
    }

    private mutating func append(_ character: Character) {
        word.append(character)
        written.append(character)
    }

    private mutating func open(_ quote: Quote) {
        self.quote = quote
        prefix += word
        (word, written) = ("", "")
    }

    private mutating func close(_ character: Character) {
        quote = .none
        word = prefix + word
        prefix = ""
        written = word.quoted(.none)
    }

    private mutating func finishWord() {
        words.append(last)
        (prefix, word, written) = ("", "", "")
    }

    /// A value as it is to be written in the place of the word; nil where the word does not begin it.
    func completion(_ value: String) -> String? {
        guard value.hasPrefix(last) else { return nil }
        return String(value.dropFirst(prefix.count)).quoted(quote)
    }
}

extension String {
    /// As bash reads it inside of an open quotation, or outside of any.
    fileprivate func quoted(_ quote: ShellLine.Quote) -> String {
        switch quote {
        case .single: return replacing("'", with: "'\\''")
        case .double: return map { "\"\\$`".contains($0) ? "\\\($0)" : "\($0)" }.joined()
        case .none:
            let plain = { (character: Character) in
                character.isLetter || character.isNumber || "_-./:=@%+,".contains(character)
            }
            return map { plain($0) ? "\($0)" : "\\\($0)" }.joined()
        }
    }
}
