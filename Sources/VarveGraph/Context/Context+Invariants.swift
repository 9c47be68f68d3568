extension Context {
    /// Checks that ids, rows, order and counts agree and that both sides of every mutual relation
    /// list each other. Traps with the rule that is broken. O(n).
    ///
    /// It fills stored tables, whether they fit the memory budget or not.
    public func checkInvariants() {
        for position in tables.tables.indices {
            let table = tables.tables.unfilled[position]
            (table.isFilled ? table : table.filled()).checkRows()
            checkLinks(ofTableAt: position)
        }
    }

    private func checkLinks(ofTableAt position: Int) {
        let table = tables.tables[position]
        for (index, relation) in table.relations.enumerated() {
            table.links[index].forEach { slot, list in
                list.checkInvariants()
                let children = list.slots
                precondition(Set(children).count == children.count, "a child listed twice")
                guard let inverse = relation.inverse else { return }
                for child in children {
                    precondition(
                        links(of: child, relation: inverse, table: relation.childTable)
                            .contains(slot),
                        """
                        \(table.descriptor.name).\(table.descriptor.relations[index].name) \
                        is linked on one side only
                        """)
                }
            }
        }
    }
}
