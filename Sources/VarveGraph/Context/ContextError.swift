/// Why a context refuses a change. The change is taken back as a whole.
public enum ContextError: Error, Hashable, Sendable {
    /// A tombstone was saved, and a hook saved the entity again while it was being deleted.
    case savedWhileDeleted(type: String)
    /// A unique index has the value already: the ids of the entity that has it and of the one that
    /// was to be saved, the property that declares the index, and the value.
    case uniqueValueIndexViolation(
        type: String, existing: String, new: String, indexName: String, value: String)
}

extension ContextError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .savedWhileDeleted(let type):
            "a hook saved the \(type) again while its tombstone was being saved: delete it there"
        case .uniqueValueIndexViolation(let type, let existing, let new, let indexName, let value):
            "the \(type) \(new) cannot be saved: \(indexName) has \(value) of \(existing) already"
        }
    }
}
