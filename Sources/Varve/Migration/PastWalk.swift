internal import VarveEvents
internal import VarveLog
internal import VarveReplay
internal import VarveTables

/// A state that goes back in time, also through migrations: it holds everything that the log does, the former
/// values of properties that were replaced as well.
///
/// Belongs to one thread.
final class PastWalk {
    /// Open as long as the walk goes on.
    private var transaction: StateTransaction
    private(set) var draft: StateDraft
    private var reversal: Reversal<StateDraft>
    private let history: LogHistory
    /// The transaction behind which the state is.
    private(set) var position: TransactionID

    /// - Parameters:
    ///   - oldest: the oldest transaction behind which the walk may begin.
    ///   - catalog: what the log has defined by now.
    init(notBefore oldest: TransactionID, _ catalog: Catalog, _ history: LogHistory) throws {
        let state = try Self.load(max(oldest, catalog.newestChange), history)
        transaction = StateTransaction(state)
        draft = StateDraft(lookingBackIn: transaction)
        position = state.lastTransaction
        reversal = Reversal(draft, .past, catalog: state.catalog, running: 0)
        self.history = history
    }

    /// The state behind a transaction or a later one, by the newest checkpoint that can be read.
    private static func load(
        _ transaction: TransactionID, _ history: LogHistory
    ) throws -> State {
        for checkpoint in history.checkpoints.sorted(by: { $0.sequence > $1.sequence }) {
            guard let state = try loadIfSound(checkpoint, history) else { continue }
            if state.lastTransaction < transaction {
                let first = TransactionID(state.lastTransaction.rawValue + 1)
                return try StoreOpening.apply(first...transaction, to: state, history)
            }
            return state
        }
        return try StoreOpening.apply(1...transaction, to: State(), history)
    }

    /// Nil where the checkpoint is gone or damaged.
    private static func loadIfSound(
        _ checkpoint: CheckpointReference, _ history: LogHistory
    ) throws -> State? {
        do {
            return try StoreOpening.load(.checkpoint(checkpoint), history, nil)
        } catch StoreError.log(let error) where error.reason(against: checkpoint) != nil {
            return nil
        }
    }

    /// Throws where the walk has read blocks of the checkpoint that are damaged: what it found is not to be used.
    func check() throws(StoreError) {
        try StoreError.wrapping { () throws(LogError) in try transaction.checkBlocks() }
    }

    /// Ends the walk with the state that it has come to.
    func finish() -> State { transaction.publish() }

    /// Lets a body change a copy of the state, of which nothing stays.
    func trying<Result>(_ body: (StateDraft) throws -> Result) throws -> Result {
        let state = transaction.publish()
        let copy = StateTransaction(state)
        defer {
            copy.rollBack()
            transaction = StateTransaction(state)
            draft = StateDraft(lookingBackIn: transaction)
            reversal = Reversal(draft, .past, catalog: state.catalog, running: 0)
        }
        return try body(
            StateDraft(copy, running: 0, time: Timestamp(microseconds: 0)))
    }

    /// Goes back to the state behind a transaction.
    func goBack(to transaction: TransactionID) throws {
        guard transaction < position else { return }
        let undone = (transaction.rawValue + 1)...position.rawValue
        try history.forEach(of: undone.reversed().map { TransactionID($0) }) { try takeBack($0) }
        position = transaction
    }

    /// Goes back by one transaction.
    func goBack(
        _ body: (TransactionView, _ takeBack: () throws -> Void) throws -> Void
    ) throws {
        try history.with(position) { view in try body(view) { try takeBack(view) } }
        position = TransactionID(position.rawValue - 1)
    }

    private func takeBack(_ view: TransactionView) throws {
        do throws(ReversalError) {
            try reversal.takeBack(view)
        } catch {
            throw StoreError(error, in: view.id)
        }
    }
}

extension PastWalk {
    /// Makes the rows and links of the state, as they were behind its transaction, those of now.
    func migrate(through past: PastMigrations) throws {
        do {
            try migrateRows(through: past)
        } catch {
            // Rows of damaged pages are none that a step cannot convert.
            try check()
            throw error
        }
    }

    private func migrateRows(through past: PastMigrations) throws {
        guard !past.movesEntities(behind: position) else {
            return try past.migrate(draft, behind: position, keepsRetired: true)
        }
        let narrowings = past.narrowings(behind: position)
        for type in past.types(behind: position) {
            let table = Int(type.rawValue) - 1
            let rows = try past.rows(
                of: draft.definition(ofTable: table), behind: position, keepsRetired: true)
            for slot in 0..<UInt32(truncatingIfNeeded: draft.slotCount(ofTable: table)) {
                let place = EntityPlace(table: table, slot: slot)
                guard let rows, draft.presence(of: place).hasRow else { continue }
                let row = try draft.migratedRow(of: place, rows)
                let stamps = draft.stamps(of: place)
                try draft.replace(
                    place, with: row, lists: draft.keptLists(of: place, narrowings).lists,
                    ordinal: stamps.ordinal, version: stamps.version)
            }
        }
        for narrowing in narrowings { draft.narrow(narrowing) }
    }
}

extension StateDraft {
    /// The row of an entity, or of a tombstone, as migrations make it.
    func migratedRow(of place: EntityPlace, _ rows: PastRows) throws -> [UInt8] {
        var row = ByteWriter()
        try writeRow(of: place, into: &row)
        return try rows.row(
            row.copyBytes(), id: encoded(place).id, isDeleted: presence(of: place) == .tombstone)
    }
}

extension EntityStamps {
    /// What an event calls the version that the stamps are of.
    var version: PreviousVersion {
        var version = PreviousVersion(
            transaction: TransactionID(transaction), updatedAt: Timestamp(microseconds: updatedAt))
        version.saveOrder = saveOrder
        return version
    }
}
