public import Foundation
internal import VarveText

/// Why a context refuses a change. The change is rolled back as a whole.
public enum ContextError: Error, Hashable, Sendable {
    /// A tombstone was saved, and a hook saved the entity again while it was being deleted.
    case savedWhileDeleted(type: String, id: String)
    /// An entity was to be deleted whose relation, by its delete rule `.deny`, keeps it as long as
    /// there are related entities: `children` are their ids.
    case deleteDenied(type: String, id: String, relation: String, children: [String])
    /// An entity without the related entity that a relation `.required` asks for.
    case requiredRelationMissing(type: String, id: String, relation: String)
    /// An entity was required by its id, and the context has none.
    case noSuchEntity(type: String, id: String)
    /// No id is left of those that the store gives: `last` is the greatest of the property's type.
    case idsExhausted(type: String, property: String, last: String)
}

extension ContextError: CustomStringConvertible {
    /// What was refused, and what to do next.
    public var description: String { message.text }

    private var message: ErrorMessage {
        switch self {
        case .savedWhileDeleted(let type, let id):
            ErrorMessage(
                "a hook saved \(type) \(id) again while its tombstone was being saved",
                "delete it there")
        case .deleteDenied(let type, let id, let relation, let children):
            ErrorMessage(
                "\(type) \(id) cannot be deleted while its relation '\(relation)' leads to "
                    + children.joined(separator: ", "),
                "delete or detach what it leads to first")
        case .requiredRelationMissing(let type, let id, let relation):
            ErrorMessage(
                "\(type) \(id) lacks its required relation '\(relation)'",
                "set it, and save what it leads to")
        case .noSuchEntity(let type, let id):
            ErrorMessage(
                "there is no \(type) with the id \(id)",
                "save it first, or use find, which returns nil")
        case .idsExhausted(let type, let property, let last):
            ErrorMessage(
                "the store has given all ids of \(type) up to \(last), the greatest of '\(property)'",
                "restart the app if it gave so great an id itself, in what was not kept; "
                    + "else move the entities to a type whose '\(property)' is a wider integer")
        }
    }
}

extension ContextError: LocalizedError {
    /// The description as a whole, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { message.reason }
    /// What to do next.
    public var recoverySuggestion: String? { message.suggestion }
}
