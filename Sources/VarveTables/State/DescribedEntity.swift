package import VarveEvents

/// The current state of an entity as values: what the tool shows.
package struct DescribedEntity: Sendable {
    package let id: StoredValue
    package let fields: [(name: String, value: StoredValue)]
    /// For each relation that has links: the ids of the targets, in their order.
    package let links: [(relation: RelationDefinition, targets: [StoredValue])]
    package let ordinal: Ordinal
    package let transaction: TransactionID
    package let updatedAt: Timestamp
    package let isDeleted: Bool
}

extension State {
    /// Describes the entity or tombstone at a slot, nil if the slot is vacant. A tombstone's links are those
    /// that it keeps for its restoration.
    package func describe(
        _ type: TypeNumber, at slot: Slot
    ) throws(CodecError) -> DescribedEntity? {
        guard let table = table(type), var reader = reader(of: type) else { return nil }
        return try reader.read(slot) { entity throws(CodecError) in
            DescribedEntity(
                id: try StoredValue(table.definition.idType, bytes: entity.id),
                fields: try table.layout.values(of: entity.row),
                links: try describeLinks(of: type, at: slot, isDeleted: entity.isDeleted),
                ordinal: entity.ordinal, transaction: entity.transaction,
                updatedAt: entity.updatedAt, isDeleted: entity.isDeleted)
        }
    }

    private func describeLinks(
        of type: TypeNumber, at slot: Slot, isDeleted: Bool
    ) throws(CodecError) -> [(relation: RelationDefinition, targets: [StoredValue])] {
        guard let table = table(type) else { return [] }
        let kept = isDeleted ? keptLists(of: type, at: slot) : []
        var described: [(relation: RelationDefinition, targets: [StoredValue])] = []
        for (position, relation) in table.definition.relations.enumerated() {
            let slots =
                isDeleted
                ? kept.first { $0.relation == relation.number }?.slots ?? []
                : targets(of: type, at: slot, relation: position)
            guard !slots.isEmpty else { continue }
            described.append((relation, try ids(of: relation.target, at: slots)))
        }
        return described
    }

    private func ids(of type: TypeNumber, at slots: [Slot]) throws(CodecError) -> [StoredValue] {
        guard let table = table(type) else { return [] }
        var ids: [StoredValue] = []
        for slot in slots {
            let id = table.rows.entry(slot, in: pages).id
            ids.append(try StoredValue(table.definition.idType, bytes: id))
        }
        return ids
    }
}
