// Every change of a table is made with the lock held that lets others see what the tables were: in here, or where
// `lockFormer` is called.

extension Context {
    /// Changes a table, after making sure that no other context references it. The body runs no code of
    /// the application but comparisons, hashes and keys.
    ///
    /// The table must not escape: a second reference makes it look shared.
    @inlinable @inline(__always)
    mutating func change<Entity: EntityModelProtocol, Result>(
        _ type: Entity.Type, at position: Int, _ body: (Table<Entity>) -> Result
    ) -> Result {
        let table = tableToChange(at: position)
        defer { unlockFormer() }
        return table._withUnsafeGuaranteedRef { body($0.rows(of: Entity.self)) }
    }

    /// Changes a table whose type is not at hand.
    @inlinable @inline(__always)
    package mutating func changeTable<Result, Failure: Error>(
        at position: Int, _ body: (AnyTable) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let table = tableToChange(at: position)
        defer { unlockFormer() }
        return try body(table.takeUnretainedValue())
    }

    /// Takes the lock, if there is one, and returns the table at `position`, after making sure that no other context
    /// references it.
    @usableFromInline
    mutating func tableToChange(at position: Int) -> Unmanaged<AnyTable> {
        lockFormer(toChange: position)
        return .passUnretained(uniqueTable(at: position))
    }

    /// The table at `position`, after making sure that no other context references it.
    ///
    /// The lock is held that lets others see what the tables were. The result must not be held across another call: a
    /// second reference makes the table look shared.
    @inline(__always)
    mutating func uniqueTable(at position: Int) -> AnyTable {
        if !tables.tables.unfilled[position].isFilled {
            changeWaitingTable(at: position, keptIn: session.former)
        }
        if !isKnownUniquelyReferenced(&tables.tables.unfilled[position]) {
            tables.cloneTable(at: position, keptIn: session.former)
        }
        return tables.tables.unfilled[position]
    }

    /// Called before a stored table is changed: the filled one is changed instead, if there is one by now. Each change of a
    /// table, also of its journal, begins here, because a filled table that was kept before would not have the change.
    mutating func changeWaitingTable(at position: Int, keptIn former: FormerTables?) {
        if tables.tables.unfilled[position].hasFilled {
            return tables.fillTable(at: position, keptIn: former)
        }
        if !isKnownUniquelyReferenced(&tables.tables.unfilled[position]) {
            tables.cloneTable(at: position, keptIn: former)
        }
        tables.tables.unfilled[position].isChanged = true
    }

    /// Comes before the lock where a row is changed. Without one nobody waits, and what others share stays as it is.
    @usableFromInline
    func prepareToChange(at slot: Slot, in position: Int) {
        guard session.former != nil else { return }
        tables.tables[rows: position].prepareToChange(slot)
    }

    /// Takes the lock, if there is one, to change the table at `position`.
    @usableFromInline
    mutating func lockFormer(toChange position: Int) {
        // Before the lock: readers wait for that, and filling a table takes long.
        if !tables.tables.unfilled[position].isFilled {
            tables.tables.unfilled[position].prepareToChange()
        }
        guard session.former != nil else { return }
        guard session.journal.count < FormerTables.changesMax else {
            session.former?.keepAll()
            session.former = nil
            return
        }
        if session.former?.lock(ifRunning: session.token) == false { session.former = nil }
    }

    @usableFromInline
    func unlockFormer() { session.former?.unlock() }
}
