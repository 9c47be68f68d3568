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

extension ReplayState {
    /// Describes the entity or tombstone at a slot, nil if the slot is vacant. A tombstone's
    /// links are those that it keeps for its restoration.
    package func describe(
        _ type: TypeNumber, at slot: UInt32
    ) throws(CodecError) -> DescribedEntity? {
        guard let table = table(type), Int(slot) < table.slotCount else { return nil }
        var reader = EntityReader(table)
        let definition = table.definition
        let links = try describeLinks(of: type, at: slot)
        return try reader.read(slot) { entity throws(CodecError) in
            DescribedEntity(
                id: try StoredValue(definition.idType, bytes: entity.id),
                fields: try table.layout.values(of: entity.row),
                links: links, ordinal: entity.ordinal, transaction: entity.transaction,
                updatedAt: entity.updatedAt, isDeleted: entity.isDeleted)
        }
    }

    private func describeLinks(
        of type: TypeNumber, at slot: UInt32
    ) throws(CodecError) -> [(relation: RelationDefinition, targets: [StoredValue])] {
        guard let table = table(type) else { return [] }
        let isDeleted = table.records[Int(slot)].liveness == .tombstone
        let kept = deletedLists(of: type, at: slot)
        var described: [(relation: RelationDefinition, targets: [StoredValue])] = []
        for column in table.links {
            let definition = column.definition
            let slots =
                isDeleted
                ? kept.first { $0.relation == definition.number }?.slots ?? []
                : column.list(of: slot)
            guard !slots.isEmpty else { continue }
            described.append((definition, try ids(of: definition.target, at: slots)))
        }
        return described
    }

    private func ids(of type: TypeNumber, at slots: [UInt32]) throws(CodecError) -> [StoredValue] {
        guard let table = table(type) else { return [] }
        var ids: [StoredValue] = []
        for slot in slots {
            ids.append(
                try StoredValue(
                    table.definition.idType, bytes: table.records[Int(slot)].idBytes))
        }
        return ids
    }
}
