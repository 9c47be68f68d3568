internal import VarveGraph

/// Which tables of the head keep in memory what a renewal could release. Guarded by the writer lock.
struct ChangedTables {
    /// Of tables that inserts have filled, by position: the store began without them, so its opening reserved nothing.
    private var reservations: [Int: StoreMemory.Reservation] = [:]
    /// How many slots the changes take of tables to be replaced by stored ones, by position: they do not
    /// fit the memory budget.
    private(set) var replaceable: [Int: Int] = [:]
    /// How many slots the changes took of tables that no stored one could replace, by position: their slots are in another
    /// order than those of a replay, or the type could not be read leaf by leaf. It is tried again where they take twice as
    /// many.
    private var irreplaceable: [Int: Int] = [:]

    /// Notes what the changes take, and reserves memory for what tables that fit have grown by.
    ///
    /// - Complexity: O(leaves that were changed, of tables that do not fit).
    mutating func measure(_ tables: ContextTables, in memory: StoreMemory) {
        replaceable = [:]
        let slotBytes = memory.changes.slotBytes
        var (releasable, others) = (0, 0)
        for (position, table) in tables.unfilled.enumerated() {
            let bytes = measure(table, at: position, slotBytes: slotBytes, in: memory)
            guard bytes > 0 else { continue }
            let slots = bytes / slotBytes
            if let failed = irreplaceable[position], slots / 2 < failed {
                others += bytes
            } else {
                releasable += bytes
                replaceable[position] = slots
            }
        }
        memory.changes.note(releasable, unreleasable: others)
    }

    /// None of a table that fits.
    private mutating func measure(
        _ table: AnyTable, at position: Int, slotBytes: Int, in memory: StoreMemory
    ) -> Int {
        guard table.mayWait else { return 0 }
        let fits = !table.isScanned && reserve(for: table, at: position, in: memory)
        // One of an opening has taken the place of one that inserts had filled.
        if table.isScanned || table.reservation != nil { reservations[position] = nil }
        if fits { return 0 }
        return table.isScanned
            ? table.changedBytes(slotBytes: slotBytes) : table.slotCount * slotBytes
    }

    /// Returns false where the filled table does not fit.
    private mutating func reserve(
        for table: AnyTable, at position: Int, in memory: StoreMemory
    ) -> Bool {
        if let reservation = table.reservation { return reservation.grow(toSlots: table.slotCount) }
        let reservation = reservations[position] ?? memory.reservationToGrow()
        reservations[position] = reservation
        return reservation.grow(toSlots: table.slotCount)
    }

    /// Some of the replaceable tables were replaced, and the others that were tried could not be.
    mutating func note(_ replaced: Set<Int>, of tried: [Int: Int]) {
        for (position, slots) in tried {
            irreplaceable[position] = replaced.contains(position) ? nil : slots
        }
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
