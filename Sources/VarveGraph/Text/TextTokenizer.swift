/// Cuts texts into tokens: windows of up to three scalars in their words.
///
/// A word is a run of letters, digits and marks of one ``WordKind`` in the text's coarsest folded
/// form (``TextFolding/tokens``); anything else ends it. Words with spaces between them become
/// windows of three, and a shorter one is a token by itself, so that `42` and the `c` of `c++` are found too. Runs
/// of scripts without spaces have shorter windows as well. A token is packed into
/// 63 bits: three scalars of 21 bits each, zeros behind where it is shorter.
///
/// The tokens of a short document are kept in their order; those of a long one are counted as they come, because in the
/// order of the text they would take eight bytes for each of its bytes.
struct TextTokenizer: ScalarSink {
    /// How many tokens are kept before they are counted: a mebibyte.
    static let keptMax = 1 << 17

    /// The newest tokens, in the order of the text: all of a short document.
    private(set) var tokens: ContiguousArray<UInt64> = []
    /// Those before them.
    private var counted: TokenCounts?
    private var countedLength = 0
    /// The last two scalars of the present word.
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    /// How many scalars of the present word were passed.
    private var length = 0
    private var kind = WordKind.none

    init() {}

    /// The tokens of several texts, as one document: words do not reach from one into the next.
    init(_ texts: [String]) {
        for text in texts { append(text) }
    }

    /// How many tokens there are, as often as they come.
    var count: Int { countedLength + tokens.count }

    /// Appends the tokens of a text, which ends its last word. O(n).
    mutating func append(_ text: String) {
        withUTF8Bytes(of: text) { bytes in
            tokens.reserveCapacity(min(tokens.count + bytes.count, Self.keptMax))
            TextFolding.tokens.fold(bytes, into: &self)
        }
        endWord()
    }

    /// Starts anew, and keeps the memory.
    mutating func removeAll() {
        tokens.removeAll(keepingCapacity: true)
        counted = nil
        countedLength = 0
        length = 0
    }

    @inline(__always)
    private mutating func add(_ token: UInt64) {
        if tokens.count == Self.keptMax { countKept() }
        tokens.append(token)
    }

    @inline(never)
    private mutating func countKept() {
        var counts = counted.take() ?? TokenCounts()
        counts.add(tokens)
        counted = counts
        countedLength += tokens.count
        tokens.removeAll(keepingCapacity: true)
    }

    @inline(__always)
    mutating func append(_ scalar: UInt32, _ wordKind: WordKind) {
        if wordKind != kind {
            endWord()
            kind = wordKind
        }
        guard wordKind != .none else { return }
        length += 1
        if wordKind != .spaced { appendShortWindows(UInt64(scalar)) }
        if length >= 3 && wordKind != .ideographic {
            add(first << 42 | second << 21 | UInt64(scalar))
        }
        first = second
        second = UInt64(scalar)
    }

    private mutating func appendShortWindows(_ scalar: UInt64) {
        add(scalar << 42)
        if length >= 2 { add(second << 42 | scalar << 21) }
    }

    @inline(__always)
    private mutating func endWord() {
        if kind == .spaced {
            if length == 1 { add(second << 42) }
            if length == 2 { add(first << 42 | second << 21) }
        }
        length = 0
        kind = .none
    }

}

// MARK: - What a document has

extension TextTokenizer {
    /// Calls `body` with tokens and how often each comes, in no order; one may come in several calls.
    @inline(__always)
    func forEach(_ body: (UInt64, UInt32) -> Void) {
        counted?.forEach(body)
        for token in tokens { body(token, 1) }
    }

    /// Each distinct token with how often it comes, ascending by token.
    mutating func sortedRuns() -> ContiguousArray<TokenRun> {
        var runs: ContiguousArray<TokenRun> = []
        guard counted == nil else {
            countKept()
            counted?.forEach { runs.append(TokenRun(token: $0, frequency: $1)) }
            runs.sort { $0.token < $1.token }
            return runs
        }
        tokens.sort()
        var start = 0
        while start < tokens.count {
            var end = start + 1
            while end < tokens.count && tokens[end] == tokens[start] { end += 1 }
            runs.append(TokenRun(token: tokens[start], frequency: UInt32(end - start)))
            start = end
        }
        return runs
    }
}

/// A token of a document and how often it has it.
struct TokenRun: Equatable {
    let token: UInt64
    let frequency: UInt32
}

// MARK: - What is looked for

extension TextTokenizer {
    /// The tokens that a ranked search for the words of a text looks for, in their order: only the longest
    /// windows of each word, because shorter ones are in too many documents.
    static func searchedTokens(of text: String) -> ContiguousArray<UInt64> {
        var tokens: ContiguousArray<UInt64> = []
        for word in WordSink(text).words { word.appendLongestWindows(to: &tokens) }
        return tokens
    }

    /// Tokens that every text with the folded needle at such a place has.
    ///
    /// Windows of three in the needle's words are windows in the text's, and so are shorter ones where the
    /// script has them. Another word at the needle's edge may go on in the text, so as a short token it counts only
    /// where the edge is an edge of the text too.
    static func tokens(
        within needle: String, startsText: Bool, endsText: Bool
    ) -> Set<UInt64> {
        let sink = WordSink(needle)
        var tokens: ContiguousArray<UInt64> = []
        for (index, word) in sink.words.enumerated() {
            let isWhole =
                (index > 0 || sink.startsBehindEdge || startsText)
                && (index < sink.words.count - 1 || sink.endsBeforeEdge || endsText)
            if word.scalars.count >= 3 || word.kind.hasShortWindows || isWhole {
                word.appendLongestWindows(to: &tokens)
            }
        }
        return Set(tokens)
    }

    private struct Word {
        let kind: WordKind
        var scalars: [UInt32]

        func appendLongestWindows(to tokens: inout ContiguousArray<UInt64>) {
            let width = min(kind.longestWindow, scalars.count)
            for start in 0...(scalars.count - width) {
                var token: UInt64 = 0
                for offset in 0..<width {
                    token |= UInt64(scalars[start + offset]) << UInt64(42 - 21 * offset)
                }
                tokens.append(token)
            }
        }
    }

    private struct WordSink: ScalarSink {
        private(set) var words: [Word] = []
        /// Whether something that is no word comes before the first word, behind the last.
        private(set) var startsBehindEdge = false
        private(set) var endsBeforeEdge = false
        private var kind = WordKind.none

        init(_ text: String) {
            withUTF8Bytes(of: text) { TextFolding.tokens.fold($0, into: &self) }
        }

        mutating func append(_ scalar: UInt32, _ wordKind: WordKind) {
            if wordKind == .none {
                if words.isEmpty { startsBehindEdge = true }
            } else if wordKind == kind {
                words[words.count - 1].scalars.append(scalar)
            } else {
                words.append(Word(kind: wordKind, scalars: [scalar]))
            }
            kind = wordKind
            endsBeforeEdge = wordKind == .none
        }
    }
}
