internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// Which way along a timeline.
enum TimelineDirection: Sendable {
    case undo
    case redo

    func step(_ timeline: Timeline, _ scope: String?) -> TimelineStep? {
        switch self {
        case .undo: timeline.undoStep(in: scope)
        case .redo: timeline.redoStep(in: scope)
        }
    }

    func nothing(_ scope: String?) -> StoreError {
        switch self {
        case .undo: .nothingToUndo(scope: scope)
        case .redo: .nothingToRedo(scope: scope)
        }
    }

    func kind(_ transaction: TransactionID) -> TransactionHeader.Kind {
        switch self {
        case .undo: .undo(of: transaction)
        case .redo: .redo(of: transaction)
        }
    }
}

extension Writer {
    /// Appends a transaction that takes the next step of a scope back, or brings it back.
    func move(
        _ direction: TimelineDirection, _ options: UndoOptions,
        isCancelled: () -> Bool = { false }
    ) throws -> Written<UndoStep> {
        var found: TimelineStep?
        return try commit(options.durability, evenIfEmpty: true, isCancelled: isCancelled) {
            core in
            guard let step = direction.step(core.sharedHead.timeline, options.scope)
            else {
                throw direction.nothing(options.scope)
            }
            guard step.oldest >= floor else {
                throw StoreError.belowFloor(step.oldest, floor: floor)
            }
            found = step
            return header(direction.kind(step.newest), step.label, options, core)
        } body: { state, turn in
            guard let step = found else { throw direction.nothing(options.scope) }
            try StateReversal.takeBack(
                step.transactions, from: &state,
                turn.unpinnedHistory(state),
                running: turn.header, memory: turn.memory, force: options.force)
            return UndoStep(step)
        }
    }
}
