/// An entity type as the app declares it: names, no numbers.
package struct DeclaredType: Sendable {
    package var name: String
    package var idType: StoredType
    /// In the order in which the app writes them.
    package var fields: [DeclaredField]
    package var relations: [DeclaredRelation]
    /// The name of the type whose deleted entities this type stands for.
    package var tombstoneOf: String?
    /// Whether the store gives the ids.
    package var numbersIDs: Bool

    package init(
        name: String, idType: StoredType, fields: [DeclaredField],
        relations: [DeclaredRelation] = [], tombstoneOf: String? = nil, numbersIDs: Bool = false
    ) {
        self.name = name
        self.idType = idType
        self.fields = fields
        self.relations = relations
        self.tombstoneOf = tombstoneOf
        self.numbersIDs = numbersIDs
    }
}

/// A field as the app declares it.
package struct DeclaredField: Sendable {
    package var name: String
    package var type: StoredType
    package var rung: Rung
    /// The bytes of its default, for fields that have one; optional fields have nil.
    package var fill: [UInt8]?

    package init(name: String, type: StoredType, rung: Rung = .storable, fill: [UInt8]? = nil) {
        self.name = name
        self.type = type
        self.rung = rung
        self.fill = fill
    }
}

/// A relation as the app declares it.
package struct DeclaredRelation: Sendable {
    package var name: String
    package var target: String
    package var isToMany: Bool
    package var inverse: String?
    package var deleteRule: RelationDefinition.DeleteRule
    package var isRequired: Bool

    package init(
        name: String, target: String, isToMany: Bool, inverse: String? = nil,
        deleteRule: RelationDefinition.DeleteRule = .nullify, isRequired: Bool = false
    ) {
        self.name = name
        self.target = target
        self.isToMany = isToMany
        self.inverse = inverse
        self.deleteRule = deleteRule
        self.isRequired = isRequired
    }
}
