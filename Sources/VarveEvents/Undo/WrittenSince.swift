/// Finds out which items have a new version since some transaction; see ``VersionStacks`` for what a version is.
package enum WrittenSince {
    /// Something that a transaction writes as a whole.
    package enum Item: Hashable, Sendable {
        case field(EncodedEntity, FieldNumber)
        /// Where a to-one relation leads.
        case owner(EncodedEntity, RelationNumber)
    }

    /// The items that a write gave a version which is the current one: undos and redos make none.
    ///
    /// - Parameters:
    ///   - own: transactions whose writes do not count.
    ///   - reading: lets a body look at the transactions that came since, oldest first.
    /// - Complexity: linear in the size of these transactions, which are read twice.
    package static func items(
        among items: Set<Item>, except own: Set<TransactionID> = [], _ catalog: Catalog,
        reading: (_ body: (TransactionView) throws -> Void) throws -> Void
    ) throws -> Set<Item> {
        var steps: [TransactionID: TransactionID] = [:]
        try reading { view in
            guard view.header.kind == .write, !view.header.isCompletion, !own.contains(view.id)
            else { return }
            steps[view.id] = view.id
        }
        guard !steps.isEmpty, !items.isEmpty else { return [] }
        let followed = Dictionary(uniqueKeysWithValues: items.map { ($0.written, $0) })
        var stacks = VersionStacks(ofSteps: steps, items: Set(followed.keys), catalog)
        try reading { try stacks.take($0) }
        return Set(stacks.itemsOfSteps.compactMap { followed[$0] })
    }
}

extension WrittenSince.Item {
    fileprivate var written: WrittenItem {
        switch self {
        case .field(let entity, let number): .field(entity, number)
        case .owner(let entity, let number):
            .owner(LinkScan.List(holder: entity, relation: number))
        }
    }
}
