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
            tokenizer.forEach { lists.add($0, count: $1, slot: slot) }
            addLength(tokenizer.count, of: slot)
        }
        tokens = lists.build()
    }

    /// Adds a document, which is not there. O(tokens · log n).
    @usableFromInline
    mutating func insert(_ texts: [String], slot: UInt32) {
        precondition(lengths[Int(slot)] == 0, "a document that is there already")
        var document = TextTokenizer(texts)
        for run in document.sortedRuns() {
            tokens.insert(Posting(slot: slot, frequency: run.frequency), of: run.token)
        }
        addLength(document.count, of: slot)
    }

    private mutating func addLength(_ length: Int, of slot: UInt32) {
        lengths[Int(slot)] = Self.stored(length)
        documentCount += 1
        totalLength += length
        slotLimit = max(slotLimit, Int(slot) + 1)
    }

    /// Removes a document, of which the caller gives the texts that it was inserted with.
    /// O(tokens · log n).
    @usableFromInline
    mutating func remove(_ texts: [String], slot: UInt32) {
        var document = TextTokenizer(texts)
        checkLength(document.count, slot)
        for run in document.sortedRuns() { tokens.remove(slot, of: run.token) }
        lengths[Int(slot)] = 0
        documentCount -= 1
        totalLength -= document.count
    }

    /// Changes a document's texts; tokens that both have equally often are not touched.
    @usableFromInline
    mutating func replace(_ old: [String], with new: [String], slot: UInt32) {
        if old == new { return }
        var former = TextTokenizer(old)
        var present = TextTokenizer(new)
        checkLength(former.count, slot)
        let formerRuns = former.sortedRuns()
        let presentRuns = present.sortedRuns()
        if formerRuns == presentRuns { return }
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
        lengths[Int(slot)] = Self.stored(present.count)
        totalLength += present.count - former.count
    }

    private func checkLength(_ count: Int, _ slot: UInt32) {
        // A computed property that a text index covers must depend on its row alone.
        precondition(
            lengths[Int(slot)] == Self.stored(count),
            "a row's text properties read otherwise than when they were indexed")
    }

    /// A length as it is kept: plus one, and no more than there is room for.
    private static func stored(_ length: Int) -> UInt32 { UInt32(clamping: length + 1) }

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
