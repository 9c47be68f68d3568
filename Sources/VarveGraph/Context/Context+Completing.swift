// Links that were written while a relation had no other side, by an earlier version of the types.

extension Context {
    /// Whether a relation with another side has links of which that side knows nothing.
    ///
    /// - Parameter isLeading: whether the other side may list links that are not there any more.
    package func hasOneSidedLinks(relation: Int, table: Int, isLeading: Bool) -> Bool {
        !oneSidedLinks(relation: relation, table: table).isEmpty
            || isLeading && !staleLinks(relation: relation, table: table).isEmpty
    }

    /// Adds to the other side of a relation the links that it lacks.
    ///
    /// A child that can have one parent only and is listed by several stays with the first of
    /// them; the others lose it.
    ///
    /// - Parameter isLeading: whether the other side was not kept in step. What it alone lists is removed first.
    package mutating func completeLinks(relation: Int, table: Int, isLeading: Bool) {
        let resolved = tables.tables[rows: table].relations[relation]
        guard let inverse = resolved.inverse else { return }
        let mark = begin()
        defer { end(mark) }
        if isLeading {
            for link in staleLinks(relation: relation, table: table) {
                removeLink(
                    to: link.child, of: link.parent, relation: inverse, table: resolved.childTable)
            }
        }
        for link in oneSidedLinks(relation: relation, table: table) {
            var back = links(of: link.child, relation: inverse, table: resolved.childTable)
            if back.contains(link.parent) { continue }
            if !resolved.inverseIsToMany, back.count > 0 {
                removeLink(to: link.child, of: link.parent, relation: relation, table: table)
            } else {
                back.append(link.parent)
                setLinks(back, of: link.child, relation: inverse, table: resolved.childTable)
            }
        }
    }

    /// The links that only the other side of a relation lists, seen from there.
    private func staleLinks(relation: Int, table: Int) -> [(parent: UInt32, child: UInt32)] {
        let resolved = tables.tables[rows: table].relations[relation]
        guard let inverse = resolved.inverse else { return [] }
        return oneSidedLinks(relation: inverse, table: resolved.childTable)
    }

    private func oneSidedLinks(
        relation: Int, table position: Int
    ) -> [(parent: UInt32, child: UInt32)] {
        let table = tables.tables[position]
        let resolved = table.relations[relation]
        guard let inverse = resolved.inverse else { return [] }
        var found: [(parent: UInt32, child: UInt32)] = []
        let back = LinkReader(relation: inverse, table: resolved.childTable, in: self)
        table.links[relation].forEach { parent, list in
            for child in list.slots where !back.list(of: child).contains(parent) {
                found.append((parent, child))
            }
        }
        return found
    }
}
