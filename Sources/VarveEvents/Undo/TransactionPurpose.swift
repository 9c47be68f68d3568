/// What a transaction is for, as its header says.
///
/// The kind in the log knows undo and redo; a revert, a rewind and a restoration can be undone themselves, and
/// differ from other transactions by that or by their metadata.
public enum TransactionPurpose: Hashable, Sendable {
    /// Changes that the app made.
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

extension TransactionHeader {
    package var purpose: TransactionPurpose {
        switch kind {
        case .write where metadata[Timeline.Key.restore] != nil: .restore
        case .write where metadata[Timeline.Key.rewind] != nil: .rewind
        case .write: .write
        case .undo(let id): isUndoable ? .revert(of: id) : .undo(of: id)
        case .redo(let id): .redo(of: id)
        case .schema: .schema
        case .purge: .purge
        }
    }
}
