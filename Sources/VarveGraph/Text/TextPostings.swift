/// A full-text index: which documents have which tokens, how often, and how long documents are.
///
/// A document is the texts of one row, by its slot. The value is persistent: copying is O(1), and
/// changes behind a copy copy what they touch. What a document put in, its removal takes out.
@usableFromInline
struct TextPostings: Sendable {
    private(set) var tokens = TokenMap()
    /// Tokens of each document, plus one; 0 where a slot has none.
    private var lengths = PagedArray<UInt32>(leafShift: PagedArray<UInt32>.integerLeafShift)
    /// How many documents there are, with or without tokens.
    @usableFromInline private(set) var documentCount = 0
    /// The sum of all documents' lengths.
    private(set) var totalLength = 0
    /// One more than the greatest slot that ever had a document.
    private(set) var slotLimit = 0

    @usableFromInline
    init() {}

    /// An index of many documents at once, in half the time of inserting them one by one.
    ///
    /// - Parameter documents: slots, ascending, with their texts.
    @usableFromInline
    init(_ documents: some Sequence<(slot: UInt32, texts: [String])>) {
        var lists = PostingListBuilder()
        var tokenizer = TextTokenizer()
        for (slot, texts) in documents {
            precondition(Int(slot) >= slotLimit, "documents that are not ascending by slot")
            tokenizer.removeAll()
            for text in texts { tokenizer.append(text) }
            for token in tokenizer.tokens { lists.add(token, slot: slot) }
            addLength(tokenizer.tokens.count, of: slot)
        }
        tokens = lists.build()
    }

    /// Adds a document, which is not there. O(tokens · log n).
    @usableFromInline
    mutating func insert(_ texts: [String], slot: UInt32) {
        precondition(lengths[Int(slot)] == 0, "a document that is there already")
        let tokens = Self.sortedTokens(of: texts)
        Self.forEachRun(of: tokens) { token, frequency in
            self.tokens.insert(Posting(slot: slot, frequency: frequency), of: token)
        }
        addLength(tokens.count, of: slot)
    }

    private mutating func addLength(_ length: Int, of slot: UInt32) {
        lengths[Int(slot)] = UInt32(length) + 1
        documentCount += 1
        totalLength += length
        slotLimit = max(slotLimit, Int(slot) + 1)
    }

    /// Removes a document, of which the caller gives the texts that it was inserted with.
    /// O(tokens · log n).
    @usableFromInline
    mutating func remove(_ texts: [String], slot: UInt32) {
        let tokens = Self.sortedTokens(of: texts)
        checkLength(tokens.count, slot)
        Self.forEachRun(of: tokens) { token, _ in self.tokens.remove(slot, of: token) }
        lengths[Int(slot)] = 0
        documentCount -= 1
        totalLength -= tokens.count
    }

    /// Changes a document's texts; tokens that both have equally often are not touched.
    @usableFromInline
    mutating func replace(_ old: [String], with new: [String], slot: UInt32) {
        if old == new { return }
        let former = Self.sortedTokens(of: old)
        let present = Self.sortedTokens(of: new)
        checkLength(former.count, slot)
        if former == present { return }
        let formerRuns = Self.runs(of: former)
        let presentRuns = Self.runs(of: present)
        var index = 0
        for run in presentRuns {
            while index < formerRuns.count && formerRuns[index].token < run.token {
                tokens.remove(slot, of: formerRuns[index].token)
                index += 1
            }
            if index < formerRuns.count && formerRuns[index].token == run.token {
                let isSame = formerRuns[index].frequency == run.frequency
                index += 1
                if isSame { continue }
                tokens.remove(slot, of: run.token)
            }
            tokens.insert(Posting(slot: slot, frequency: run.frequency), of: run.token)
        }
        for run in formerRuns[index...] { tokens.remove(slot, of: run.token) }
        lengths[Int(slot)] = UInt32(present.count) + 1
        totalLength += present.count - former.count
    }

    private func checkLength(_ count: Int, _ slot: UInt32) {
        // A computed property that a text index covers must depend on its row alone.
        precondition(
            Int(lengths[Int(slot)]) == count + 1,
            "a row's text properties read otherwise than when they were indexed")
    }

    /// The length of a slot's document, which is there.
    func length(of slot: UInt32) -> Int { Int(lengths[Int(slot)]) - 1 }

    /// The lengths of all documents by slot, plus one; 0 where there is none. O(slots).
    func lengthsBySlot() -> ContiguousArray<UInt32> {
        var result = ContiguousArray<UInt32>(repeating: 0, count: slotLimit)
        result.withUnsafeMutableBufferPointer { result in
            lengths.forEachLeaf { first, lengths in
                for offset in 0..<min(lengths.count, max(result.count - first, 0)) {
                    result[first + offset] = lengths[offset]
                }
                return true
            }
        }
        return result
    }

    // MARK: - Tokens of a document

    private static func sortedTokens(of texts: [String]) -> ContiguousArray<UInt64> {
        var tokens = TextTokenizer.tokens(of: texts)
        tokens.sort()
        return tokens
    }

    /// Calls `body` with each distinct token and how often it stands there.
    @inline(__always)
    private static func forEachRun(
        of tokens: ContiguousArray<UInt64>, _ body: (UInt64, UInt32) -> Void
    ) {
        var start = 0
        while start < tokens.count {
            var end = start + 1
            while end < tokens.count && tokens[end] == tokens[start] { end += 1 }
            body(tokens[start], UInt32(end - start))
            start = end
        }
    }

    private static func runs(
        of tokens: ContiguousArray<UInt64>
    ) -> [(token: UInt64, frequency: UInt32)] {
        var runs: [(token: UInt64, frequency: UInt32)] = []
        forEachRun(of: tokens) { runs.append(($0, $1)) }
        return runs
    }
}

// MARK: - Figures and invariants

extension TextPostings {
    /// What an index holds and takes.
    struct Statistics: Equatable, Sendable {
        var documents: Int
        var tokens: Int
        var postings: Int
        /// Bytes of all nodes, by what was asked of the allocator.
        var bytes: Int
    }

    /// O(postings).
    var statistics: Statistics {
        var postings = 0
        tokens.forEach { postings += $1.count }
        return Statistics(
            documents: documentCount, tokens: tokens.count, postings: postings,
            bytes: tokens.allocatedBytes + slotLimit * MemoryLayout<UInt32>.stride)
    }

    func checkInvariants() {
        tokens.checkInvariants()
        var sums = ContiguousArray<UInt32>(repeating: 0, count: slotLimit)
        tokens.forEach { _, list in list.forEach { sums[Int($0)] += $1 } }
        var documents = 0
        var total = 0
        for slot in 0..<slotLimit {
            let length = lengths[slot]
            precondition(
                length == 0 ? sums[slot] == 0 : sums[slot] == length - 1,
                "a document's length is not the number of its tokens")
            documents += length == 0 ? 0 : 1
            total += Int(sums[slot])
        }
        precondition(documents == documentCount, "the count of documents is wrong")
        precondition(total == totalLength, "the total length is wrong")
    }
}
