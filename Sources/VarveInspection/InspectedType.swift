/// An entity type, as the log describes it.
public struct InspectedType: Hashable, Sendable {
    /// A property of the entities.
    public struct Field: Hashable, Sendable {
        /// Given once, in order, and never used again; names may change.
        public let number: UInt32
        /// The name of the property.
        public let name: String
        /// How its values are stored, with the types inside it.
        public let form: StoredType
        /// Which way its values get their stored form.
        public let rung: Rung
        /// The value that rows without this field take; nil where there are no such rows.
        public let fill: InspectedValue?

        /// The type as Swift spells it: `[Int64]?`.
        public var type: String { "\(form)" }
    }

    /// A relation of the entities.
    public struct Relation: Hashable, Sendable {
        /// What happens to related entities when an entity is deleted.
        public enum DeleteRule: String, Hashable, Sendable {
            /// They stay, are deleted too, or keep the entity from being deleted.
            case nullify, cascade, deny
        }

        /// Given once, in order, and never used again.
        public let number: UInt32
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

    /// Dense from 1, in the order in which types were first defined.
    public let number: UInt32
    /// The name of the type.
    public let name: String
    /// How ids are stored.
    public let idForm: StoredType
    /// The properties, in the order in which rows hold them.
    public let fields: [Field]
    /// The relations, in the order of their numbers.
    public let relations: [Relation]
    /// The type whose tombstones this type describes.
    public let tombstoneOf: String?
    /// Whether the store gives the ids.
    public let numbersIDs: Bool

    /// The type of the ids as Swift spells it.
    public var idType: String { "\(idForm)" }
}

extension InspectedType {
    /// - Parameter definitionOf: the definitions that relations lead to.
    init(_ definition: TypeDefinition, definitionOf: (TypeNumber) -> TypeDefinition?) {
        func typeName(_ number: TypeNumber) -> String {
            number == definition.number
                ? definition.name : definitionOf(number)?.name ?? "type \(number)"
        }
        number = definition.number.rawValue
        name = definition.name
        idForm = definition.idType
        fields = definition.fields.map(Field.init)
        relations = definition.relations.map { relation in
            let target =
                relation.target == definition.number ? definition : definitionOf(relation.target)
            return Relation(
                number: relation.number.rawValue, name: relation.name,
                target: typeName(relation.target),
                isToMany: relation.isToMany,
                inverse: relation.inverse.flatMap { inverse in
                    target?.relations.first { $0.number == inverse }?.name
                },
                deleteRule: Relation.DeleteRule(relation.deleteRule),
                // The log has the mark of every to-many relation, of which it says nothing.
                isRequired: relation.isRequired && !relation.isToMany)
        }
        tombstoneOf = definition.tombstoneOf.map(typeName)
        numbersIDs = definition.numbersIDs
    }
}

extension InspectedType.Field {
    fileprivate init(_ field: FieldDefinition) {
        number = field.number.rawValue
        name = field.name
        form = field.type
        rung = field.rung
        fill = field.fill.flatMap { bytes in
            // A fill that is no value of its type is refused where rows are read with it.
            (try? StoredValue(field.type, bytes: bytes)).map { InspectedValue($0) }
        }
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
