public import Foundation
public import VarveEvents

/// What a transaction says about itself.
public struct TransactionInfo: Sendable, Hashable {
    /// What a transaction is for.
    public enum Kind: Sendable, Hashable {
        case write
        /// Undoes that transaction, and the others of its step.
        case undo(of: TransactionID)
        /// Undoes that undo.
        case redo(of: TransactionID)
        /// Undoes that transaction, in a step of its own.
        case revert(of: TransactionID)
        /// Brings the store back to an earlier state.
        case rewind
        /// Brings back deleted entities.
        case restore
        /// Definitions, and the changes of a migration.
        case schema
        /// Removal of tombstones.
        case purge
    }

    public let id: TransactionID
    public let time: Date
    public let kind: Kind
    /// Whether it is, or was, a step that can be undone.
    public let isUndoable: Bool
    public let label: String?
    public let scope: String?
    public let group: String?
    public let author: String?
    public let metadata: [String: String]
}

extension TransactionInfo {
    init(_ header: TransactionHeader) {
        id = header.id
        time = header.time.date
        kind =
            switch header.purpose {
            case .write: .write
            case .undo(let id): .undo(of: id)
            case .redo(let id): .redo(of: id)
            case .revert(let id): .revert(of: id)
            case .rewind: .rewind
            case .restore: .restore
            case .schema: .schema
            case .purge: .purge
            }
        isUndoable = header.isUndoable
        label = header.label
        scope = header.scope
        group = header.group
        author = header.author
        metadata = header.metadata
    }
}
