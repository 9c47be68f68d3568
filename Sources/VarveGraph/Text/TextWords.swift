/// Words that are looked for token by token.
struct TextWords: Sendable {
    let text: String
    /// Each token once, in the order of its first appearance, with its count.
    let tokens: ContiguousArray<(token: UInt64, count: Int)>
    /// The position of a token in ``tokens``.
    private let positions: [UInt64: Int]

    init(_ text: String) {
        self.text = text
        var tokens: ContiguousArray<(token: UInt64, count: Int)> = []
        var positions: [UInt64: Int] = [:]
        for token in TextTokenizer.searchedTokens(of: text) {
            if let position = positions[token] {
                tokens[position].count += 1
            } else {
                positions[token] = tokens.count
                tokens.append((token, 1))
            }
        }
        self.tokens = tokens
        self.positions = positions
    }

    func position(of token: UInt64) -> Int? { positions[token] }

    /// Whether the text has any of the tokens.
    func haveTokens(in text: String) -> Bool {
        if tokens.isEmpty { return false }
        var isFound = false
        TextTokenizer([text]).forEach { token, _ in
            if !isFound { isFound = positions[token] != nil }
        }
        return isFound
    }
}
