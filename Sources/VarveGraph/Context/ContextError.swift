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
}

extension ContextError: CustomStringConvertible {
    /// What was refused, and what to do next.
    public var description: String { message.escapedForDisplay }

    private var message: String {
        switch self {
        case .savedWhileDeleted(let type, let id):
            "a hook saved \(type) \(id) again while its tombstone was being saved: delete it there"
        case .deleteDenied(let type, let id, let relation, let children):
            """
            \(type) \(id) cannot be deleted while its relation '\(relation)' leads to \
            \(children.joined(separator: ", ")): delete or detach what it leads to first
            """
        case .requiredRelationMissing(let type, let id, let relation):
            "\(type) \(id) lacks its required relation '\(relation)': set it, and save what it leads to"
        case .noSuchEntity(let type, let id):
            "there is no \(type) with the id \(id): save it first, or ask with find, which gives nil"
        }
    }
}
