// A query for one value of a unique property is the most frequent one behind those by id. A plan for it takes several
// times as long as the row.

extension StepList where Step == RowStep {
    /// Calls `body` with the row that the query finds by the value of a unique property of a filled table, without a plan.
    ///
    /// - Parameter body: called once or not at all, with an address that is good for the call alone.
    /// - Returns: how many rows the query finds; nil, and nothing was called, where it needs a plan.
    @usableFromInline
    func visitUniqueRow(in table: AnyTable, _ body: (UnsafeRawPointer) -> Void) -> Int? {
        guard table.isFilled, !table.uniqueIndexes.isEmpty, let condition = onlyCondition,
            case .property(let comparison) = condition.structure, comparison.relation == .equal
        else { return nil }
        for index in table.uniqueIndexes {
            guard case .hashed(let columns) = table.indexDefinitions[index].content,
                columns.count == 1, columns[0].component.path.raw == comparison.path.raw,
                let hash = columns[0].hashOperand(comparison.operands[0])
            else { continue }
            return table.visitRow(underHash: hash, in: index, meeting: condition.matches, body)
        }
        return nil
    }

    /// The condition that is the whole query, but for a limit that one row does not reach.
    private var onlyCondition: RowCondition? {
        guard earlier == nil, let first = recent.first, case .filter(let condition) = first else {
            return nil
        }
        if recent.count == 1 { return condition }
        guard recent.count == 2, case .limit(1..., offset: 0) = recent[1] else { return nil }
        return condition
    }
}

extension AnyTable {
    /// Calls `body` with the row under a hash, if it meets the condition. Returns nil where several may be under it: a plan
    /// brings those into their order.
    fileprivate final func visitRow(
        underHash hash: UInt64, in index: Int, meeting condition: (UnsafeRawPointer) -> Bool,
        _ body: (UnsafeRawPointer) -> Void
    ) -> Int? {
        // In place: a copy of the content would be counted.
        let entries = indexContents.withUnsafeBufferPointer { contents in
            contents[index].slots.map { _ in contents[index].entries(underHash: hash) }
        }
        guard let entries, entries.count <= 1 else { return nil }
        guard let entry = entries.first else { return 0 }
        var count = 0
        withRawRow(at: IDEntry.slot(entry)) { row in
            guard condition(row) else { return }
            count = 1
            body(row)
        }
        return count
    }
}
