internal import VarveEvents
internal import VarveGraph

/// What a draft holds: two snapshots, and which rows and lists differ between them.
///
/// Copying it is O(1). What was touched is read off the undo logs of each edit, which are cleared then: before-images
/// are in the base, so the memory of a draft grows with the number of entities that it touches, not of its edits.
struct DraftContent: Sendable {
    /// What the draft began with.
    var base: StoreState
    /// The newest transaction of the store that the base shows.
    var baseTransaction: TransactionID
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
            let causes = context.tables.tables[position].deleteCauses
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
