/// One word, number, text or sign of a query.
struct QueryToken: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case word(String)
        /// A word in back quotes, which is always a name.
        case name(String)
        case text(String)
        case number(String)
        case sign(String)
        case end
    }

    let kind: Kind
    let place: Range<Int>

    /// What an error message calls it.
    var description: String {
        switch kind {
        case .word(let text), .name(let text), .number(let text), .sign(let text): "'\(text)'"
        case .text: "a text"
        case .end: "the end"
        }
    }
}

extension QueryToken {
    private static let signs = [
        "==", "!=", "<=", ">=", "<", ">", "=", "(", ")", ",", ".", "-", "*",
    ]

    /// The tokens of a query, with one for the end behind them. O(n).
    static func tokens(of text: String) throws(QueryError) -> [QueryToken] {
        var scanner = Scanner(text)
        var tokens: [QueryToken] = []
        while let token = try scanner.next() { tokens.append(token) }
        return tokens + [QueryToken(kind: .end, place: scanner.end)]
    }

    /// Goes by scalars: a mark that combines with a quotation mark does not hide it. Places are counted in characters.
    private struct Scanner {
        private let scalars: [Unicode.Scalar]
        /// Of each scalar the character that it is in.
        private var characters: [Int] = []
        private var position = 0

        init(_ text: String) {
            scalars = Array(text.unicodeScalars)
            for (number, character) in text.enumerated() {
                characters += repeatElement(number, count: character.unicodeScalars.count)
            }
        }

        var end: Range<Int> {
            let count = (characters.last ?? -1) + 1
            return count..<count
        }

        private func place(from start: Int) -> Range<Int> {
            characters[start]..<characters[max(start, position - 1)] + 1
        }

        mutating func next() throws(QueryError) -> QueryToken? {
            while position < scalars.count, scalars[position].properties.isWhitespace {
                position += 1
            }
            guard position < scalars.count else { return nil }
            let start = position
            let kind = try kind(from: scalars[start])
            return QueryToken(kind: kind, place: place(from: start))
        }

        /// What other languages write for words of this one.
        private static let foreignSigns = [
            ("||", "or"), ("|", "or"), ("&&", "and"), ("&", "and"), ("!", "not"),
        ]

        private mutating func kind(from first: Unicode.Scalar) throws(QueryError) -> Kind {
            if first == "\"" || first == "'" { return .text(try quoted(by: first)) }
            if first == "`" { return .name(try quoted(by: first)) }
            if Self.isDigit(first) { return .number(try number()) }
            if Self.beginsWord(first) { return .word(take(while: Self.continuesWord)) }
            let start = position
            for sign in signs
            where scalars[position...].prefix(sign.count).elementsEqual(sign.unicodeScalars) {
                position += sign.count
                return .sign(sign)
            }
            position += 1
            for (sign, word) in Self.foreignSigns
            where scalars[start...].prefix(sign.count).elementsEqual(sign.unicodeScalars) {
                position = start + sign.count
                throw QueryError(
                    problem: .foreignSign(sign, word: word), place: place(from: start))
            }
            throw QueryError(
                problem: .unexpectedCharacter(Character(first)), place: place(from: position - 1))
        }

        private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
            ("0"..."9").contains(scalar)
        }

        private static func beginsWord(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isAlphabetic || scalar == "_" || scalar == "@"
        }

        private static func continuesWord(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .spacingMark, .enclosingMark: true
            // Joiners are parts of words in Persian and in scripts of India.
            default:
                beginsWord(scalar) || scalar.properties.numericType != nil
                    || scalar.properties.isJoinControl
            }
        }

        private mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
            let taken = scalars[position...].prefix(while: condition)
            position += taken.count
            var text = ""
            text.unicodeScalars += taken
            return text
        }

        /// A backslash takes the next scalar as it is; `\n` and `\t` are what they are elsewhere.
        private mutating func quoted(by mark: Unicode.Scalar) throws(QueryError) -> String {
            let start = position
            var text = ""
            position += 1
            while position < scalars.count {
                var scalar = scalars[position]
                position += 1
                if scalar == mark { return text }
                if scalar == "\\", position < scalars.count {
                    scalar = scalars[position]
                    position += 1
                    if scalar == "n" { scalar = "\n" }
                    if scalar == "t" { scalar = "\t" }
                }
                text.unicodeScalars.append(scalar)
            }
            throw QueryError(problem: .textNotEnded, place: place(from: start))
        }

        private mutating func number() throws(QueryError) -> String {
            let start = position
            var text = take {
                Self.isDigit($0) || $0.isASCII && $0.properties.isAlphabetic || $0 == "."
            }
            // The sign of an exponent.
            if text.last == "e" || text.last == "E", position < scalars.count,
                scalars[position] == "-" || scalars[position] == "+"
            {
                text.unicodeScalars.append(scalars[position])
                position += 1
                text += take(while: Self.isDigit)
            }
            guard Double(text) != nil, !text.hasPrefix("0x") else {
                throw QueryError(problem: .invalidNumber(text), place: place(from: start))
            }
            return text
        }
    }
}
