/// A link that one of the two entities knows and the other does not.
package struct OneSidedLink: Hashable, Sendable {
    package let type: String
    package let id: String
    package let relation: String
    package let target: String
}

extension ReplayState {
    /// The first link of a relation with an inverse that only one side knows; nil in a sound state.
    ///
    /// - Complexity: O(n log n) in the number of links, sixteen bytes of memory for each.
    package func oneSidedLink() -> OneSidedLink? {
        for table in tables {
            guard let table else { continue }
            for column in table.links {
                if let found = oneSidedLink(in: column, of: table) { return found }
            }
        }
        return nil
    }

    private func oneSidedLink(in column: LinkColumn, of table: ReplayTable) -> OneSidedLink? {
        guard let inverse = column.definition.inverse,
            let targets = self.table(column.definition.target),
            let position = targets.definition.position(of: inverse),
            // An app that does not know this relation changes its other side alone.
            targets.definition.relations[position].inverse == column.definition.number
        else { return nil }
        let mirrored = targets.links[position].pairs { holder, target in
            UInt64(target) << 32 | UInt64(holder)
        }
        var next = 0
        for pair in column.pairs({ UInt64($0) << 32 | UInt64($1) }) {
            while next < mirrored.count, mirrored[next] < pair { next += 1 }
            if next < mirrored.count, mirrored[next] == pair { continue }
            func text(_ slot: UInt64, _ table: ReplayTable) -> String {
                table.definition.idType.text(of: table.records[Int(slot)].idBytes)
            }
            return OneSidedLink(
                type: table.definition.name, id: text(pair >> 32, table),
                relation: column.definition.name, target: text(pair & 0xFFFF_FFFF, targets))
        }
        return nil
    }
}

extension LinkColumn {
    /// One number for each link, ascending.
    fileprivate func pairs(_ number: (_ holder: UInt32, _ target: UInt32) -> UInt64) -> [UInt64] {
        var pairs: [UInt64] = []
        forEachList { slot, targets in
            for target in targets { pairs.append(number(slot, target)) }
        }
        pairs.sort()
        return pairs
    }
}
