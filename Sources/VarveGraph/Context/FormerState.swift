/// A state on which transactions were built that change its tables in place: what is needed to make its tables
/// again.
struct FormerState {
    enum Place {
        case changing(TableExtent)
        /// The table as it was.
        case kept(AnyTable)
    }

    /// The transaction that led to it.
    let number: UInt64
    let session: Context.Session
    let positions: ContiguousArray<UInt16>
    var places: ContiguousArray<Place> = []
    /// What the next transaction has changed in tables that are not kept here, once that is logged.
    var changes: ContiguousArray<TableChanges> = []
    /// How many they were when it was logged.
    var changeCount = 0
    /// Whether they count: not where it or a later state is kept whole.
    var isCounted = true
    /// Where somebody has asked for it.
    var context: Context?

    init(_ context: borrowing Context, number: UInt64, in memory: inout FormerMemory) {
        self.number = number
        positions = context.tables.positions
        session = Context.Session(
            transaction: context.session.transaction, time: context.session.time,
            counters: context.session.counters)
        swap(&places, &memory.places)
        swap(&changes, &memory.changes)
        places.reserveCapacity(context.tables.tables.count)
    }

    /// Leaves the memory of its lists, where they hold nothing but plain values.
    mutating func leaveMemory(to memory: inout FormerMemory) {
        guard !places.indices.contains(where: keeps) else { return }
        places.removeAll(keepingCapacity: true)
        swap(&places, &memory.places)
        guard changes.count == 1, changes[0].leaveMemory(to: &memory) else { return }
        changes.removeAll(keepingCapacity: true)
        swap(&changes, &memory.changes)
    }

    func keeps(_ position: Int) -> Bool {
        guard position < places.count, case .kept = places[position] else { return false }
        return true
    }

    func keptTable(at position: Int) -> AnyTable {
        guard case .kept(let table) = places[position] else {
            preconditionFailure("a table that is not kept")
        }
        return table
    }

    mutating func dropChanges(at position: Int, into dropped: inout ContiguousArray<TableChanges>) {
        guard let index = changes.firstIndex(where: { $0.position == position }) else { return }
        dropped.append(changes.remove(at: index))
    }
}

/// The memory that the lists of a forgotten state had, empty: what a small transaction leaves is taken by the next one.
struct FormerMemory {
    var places: ContiguousArray<FormerState.Place> = []
    var changes: ContiguousArray<TableChanges> = []
    var rows: ContiguousArray<RowChange> = []
}

/// What a journal does not tell of a table.
struct TableExtent {
    private let slotCount: Int
    private let isOrderKept: Bool

    init(_ table: AnyTable) {
        slotCount = table.slotCount
        isOrderKept = table.order.slotsByOrdinal != nil
    }

    /// - Parameter tableCount: how many tables there were; the transaction may have added some.
    func isUnchanged(_ table: AnyTable, tableCount: Int) -> Bool {
        !table.hasJournal && table.slotCount == slotCount && table.tombstoneTable < tableCount
            && (table.order.slotsByOrdinal != nil) == isOrderKept
    }

    /// Makes a copy, in which all changes of rows and links were rolled back, what the table was.
    func restore(_ copy: AnyTable, tableCount: Int) {
        copy.forgetSlots(from: slotCount)
        if !isOrderKept { copy.order.slotsByOrdinal = nil }
        if copy.tombstoneTable >= tableCount { copy.tombstoneTable = -1 }
    }
}

/// What a transaction has changed in one table: what the table's journal was.
struct TableChanges {
    let position: Int
    private var rows: ContiguousArray<RowChange>
    /// The rows that were there; nil where none was.
    private let beforeRows: (any Sendable)?
    private let links: ContiguousArray<LinkListChange>

    /// Takes the journal of a table, and leaves it empty.
    init(taking table: AnyTable, at position: Int, in memory: inout FormerMemory) {
        self.position = position
        let rows = table.rowJournal.taken()
        if table.rowJournal.capacity == 0 { swap(&table.rowJournal, &memory.rows) }
        links = table.linkJournal.taken()
        beforeRows =
            rows.contains { $0.before >= 0 }
            ? table.descriptor.operations.takeBeforeRows(table) : nil
        self.rows = rows
        table.journalWasShortened()
        if !table.deleteCauses.isEmpty { table.deleteCauses = [:] }
    }

    var count: Int { rows.count + links.count }

    /// Leaves the memory of its list of rows. False, and nothing is left, where there is more than plain values, or where
    /// it is large.
    mutating func leaveMemory(to memory: inout FormerMemory) -> Bool {
        guard beforeRows == nil, links.isEmpty, rows.count < TransactionRemains.journalCountMin
        else { return false }
        rows.removeAll(keepingCapacity: true)
        swap(&rows, &memory.rows)
        return true
    }

    /// Takes the changes back in a copy of the table, whose own journal is empty.
    func takeBack(from table: AnyTable) {
        table.rowJournal = rows
        table.linkJournal = links
        if let beforeRows { table.descriptor.operations.putBeforeRows(table, beforeRows) }
        table.takeBackJournal()
    }
}

extension AnyTable {
    /// A table with the same content and journal, which shares all pages.
    func cloned() -> AnyTable { descriptor.operations.clone(self) }

    /// Rolls back everything that the journal holds.
    func takeBackJournal() {
        while let change = linkJournal.popLast() {
            links[change.relation][change.slot] = change.before.list
        }
        while !rowJournal.isEmpty { undoLastRowChange() }
        deleteCauses = [:]
    }
}
