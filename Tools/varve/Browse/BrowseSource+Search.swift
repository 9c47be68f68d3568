import VarveInspection

/// How many rows are searched between two looks at whether the search is still wanted.
private let searchStep = 512

extension BrowseSource {
    func find(
        _ text: SearchText, from start: TransactionID, _ direction: SearchDirection
    ) throws(InspectionError) -> UInt64? {
        let isDown = direction == .down
        var walk = log.transactions(
            isDown ? .newestFirst : .oldestFirst,
            filter: isDown
                ? TransactionFilter(before: .transaction(TransactionID(start.rawValue + 1)))
                : TransactionFilter(after: .transaction(TransactionID(start.rawValue - 1))))
        var count = 0
        while let transaction = try walk.next() {
            if transaction.searchedTexts.contains(where: text.matches) {
                return transaction.id.rawValue
            }
            count += 1
            guard goesOn(count, at: { "transaction \(transaction.id)" }) else { return nil }
        }
        return nil
    }

    /// False where the search was given up.
    private func goesOn(_ count: Int, at place: () -> String) -> Bool {
        guard count.isMultiple(of: searchStep) else { return true }
        report(.progress(place()))
        return isWanted()
    }

    func find(
        _ text: SearchText, in collection: EntityCollection, from start: Int,
        _ direction: SearchDirection
    ) throws(InspectionError) -> UInt64? {
        let entities = try entities(of: collection)
        let end = direction == .down ? entities.count : -1
        let total = Numerals.grouped(entities.count)
        var count = 0
        for position in stride(from: start, to: end, by: direction == .down ? 1 : -1) {
            let entity = try entities.entity(at: position)
            if entity.searchedTexts.contains(where: text.matches) { return UInt64(position) }
            count += 1
            let place = { Numerals.grouped(position + 1) + " of " + total }
            guard goesOn(count, at: place) else { return nil }
        }
        return nil
    }
}

extension TransactionSummary {
    fileprivate var searchedTexts: [String] {
        [label, author, scope, group].compactMap(\.self) + ["\(id)", kind.text] + types.map(\.type)
    }
}

extension InspectedEntity {
    fileprivate var searchedTexts: [String] {
        [ValueText.cell(of: id)] + fields.map { ValueText.cell(of: $0.value) }
    }
}
