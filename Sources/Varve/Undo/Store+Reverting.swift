internal import Foundation
public import VarveEvents
internal import VarveGraph
internal import VarveLog

extension Store {
    /// Takes one transaction back, whichever it was, and keeps what came since. The reverting
    /// transaction is a step of its own: it can be undone.
    ///
    /// - Returns: the transaction that was appended; nil where all that the other did is gone by
    ///   now.
    /// - Throws: ``StoreError/conflicts(_:)`` where something that came since would be lost, unless
    ///   it is forced, and then nothing was done; ``StoreError/unknownTransaction(_:newest:)``,
    ///   ``StoreError/belowFloor(_:floor:)``; what ``write(_:options:_:)`` throws.
    @discardableResult
    public func revert(
        _ transaction: TransactionID, _ options: UndoOptions = UndoOptions()
    ) throws -> TransactionID? {
        try finish(try writing().revert(transaction, options))
    }

    /// Brings the store back to an earlier state by one transaction, which can be undone. What came
    /// since stays in the history.
    ///
    /// Afterwards rows, links with their order on both sides, places in the default order, and
    /// tombstones with what they hold are those of ``context(asOf:)``; `updatedAt` of what changed
    /// is the time of the rewind. Nothing that came since is a conflict, so `force` in the options
    /// has nothing to overrule.
    ///
    /// - Returns: the transaction that was appended; nil where the state is the same already.
    /// - Throws: ``StoreError/conflicts(_:)`` where it would change data of a newer version of the app, or
    ///   break a unique index that is newer than the state, and then nothing was done;
    ///   ``StoreError/unknownTransaction(_:newest:)``, ``StoreError/belowFloor(_:floor:)``,
    ///   ``StoreError/unknownSavepoint(_:)``; what ``write(_:options:_:)`` throws.
    /// - Complexity: that of the changes since.
    @discardableResult
    public func rewind(
        to point: HistoryPoint, _ options: UndoOptions = UndoOptions()
    ) throws -> TransactionID? {
        try finish(try writing().rewind(to: point, options))
    }

    // MARK: - Savepoints

    /// A state that has a name. As long as it has, compactions keep the history back to it.
    public struct Savepoint: Sendable, Hashable {
        /// The name that the state was given.
        public let name: String
        /// The transaction behind which the state was.
        public let transaction: TransactionID
    }

    /// Gives the newest state a name, in a transaction of its own. A savepoint of the same name goes.
    @discardableResult
    public func setSavepoint(_ name: String) throws -> Savepoint {
        let transaction = try finish(
            try writing().note([Timeline.Key.savepoint: name], "Savepoint \(name)"))
        return Savepoint(name: name, transaction: transaction)
    }

    /// Takes a name away, and with it what it kept from being dropped.
    ///
    /// - Throws: ``StoreError/unknownSavepoint(_:)``.
    public func removeSavepoint(_ name: String) throws {
        guard published.timeline.savepoints[name] != nil else {
            throw StoreError.unknownSavepoint(name)
        }
        _ = try finish(
            try writing().note(
                [Timeline.Key.savepointRemoved: name], "Remove savepoint \(name)"))
    }

    /// Those that there are, oldest first.
    public var savepoints: [Savepoint] {
        published.timeline.savepoints
            .map { Savepoint(name: $0.key, transaction: $0.value) }
            .sorted { ($0.transaction, $0.name) < ($1.transaction, $1.name) }
    }
}

extension Writer {
    fileprivate func revert(
        _ transaction: TransactionID, _ options: UndoOptions
    ) throws -> Written<TransactionID?> {
        let history = try self.history(forgotten: forgotten)
        let label = try history.with(transaction) { $0.header.label }
        let name = label.map { "“\($0)”" } ?? "transaction \(transaction)"
        return try commit(options.durability) { core in
            var header = header("Revert \(name)", options.written, core)
            header.kind = .undo(of: transaction)
            header.isUndoable = true
            return header
        } body: { state, turn in
            try StateReversal.takeBack(
                [transaction], from: &state,
                turn.history(state),
                running: turn.header, memory: turn.memory, force: options.force)
        }.transaction
    }

    fileprivate func rewind(
        to point: HistoryPoint, _ options: UndoOptions
    ) throws -> Written<TransactionID?> {
        try commit(options.durability) { core in
            var options = options.written
            options.undoable = true
            options.metadata[Timeline.Key.rewind] = "1"
            return header("Rewind", options, core)
        } body: { state, turn in
            let history = turn.history(state)
            let target = try history.transaction(at: point, state)
            let undone = (target.rawValue + 1)..<turn.header.id.rawValue
            try StateReversal.rewind(
                undone.reversed().map { TransactionID($0) }, from: &state, history,
                running: turn.header, memory: turn.memory)
        }.transaction
    }

    /// Appends a transaction that changes no entity.
    fileprivate func note(
        _ metadata: [String: String], _ label: String
    ) throws -> Written<TransactionID> {
        try commit(nil, evenIfEmpty: true) { core in
            header(label, WriteOptions(metadata: metadata, undoable: false), core)
        } body: { _, turn in
            turn.header.id
        }
    }
}
