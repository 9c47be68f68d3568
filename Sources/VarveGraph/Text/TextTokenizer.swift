/// Cuts texts into tokens: the windows of three scalars in their words.
///
/// A word is a run of letters, digits and marks of the text in its coarsest folded form
/// (``TextFolding/tokens``); anything else ends it. A word shorter than three scalars is a token by
/// itself, so that `42`, the `c` of `c++` and 日本 are found too. A token is packed into
/// 63 bits: three scalars of 21 bits each, zeros behind where a word is shorter.
struct TextTokenizer: ScalarSink {
    private(set) var tokens: ContiguousArray<UInt64> = []
    /// The last two scalars of the present word.
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    /// How many scalars of the present word were passed.
    private var length = 0

    /// Appends the tokens of a text, which ends its last word. O(n).
    mutating func append(_ text: String) {
        withUTF8Bytes(of: text) { bytes in
            tokens.reserveCapacity(tokens.count + bytes.count)
            TextFolding.tokens.fold(bytes, into: &self)
        }
        endWord()
    }

    /// Starts anew, and keeps the memory.
    mutating func removeAll() {
        tokens.removeAll(keepingCapacity: true)
        length = 0
    }

    @inline(__always)
    mutating func append(_ scalar: UInt32, isWord: Bool) {
        guard isWord else { return endWord() }
        length += 1
        if length >= 3 { tokens.append(first << 42 | second << 21 | UInt64(scalar)) }
        first = second
        second = UInt64(scalar)
    }

    @inline(__always)
    private mutating func endWord() {
        if length == 1 { tokens.append(second << 42) }
        if length == 2 { tokens.append(first << 42 | second << 21) }
        length = 0
    }

    /// The tokens of several texts, as one document: words do not reach from one into the next.
    static func tokens(of texts: [String]) -> ContiguousArray<UInt64> {
        var tokenizer = TextTokenizer()
        for text in texts { tokenizer.append(text) }
        return tokenizer.tokens
    }
}

// MARK: - What a needle tells about a text that holds it

extension TextTokenizer {
    /// Tokens that every text with the folded needle at such a place has.
    ///
    /// Windows of three in the needle's words are windows in the text's. A word at the needle's
    /// edge may go on in the text, so as a short token it counts only where the edge is an
    /// edge of the text too.
    static func tokens(
        within needle: String, startsText: Bool, endsText: Bool
    ) -> Set<UInt64> {
        var words = WordSink()
        withUTF8Bytes(of: needle) { TextFolding.tokens.fold($0, into: &words) }
        words.end()
        var result: Set<UInt64> = []
        for (index, word) in words.words.enumerated() {
            let isWhole =
                (index > 0 || words.startsBehindEdge || startsText)
                && (index < words.words.count - 1 || words.endsBeforeEdge || endsText)
            guard word.count >= 3 || isWhole else { continue }
            var tokenizer = TextTokenizer()
            for scalar in word { tokenizer.append(scalar, isWord: true) }
            tokenizer.endWord()
            result.formUnion(tokenizer.tokens)
        }
        return result
    }

    private struct WordSink: ScalarSink {
        var words: [[UInt32]] = []
        /// Whether something that is no word stands before the first word, behind the last.
        var startsBehindEdge = false
        var endsBeforeEdge = false
        private var word: [UInt32] = []

        mutating func append(_ scalar: UInt32, isWord: Bool) {
            if isWord {
                word.append(scalar)
                endsBeforeEdge = false
            } else {
                end()
                if words.isEmpty { startsBehindEdge = true }
                endsBeforeEdge = true
            }
        }

        mutating func end() {
            if !word.isEmpty { words.append(word) }
            word.removeAll()
        }
    }
}
