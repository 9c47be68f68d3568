internal import VarveEvents
internal import VarveText

/// What keeps a transaction from being reverted: something that came since and would be lost, or
/// something that is missing by now.
public struct UndoConflict: Sendable, Hashable {
    /// What came since, or is missing.
    public enum Reason: Sendable, Hashable {
        /// The property was changed again.
        case changed(property: String)
        /// The entity was deleted.
        case missing
        /// The entity was created again.
        case exists
        /// Another entity has a value that would be there twice; its id.
        case uniqueValueTaken(index: String, by: String)
        /// The entity that a link would lead to was deleted; its id.
        case targetMissing(relation: String, target: String)
        /// Entities were linked that would lose what they are linked to; their ids.
        case dependants(relation: String, entities: [String])
        /// A to-one relation leads elsewhere by now.
        case ownerMoved(relation: String)
        /// A link of a to-many relation was made, cut or moved again; the id of what it leads to.
        case linkChanged(relation: String, target: String)
        /// Belongs to data of a newer version of the app, which this one does not see.
        case unknownToApp(String)
        /// The id is 0, and the store gives the ids of the type by now: 0 means that one is still to be given.
        case zeroID
    }

    /// The name of the entity's type, as the log has it.
    public let type: String
    /// The entity's id, as people read it.
    public let id: String
    /// What came since, or is missing.
    public let reason: Reason
    /// Whether it remains even where the undo is forced.
    public let isFinal: Bool
}

extension UndoConflict: CustomStringConvertible {
    /// One sentence about the conflict, for people.
    public var description: String { message.escapedForDisplay }

    private var message: String {
        switch reason {
        case .changed(let property): "\(type) \(id): '\(property)' was changed again"
        case .missing: "\(type) \(id) was deleted"
        case .exists: "\(type) \(id) was created again"
        case .uniqueValueTaken(let index, let other):
            "\(type) \(id): \(other) has its value of the unique index '\(index)'"
        case .targetMissing(let relation, let target):
            "\(type) \(id): \(target), which '\(relation)' led to, was deleted"
        case .dependants(let relation, let entities):
            "\(type) \(id) was linked by '\(relation)' to \(entities.joined(separator: ", "))"
        case .ownerMoved(let relation): "\(type) \(id): '\(relation)' leads elsewhere by now"
        case .linkChanged(let relation, let target):
            "\(type) \(id): the link '\(relation)' to \(target) was changed again"
        case .unknownToApp(let name):
            "\(type) \(id): '\(name)' belongs to a newer version of the app"
        case .zeroID:
            "\(type) \(id) cannot return: the store gives the ids of this type by now, from 1 on"
        }
    }
}

extension UndoConflict {
    init(_ conflict: ReversalConflict) {
        type = conflict.type
        id = conflict.id
        isFinal = conflict.isFinal
        reason =
            switch conflict.reason {
            case .fieldChanged(let name), .longTextChanged(let name): .changed(property: name)
            case .missing: .missing
            case .exists: .exists
            case .uniqueValueTaken(let index, let other):
                .uniqueValueTaken(index: index, by: other)
            case .targetMissing(let relation, let target):
                .targetMissing(relation: relation, target: target)
            case .dependants(let relation, let entities):
                .dependants(relation: relation, entities: entities)
            case .ownerMoved(let relation): .ownerMoved(relation: relation)
            case .linkChanged(let relation, let target):
                .linkChanged(relation: relation, target: target)
            case .unknownToApp(let name): .unknownToApp(name)
            case .zeroID: .zeroID
            }
    }
}
