/// Which transactions undos, redos and reverts reverse, of the transactions from some on.
struct StepMoves {
    /// What an undo, redo or revert did to the transaction that it leads back to.
    private struct Move {
        let root: TransactionID
        let withdraws: Bool
        /// Whether all transactions of the root's step are meant.
        let isWholeStep: Bool
    }

    private let subjects: Set<TransactionID>
    private let first: TransactionID
    private var timeline = Timeline()
    private var moves: [TransactionID: Move] = [:]
    /// Transactions from before the subjects that were withdrawn behind them, and whether with their step.
    private(set) var withdrawn: [TransactionID: Bool] = [:]

    init(before subjects: Set<TransactionID>) {
        self.subjects = subjects
        first = subjects.min() ?? 0
    }

    /// Takes in the next transaction. Returns those that it reverses, if it is an undo, redo or revert.
    mutating func take(_ header: TransactionHeader) -> [TransactionID] {
        defer { timeline.note(header) }
        let other: TransactionID
        let isUndo: Bool
        switch header.kind {
        case .undo(let undone): (other, isUndo) = (undone, true)
        case .redo(let undone): (other, isUndo) = (undone, false)
        case .write, .schema, .purge: return []
        }
        let earlier = moves[other]
        note(
            Move(
                root: earlier?.root ?? other, withdraws: !(earlier?.withdraws ?? !isUndo),
                isWholeStep: earlier?.isWholeStep ?? !header.isUndoable),
            of: header.id)
        guard isUndo, !header.isUndoable, let step = timeline.undoStep(in: header.scope),
            step.newest == other
        else { return [other] }
        return step.transactions
    }

    private mutating func note(_ move: Move, of transaction: TransactionID) {
        // A subject is to be reversed itself.
        guard !subjects.contains(transaction) else { return }
        moves[transaction] = move
        guard move.root < first else { return }
        withdrawn[move.root] = move.withdraws ? move.isWholeStep : nil
    }
}
