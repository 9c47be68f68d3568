public import Foundation
public import VarveEvents
internal import VarveText

/// Why a step of a migration cannot be performed.
public enum MigrationError: Error, Sendable, Equatable {
    /// A step reads a property that the row does not have.
    case noProperty(String, has: [String])
    /// A value that the requested type cannot read.
    case unreadable(property: String, type: StoredType, requested: String, reason: CodecError)
    /// A value without a stored form.
    case unencodable(property: String, reason: CodecError)
    /// A step set a value that the app's property cannot hold.
    case wrongType(property: String, found: StoredType, expected: StoredType)
    /// The app's type needs a value, and no step has set one. `former` is a property of the store that it may have
    /// been, under another name.
    case missingValue(property: String, of: String, expected: StoredType, former: String?)
    /// A step set a property that neither the app's type nor the store has.
    case unusedValue(property: String)
    /// Two migrations have the name.
    case repeatedName
    /// A relation that is to become to-one is to-many in the app.
    case staysToMany(String)
    /// A relation and its inverse are both to become to-one, or the relation is its own inverse.
    case narrowsBothSides(String)
    /// A relation is to become to-one, and what has it, or what it leads to, gets other ids.
    case narrowsNewIDs(String)
    /// A relation is to become to-one, and entities are joined by it, or by its other side, in the same opening.
    case narrowsJoined(String)
    /// A step makes entities of a type that neither the app nor the store has.
    case noType(String)
    /// A step links two entities by a relation that does not lead from one to the other.
    case noRelation(String, of: String, to: String)
    /// A relation that a step joins by is made by another step of the same opening.
    case splitAndJoined(String)
    /// A step makes entities of a type that a later step of the same opening splits or joins.
    case changedAgain(String)
    /// A type is split and removed in one opening.
    case splitAndRemoved(String)
    /// Two entities would get one id. `by` is the id that the other one had.
    case idTaken(String, by: String)
    /// An id is not of the type that the app has.
    case wrongID(of: String, found: StoredType, expected: StoredType)
    /// Two entities are split into one of the same id, or into one that is there, with another value of a property.
    case partDiffers(type: String, id: String, property: String)
    /// Two entities are to be linked to one by a relation that is one to one.
    case linkTaken(String, of: String, id: String)
}

extension MigrationError: CustomStringConvertible {
    /// What is wrong and, behind the semicolon, what to do.
    public var description: String { message.text }

    private var message: ErrorMessage {
        switch self {
        case .noProperty(let name, let has):
            ErrorMessage(
                "there is no property '\(name)'; there is " + has.joined(separator: ", "),
                "read one of these")
        case .unreadable(let property, let type, let requested, let reason):
            ErrorMessage(
                "'\(property)' is \(type) and cannot be read as \(requested): \(reason)",
                "read it as \(type)")
        case .unencodable(let property, let reason):
            ErrorMessage(
                "'\(property)' cannot be set: \(reason)", "set a value of a type that can be stored"
            )
        case .wrongType(let property, let found, let expected):
            ErrorMessage(
                "'\(property)' was set to \(found) and is \(expected) in the app",
                "set a value of that type")
        case .missingValue(let property, let type, let expected, let former):
            ErrorMessage(
                "'\(property)' has no value",
                (former.map {
                    CatalogError.rename(of: $0, to: property, of: type) + "; else "
                } ?? "")
                    + "set one of type \(expected), or make the property optional or give it a default value"
            )
        case .unusedValue(let property):
            ErrorMessage(
                "'\(property)' was set, and the app's type has no such property",
                "declare it, or end with a step .remove(\"\(property)\", of: …)")
        case .repeatedName:
            ErrorMessage("two migrations have this name", "give each a name of its own")
        case .staysToMany(let name):
            ErrorMessage(
                "'\(name)' stays to-many, because it is to-many in the app",
                "declare it to-one, or leave the step out")
        case .narrowsBothSides(let name):
            ErrorMessage(
                "'\(name)' and its inverse cannot both become to-one, because each would keep another link",
                "keep one of them to-many, or copy the links to new relations in a write")
        case .narrowsNewIDs(let name):
            ErrorMessage(
                "'\(name)' cannot become to-one while entities get other ids",
                "make it to-one in a migration of an earlier version of the app")
        case .narrowsJoined(let name):
            ErrorMessage(
                "'\(name)' cannot become to-one and be joined by in one opening, because a join cuts its links",
                "leave .toOne out, or open the store once with the version of the app that has the first of the steps alone"
            )
        case .noType(let type):
            ErrorMessage(
                "there is no type '\(type)' to split into",
                "name the type to the store, or mend its name in the step; an app that does not have the type any "
                    + "more ends with .remove(type: \"\(type)\"), or opens the store once with the version that has it"
            )
        case .noRelation(let name, let type, let other):
            ErrorMessage(
                "\(type) has no relation '\(name)' that leads to \(other)",
                "declare it, or mend its name in the step; an app that does not name \(type) any more opens the "
                    + "store once with the version that does")
        case .splitAndJoined(let name):
            ErrorMessage(
                "'\(name)' is made by a split and used by a join of the same opening",
                "open the store once with the version of the app that has the split alone")
        case .changedAgain(let type):
            ErrorMessage(
                "the entities of \(type) that the step makes are split or joined in the same opening",
                "open the store once with the version of the app that has this step alone")
        case .splitAndRemoved(let type):
            ErrorMessage(
                "\(type) is split and removed in the same opening",
                "open the store once with the version of the app that has the split alone")
        case .idTaken(let new, let other):
            ErrorMessage(
                "the new id \(new) is that of another entity, which had the id \(other)",
                "let the step make an id of its own for each")
        case .wrongID(let type, let found, let expected):
            ErrorMessage(
                "an id of \(type) was set to \(found) and is \(expected) in the app",
                "set an id of that type")
        case .partDiffers(let type, let id, let property):
            ErrorMessage(
                "\(type) \(id) has another '\(property)' already",
                "split into another id, or set the same value")
        case .linkTaken(let name, let type, let id):
            ErrorMessage(
                "\(type) \(id) is linked to another entity by '\(name)', which is to-one",
                "declare '\(name)' to-many, or split into another id")
        }
    }
}

extension MigrationError: LocalizedError {
    /// The description as a whole, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What is wrong.
    public var failureReason: String? { message.reason }
    /// What to do.
    public var recoverySuggestion: String? { message.suggestion }
}

/// A migration that could not be performed. The store is as it was before.
public struct MigrationFailure: Error, Sendable {
    /// The name of the migration.
    public let migration: String
    /// The name of the type that a step was about.
    public let type: String?
    /// The entity, as people read its id.
    public let id: String?
    /// What the step threw.
    public let error: any Error

    init(_ migration: String, type: String? = nil, id: String? = nil, _ error: any Error) {
        self.migration = migration
        self.type = type
        self.id = id
        self.error = error
    }
}

extension MigrationFailure: CustomStringConvertible {
    /// One line: the migration, the entity and the reason.
    public var description: String { message.text }

    var message: ErrorMessage {
        let place = [type, id].compactMap { $0 }.joined(separator: " ")
        return ErrorMessage(
            "migration '\(migration)'" + (place.isEmpty ? "" : ", \(place)") + ": \(error)",
            "nothing was changed: mend the step, and open the store again")
    }
}

extension MigrationFailure: LocalizedError {
    /// The description as a whole, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { message.reason }
    /// What to do next.
    public var recoverySuggestion: String? { message.suggestion }
}
