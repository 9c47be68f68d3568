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
        for scalar in line.unicodeScalars {
            if isEscaped {
                isEscaped = false
                if quote == .double, !scalar.isSpecialInDoubleQuotes {
                    word.append("\\")
                }
                append(scalar)
                continue
            }
            switch (quote, scalar) {
            case (.none, " "), (.none, "\t"), (.none, "\n"):
                if isWord { finishWord() }
                isWord = false
                continue
            case (.none, "\\"), (.double, "\\"):
                isEscaped = true
                written.append("\\")
            case (.none, "'"): open(.single)
            case (.none, "\""): open(.double)
            case (.single, "'"), (.double, "\""): close()
            default: append(scalar)
            }
            isWord = true
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        word.unicodeScalars.append(scalar)
        written.unicodeScalars.append(scalar)
    }

    private mutating func open(_ quote: Quote) {
        self.quote = quote
        prefix += word
        (word, written) = ("", "")
    }

    private mutating func close() {
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
        let scalars = value.unicodeScalars
        guard scalars.starts(with: last.unicodeScalars) else { return nil }
        return String(scalars.dropFirst(prefix.unicodeScalars.count)).quoted(quote)
    }
}

extension String {
    /// As bash reads it inside of an open quotation, or outside of any. Bash knows scalars and no characters.
    fileprivate func quoted(_ quote: ShellLine.Quote) -> String {
        var result = ""
        for scalar in unicodeScalars {
            switch quote {
            case .single where scalar == "'": result += "'\\'"
            case .double where scalar.isSpecialInDoubleQuotes: result += "\\"
            case .none where scalar.isSpecialToShells: result += "\\"
            default: break
            }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}

extension Unicode.Scalar {
    fileprivate var isSpecialInDoubleQuotes: Bool {
        switch self {
        case "\"", "\\", "$", "`": true
        default: false
        }
    }

    fileprivate var isSpecialToShells: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9": false
        case "_", "-", ".", "/", ":", "=", "@", "%", "+", ",": false
        default: isASCII
        }
    }
}
