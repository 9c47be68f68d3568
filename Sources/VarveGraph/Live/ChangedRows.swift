/// Which rows and links a transaction has touched: what those who watch queries are told.
package struct ChangedRows: Sendable {
    /// What was touched in one table, each slot once.
    package struct Slots: Sendable {
        package fileprivate(set) var rows: ContiguousArray<UInt32> = []
        /// Slots whose lists were touched.
        package fileprivate(set) var holders: ContiguousArray<UInt32> = []
    }

    /// By position of the table.
    package private(set) var tables: [Int: Slots] = [:]

    package init() {}

    /// What the running transaction of a context has touched so far.
    package init(journalOf context: Context) {
        var last: UInt32?
        for entry in context.session.journal where entry.table != last {
            last = entry.table
            let position = Int(entry.table)
            guard tables[position] == nil else { continue }
            let table = context.tables.tables.unfilled[position]
            tables[position] = Slots(
                rows: ChangedRows.distinct(table.rowJournal.map(\.slot)),
                holders: ChangedRows.distinct(table.linkJournal.map(\.slot)))
        }
    }

    /// Adds what later transactions have touched.
    package mutating func merge(_ other: ChangedRows) {
        for (position, slots) in other.tables {
            guard let own = tables[position] else {
                tables[position] = slots
                continue
            }
            tables[position] = Slots(
                rows: ChangedRows.distinct(Array(own.rows) + slots.rows),
                holders: ChangedRows.distinct(Array(own.holders) + slots.holders))
        }
    }

    private static func distinct(_ slots: [UInt32]) -> ContiguousArray<UInt32> {
        guard slots.count > 1 else { return ContiguousArray(slots) }
        var seen: Set<UInt32> = []
        return ContiguousArray(slots.filter { seen.insert($0).inserted })
    }
}
