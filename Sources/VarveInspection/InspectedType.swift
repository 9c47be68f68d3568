/// An entity type, as the log describes it.
public struct InspectedType: Hashable, Sendable {
    /// A property of the entities.
    public struct Field: Hashable, Sendable {
        /// The name of the property.
        public let name: String
        /// As Swift spells it: `[Int64]?`.
        public let type: String
    }

    /// A relation of the entities.
    public struct Relation: Hashable, Sendable {
        /// What happens to related entities when an entity is deleted.
        public enum DeleteRule: String, Hashable, Sendable {
            /// They stay, are deleted too, or keep the entity from being deleted.
            case nullify, cascade, deny
        }

        /// The name of the relation.
        public let name: String
        /// The name of the type that it leads to.
        public let target: String
        /// Whether the relation leads to a list.
        public let isToMany: Bool
        /// The relation of the target that mirrors this one.
        public let inverse: String?
        /// What happens to related entities when an entity is deleted.
        public let deleteRule: DeleteRule
        /// Whether there must be a related entity. Never of a to-many relation, which may be empty.
        public let isRequired: Bool
    }

    /// The name of the type.
    public let name: String
    /// The type of the ids, as Swift spells it.
    public let idType: String
    /// The properties, in the order in which rows hold them.
    public let fields: [Field]
    /// The relations, in the order of their numbers.
    public let relations: [Relation]
    /// The type whose tombstones this type describes.
    public let tombstoneOf: String?
}

extension InspectedType {
    /// - Parameter definitionOf: the definitions that relations lead to.
    init(_ definition: TypeDefinition, definitionOf: (TypeNumber) -> TypeDefinition?) {
        func typeName(_ number: TypeNumber) -> String {
            number == definition.number
                ? definition.name : definitionOf(number)?.name ?? "type \(number)"
        }
        name = definition.name
        idType = "\(definition.idType)"
        fields = definition.fields.map { Field(name: $0.name, type: "\($0.type)") }
        relations = definition.relations.map { relation in
            let target =
                relation.target == definition.number ? definition : definitionOf(relation.target)
            return Relation(
                name: relation.name, target: typeName(relation.target),
                isToMany: relation.isToMany,
                inverse: relation.inverse.flatMap { inverse in
                    target?.relations.first { $0.number == inverse }?.name
                },
                deleteRule: Relation.DeleteRule(relation.deleteRule),
                // The log has the mark of every to-many relation, of which it says nothing.
                isRequired: relation.isRequired && !relation.isToMany)
        }
        tombstoneOf = definition.tombstoneOf.map(typeName)
    }
}

extension InspectedType.Relation.DeleteRule {
    fileprivate init(_ rule: RelationDefinition.DeleteRule) {
        switch rule {
        case .nullify: self = .nullify
        case .cascade: self = .cascade
        case .deny: self = .deny
        }
    }
}
