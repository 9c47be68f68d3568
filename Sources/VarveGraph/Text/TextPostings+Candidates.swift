extension TextPostings {
    /// How many postings may be decoded to spare the test of one row.
    private static let decodingsPerTest = 64

    /// The slots of documents that may hold the pattern, ascending; nil where its words tell
    /// nothing, and only a scan finds it.
    ///
    /// What is found is a superset, because tokens do not tell their order, nor in which of
    /// several properties they stand. Nothing that holds the pattern is missed (see ``TextFolding``).
    func candidates(for pattern: TextPattern) -> ContiguousArray<UInt32>? {
        guard let lists = lists(for: pattern) else { return nil }
        guard let rarest = lists.first else { return [] }
        var slots = ContiguousArray<UInt32>()
        slots.reserveCapacity(rarest.count)
        rarest.forEach { slot, _ in slots.append(slot) }
        for list in lists.dropFirst() {
            if list.count > slots.count * Self.decodingsPerTest { break }
            slots = list.intersection(with: slots)
        }
        return slots
    }

    /// How many candidates there are at most, without finding them; nil as for `candidates`.
    func candidateCount(for pattern: TextPattern) -> Int? {
        lists(for: pattern).map { $0.first?.count ?? 0 }
    }

    /// The slots of documents that have any token of the words, ascending.
    func candidates(for words: TextWords) -> ContiguousArray<UInt32> {
        let lists = words.tokens.compactMap { tokens.list(of: $0.token) }
        if lists.count == 1 {
            var slots = ContiguousArray<UInt32>()
            lists[0].forEach { slot, _ in slots.append(slot) }
            return slots
        }
        var isFound = ContiguousArray<Bool>(repeating: false, count: slotLimit)
        for list in lists { list.forEach { slot, _ in isFound[Int(slot)] = true } }
        return ContiguousArray(isFound.indices.lazy.filter { isFound[$0] }.map(UInt32.init))
    }

    /// How many documents have any token of the words, at most.
    func candidateCount(for words: TextWords) -> Int {
        let postings = words.tokens.reduce(0) { $0 + (tokens.list(of: $1.token)?.count ?? 0) }
        return min(postings, documentCount)
    }

    /// The lists of the tokens that each document with the pattern has, rarest first; none where a
    /// token has no list, nil where there are no such tokens.
    private func lists(for pattern: TextPattern) -> [PostingList]? {
        let required = pattern.requiredTokens
        if required.isEmpty { return nil }
        var lists: [PostingList] = []
        for token in required {
            guard let list = tokens.list(of: token) else { return [] }
            lists.append(list)
        }
        return lists.sorted { $0.count < $1.count }
    }
}

extension TextPattern {
    /// Tokens that every text with the pattern has.
    fileprivate var requiredTokens: Set<UInt64> {
        TextTokenizer.tokens(
            within: text, startsText: place == .atStart, endsText: place == .atEnd)
    }
}
