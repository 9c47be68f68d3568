import VarveEvents

/// A link that one of the two entities knows and the other does not.
package struct OneSidedLink: Hashable, Sendable {
    package let type: String
    package let id: String
    package let relation: String
    package let target: String
}

extension State {
    /// The first link of a relation with an inverse that only one side knows; nil in a sound state.
    ///
    /// - Complexity: O(n log n) in the number of links, sixteen bytes of memory for each.
    package func oneSidedLink() -> OneSidedLink? {
        for table in tables {
            for position in table.definition.relations.indices {
                if let found = oneSidedLink(ofRelationAt: position, of: table) { return found }
            }
        }
        return nil
    }

    private func oneSidedLink(ofRelationAt position: Int, of table: Table) -> OneSidedLink? {
        let relation = table.definition.relations[position]
        guard let inverse = relation.inverse, let targets = self.table(relation.target),
            let mirror = targets.definition.position(of: inverse),
            // An app that does not know this relation changes its other side alone.
            targets.definition.relations[mirror].inverse == relation.number
        else { return nil }
        let mirrored = pairs(targets.links[mirror]) { holder, target in
            UInt64(target) << 32 | UInt64(holder)
        }
        var next = 0
        for pair in pairs(table.links[position], { UInt64($0) << 32 | UInt64($1) }) {
            while next < mirrored.count, mirrored[next] < pair { next += 1 }
            if next < mirrored.count, mirrored[next] == pair { continue }
            return OneSidedLink(
                type: table.definition.name, id: idText(at: pair >> 32, of: table),
                relation: relation.name, target: idText(at: pair & 0xFFFF_FFFF, of: targets))
        }
        return nil
    }

    private func idText(at slot: UInt64, of table: Table) -> String {
        let entry = table.rows.entry(Slot(UInt32(truncatingIfNeeded: slot)), in: pages)
        return table.definition.idType.text(of: entry.id)
    }

    /// One number for each link, ascending.
    private func pairs(
        _ links: LinkMap, _ number: (_ holder: UInt32, _ target: UInt32) -> UInt64
    ) -> [UInt64] {
        var pairs: [UInt64] = []
        links.forEachList(in: pages) { holder, targets in
            for target in targets { pairs.append(number(holder.rawValue, target.rawValue)) }
            return true
        }
        pairs.sort()
        return pairs
    }
}
