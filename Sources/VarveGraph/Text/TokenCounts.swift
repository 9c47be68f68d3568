/// How often a long document has each of its tokens: a flat hash table, so that memory follows the number of
/// distinct tokens, not the length of the text.
struct TokenCounts {
    /// Zero where free: no token is zero, because the scalar of that number is not part of a word.
    private var tokens = ContiguousArray<UInt64>(repeating: 0, count: 1 << 12)
    private var counts = ContiguousArray<UInt32>(repeating: 0, count: 1 << 12)
    /// How many distinct tokens there are. At most half of the table.
    private(set) var count = 0

    /// Counts each of the tokens. O(n).
    mutating func add(_ added: ContiguousArray<UInt64>) {
        for token in added {
            let place = place(of: token)
            if tokens[place] == 0 {
                tokens[place] = token
                count += 1
            }
            // A text of more than 4 GiB could come to more.
            if counts[place] < .max { counts[place] += 1 }
            if count * 2 > tokens.count { grow() }
        }
    }

    /// Calls `body` with each token and how often it was counted, in no order.
    func forEach(_ body: (UInt64, UInt32) -> Void) {
        for place in tokens.indices where tokens[place] != 0 { body(tokens[place], counts[place]) }
    }

    /// Where a token is, or would be.
    @inline(__always)
    private func place(of token: UInt64) -> Int {
        var place = Int(TokenMap.hash(token) >> 20) & (tokens.count - 1)
        while tokens[place] != token && tokens[place] != 0 {
            place = (place + 1) & (tokens.count - 1)
        }
        return place
    }

    private mutating func grow() {
        let (oldTokens, oldCounts) = (tokens, counts)
        tokens = ContiguousArray(repeating: 0, count: oldTokens.count * 2)
        counts = ContiguousArray(repeating: 0, count: oldTokens.count * 2)
        for index in oldTokens.indices where oldTokens[index] != 0 {
            let place = place(of: oldTokens[index])
            tokens[place] = oldTokens[index]
            counts[place] = oldCounts[index]
        }
    }
}
