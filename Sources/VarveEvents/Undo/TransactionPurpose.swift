/// What a transaction is for, as its header says.
///
/// The kind in the log knows undo and redo; a revert, a rewind and a restoration can be undone themselves, and
/// are told apart by that or by their metadata.
package enum TransactionPurpose: Hashable, Sendable {
    case write
    case undo(of: TransactionID)
    case redo(of: TransactionID)
    /// An undo of any transaction, which is a step of its own.
    case revert(of: TransactionID)
    /// Brought the store back to an earlier state.
    case rewind
    /// Brought back deleted entities.
    case restore
    case schema
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
