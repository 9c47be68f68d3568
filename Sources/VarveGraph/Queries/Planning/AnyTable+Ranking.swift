extension AnyTable {
    /// The slots by how well their rows match, best first; equally good ones stay in order, and a
    /// slot that is given twice comes twice.
    final func ranked(
        _ slots: ContiguousArray<UInt32>, by condition: TextCondition
    ) -> ContiguousArray<UInt32> {
        guard slots.count > 1, let words = condition.rankedWords else { return slots }
        var scores = ContiguousArray<Double>(repeating: 0, count: slotCount)
        forEachScore(of: words, condition) { slot, score in scores[Int(slot)] = score }
        let order = slots.indices.sorted { first, second in
            let (left, right) = (scores[Int(slots[first])], scores[Int(slots[second])])
            return left == right ? first < second : left > right
        }
        return ContiguousArray(order.map { slots[$0] })
    }

    /// Scores depend on all rows: an index has what is needed, else each row is read.
    private final func forEachScore(
        of words: TextWords, _ condition: TextCondition, _ body: (UInt32, Double) -> Void
    ) {
        let index = textIndexes.first { $0.fields.namesSame(as: condition.fields) }
        if let index { return index.postings.forEachScore(of: words, body) }
        var scan = TextScan(words)
        visitAnyOrder { slot, row in
            scan.add(condition.fields.texts(in: row), slot: slot)
            return true
        }
        scan.forEachScore(body)
    }
}
