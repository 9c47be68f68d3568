/// Steps that make entities, take them, or give them other ids.
extension MigrationStep {
    /// Makes a second entity of each entity, and deleted entity, of a type, and links the two.
    ///
    /// ```swift
    /// .split("Person", into: "Address", linkedBy: .relation("address")) { row in
    ///     guard let street = try row["street", as: String?.self] else { return nil }
    ///     var address = SplitEntity()
    ///     try address.set("street", to: street)
    ///     try address.take("city", from: row)
    ///     return address
    /// },
    /// .remove("street", of: "Person"), .remove("city", of: "Person")
    /// ```
    ///
    /// Entities that are given one id become one entity, where all set the same values. One that is there already is
    /// linked, where it has these values. Later steps about the other type see the new entities too.
    ///
    /// - Parameters:
    ///   - type: the name of the type in the log.
    ///   - new: the name of the other type in the log: one that the app has, new or not.
    ///   - link: the relation that leads from one to the other. Its other side, if it has one, follows.
    ///   - body: makes the second entity, or nil for none; and may change the row. Called for each entity and deleted
    ///     entity, and again when the past is read. It must depend on nothing but the row.
    public static func split(
        _ type: String, into new: String, linkedBy link: SplitLink,
        _ body: @escaping @Sendable (inout MigrationRow) throws -> SplitEntity?
    ) -> MigrationStep {
        MigrationStep(type: type, action: .split(into: new, link, body))
    }

    /// Lets entities take over values of those that a relation leads to, which are deleted then.
    ///
    /// ```swift
    /// .join("address", of: "Person") { row, address in
    ///     try row.set("street", to: address["street", as: String.self])
    /// },
    /// .remove("address", of: "Person"), .remove(type: "Address")
    /// ```
    ///
    /// The links of the relation are cut. A related entity is deleted for good where an entity that is not deleted has
    /// taken its values, and none that is not deleted refers to it by another relation. A related entity that was deleted
    /// before goes with any that has taken its values. Where the store does not have the relation, nothing happens.
    ///
    /// - Parameters:
    ///   - relation: its name in the log.
    ///   - type: the name of the type in the log that has the relation and takes the values.
    ///   - body: called for each related entity, in the order of the relation, as steps before this one have left it. It
    ///     is called for deleted entities too, with what they were linked to. It must depend on nothing but the rows.
    public static func join(
        _ relation: String, of type: String,
        _ body: @escaping @Sendable (inout MigrationRow, _ related: MigrationRow) throws -> Void
    ) -> MigrationStep {
        MigrationStep(type: type, action: .join(relation, body))
    }

    /// Gives each entity, and deleted entity, of a type an id that follows from its row, also one of another type.
    ///
    /// All relations that lead to the entities follow. Later steps see the new ids. A link to an id that no entity has, nor
    /// a deleted one, is cut. Where the app does not name the type any more, nothing happens.
    ///
    /// - Parameters:
    ///   - type: the name of the type in the log.
    ///   - body: makes the id, of the type that the app declares. Two entities of one id are refused. Called again when
    ///     the past is read. It must depend on nothing but the row.
    public static func newIDs<ID: Sendable>(
        of type: String, _ body: @escaping @Sendable (MigrationRow) throws -> ID
    ) -> MigrationStep {
        MigrationStep(
            type: type, action: .newIDs { row in try row.setID(to: try body(row)) })
    }
}

/// The relation between an entity and the one that was split from it.
public enum SplitLink: Sendable, Hashable {
    /// A relation of the type that is split, by its name in the log.
    case relation(String)
    /// A relation of the type that the new entities are of, by its name in the log.
    case inverse(String)
}

/// An entity that a migration makes of another one.
public struct SplitEntity: Sendable {
    /// Nil for that of the entity which is split.
    private(set) var id: MigrationRow.Value?
    private(set) var values: [String: MigrationRow.Value] = [:]

    /// An entity with the id of the one that is split.
    public init() {}

    /// An entity with an id.
    ///
    /// - Throws: ``MigrationError/unencodable(property:reason:)``.
    public init<ID: Sendable>(id: ID) throws(MigrationError) {
        self.id = try MigrationRow.Value(of: "id", id)
    }

    /// Sets a property, by its name in the log.
    ///
    /// - Throws: ``MigrationError/unencodable(property:reason:)``.
    public mutating func set<Value>(_ property: String, to value: Value) throws(MigrationError) {
        values[property] = try MigrationRow.Value(of: property, value)
    }

    /// Sets properties to the values that a row has under the same names.
    ///
    /// - Throws: ``MigrationError/noProperty(_:has:)``.
    public mutating func take(
        _ properties: String..., from row: MigrationRow
    ) throws(MigrationError) {
        for property in properties {
            guard let value = row.value(of: property) else {
                throw .noProperty(property, has: row.properties)
            }
            values[property] = value
        }
    }
}
