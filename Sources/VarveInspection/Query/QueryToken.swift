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
    private static let signs = ["==", "!=", "<=", ">=", "<", ">", "=", "(", ")", ",", ".", "-"]

    /// The tokens of a query, with one for the end behind them. O(n).
    static func tokens(of text: String) throws(QueryError) -> [QueryToken] {
        var scanner = Scanner(characters: Array(text))
        var tokens: [QueryToken] = []
        while let token = try scanner.next() { tokens.append(token) }
        let end = scanner.characters.count
        return tokens + [QueryToken(kind: .end, place: end..<end)]
    }

    private struct Scanner {
        let characters: [Character]
        var position = 0

        mutating func next() throws(QueryError) -> QueryToken? {
            while position < characters.count, characters[position].isWhitespace { position += 1 }
            guard position < characters.count else { return nil }
            let start = position
            let kind = try kind(from: characters[start])
            return QueryToken(kind: kind, place: start..<position)
        }

        private mutating func kind(from first: Character) throws(QueryError) -> Kind {
            if first == "\"" || first == "'" { return .text(try quoted(by: first)) }
            if first == "`" { return .name(try quoted(by: first)) }
            if first.isASCII, first.isNumber { return .number(try number()) }
            if Self.beginsWord(first) {
                return .word(take { Self.beginsWord($0) || $0.isNumber })
            }
            for sign in signs
            where characters[position...].prefix(sign.count).elementsEqual(sign) {
                position += sign.count
                return .sign(sign)
            }
            throw QueryError(problem: .unexpectedCharacter(first), place: position..<position + 1)
        }

        private static func beginsWord(_ character: Character) -> Bool {
            character.isLetter || character == "_" || character == "@"
        }

        private mutating func take(while condition: (Character) -> Bool) -> String {
            let taken = characters[position...].prefix(while: condition)
            position += taken.count
            return String(taken)
        }

        /// A backslash takes the next character as it is; `\n` and `\t` are what they are elsewhere.
        private mutating func quoted(by mark: Character) throws(QueryError) -> String {
            let start = position
            var text = ""
            position += 1
            while position < characters.count {
                var character = characters[position]
                position += 1
                if character == mark { return text }
                if character == "\\", position < characters.count {
                    character = characters[position]
                    position += 1
                    if character == "n" { character = "\n" }
                    if character == "t" { character = "\t" }
                }
                text.append(character)
            }
            throw QueryError(problem: .textNotEnded, place: start..<position)
        }

        private mutating func number() throws(QueryError) -> String {
            let start = position
            var text = take { $0.isASCII && ($0.isNumber || $0.isLetter || $0 == ".") }
            // The sign of an exponent.
            if text.last == "e" || text.last == "E", position < characters.count,
                characters[position] == "-" || characters[position] == "+"
            {
                text.append(characters[position])
                position += 1
                text += take { $0.isASCII && $0.isNumber }
            }
            guard Double(text) != nil, !text.hasPrefix("0x") else {
                throw QueryError(problem: .invalidNumber(text), place: start..<position)
            }
            return text
        }
    }
}
