/// What can be undone and redone, scope by scope, and the named savepoints.
///
/// Derived from the headers of transactions alone, in their order; EVENTS.md says how. A value that
/// copies in constant time, so that every state of a store has its own.
package struct Timeline: Sendable {
    /// The stacks of one scope.
    struct Stacks: Sendable {
        var undo: StepEntry?
        var redo: StepEntry?
        /// Whether a write of the group on top may still join it.
        var isOpen = false

        var isEmpty: Bool { undo == nil && redo == nil }
    }

    /// Of transactions without a scope. Apart from the others: most stores have no other.
    var main = Stacks()
    var named: [String: Stacks] = [:]
    /// Transactions behind which a state has a name.
    package internal(set) var savepoints: [String: TransactionID] = [:]

    /// The newest transaction that made an entity be forgotten: through it, history is not answered
    /// for. 0 for none.
    package internal(set) var forgotten: TransactionID = 0

    /// The migrations that were performed, oldest first. Nothing takes them away: each is performed once.
    package internal(set) var migrations: [PerformedMigration] = []

    /// The newest transaction, and the newest that is not on the same scope's stacks.
    var newest = Tail()
    var newestBefore = Tail()

    /// A transaction at the end of the log, and whose stacks it is on.
    struct Tail: Sendable {
        var transaction: TransactionID = 0
        var scope: String?
        /// Whether it is a step or moves along the steps of its scope.
        var isOnStack = false

        func isOnStacks(of scope: String?) -> Bool { isOnStack && self.scope == scope }
    }

    package init() {}

    package var isEmpty: Bool {
        main.isEmpty && named.isEmpty && savepoints.isEmpty && forgotten == 0
    }

    /// The scopes in which something can be undone or redone, nil first, then by name.
    package var scopes: [String?] {
        (main.isEmpty ? [] : [nil]) + named.filter { !$0.value.isEmpty }.keys.sorted()
    }

    // MARK: Asking

    // Each takes the oldest transaction that history is kept from.

    /// The step that an undo reverts next.
    package func undoStep(in scope: String?, from floor: TransactionID = 0) -> TimelineStep? {
        stacks(of: scope).undo.flatMap { $0.first >= floor ? TimelineStep($0) : nil }
    }

    /// The step that a redo brings back next. Its transaction is the undo.
    package func redoStep(in scope: String?, from floor: TransactionID = 0) -> TimelineStep? {
        Self.redoable(stacks(of: scope).redo, from: floor).map(TimelineStep.init)
    }

    /// The steps of a scope, the next first; at most `limit`.
    package func undoSteps(
        in scope: String?, from floor: TransactionID = 0, limit: Int = .max
    ) -> [TimelineStep] {
        Self.steps(stacks(of: scope).undo, from: floor, limit)
    }

    package func redoSteps(
        in scope: String?, from floor: TransactionID = 0, limit: Int = .max
    ) -> [TimelineStep] {
        Self.steps(Self.redoable(stacks(of: scope).redo, from: floor), from: floor, limit)
    }

    /// The newest transaction that is not on a scope's stacks.
    package func newestOther(than scope: String?) -> TransactionID {
        newest.isOnStacks(of: scope) ? newestBefore.transaction : newest.transaction
    }

    private static func steps(
        _ top: StepEntry?, from floor: TransactionID, _ limit: Int
    ) -> [TimelineStep] {
        var steps: [TimelineStep] = []
        var entry = top
        while let top = entry, steps.count < limit, top.first >= floor {
            steps.append(TimelineStep(top))
            entry = top.bottomOfStep.below
        }
        return steps
    }

    /// The group of a write that joins the step on top, if that has the same key and is younger
    /// than `interval` in microseconds, and else begins one.
    package func group(
        key: String, within interval: Int64, at time: Timestamp, scope: String?,
        next: TransactionID
    ) -> String {
        let stacks = stacks(of: scope)
        if stacks.isOpen, let top = stacks.undo, let group = top.group,
            group == Self.group(key, from: top.first)
        {
            let (age, overflow) = time.microseconds
                .subtractingReportingOverflow(top.time.microseconds)
            if !overflow, age >= 0, age <= interval { return group }
        }
        return Self.group(key, from: next)
    }

    /// The group that a key stands for, from a transaction on.
    package static func group(_ key: String, from first: TransactionID) -> String {
        "\(key)#\(first)"
    }

    private func stacks(of scope: String?) -> Stacks {
        guard let scope else { return main }
        return named[scope] ?? Stacks()
    }

    // MARK: Following the log

    /// What a label in the metadata of a transaction says.
    package enum Key {
        /// What all of them begin with, and nothing else may.
        package static let reserved = "varve."
        /// What the step of a group is called.
        package static let stepLabel = "varve.step"
        package static let savepoint = "varve.savepoint"
        package static let savepointRemoved = "varve.savepoint.removed"
        package static let forget = "varve.forget"
        /// The transaction restores what was deleted.
        package static let restore = "varve.restore"
        /// The transaction brings the store back to an earlier state.
        package static let rewind = "varve.rewind"
        /// The transaction tells the other side of relations which links there are.
        package static let completion = "varve.completion"
        /// Which entities the migrations of the transaction made, took, or gave other ids.
        package static let entities = "varve.entities"
    }

    /// Takes the transaction in that follows all that were taken in.
    package mutating func note(_ header: TransactionHeader) {
        noteTail(header)
        if !header.metadata.isEmpty { noteSavepoint(header) }
        for id in header.migrations {
            migrations.append(PerformedMigration(id: id, transaction: header.id))
        }
        if header.metadata[Key.forget] != nil {
            let migrations = migrations
            self = Timeline()
            self.migrations = migrations
            forgotten = header.id
            return
        }
        switch header.kind {
        case .undo(let undone) where !header.isUndoable:
            change(header.scope) { stacks in
                guard let top = stacks.undo, top.transaction == undone else { return }
                stacks.undo = top.bottomOfStep.below
                stacks.redo = Self.entry(
                    header, joins: false, moves: top.moves + 1, on: stacks.redo)
                stacks.isOpen = false
            }
        case .redo(let undo):
            change(header.scope) { stacks in
                guard let top = stacks.redo, top.transaction == undo else { return }
                stacks.redo = top.below
                stacks.undo = Self.entry(
                    header, joins: false, moves: top.moves + 1, on: stacks.undo)
                stacks.isOpen = false
            }
        case .write, .undo, .schema, .purge:
            guard header.isUndoable else { return }
            // Not through `change`, whose body would hold a copy of the header: every commit comes here.
            guard let scope = header.scope else { return Self.push(header, on: &main) }
            Self.push(header, on: &named[scope, default: Stacks()])
        }
    }

    private mutating func noteTail(_ header: TransactionHeader) {
        let isOnStack = header.isOnStack
        if !isOnStack || !newest.isOnStacks(of: header.scope) {
            newestBefore = newest
            newest.scope = header.scope
            newest.isOnStack = isOnStack
        }
        newest.transaction = header.id
    }

    private static func push(_ header: TransactionHeader, on stacks: inout Stacks) {
        let joins = stacks.isOpen && header.group != nil && stacks.undo?.group == header.group
        stacks.undo = Self.entry(header, joins: joins, on: stacks.undo)
        stacks.redo = nil
        stacks.isOpen = true
    }

    /// Whether the transaction changes which savepoints there are.
    package static func concernsSavepoints(_ header: TransactionHeader) -> Bool {
        !header.metadata.isEmpty
            && [Key.savepoint, Key.savepointRemoved, Key.forget].contains {
                header.metadata[$0] != nil
            }
    }

    private mutating func noteSavepoint(_ header: TransactionHeader) {
        if let name = header.metadata[Key.savepoint] { savepoints[name] = header.id }
        if let name = header.metadata[Key.savepointRemoved] { savepoints[name] = nil }
    }

    private mutating func change(_ scope: String?, _ body: (inout Stacks) -> Void) {
        guard let scope else { return body(&main) }
        body(&named[scope, default: Stacks()])
        if named[scope]?.isEmpty == true { named[scope] = nil }
    }

    private static func entry(
        _ header: TransactionHeader, joins: Bool, moves: UInt64 = 0, on below: StepEntry?
    ) -> StepEntry {
        StepEntry(
            header.id, time: header.time,
            label: header.metadata[Key.stepLabel] ?? header.label, group: header.group,
            joins: joins, moves: moves, below: below)
    }
}

/// A migration that a log has behind it.
package struct PerformedMigration: Hashable, Sendable {
    package let id: MigrationID
    /// The transaction that performed it.
    package let transaction: TransactionID
}

extension Timeline {
    /// A migration that came behind any of these transactions, or is one; nil where none did, also where a new store
    /// needed none.
    package func migration(since transactions: [TransactionID]) -> PerformedMigration? {
        guard let newest = migrations.last, newest.transaction > 1,
            let oldest = transactions.min(), oldest <= newest.transaction
        else { return nil }
        return newest
    }
}
