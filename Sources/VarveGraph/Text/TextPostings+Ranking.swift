extension TextPostings {
    /// Below one posting in so many slots, scores are kept in a dictionary, not by slot.
    private static let sparseness = 16

    /// The documents with any token of the words, best first, equal ones by ordinal.
    ///
    /// O(postings of the tokens), and O(slots) where those are many.
    ///
    /// - Parameters:
    ///   - limit: how many are wanted at most.
    ///   - isWanted: which documents may be among them; the others count for the figures only.
    ///   - ordinal: a document's place among documents with the same score.
    @inline(__always)
    func ranking(
        of words: TextWords, limit: Int, isWanted: ((UInt32) -> Bool)?,
        ordinal: (UInt32) -> UInt64
    ) -> ContiguousArray<UInt32> {
        guard limit > 0, totalLength > 0 else { return [] }
        var selection = RankedSelection(limit: limit)
        forEachScore(of: words) { slot, score in
            guard selection.mayKeep(score) else { return }
            if let isWanted, !isWanted(slot) { return }
            selection.add(RankedSlot(score: score, ordinal: ordinal(slot), slot: slot))
        }
        return selection.slots()
    }

    /// Calls `body` with each document that has any token of the words, and its score. In no order.
    func forEachScore(of words: TextWords, _ body: (UInt32, Double) -> Void) {
        let lists = words.tokens.map { tokens.list(of: $0.token) ?? PostingList() }
        let ranking = TextRanking(
            words, documents: documentCount, totalLength: totalLength,
            frequencies: lists.map(\.count))
        let postings = lists.reduce(0) { $0 + $1.count }
        if postings < slotLimit / Self.sparseness {
            forEachScoreSparsely(lists, ranking, body)
        } else {
            forEachScoreDensely(lists, ranking, body)
        }
    }

    private func forEachScoreSparsely(
        _ lists: [PostingList], _ ranking: TextRanking, _ body: (UInt32, Double) -> Void
    ) {
        var scores: [UInt32: Double] = [:]
        for (list, weight) in zip(lists, ranking.weights) {
            list.forEach { slot, frequency in
                let norm = ranking.norm(length: length(of: slot))
                scores[slot, default: 0] += TextRanking.term(
                    weight: weight, frequency: frequency, norm: norm)
            }
        }
        for (slot, score) in scores { body(slot, score) }
    }

    private func forEachScoreDensely(
        _ lists: [PostingList], _ ranking: TextRanking, _ body: (UInt32, Double) -> Void
    ) {
        let lengths = lengthsBySlot()
        let norms = Self.norms(upTo: Int(lengths.max() ?? 0), ranking)
        var scores = ContiguousArray<Double>(repeating: 0, count: slotLimit)
        // Unchecked: slots of postings lie below the limit, lengths below their maximum.
        scores.withUnsafeMutableBufferPointer { scores in
            lengths.withUnsafeBufferPointer { lengths in
                norms.withUnsafeBufferPointer { norms in
                    for (list, weight) in zip(lists, ranking.weights) {
                        list.forEach { slot, frequency in
                            let slot = Int(slot)
                            let length = Int(lengths[slot])
                            let norm =
                                length < norms.count
                                ? norms[length] : ranking.norm(length: length - 1)
                            scores[slot] += TextRanking.term(
                                weight: weight, frequency: frequency, norm: norm)
                        }
                    }
                }
            }
        }
        // A term is always greater than 0.
        for slot in 0..<scores.count where scores[slot] > 0 { body(UInt32(slot), scores[slot]) }
    }

    /// Norms by length plus one, for the lengths that most documents have: a table that stays in the
    /// processor's cache saves a division for each posting.
    private static func norms(upTo length: Int, _ ranking: TextRanking) -> ContiguousArray<Double> {
        ContiguousArray((0...min(length, 2047)).map { ranking.norm(length: max($0 - 1, 0)) })
    }
}
