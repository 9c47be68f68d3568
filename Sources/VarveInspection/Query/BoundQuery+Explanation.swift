internal import VarveTables
internal import VarveText

extension BoundQuery {
    /// Which rows are read, and whether those are tested block by block.
    func sourceSteps(in state: State) -> (lines: [String], isScan: Bool) {
        let counts = state.counts(of: type.number)
        let all = selectsDeleted ? "\(counts.tombstones) tombstones" : "\(counts.live) entities"
        if countsWholeType { return (["take the number of \(all) of \(type.name)"], false) }
        var lines: [String] = []
        if soughtIDs == nil, let order = IndexedOrder(self, state) {
            let direction = order.isReversed ? ", from its end" : ""
            lines.append(
                "read \(type.name) along \(name(of: order.index))\(direction), until "
                    + "\(order.wanted) are found; where \(order.countMax) do not suffice:")
        }
        switch RowSource(self, state, usesIndexes: true) {
        case .ids(let ids):
            return (["look up \(ids.count.counted("id")) of \(type.name)"], false)
        case .index(let rows):
            let names = rows.indexes.map { name(of: $0) }.joined(separator: " and ")
            let found = "\(Set(rows.slots).count) of \(all)"
            lines.append("look up \(found) of \(type.name) by " + names)
        case .all: lines.append("scan \(all) of \(type.name)")
        }
        return (lines, true)
    }

    private func name(of index: IndexDeclaration) -> String {
        let fields = index.fields.map { field in
            let name = type.fields.first { $0.number == field.number }?.name ?? "\(field.number)"
            return "'\(field.isDescending ? "-" : "")\(name)'"
        }
        return "the index on " + fields.joined(separator: ", ")
    }
}
