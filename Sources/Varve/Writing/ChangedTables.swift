internal import VarveGraph

/// Which tables of the head keep in memory what a checkpoint could release. Guarded by the writer lock.
struct ChangedTables {
    /// Of tables that inserts have filled, by position: the store began without them, so its opening reserved nothing.
    private var reservations: [Int: StoreMemory.Reservation] = [:]
    /// Tables that should read the next checkpoint, by position: they do not fit the memory of the store, and were changed
    /// since the last one.
    private(set) var replaceable: Set<Int> = []

    /// Notes what the changes take, and reserves memory for what tables that fit have grown by.
    ///
    /// - Complexity: O(leaves that were changed, of tables that do not fit).
    mutating func measure(_ tables: ContextTables, in memory: StoreMemory) {
        replaceable = []
        var bytes = 0
        for (position, table) in tables.unfilled.enumerated() {
            let changed = changedBytes(of: table, at: position, in: memory)
            guard changed > 0 else { continue }
            bytes += changed
            replaceable.insert(position)
        }
        memory.changes.note(bytes)
    }

    /// None of a table that fits, or that no checkpoint could release.
    private mutating func changedBytes(
        of table: AnyTable, at position: Int, in memory: StoreMemory
    ) -> Int {
        guard table.mayWait else { return 0 }
        let slotBytes = memory.changes.slotBytes
        if table.isScanned { return table.changedBytes(slotBytes: slotBytes) }
        let reservation =
            table.reservation ?? reservations[position] ?? memory.reservationToGrow()
        if table.reservation == nil {
            reservations[position] = reservation as? StoreMemory.Reservation
        }
        guard !reservation.grow(toSlots: table.slotCount) else { return 0 }
        return table.slotCount * slotBytes
    }

    /// The tables at some positions are others now, with reservations of their own.
    mutating func noteReplacements(at positions: some Sequence<Int>) {
        for position in positions { reservations[position] = nil }
    }
}

extension Writer.Core {
    /// Measures what changes take, where that may have become much more. Between two transactions: the head is complete.
    func measureChanges() {
        if opening.memory.changes.isMeasurementDue { measureChangesNow() }
    }

    func measureChangesNow() {
        changedTables.measure(head.context.tables.tables, in: opening.memory)
    }
}
