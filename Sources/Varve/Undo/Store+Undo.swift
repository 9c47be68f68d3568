internal import Foundation
internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// How a step is undone or redone.
public struct UndoOptions: Sendable, Hashable {
    /// The undo stack: a document, a window. Nil is the stack of writes without a scope.
    public var scope: String?
    /// Whether an undo, a redo or a revert overwrites what came since. What would break a unique
    /// constraint, or touches data of a newer version of the app, is refused all the same. A
    /// restoration and a rewind are not told apart by it.
    public var force: Bool
    /// Who does it.
    public var author: String?
    /// What to wait for, where that is more than the store's own rule.
    public var durability: Durability?

    /// Says which stack an undo is for, and what it may overwrite.
    ///
    /// - Parameters:
    ///   - scope: the undo stack; nil is the stack of writes without a scope.
    ///   - force: whether it overwrites what came since.
    ///   - author: who undoes.
    ///   - durability: what to wait for, where that is more than the store's own rule.
    public init(
        scope: String? = nil, force: Bool = false, author: String? = nil,
        durability: Durability? = nil
    ) {
        self.scope = scope
        self.force = force
        self.author = author
        self.durability = durability
    }

    var written: WriteOptions {
        WriteOptions(scope: scope, author: author, undoable: false, durability: durability)
    }
}

extension Store {
    // MARK: - Undo and redo

    /// Reverts the newest step of a scope, by a transaction that is appended: it survives a
    /// relaunch, and can be redone until something else is written in the scope.
    ///
    /// Only what the step did is reverted; what other scopes did meanwhile stays. Neither hooks
    /// nor merge strategies nor delete rules run.
    ///
    /// - Returns: the step.
    /// - Throws: ``StoreError/nothingToUndo(scope:)``; ``StoreError/belowFloor(_:floor:)`` where a
    ///   compaction has dropped the step's history; ``StoreError/conflicts(_:)`` where something
    ///   came since that would be lost, and then nothing was done; what ``write(_:options:_:)``
    ///   throws.
    /// - Complexity: that of the changes that the step made.
    @discardableResult
    public func undo(scope: String? = nil, force: Bool = false) throws -> UndoStep {
        try undo(UndoOptions(scope: scope, force: force))
    }

    /// Brings the step of a scope back that was undone last. See ``undo(scope:force:)``.
    @discardableResult
    public func redo(scope: String? = nil, force: Bool = false) throws -> UndoStep {
        try redo(UndoOptions(scope: scope, force: force))
    }

    /// Reverts the newest step, as the options say. See ``undo(scope:force:)``.
    @discardableResult
    public func undo(_ options: UndoOptions) throws -> UndoStep { try move(.undo, options) }

    /// Brings back the step that was undone last, as the options say. See ``redo(scope:force:)``.
    @discardableResult
    public func redo(_ options: UndoOptions) throws -> UndoStep { try move(.redo, options) }

    /// Undoes on the store's own thread, and waits for the disk on none.
    @discardableResult
    public func undo(_ options: UndoOptions = UndoOptions()) async throws -> UndoStep {
        try await move(.undo, options)
    }

    /// Redoes on the store's own thread, and waits for the disk on none.
    @discardableResult
    public func redo(_ options: UndoOptions = UndoOptions()) async throws -> UndoStep {
        try await move(.redo, options)
    }

    private func move(
        _ direction: TimelineDirection, _ options: UndoOptions
    ) throws -> UndoStep {
        try finish(try writing().move(direction, options))
    }

    private func move(
        _ direction: TimelineDirection, _ options: UndoOptions
    ) async throws -> UndoStep {
        try await onOwnThread { writer, isCancelled in
            try writer.move(direction, options, isCancelled: isCancelled)
        }
    }

    // MARK: - What there is

    // Each is asked of the timeline first and of the floor then: a compaction that drops a step in between is seen.

    /// Whether ``undo(scope:force:)`` has a step to undo at this moment. Another thread, or a compaction
    /// that drops history, may take it away before the next call.
    public var canUndo: Bool { canUndo(scope: nil) }

    /// Whether ``redo(scope:force:)`` has a step to bring back at this moment.
    public var canRedo: Bool { canRedo(scope: nil) }

    /// Whether ``undo(scope:force:)`` has a step of this scope at this moment. See ``canUndo``.
    ///
    /// - Complexity: O(1).
    public func canUndo(scope: String?) -> Bool { step(.undo, scope) != nil }

    /// Whether ``redo(scope:force:)`` has a step of this scope at this moment. See ``canRedo``.
    ///
    /// - Complexity: O(1).
    public func canRedo(scope: String?) -> Bool { step(.redo, scope) != nil }

    /// The label of the step that an undo would revert, as its write gave it; nil where it said nothing or there is
    /// no step.
    public var undoLabel: String? { undoLabel(scope: nil) }

    /// The label of the step that a redo would bring back; nil where it has none or there is no step.
    public var redoLabel: String? { redoLabel(scope: nil) }

    /// The label of the step that an undo of this scope would take; nil where it has none or there is no step.
    public func undoLabel(scope: String?) -> String? { step(.undo, scope)?.label }

    /// The label of the step that a redo of this scope would bring back; nil where it has none or there is no step.
    public func redoLabel(scope: String?) -> String? { step(.redo, scope)?.label }

    private func step(_ direction: TimelineDirection, _ scope: String?) -> TimelineStep? {
        direction.step(published.timeline, scope, from: floor)
    }

    /// The steps that can be undone, the next first.
    ///
    /// - Complexity: linear in the number of steps.
    public func undoSteps(scope: String? = nil, limit: Int = .max) -> [UndoStep] {
        published.timeline.undoSteps(in: scope, from: floor, limit: limit).map(UndoStep.init)
    }

    /// The steps that can be redone, the next first.
    ///
    /// - Complexity: linear in the number of steps.
    public func redoSteps(scope: String? = nil, limit: Int = .max) -> [UndoStep] {
        published.timeline.redoSteps(in: scope, from: floor, limit: limit).map(UndoStep.init)
    }

    /// The scopes in which something can be undone or redone; nil is that of writes without one.
    public var undoScopes: [String?] { published.timeline.scopes }

    // MARK: - Groups

    /// Makes everything that the body writes one step, called `label`. Of blocks inside one another
    /// the outermost counts. The transactions stay transactions: readers see each, and where the
    /// body throws, those before stay and can be undone.
    public func group<Result>(
        _ label: String = "", _ body: () throws -> Result
    ) rethrows -> Result {
        try StepGroup.$current.withValue(groupToJoin(label)) { try body() }
    }

    /// Makes everything that the body writes, also in tasks that it starts, one step.
    public func group<Result>(
        _ label: String = "", _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await StepGroup.$current.withValue(groupToJoin(label)) { try await body() }
    }

    private func groupToJoin(_ label: String) -> StepGroup? {
        if let outer = StepGroup.current, outer.store == ObjectIdentifier(self) { return outer }
        guard let writer else { return nil }
        return StepGroup(
            store: ObjectIdentifier(self), name: writer.makeGroupName(label), label: label)
    }
}
