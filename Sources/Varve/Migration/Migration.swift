internal import VarveEvents

/// A change of stored data that goes with a change of the app's types, and is performed once.
///
/// A store that is opened with migrations performs those that its log does not have behind it, in their order, in one
/// transaction. If a step throws, or the process is killed, the store stays as it was. A new store performs none.
///
/// ```swift
/// let store = try Store(at: url, migrations: [
///     Migration("full names", of: "Person") { row in
///         let first = try row["first", as: String.self]
///         try row.set("fullName", to: first + " " + row["last", as: String.self])
///     },
///     Migration("ages as texts", .convert("age", of: "Person", from: Int.self, to: String.self) { "\($0)" }),
/// ], Person.self)
/// ```
///
/// Steps name types and properties as the log does: by their persisted names. They see values, not the app's types,
/// which may be gone.
public struct Migration: Sendable {
    /// The name under which the log knows it. It never changes.
    public let name: String
    /// Which form of it this is, from 1. A store performs it if its log has neither this version behind it nor a later one.
    public let version: Int
    /// What it does, in this order for each entity.
    public let steps: [MigrationStep]

    /// A migration of these steps.
    ///
    /// - Parameter version: from 1. A higher one is performed also where the log has a lower one behind it.
    public init(_ name: String, version: Int = 1, _ steps: MigrationStep...) {
        self.init(name, version: version, steps: steps)
    }

    /// A migration of the steps in an array.
    public init(_ name: String, version: Int = 1, steps: [MigrationStep]) {
        precondition(
            (1...Int(Int32.max)).contains(version), "versions of migrations begin with 1")
        self.name = name
        self.version = version
        self.steps = steps
    }

    var id: MigrationID { MigrationID(name: name, version: UInt32(version)) }

    /// A migration that changes each entity, and deleted entity, of one type.
    ///
    /// - Parameters:
    ///   - name: the name under which the log knows it.
    ///   - version: from 1. A higher one is performed also where the log has a lower one behind it.
    ///   - type: the name of the type in the log.
    ///   - body: called for each entity and deleted entity, and again when the past is read. It must depend on nothing
    ///     but the row.
    public init(
        _ name: String, version: Int = 1, of type: String,
        _ body: @escaping @Sendable (inout MigrationRow) throws -> Void
    ) {
        self.init(name, version: version, steps: [.rows(of: type, body)])
    }
}

/// One thing that a migration does.
public struct MigrationStep: Sendable {
    enum Action: Sendable {
        case rows(@Sendable (inout MigrationRow) throws -> Void)
        /// The values of a property are made anew, also where the old ones could be taken over.
        case convert(String, @Sendable (inout MigrationRow) throws -> Void)
        case removeCase(String, @Sendable (inout MigrationRow) throws -> Void)
        case rename(String, to: String)
        case renameType(to: String)
        case remove(String)
        case removeType
        case narrow(String, LinkChoice)
        case split(into: String, SplitLink, @Sendable (inout MigrationRow) throws -> SplitEntity?)
        case join(String, @Sendable (inout MigrationRow, MigrationRow) throws -> Void)
        case newIDs(@Sendable (inout MigrationRow) throws -> Void)
    }

    /// The name of the type in the log.
    let type: String
    let action: Action

    /// Changes each entity, and deleted entity, of a type: splits and joins properties, computes from the whole row.
    ///
    /// - Parameters:
    ///   - type: the name of the type in the log.
    ///   - body: called for each of them, and again when the past is read. It must depend on nothing but the row.
    public static func rows(
        of type: String, _ body: @escaping @Sendable (inout MigrationRow) throws -> Void
    ) -> MigrationStep {
        MigrationStep(type: type, action: .rows(body))
    }

    /// Gives a property another type. Where the store does not have the property, nothing happens.
    ///
    /// - Parameters:
    ///   - property: its name in the log, before and after.
    ///   - type: the name of the entity's type in the log.
    ///   - old: a type that reads the stored values.
    ///   - new: the type that the property has in the app, or a later migration expects.
    ///   - body: makes a new value of an old one.
    public static func convert<Old, New>(
        _ property: String, of type: String, from old: Old.Type, to new: New.Type,
        _ body: @escaping @Sendable (Old) throws -> New
    ) -> MigrationStep {
        MigrationStep(
            type: type,
            action: .convert(property) { row in
                guard row.has(property) else { return }
                try row.set(property, to: try body(try row[property, as: old]))
            })
    }

    /// Gives a value to entities that have none: the property is nil, or new.
    ///
    /// - Parameters:
    ///   - property: its name in the log.
    ///   - type: the name of the entity's type in the log.
    ///   - value: a value of the type that the property has in the app.
    public static func fill<Value: Sendable>(
        _ property: String, of type: String, with value: Value
    ) -> MigrationStep {
        MigrationStep(
            type: type, action: .rows { row in try row.fill(property, with: value) })
    }

    /// Gives a property or a relation another name in the log, where `@PersistedName` would keep the former one.
    ///
    /// Later steps use the new name. Where the store does not have the former one, nothing happens.
    ///
    /// - Parameters:
    ///   - name: its name in the log so far.
    ///   - type: the name of the entity's type in the log.
    ///   - new: its name from then on.
    public static func rename(_ name: String, of type: String, to new: String) -> MigrationStep {
        MigrationStep(type: type, action: .rename(name, to: new))
    }

    /// Gives a type another name in the log, where `@EntityModel("…")` would keep the former one.
    ///
    /// Later steps use the new name. Where the store does not have the former one, nothing happens.
    ///
    /// - Parameters:
    ///   - type: its name in the log so far.
    ///   - new: its name from then on.
    public static func rename(type: String, to new: String) -> MigrationStep {
        MigrationStep(type: type, action: .renameType(to: new))
    }

    /// Removes a case of an enumeration: entities that have it get another value.
    ///
    /// - Parameters:
    ///   - name: the case's name in a `@Storable` enumeration, or its raw value as a text.
    ///   - property: the name of the property in the log.
    ///   - type: the name of the entity's type in the log.
    ///   - replacement: a value of the type that the property has in the app; nil where that is optional.
    public static func removeCase<Value: Sendable>(
        _ name: String, from property: String, of type: String, replacement: Value
    ) -> MigrationStep {
        MigrationStep(
            type: type,
            action: .removeCase(property) { row in
                try row.removeCase(name, from: property, replacement: replacement)
            })
    }

    /// Removes a property or a relation for good, with its values.
    ///
    /// Without it the log keeps what the app's type lacks, for an app that knows it.
    ///
    /// - Parameters:
    ///   - property: its name in the log. The name can be used again, for another type.
    ///   - type: the name of the entity's type in the log.
    public static func remove(_ property: String, of type: String) -> MigrationStep {
        MigrationStep(type: type, action: .remove(property))
    }

    /// Removes a type for good, with its entities, its deleted entities and all links to them.
    ///
    /// - Parameter type: its name in the log. The name can be used again, for another type.
    public static func remove(type: String) -> MigrationStep {
        MigrationStep(type: type, action: .removeType)
    }

    /// Makes a to-many relation one to one: one of its links stays, and the others are cut on both sides.
    ///
    /// - Parameters:
    ///   - relation: its name in the log, before and after.
    ///   - type: the name of the entity's type in the log.
    ///   - choice: which of several links stays.
    public static func toOne(
        _ relation: String, of type: String, keeping choice: LinkChoice
    ) -> MigrationStep {
        MigrationStep(type: type, action: .narrow(relation, choice))
    }
}

/// Which link of a to-many relation stays when it becomes one to one.
public enum LinkChoice: Sendable {
    /// The first of the list.
    case first
    /// The last of the list.
    case last
}
