internal import VarveTables

/// The current state of an entity, or of the tombstone of a deleted one.
public struct InspectedEntity: Sendable {
    /// One relation of the entity, with links or without.
    public struct Links: Sendable {
        /// The name of the relation.
        public let relation: String
        /// Whether the relation leads to a list.
        public let isToMany: Bool
        /// Ids of the targets, in their order.
        public let targets: [InspectedValue]
    }

    /// The name of the entity's type.
    public let type: String
    /// The entity's id.
    public let id: InspectedValue
    /// The fields, in the order of the type's definition.
    public let fields: [InspectedField]
    /// All relations of the type; of a tombstone, the links that its restoration brings back.
    public let links: [Links]
    /// The entity's place in the default order of its type.
    public let ordinal: UInt64
    /// The transaction that last touched it; of a tombstone, the one that deleted it.
    public let transaction: TransactionID
    /// When that transaction was written, by its writer's clock.
    public let updatedAt: Moment
    /// Whether this is the tombstone of a deleted entity.
    public let isDeleted: Bool
}

/// The entities of one type. Each is decoded when it is asked for.
public struct EntityList {
    /// Which entities of a type.
    public enum Selection: Hashable, Sendable {
        /// Entities that are there.
        case live
        /// The tombstones of deleted entities.
        case deleted
    }

    /// The type of the entities.
    public let type: InspectedType
    let definition: TypeDefinition
    let state: State
    let slots: [Slot]

    /// The number of entities.
    public var count: Int { slots.count }

    /// The entity at a position below ``count``, in the default order of the type.
    public func entity(at position: Int) throws(InspectionError) -> InspectedEntity {
        try state.inspecting { () throws(InspectionError) in
            do throws(CodecError) {
                if let entity = try state.describe(definition.number, at: slots[position]) {
                    return InspectedEntity(entity, of: definition)
                }
            } catch {
                throw .entity(type: definition.name, reason: "\(error)")
            }
            throw .entity(type: definition.name, reason: "slot \(slots[position]) is vacant")
        }
    }
}

extension InspectedEntity {
    init(_ entity: DescribedEntity, of definition: TypeDefinition) {
        type = definition.name
        id = InspectedValue(entity.id)
        fields = entity.fields.map {
            InspectedField(name: $0.name, value: InspectedValue($0.value))
        }
        links = definition.relations.map { relation in
            let found = entity.links.first { $0.relation.number == relation.number }
            return Links(
                relation: relation.name, isToMany: relation.isToMany,
                targets: found?.targets.map(InspectedValue.init) ?? [])
        }
        ordinal = entity.ordinal.rawValue
        transaction = entity.transaction
        updatedAt = Moment(entity.updatedAt)
        isDeleted = entity.isDeleted
    }
}
