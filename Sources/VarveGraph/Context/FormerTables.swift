internal import Foundation

/// The tables of a context as they were before the transaction that is changing them in place.
///
/// A transaction whose tables nobody else holds does not copy what it changes. Whoever wants the state
/// before it while it runs is given copies of the tables in which the changes so far are taken back, by the
/// journal that the transaction keeps anyway. From then on the pages are shared, and the transaction copies
/// what it changes.
///
/// Every change of a table happens with the mutex held, so who asks finds tables between two changes. The
/// tables are not retained, or they would look shared; one that goes before the transaction has ended says so
/// in its `deinit`.
@usableFromInline
package final class FormerTables: @unchecked Sendable {
    // Unchecked: everything that varies is reached with the mutex held.

    private enum Place {
        case changing(ChangingTable)
        /// The table as it was.
        case kept(AnyTable)
    }

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let positions: ContiguousArray<UInt16>
    private let session: Context.Session
    private var places: ContiguousArray<Place> = []
    /// Tables that are being copied: the last reference must not go with the mutex held.
    private var copied: ContiguousArray<AnyTable> = []
    private var isOpen = true

    /// How long a journal may get before its transaction keeps the former tables itself: whoever asks waits for
    /// so many changes to be taken back.
    @usableFromInline static var changesMax: Int { 4_096 }

    /// Takes note of all tables of a context which is about to be changed, and of which no copy will be
    /// made but through this.
    package init(of context: inout Context) {
        mutex = .allocate(capacity: 1)
        positions = context.tables.positions
        var session = context.session
        // Its memory stays with the transaction.
        session.journal = []
        self.session = session
        places.reserveCapacity(context.tables.tables.count)
        initializeMutex()
        for position in context.tables.tables.indices {
            if isKnownUniquelyReferenced(&context.tables.tables[position]) {
                let table = context.tables.tables[position]
                table.former = self
                places.append(.changing(ChangingTable(table)))
            } else {
                places.append(.kept(context.tables.tables[position]))
            }
        }
    }

    /// Locked twice by one thread, it says so instead of waiting forever: a comparison or a hash function that
    /// reads the very store whose row is being compared.
    private func initializeMutex() {
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
        let code = pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
        precondition(code == 0, "a mutex can be made")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    // MARK: - The transaction's side

    /// Takes the mutex, which is to be held while a table is changed, or asked whether it is shared. False,
    /// and not taken, where the transaction has ended: its context has outlived it.
    func lockIfOpen() -> Bool {
        lock()
        guard isOpen else {
            unlock()
            return false
        }
        return true
    }

    private func lock() {
        let code = pthread_mutex_lock(mutex)
        precondition(
            code == 0, "a store is read from inside a comparison, a hash or a key of its own rows")
    }

    private func unlock() { pthread_mutex_unlock(mutex) }

    /// Gives the mutex back, and lets go what was copied behind it.
    func unlockChange() {
        guard !copied.isEmpty else { return unlock() }
        var copied: ContiguousArray<AnyTable> = []
        swap(&copied, &self.copied)
        unlock()
        withExtendedLifetime(copied) {}
    }

    /// A table is about to be copied, because somebody shares it: it stays as it is. The lock is held.
    func willCopy(_ table: AnyTable, at position: Int) {
        copied.append(table)
        guard position < places.count, case .changing(let changing) = places[position],
            changing.isTable(table)
        else { return }
        places[position] = .kept(changing.beforeTransaction(of: table, tableCount: places.count))
    }

    /// Keeps all tables as they were: from here on nobody needs the journal.
    func keepAll() {
        lock()
        for position in places.indices { _ = keep(position) }
        unlock()
    }

    /// A table goes, as another context took the place of the one that was given to a transaction.
    @usableFromInline
    func willEnd(_ table: AnyTable) {
        lock()
        for position in places.indices {
            guard case .changing(let changing) = places[position], changing.isTable(table) else {
                continue
            }
            places[position] = .kept(changing.copyBeforeTransaction(tableCount: places.count))
        }
        unlock()
    }

    /// The transaction stays: nobody gets the former tables any more. What is left of them is for the caller to
    /// let go where nobody waits.
    package func close() -> TransactionRemains {
        lock()
        defer { unlock() }
        isOpen = false
        var remains = TransactionRemains()
        for place in places {
            if case .kept(let table) = place { remains.tables.append(table) }
        }
        places = []
        return remains
    }

    /// The transaction came to nothing: answers the context before it, until it is closed.
    ///
    /// - Parameter context: what the transaction has made of it. Tables in which nothing was changed are taken
    ///   from there.
    package func takeBack(_ context: borrowing Context) -> Context {
        lock()
        for position in places.indices {
            guard case .changing(let changing) = places[position],
                position < context.tables.tables.count,
                changing.isTable(context.tables.tables[position])
            else { continue }
            places[position] = .kept(
                changing.beforeTransaction(
                    of: context.tables.tables[position], tableCount: places.count))
        }
        defer { unlock() }
        return formerContext()
    }

    // MARK: - The readers' side

    /// The context before the transaction, or nil where that has ended.
    package func context() -> Context? {
        lock()
        defer { unlock() }
        return isOpen ? formerContext() : nil
    }

    private func formerContext() -> Context {
        var context = Context()
        context.session = session
        context.tables = TableList(
            ContiguousArray(places.indices.map { keep($0) }), positions: positions)
        return context
    }

    /// A table that is not retained may be at its end, and wait for the mutex in its `deinit`: it can be copied,
    /// and not be answered itself.
    private func keep(_ position: Int) -> AnyTable {
        switch places[position] {
        case .kept(let table): return table
        case .changing(let changing):
            let table = changing.copyBeforeTransaction(tableCount: places.count)
            places[position] = .kept(table)
            return table
        }
    }
}

/// A table that a transaction changes in place, with what its journal does not tell.
private struct ChangingTable {
    private let table: Unmanaged<AnyTable>
    private let slotCount: Int
    private let isOrderKept: Bool

    init(_ table: AnyTable) {
        self.table = Unmanaged.passUnretained(table)
        slotCount = table.slotCount
        isOrderKept = table.order.slotsByOrdinal != nil
    }

    func isTable(_ other: AnyTable) -> Bool {
        table.toOpaque() == Unmanaged.passUnretained(other).toOpaque()
    }

    /// The table as it was: itself, where nothing was changed yet.
    ///
    /// - Parameters:
    ///   - table: the table, which is retained by the caller.
    ///   - tableCount: how many tables there were; the transaction may have added some.
    func beforeTransaction(of table: AnyTable, tableCount: Int) -> AnyTable {
        let isChanged =
            table.hasJournal || table.slotCount != slotCount || table.tombstoneTable >= tableCount
            || (table.order.slotsByOrdinal != nil) != isOrderKept
        return isChanged ? copyBeforeTransaction(tableCount: tableCount) : table
    }

    /// A copy in which the changes of the transaction are taken back.
    func copyBeforeTransaction(tableCount: Int) -> AnyTable {
        let copy = table._withUnsafeGuaranteedRef { $0.descriptor.operations.clone($0) }
        while let change = copy.linkJournal.popLast() {
            copy.links[change.relation][change.slot] = change.before.list
        }
        while !copy.rowJournal.isEmpty { copy.undoLastRowChange() }
        copy.deleteCauses = [:]
        copy.forgetSlots(from: slotCount)
        if !isOrderKept { copy.order.slotsByOrdinal = nil }
        if copy.tombstoneTable >= tableCount { copy.tombstoneTable = -1 }
        return copy
    }
}

/// What a transaction leaves behind, to be let go where nobody waits.
@usableFromInline
package struct TransactionRemains {
    /// Of the journal, where it was large, and whatever the store adds.
    package var parts: [any Sendable] = []
    var tables: ContiguousArray<AnyTable> = []

    package init() {}

    package mutating func join(_ other: TransactionRemains) {
        parts += other.parts
        tables += other.tables
    }

    /// From how many entries on a journal is let go elsewhere instead of being emptied.
    @usableFromInline static var journalCountMin: Int { 64 }
}
