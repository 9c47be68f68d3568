/// Ranks documents that no index holds: it reads each of them once.
struct TextScan {
    private let words: TextWords
    private var tokenizer = TextTokenizer()
    private var documents = 0
    private var totalLength = 0
    /// For each token of the words, how many documents have it.
    private var documentFrequencies: [Int]
    /// The documents that have any of the tokens.
    private var slots = ContiguousArray<UInt32>()
    private var lengths = ContiguousArray<Int>()
    /// For each of them in turn, how often it has each of the tokens.
    private var frequencies = ContiguousArray<UInt32>()

    init(_ words: TextWords) {
        self.words = words
        documentFrequencies = [Int](repeating: 0, count: words.tokens.count)
    }

    /// Reads a document. O(length).
    mutating func add(_ texts: [String], slot: UInt32) {
        tokenizer.removeAll()
        for text in texts { tokenizer.append(text) }
        documents += 1
        totalLength += tokenizer.count
        var isHit = false
        let start = frequencies.count
        tokenizer.forEach { token, count in
            guard let position = words.position(of: token) else { return }
            if !isHit {
                isHit = true
                frequencies.append(contentsOf: repeatElement(0, count: words.tokens.count))
            }
            if frequencies[start + position] == 0 { documentFrequencies[position] += 1 }
            let (sum, overflow) = frequencies[start + position].addingReportingOverflow(count)
            frequencies[start + position] = overflow ? .max : sum
        }
        if isHit {
            slots.append(slot)
            lengths.append(tokenizer.count)
        }
    }

    /// The documents with any of the tokens, best first; see ``TextPostings``.
    func ranking(
        limit: Int, isWanted: ((UInt32) -> Bool)?, ordinal: (UInt32) -> UInt64
    ) -> ContiguousArray<UInt32> {
        guard limit > 0, !slots.isEmpty else { return [] }
        var selection = RankedSelection(limit: limit)
        forEachScore { slot, score in
            guard selection.mayKeep(score) else { return }
            if let isWanted, !isWanted(slot) { return }
            selection.add(RankedSlot(score: score, ordinal: ordinal(slot), slot: slot))
        }
        return selection.slots()
    }

    /// Calls `body` with each document that has any of the tokens, and its score.
    func forEachScore(_ body: (UInt32, Double) -> Void) {
        let ranking = TextRanking(
            words, documents: documents, totalLength: totalLength,
            frequencies: documentFrequencies)
        let width = words.tokens.count
        for (index, slot) in slots.enumerated() {
            let norm = ranking.norm(length: lengths[index])
            var score = 0.0
            for position in 0..<width {
                let frequency = frequencies[index * width + position]
                // In the order of the tokens, as the index adds them.
                if frequency > 0 {
                    score += TextRanking.term(
                        weight: ranking.weights[position], frequency: frequency, norm: norm)
                }
            }
            body(slot, score)
        }
    }
}
