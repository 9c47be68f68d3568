/// A text index of a table: what it covers, and what it holds now.
struct TextIndex {
    /// The name of its declaration.
    let name: String
    let fields: [TextField]
    let postings: TextPostings
}

/// Rows that may meet a text condition.
@usableFromInline
struct TextCandidates {
    /// Ascending by slot.
    @usableFromInline let slots: ContiguousArray<UInt32>
    /// The name of the index that they come from.
    @usableFromInline let indexName: String
}

extension AnyTable {
    /// The rows that may meet the condition: all that do, and perhaps others, so the condition is
    /// tested on each. Nil where no index can tell, and only a scan finds them.
    @usableFromInline
    func textCandidates(for condition: TextCondition) -> TextCandidates? {
        guard let index = textIndex(serving: condition) else { return nil }
        let slots: ContiguousArray<UInt32>? =
            switch condition.test.kind {
            case .pattern(let pattern): index.postings.candidates(for: pattern)
            case .words(let words): index.postings.candidates(for: words)
            case .expression: nil
            }
        return slots.map { TextCandidates(slots: $0, indexName: index.name) }
    }

    /// How many rows `textCandidates` would find at most, without finding them; nil as there.
    @usableFromInline
    func textCandidateCount(for condition: TextCondition) -> Int? {
        guard let index = textIndex(serving: condition) else { return nil }
        switch condition.test.kind {
        case .pattern(let pattern): return index.postings.candidateCount(for: pattern)
        case .words(let words): return index.postings.candidateCount(for: words)
        case .expression: return nil
        }
    }

    /// The name of the index that `textCandidates` would ask.
    func textIndexName(for condition: TextCondition) -> String? {
        textIndex(serving: condition)?.name
    }

    /// The name of the index that gives a ranked condition's order without reading the rows.
    @usableFromInline
    func textRankingIndexName(for condition: TextCondition) -> String? {
        textIndexes.first { $0.fields.namesSame(as: condition.fields) }?.name
    }

    /// The index that covers the condition's properties, and as little else as possible.
    private func textIndex(serving condition: TextCondition) -> TextIndex? {
        textIndexes.filter { condition.fields.areAmong($0.fields) }
            .min { $0.fields.count < $1.fields.count }
    }

    /// The table's text indexes.
    var textIndexes: [TextIndex] {
        zip(descriptor.indexes, indexContents).compactMap { definition, content in
            guard let fields = definition.textFields, let postings = content.text else {
                return nil
            }
            return TextIndex(name: definition.name, fields: fields, postings: postings)
        }
    }
}

extension AnyTable {
    /// The rows that meet a ranked condition, best first, equally good ones in insertion order.
    ///
    /// The figures behind the scores are those of the whole table, with or without an index:
    /// an index over the same properties, in whatever order, gives them, else each row is read.
    ///
    /// - Parameters:
    ///   - limit: how many are wanted at most.
    ///   - among: the rows that are wanted, in any order; nil for all.
    @usableFromInline
    func textRanking(
        for condition: TextCondition, limit: Int = .max,
        among slots: ContiguousArray<UInt32>? = nil
    ) -> ContiguousArray<UInt32> {
        guard let words = condition.rankedWords else {
            preconditionFailure("a text condition without a ranking")
        }
        let wanted = slots.map { slots in
            var wanted = ContiguousArray<Bool>(repeating: false, count: slotCount)
            for slot in slots { wanted[Int(slot)] = true }
            return wanted
        }
        let isWanted = wanted.map { wanted in { (slot: UInt32) in wanted[Int(slot)] } }
        let index = textIndexes.first { $0.fields.namesSame(as: condition.fields) }
        if let index {
            return index.postings.ranking(of: words, limit: limit, isWanted: isWanted) {
                metadata(of: Slot($0)).ordinal
            }
        }
        return scannedRanking(of: words, condition.fields, limit: limit, isWanted: isWanted)
    }

    private func scannedRanking(
        of words: TextWords, _ fields: [TextField], limit: Int, isWanted: ((UInt32) -> Bool)?
    ) -> ContiguousArray<UInt32> {
        var scan = TextScan(words)
        visitAnyOrder { slot, row in
            scan.add(fields.texts(in: row), slot: slot)
            return true
        }
        var rows = RowCursor(self)
        return scan.ranking(limit: limit, isWanted: isWanted) { rows.metadata(at: $0).ordinal }
    }
}
