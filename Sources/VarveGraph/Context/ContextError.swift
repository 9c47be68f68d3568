/// Why a context refuses a change. The change is taken back as a whole.
public enum ContextError: Error, Hashable, Sendable {
    /// A tombstone was saved, and a hook saved the entity again while it was being deleted.
    case savedWhileDeleted(type: String)
}

extension ContextError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .savedWhileDeleted(let type):
            "a hook saved the \(type) again while its tombstone was being saved: delete it there"
        }
    }
}
