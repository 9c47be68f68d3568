// Which rows indexes can name for conditions.

extension QueryPlanner {
    /// What each index, and each condition with branches, offers for a conjunction.
    func candidates(for conditions: [RowCondition]) -> [Candidates] {
        let search = IndexSearch(conditions)
        var options = indexes.indices.compactMap { ranges(of: $0, search) }
        addBranches(of: conditions, to: &options)
        return options
    }

    /// What conditions offer for which more than one range, or no range, of an index is asked.
    func addBranches(of conditions: [RowCondition], to options: inout [Candidates]) {
        // What is behind is in no set, so that no way to find rows could tell that it covers it.
        for position in conditions.indices.prefix(ConditionSet.limit) {
            let condition = conditions[position]
            if let union = union(for: condition, at: position) { options.append(union) }
            if let text = text(for: condition, at: position) { options.append(text) }
        }
    }

    /// Candidates for each branch of a disjunction, if indexes serve every one of them.
    private func union(for condition: RowCondition, at position: Int) -> Candidates? {
        guard case .disjunction = condition.structure else { return nil }
        var parts: [Candidates] = []
        var isExact = true
        for branch in condition.branches {
            let conjuncts = branch.conjuncts
            let options = candidates(for: conjuncts)
            guard let best = options.min(by: { $0.count < $1.count }) else { return nil }
            if best.covered.count < conjuncts.count { isExact = false }
            parts.append(best)
        }
        return Candidates(
            shape: .union(parts), count: parts.reduce(0) { $0 + $1.count },
            covered: isExact ? ConditionSet(position) : ConditionSet(),
            used: ConditionSet(position))
    }

    /// What a text index names for a condition on text. Each row is tested again, unless the index
    /// holds the very texts and words decide.
    private func text(for condition: RowCondition, at position: Int) -> Candidates? {
        guard case .text(let text) = condition.structure,
            let count = table.textCandidateCount(for: text)
        else { return nil }
        let isExact = text.isRanked && table.textRankingIndexName(for: text) != nil
        return Candidates(
            shape: .text(text), count: count,
            covered: isExact ? ConditionSet(position) : ConditionSet(),
            used: ConditionSet(position))
    }

    /// The ranges of one index that hold what meets some of the conditions.
    func ranges(of index: Int, _ start: IndexSearch) -> Candidates? {
        let definition = indexes[index]
        guard let search = start.narrowed(to: definition) else { return nil }
        var ranges: [PostingRange] = []
        let isServed = search.forEachBounds { bounds in
            guard let range = table.postings(of: index, in: bounds) else { return false }
            if range.count > 0 { ranges.append(range) }
            return true
        }
        guard isServed else { return nil }
        let found = IndexRanges(
            index: index, definition: definition, componentCount: search.componentCount,
            ranges: ranges)
        return Candidates(
            shape: .ranges(found), count: found.count,
            covered: definition.kind == .ordered ? search.exact : ConditionSet(), used: search.used)
    }
}
