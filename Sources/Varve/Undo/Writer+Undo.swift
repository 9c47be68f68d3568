internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// Which way along a timeline.
enum TimelineDirection: Sendable {
    case undo
    case redo

    /// The next step, as far as history from `floor` on leads.
    func step(_ timeline: Timeline, _ scope: String?, from floor: TransactionID) -> TimelineStep? {
        switch self {
        case .undo: timeline.undoStep(in: scope, from: floor)
        case .redo: timeline.redoStep(in: scope, from: floor)
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
            let timeline = core.sharedHead.timeline
            guard let step = direction.step(timeline, options.scope, from: floor) else {
                // What a compaction drops at this moment is on the stack still.
                if let lost = direction.step(timeline, options.scope, from: 0) {
                    throw StoreError.belowFloor(lost.oldest, floor: floor)
                }
                throw direction.nothing(options.scope)
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
