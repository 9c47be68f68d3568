package import VarveEvents

extension State {
    /// The digest of the whole state: last transaction, types, rows, order, links, tombstones.
    package func digest() throws(CodecError) -> UInt64 { try digest(withNextOrdinals: true) }

    /// The digest that a checkpoint of this state would have, apart from ids that nothing needs and
    /// from ordinals that were given and not used: of two states that are the same it is the same.
    package func contentDigest() throws(CodecError) -> UInt64 {
        try digest(withNextOrdinals: false)
    }

    private func digest(withNextOrdinals: Bool) throws(CodecError) -> UInt64 {
        var digest = StateDigest()
        digest.add(lastTransaction: lastTransaction, lastTime: lastTime)
        for table in tables {
            digest.add(
                type: table.definition,
                nextOrdinal: withNextOrdinals ? table.nextOrdinal : Ordinal(0))
            try addEntities(of: table, to: &digest)
            addLinks(of: table, to: &digest)
        }
        return digest.value
    }

    private func addEntities(
        of table: Table, to digest: inout StateDigest
    ) throws(CodecError) {
        let type = table.definition.number
        var reader = RowReader(RowForm(of: table))
        var cursor = table.rows.cursor(in: pages)
        while let entry = cursor.nextEntry() {
            guard let version = entry.version else { continue }
            try reader.read(entry) { row throws(CodecError) in
                digest.add(
                    type: type, id: entry.id, row: row, ordinal: Ordinal(entry.stamps.ordinal),
                    transaction: version.transaction, updatedAt: version.updatedAt,
                    saveOrder: entry.stamps.saveOrder,
                    isDeleted: entry.presence == .tombstone)
            }
        }
    }

    private func addLinks(of table: Table, to digest: inout StateDigest) {
        let type = table.definition.number
        for (position, relation) in table.definition.relations.enumerated() {
            forEachList(of: type, relation: position) { holder, slots in
                digest.beginList(
                    of: type, id: table.rows.entry(holder, in: pages).id,
                    relation: relation.number)
                add(slots, of: relation, to: &digest)
                return true
            }
        }
        forEachKeptList(of: type) { number, holder, slots in
            guard let position = table.definition.position(of: number) else { return }
            digest.beginList(
                of: type, id: table.rows.entry(holder, in: pages).id, relation: number,
                keptByTombstone: true)
            add(slots, of: table.definition.relations[position], to: &digest)
        }
    }

    private func add(
        _ slots: [Slot], of relation: RelationDefinition, to digest: inout StateDigest
    ) {
        if let targets = table(relation.target) {
            for slot in slots { digest.addTarget(targets.rows.entry(slot, in: pages).id) }
        }
        digest.endList()
    }
}
