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
            for slot in table.liveSlots() {
                for relation in table.relations.indices {
                    found += danglingLinks(of: slot, relation: relation, table: position)
                }
            }
        }
        return found
    }

    private func danglingLinks(of slot: UInt32, relation: Int, table position: Int)
        -> [DanglingLink]
    {
        let table = tables.tables[position]
        let child = tables.tables[table.relations[relation].childTable]
        let targets = links(of: slot, relation: relation, table: position).slots
        return targets.filter { !child.isLive(Slot($0)) }.map { target in
            DanglingLink(
                type: table.descriptor.name, id: table.idText(of: Slot(slot)),
                relation: table.descriptor.relations[relation].name,
                targetType: child.descriptor.name, targetID: child.idText(of: Slot(target)),
                isDeleted: child.isGone(Slot(target)))
        }
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
                for slot in table.liveSlots()
                where liveChildren(of: slot, relation: index, table: position).isEmpty {
                    throw .requiredRelationMissing(
                        type: table.descriptor.name, id: table.idText(of: Slot(slot)),
                        relation: relation.name)
                }
            }
        }
    }
}
