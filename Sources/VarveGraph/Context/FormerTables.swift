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
        /// The transaction changes the table in place.
        case changing(Unmanaged<AnyTable>)
        /// The table as it was.
        case kept(AnyTable)
    }

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let positions: ContiguousArray<UInt16>
    private var places: ContiguousArray<Place> = []
    private var isOpen = true

    /// How long a journal may get before its transaction keeps the former tables itself: whoever asks waits for
    /// so many changes to be taken back.
    @usableFromInline static var changesMax: Int { 4_096 }

    /// Takes note of all tables of a context which is about to be changed, and of which no copy will be
    /// made but through this.
    package init(of context: inout Context) {
        mutex = .allocate(capacity: 1)
        positions = context.tables.positions
        initializeMutex()
        for position in context.tables.tables.indices {
            if isKnownUniquelyReferenced(&context.tables.tables[position]) {
                let table = context.tables.tables[position]
                table.former = self
                places.append(.changing(Unmanaged.passUnretained(table)))
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

    /// To be held while a table is changed, or asked whether it is shared.
    func lock() {
        let code = pthread_mutex_lock(mutex)
        precondition(
            code == 0, "a store is read from inside a comparison, a hash or a key of its own rows")
    }

    func unlock() { pthread_mutex_unlock(mutex) }

    /// A table is about to be copied, because somebody shares it: it stays as it is. The lock is held.
    func willCopy(_ table: AnyTable, at position: Int) {
        guard position < places.count, case .changing(let changing) = places[position],
            changing.toOpaque() == Unmanaged.passUnretained(table).toOpaque()
        else { return }
        keep(position)
    }

    /// Keeps all tables as they were: from here on nobody needs the journal.
    func keepAll() {
        lock()
        for position in places.indices { keep(position) }
        unlock()
    }

    /// A table goes, as another context took the place of the one that was given to a transaction.
    @usableFromInline
    func willEnd(_ table: AnyTable) {
        let address = Unmanaged.passUnretained(table).toOpaque()
        lock()
        for position in places.indices {
            guard case .changing(let changing) = places[position],
                changing.toOpaque() == address
            else { continue }
            places[position] = .kept(table.copyBeforeTransaction(tableCount: places.count))
        }
        unlock()
    }

    /// The transaction has ended: nobody gets the former tables any more.
    package func close() {
        lock()
        isOpen = false
        let kept = places
        places = []
        unlock()
        withExtendedLifetime(kept) {}
    }

    // MARK: - The readers' side

    /// The context before the transaction, or nil where that has ended.
    package func context() -> Context? {
        lock()
        defer { unlock() }
        guard isOpen else { return nil }
        var tables: ContiguousArray<AnyTable> = []
        tables.reserveCapacity(places.count)
        for position in places.indices {
            keep(position)
            guard case .kept(let table) = places[position] else {
                preconditionFailure("a table that was just kept")
            }
            tables.append(table)
        }
        return Context(tables: TableList(tables, positions: positions))
    }

    private func keep(_ position: Int) {
        guard case .changing(let table) = places[position] else { return }
        let count = places.count
        places[position] = .kept(
            table._withUnsafeGuaranteedRef { $0.beforeTransaction(tableCount: count) })
    }
}

extension AnyTable {
    /// The table as it was before the running transaction: itself, where nothing was changed yet.
    ///
    /// - Parameter tableCount: how many tables there were; the transaction may have added some.
    fileprivate func beforeTransaction(tableCount: Int) -> AnyTable {
        hasJournal || tombstoneTable >= tableCount
            ? copyBeforeTransaction(tableCount: tableCount) : self
    }

    /// A copy, in which the changes of the running transaction are taken back.
    fileprivate func copyBeforeTransaction(tableCount: Int) -> AnyTable {
        let copy = descriptor.operations.clone(self)
        while let change = copy.linkJournal.popLast() {
            copy.links[change.relation][change.slot] = change.before.list
        }
        while !copy.rowJournal.isEmpty { copy.undoLastRowChange() }
        copy.deleteCauses = [:]
        if copy.tombstoneTable >= tableCount { copy.tombstoneTable = -1 }
        return copy
    }
}

/// What the journal of a large transaction held, to be let go where nobody waits.
@usableFromInline
package struct JournalRemains {
    var parts: [any Sendable] = []

    package init() {}

    /// From how many entries on a journal is let go elsewhere instead of being emptied.
    @usableFromInline static var countMin: Int { 64 }
}
