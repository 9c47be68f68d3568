/// An entity type as the log describes it.
package struct TypeDefinition: Hashable, Sendable {
    package var number: TypeNumber
    package var name: String
    package var idType: StoredType
    /// In the order in which rows are written: a row is its fields' bytes one after the other.
    package var fields: [FieldDefinition]
    package var relations: [RelationDefinition]
    /// The type whose deleted entities this type stands for, if it is such a type.
    package var tombstoneOf: TypeNumber?
    /// Whether the store gives the ids, which are integers then. Once it has done so it stays so.
    package var numbersIDs: Bool

    package init(
        number: TypeNumber, name: String, idType: StoredType, fields: [FieldDefinition],
        relations: [RelationDefinition], tombstoneOf: TypeNumber? = nil, numbersIDs: Bool = false
    ) {
        self.number = number
        self.name = name
        self.idType = idType
        self.fields = fields
        self.relations = relations
        self.tombstoneOf = tombstoneOf
        self.numbersIDs = numbersIDs
    }

    package func field(named name: String) -> FieldDefinition? {
        fields.first { $0.name == name }
    }

    package func relation(named name: String) -> RelationDefinition? {
        relations.first { $0.name == name }
    }

    /// The position of a relation in ``relations``.
    package func position(of relation: RelationNumber) -> Int? {
        relations.firstIndex { $0.number == relation }
    }
}

/// A field of an entity type.
package struct FieldDefinition: Hashable, Sendable {
    package var number: FieldNumber
    package var name: String
    package var type: StoredType
    package var rung: Rung
    /// The bytes of the value that rows without this field take: its default when it was first
    /// defined, evaluated once.
    package var fill: [UInt8]?

    package init(
        number: FieldNumber, name: String, type: StoredType, rung: Rung, fill: [UInt8]? = nil
    ) {
        self.number = number
        self.name = name
        self.type = type
        self.rung = rung
        self.fill = fill
    }
}

/// A relation of an entity type: one direction, from the entity that holds the list.
package struct RelationDefinition: Hashable, Sendable {
    /// What becomes of the targets when the holder is deleted.
    package enum DeleteRule: UInt8, Sendable, CaseIterable {
        case nullify = 0
        case cascade = 1
        case deny = 2
    }

    package var number: RelationNumber
    package var name: String
    package var target: TypeNumber
    package var isToMany: Bool
    /// The relation of the target type that mirrors this one.
    package var inverse: RelationNumber?
    package var deleteRule: DeleteRule
    package var isRequired: Bool

    package init(
        number: RelationNumber, name: String, target: TypeNumber, isToMany: Bool,
        inverse: RelationNumber? = nil, deleteRule: DeleteRule = .nullify, isRequired: Bool = false
    ) {
        self.number = number
        self.name = name
        self.target = target
        self.isToMany = isToMany
        self.inverse = inverse
        self.deleteRule = deleteRule
        self.isRequired = isRequired
    }
}
