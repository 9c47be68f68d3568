/// A link to an entity that the context does not hold.
public struct DanglingLink: Hashable, Sendable {
    /// The persisted name of the type that declares the relation.
    public let type: String
    /// The id of the entity that has the link, as people read it.
    public let id: String
    /// The persisted name of the relation.
    public let relation: String
    /// The persisted name of the type that the relation leads to.
    public let targetType: String
    /// The id of the entity that is absent, as people read it.
    public let targetID: String
    /// Whether the entity was deleted; else it is still to come. A link to a tombstone
    /// that is not there is one to something deleted: no tombstone is waited for.
    public let isDeleted: Bool

    package init(
        type: String, id: String, relation: String, targetType: String, targetID: String,
        isDeleted: Bool
    ) {
        self.type = type
        self.id = id
        self.relation = relation
        self.targetType = targetType
        self.targetID = targetID
        self.isDeleted = isDeleted
    }
}

extension Context {
    /// All links of entities to others that the context does not hold, in the order of the
    /// entities. They show again when their targets are saved.
    ///
    /// - Complexity: linear in the number of entities and links.
    public func danglingLinks() -> [DanglingLink] {
        var found: [DanglingLink] = []
        for position in tables.tables.indices
        where !tables.tables.unfilled[position].relations.isEmpty {
            let table = tables.tables[position]
            let links = table.relations.indices.map {
                LinkReader(relation: $0, table: position, in: self)
            }
            var children = links.map { RowCursor($0.child) }
            for slot in table.liveSlots() {
                for relation in table.relations.indices {
                    let absent = links[relation].list(of: slot).slots.filter {
                        !children[relation].hasRow(at: $0)
                    }
                    found += absent.map {
                        danglingLink(from: slot, relation, table, to: $0, links[relation].child)
                    }
                }
            }
        }
        return found
    }

    private func danglingLink(
        from slot: UInt32, _ relation: Int, _ table: AnyTable, to target: UInt32,
        _ child: AnyTable
    ) -> DanglingLink {
        DanglingLink(
            type: table.descriptor.name, id: table.idText(of: Slot(slot)),
            relation: table.descriptor.relations[relation].name,
            targetType: child.descriptor.name, targetID: child.idText(of: Slot(target)),
            isDeleted: child.isGone(Slot(target)))
    }

    /// Throws where an entity lacks the related entity of a relation `.required` to one: it has no
    /// link, or one to an entity that the context does not hold.
    ///
    /// A save does not check this, because an entity often arrives before what it is related to.
    /// Call it at the end of a transaction that must leave no gap.
    ///
    /// - Complexity: linear in the number of entities.
    public func checkRequiredRelations() throws(ContextError) {
        for position in tables.tables.indices {
            let descriptor = tables.tables.unfilled[position].descriptor
            for (index, relation) in descriptor.relations.enumerated()
            where relation.isRequired && !relation.isToMany {
                let table = tables.tables[position]
                let links = LinkReader(relation: index, table: position, in: self)
                var children = RowCursor(links.child)
                for slot in table.liveSlots()
                where links.first(of: slot).map({ children.hasRow(at: $0) }) != true {
                    throw .requiredRelationMissing(
                        type: table.descriptor.name, id: table.idText(of: Slot(slot)),
                        relation: relation.name)
                }
            }
        }
    }
}
