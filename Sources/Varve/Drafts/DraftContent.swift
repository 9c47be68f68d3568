internal import VarveEvents
internal import VarveGraph

/// What a draft holds: two snapshots, and which rows and lists differ between them.
///
/// Copying it is O(1). What was touched is read off the undo logs of each edit, which are cleared then: before-images
/// are in the base, so the memory of a draft grows with the number of entities that it touches, not of its edits.
struct DraftContent: Sendable {
    /// What the draft began with.
    var base: StoreState
    /// The newest transaction of the store that the base shows, but for the draft's own commits.
    private(set) var baseTransaction: TransactionID
    /// Commits of the draft behind what others wrote since: the base shows them, and not what is between.
    private(set) var commits: Set<TransactionID> = []
    /// Whether the base is a published state of the store: then its slots are those of all later states.
    var sharesSlots: Bool
    /// What the draft shows. Each edit counts as a transaction behind the last one of the base.
    var state: StoreState
    /// What the edits touched, by the tables of `state`.
    var touched = ChangedRows()
    /// Why rows went, by the position of the table and the slot.
    var deleteCauses: [Int: [UInt32: DeleteCause]] = [:]

    init(on base: StoreState, transaction: TransactionID, sharesSlots: Bool) {
        self.base = base
        self.baseTransaction = transaction
        self.sharesSlots = sharesSlots
        state = base
    }

    /// - Parameter state: one that a store has published.
    init(published state: StoreState) {
        self.init(on: state, transaction: state.lastTransaction, sharesSlots: true)
    }

    /// The newest transaction that the base shows anything of.
    var newestTransaction: TransactionID { max(baseTransaction, commits.max() ?? baseTransaction) }

    /// The content without its changes.
    var reverted: DraftContent {
        var reverted = DraftContent(
            on: base, transaction: baseTransaction, sharesSlots: sharesSlots)
        reverted.commits = commits
        return reverted
    }

    /// The content once its changes were committed: what it shows is its base. What others wrote before the commit is
    /// not in it, and still to come.
    ///
    /// - Parameters:
    ///   - head: the newest transaction before the commit.
    ///   - transaction: the commit; nil where there was nothing to write.
    func committed(behind head: TransactionID, in transaction: TransactionID?) -> DraftContent {
        var committed = DraftContent(on: state, transaction: baseTransaction, sharesSlots: false)
        committed.commits = commits
        guard let transaction else { return committed }
        if head == baseTransaction {
            committed.baseTransaction = transaction
        } else {
            committed.commits.insert(transaction)
        }
        return committed
    }

    /// Runs a body on a copy of the state, which becomes the state if it returns.
    ///
    /// - Returns: what the body touched.
    mutating func edit(
        at time: Int64, _ body: (inout StoreState) throws -> Void
    ) throws -> ChangedRows {
        var next = state
        next.lastTransaction = TransactionID(state.lastTransaction.rawValue + 1)
        let token = TransactionToken()
        next.context.beginTracking(
            transaction: next.lastTransaction.rawValue, time: time, token: token)
        try body(&next)
        guard next.context.session.token === token else { throw StoreError.foreignContext }
        try next.extendSchema()
        let rows = ChangedRows(journalOf: next.context)
        noteCauses(in: next.context, of: rows)
        next.context.endTracking()
        touched.merge(rows)
        state = next
        return rows
    }

    private mutating func noteCauses(in context: Context, of rows: ChangedRows) {
        for (position, slots) in rows.tables {
            let causes = context.tables.tables.unfilled[position].deleteCauses
            if causes.isEmpty, deleteCauses[position] == nil { continue }
            for slot in slots.rows { deleteCauses[position, default: [:]][slot] = causes[slot] }
        }
    }

    // MARK: - What differs

    private var comparison: StateComparison {
        StateComparison(before: base, after: state, named: state)
    }

    private var subjects: [StateComparison.Subject] {
        get throws(CodecError) { try touched.subjects(in: state.context) }
    }

    /// Whether an entity that was touched differs from the base.
    var hasChanges: Bool {
        get throws(CodecError) { try comparison.isAnyChanged(try subjects) }
    }

    var changes: StoreDiff {
        get throws(CodecError) {
            StoreDiff(
                before: base.context, after: state.context,
                changes: EntityChanges(comparison, try comparison.changed(try subjects)))
        }
    }
}

extension DraftContent {
    /// The error for a value that cannot be written: it names the entity. Reads the entities that were touched.
    func unencodable(_ error: CodecError) -> StoreError {
        for (position, slots) in touched.tables.sorted(by: { $0.key < $1.key }) {
            let table = state.context.tables.tables[rows: position]
            for slot in slots.rows.map({ Slot($0) }) where table.isLive(slot) {
                var bytes = ByteWriter()
                do throws(CodecError) {
                    try table.descriptor.operations.storeID(table, slot, &bytes)
                    try table.storeRow(at: slot, into: &bytes)
                } catch {
                    return .unencodable(
                        type: table.descriptor.name, id: table.idText(of: slot), error)
                }
            }
        }
        return .unencodable(type: "a value", id: "", error)
    }
}
