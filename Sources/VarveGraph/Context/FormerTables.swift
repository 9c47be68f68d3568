internal import CVarve
internal import Foundation

/// The tables of contexts as they were before transactions that change them in place, for as long as anybody may
/// ask for them.
///
/// A transaction whose tables nobody else holds does not copy what it changes. Whoever wants a state before it is
/// given copies of the tables in which the changes since are rolled back: those of the running transaction by the
/// journal that it keeps anyway, those of transactions that are logged and not shown yet by what their journals
/// were. From then on the pages are shared, and the transaction copies what it changes.
///
/// Every change of a table happens with the mutex held, so who asks finds tables between two changes. The
/// tables are not retained, or they would look shared; one that goes while it is needed says so in its
/// `deinit`. So no last reference to a table may go with the mutex held.
///
/// Invariant: at each position, a state whose table is not kept has a kept one in a later state, or a live one.
@usableFromInline
package final class FormerTables: @unchecked Sendable {
    // Unchecked: everything that varies is reached with the mutex held.

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    // Exclusivity is not checked: a commit touches these dozens of times. The mutex keeps other threads away; code of
    // the application runs only where a table is copied and rolled back, during which no access is open.
    /// Oldest first; the last one is the state that the running transaction began with, while one runs in place.
    @exclusivity(unchecked) private var states: ContiguousArray<FormerState> = []
    /// The tables that are changed in place, by position.
    @exclusivity(unchecked) private var live: ContiguousArray<Unmanaged<AnyTable>?> = []
    /// Whose changes are in the journals of the tables.
    @exclusivity(unchecked) private var running: TransactionToken?
    /// Tables that are being copied: the last reference must not go with the mutex held.
    @exclusivity(unchecked) private var copied: ContiguousArray<AnyTable> = []
    /// What nobody needs any more: rows of the application, which should not go with the mutex held.
    @exclusivity(unchecked) private var dropped: ContiguousArray<TableChanges> = []
    /// Of states that were forgotten.
    @exclusivity(unchecked) private var memory = FormerMemory()
    /// How many changes logged transactions have made since the newest state that is kept whole.
    @exclusivity(unchecked) private var changeCount = 0

    /// How many changes a transaction may make, and how many those that wait, before the former tables are made
    /// beforehand: a reader of them waits until they are rolled back.
    @usableFromInline static var changesMax: Int { 4_096 }

    /// How many states and changes are kept, for tests.
    package var counts: (states: Int, changes: Int) {
        lock()
        defer { unlock() }
        return (states.count, changeCount)
    }

    package init() {
        mutex = .allocate(capacity: 1)
        // Locked twice by one thread, it says so instead of waiting forever: a comparison or a hash function that
        // reads the very store whose row is being compared.
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

    private func lock() {
        if pthread_mutex_trylock(mutex) != 0 { wait() }
    }

    /// It is held for a microsecond or two, rarely for more, by a thread that changes one row or forgets what is
    /// shown: whoever sleeps meanwhile is woken much later than that, with the turn to write in his hands.
    @inline(never)
    private func wait() {
        for _ in 0..<FormerTables.attempts {
            varve_pause()
            if pthread_mutex_trylock(mutex) == 0 { return }
        }
        let code = pthread_mutex_lock(mutex)
        precondition(
            code == 0, "a store is read from inside a comparison, a hash or a key of its own rows")
    }

    /// Some microseconds, on processors whose pauses are short or long.
    private static var attempts: Int { 40 }

    /// Gives the mutex back, and releases behind it what must not go before.
    func unlock() {
        if copied.isEmpty && dropped.isEmpty {
            pthread_mutex_unlock(mutex)
            return
        }
        var garbage: (ContiguousArray<AnyTable>, ContiguousArray<TableChanges>) = ([], [])
        swap(&garbage.0, &copied)
        swap(&garbage.1, &dropped)
        pthread_mutex_unlock(mutex)
        withExtendedLifetime(garbage) {}
    }

    // MARK: - A transaction begins

    /// Keeps readers from waiting for too many changes to be rolled back. To be called before a transaction
    /// begins, outside of other locks: keys and comparisons of the application may run.
    package func makeRoom() {
        lock()
        if changeCount >= FormerTables.changesMax { keepNewest() }
        unlock()
    }

    /// A transaction is about to change a context, of whose tables no copy will be made but through this.
    ///
    /// - Parameter number: the transaction that led to the context's state.
    package func begin(
        _ context: inout Context, number: UInt64, running token: TransactionToken
    ) {
        lock()
        defer { unlock() }
        var state = FormerState(context, number: number, in: &memory)
        for position in context.tables.tables.indices {
            // One that waits is kept as one that others hold: it may go on as another table, the filled one.
            let isShared =
                !isKnownUniquelyReferenced(&context.tables.tables.unfilled[position])
                || !context.tables.tables.unfilled[position].isFilled
            let table = context.tables.tables.unfilled[position]
            follow(isShared ? nil : table, at: position, known: table)
            state.places.append(isShared ? .kept(table) : .changing(TableExtent(table)))
        }
        states.append(consume state)
        running = token
    }

    /// Follows a table from here on, or none.
    private func follow(_ table: AnyTable?, at position: Int, known: AnyTable) {
        if position >= live.count {
            live.append(contentsOf: repeatElement(nil, count: position + 1 - live.count))
        }
        // Other than expected only where a state was put in another's place.
        if let old = live[position], !old.isTable(known) { keep(position) }
        live[position] = table.map { Unmanaged.passUnretained($0) }
        guard let table, table.former !== self else { return }
        table.former?.willEnd(table)
        table.former = self
    }

    /// A transaction that copies what it changes is about to begin, or one begins to do so: from here on nobody
    /// needs the live tables.
    package func keepAll() {
        lock()
        keepNewest()
        unlock()
    }

    private func keepNewest() {
        for position in live.indices { keep(position) }
        changeCount = 0
        for index in states.indices { states[index].isCounted = false }
        // What a running transaction changes is counted when it is logged.
        if running != nil, let newest = states.indices.last { states[newest].isCounted = true }
    }

    /// Keeps the table at a position as it was at the newest state: all others can be made of that.
    private func keep(_ position: Int) {
        if let newest = states.indices.last, position < states[newest].places.count {
            _ = table(at: position, of: newest)
        }
        live[position] = nil
    }

    // MARK: - It changes tables

    /// Takes the mutex, which is to be held while a table is changed, or asked whether it is shared. False,
    /// and not taken, where the transaction has ended: its context has outlived it.
    func lock(ifRunning token: TransactionToken?) -> Bool {
        lock()
        guard let running, token === running else {
            unlock()
            return false
        }
        return true
    }

    /// A table is about to be copied, because somebody shares it: it stays as it is. The mutex is held.
    func willCopy(_ table: AnyTable, at position: Int) {
        copied.append(table)
        guard isLive(table, at: position), let newest = states.indices.last else { return }
        keepUnlessChanged(table, at: position, of: newest)
        live[position] = nil
        // It is nobody's concern any more when it goes.
        if table.former === self { table.former = nil }
    }

    private func isLive(_ table: AnyTable, at position: Int) -> Bool {
        position < live.count && live[position]?.isTable(table) == true
    }

    /// Keeps a live table, which the caller retains, as it was at the newest state: itself, where nothing was
    /// changed.
    private func keepUnlessChanged(_ table: AnyTable, at position: Int, of newest: Int) {
        guard case .changing(let extent) = states[newest].places[position] else { return }
        if extent.isUnchanged(table, tableCount: states[newest].places.count) {
            keep(table, at: position, of: newest)
        } else {
            _ = self.table(at: position, of: newest)
        }
    }

    /// A table goes, as another context took the place of the one that was given to a transaction.
    ///
    /// Here the mutex may be held by this thread: one that copies a table holds it meanwhile, and if everybody else
    /// releases it then, it goes at the end of the copying.
    @usableFromInline
    func willEnd(_ table: AnyTable) {
        let isHeld = pthread_mutex_lock(mutex) == EDEADLK
        if let position = live.firstIndex(where: { $0?.isTable(table) == true }) { keep(position) }
        if !isHeld { unlock() }
    }

    // MARK: - It ends

    /// The transaction is logged: takes over its journal, by which it is rolled back for those who ask for a state
    /// that is shown until then.
    ///
    /// - Parameter remains: what is to be released outside of all locks.
    package func succeed(_ context: inout Context, leaving remains: inout TransactionRemains) {
        lock()
        guard let newest = states.indices.last else {
            preconditionFailure("a transaction that has not begun")
        }
        running = nil
        var last: UInt32?
        // Entries of one table come in runs; of one that was taken over, nothing is there the second time.
        for entry in context.session.journal where entry.table != last {
            last = entry.table
            takeJournal(at: Int(entry.table), of: &context, newest, &remains)
        }
        states[newest].changeCount = states[newest].changes.reduce(0) { $0 + $1.count }
        changeCount += states[newest].changeCount
        unlock()
    }

    private func takeJournal(
        at position: Int, of context: inout Context, _ newest: Int,
        _ remains: inout TransactionRemains
    ) {
        guard context.tables.tables.unfilled[position].hasJournal else { return }
        if !context.tables.tables.unfilled[position].isFilled {
            context.changeWaitingTable(at: position, keptIn: self)
        }
        if !isKnownUniquelyReferenced(&context.tables.tables.unfilled[position]) {
            context.tables.cloneTable(at: position, keptIn: self)
        }
        let table = context.tables.tables.unfilled[position]
        if isLive(table, at: position), case .changing = states[newest].places[position] {
            states[newest].changes.append(
                TableChanges(taking: table, at: position, in: &memory))
        } else {
            // Nobody needs it. Its rows must not go with the mutex held.
            remains.changes.append(
                TableChanges(taking: table, at: position, in: &memory))
        }
    }

    /// The transaction came to nothing: returns the context before it, which is to be there when
    /// ``forgetNewest()`` is called.
    ///
    /// - Parameter context: what the transaction has made of it. Tables in which nothing was changed are taken
    ///   from there.
    package func takeBack(_ context: borrowing Context) -> Context {
        lock()
        defer { unlock() }
        guard let newest = states.indices.last else {
            preconditionFailure("a transaction that has not begun")
        }
        for position in states[newest].places.indices
        where position < context.tables.tables.count {
            let table = context.tables.tables.unfilled[position]
            guard isLive(table, at: position) else { continue }
            keepUnlessChanged(table, at: position, of: newest)
        }
        return self.context(of: newest)
    }

    /// The state before the transaction is there again, with the tables that were returned.
    package func forgetNewest() -> TransactionRemains {
        var remains = TransactionRemains()
        lock()
        running = nil
        if let state = states.popLast() {
            // It may have been the one that was kept whole: those before it count again.
            changeCount = 0
            for index in states.indices {
                states[index].isCounted = true
                changeCount += states[index].changeCount
            }
            for (position, place) in state.places.enumerated() {
                guard case .kept(let table) = place else { continue }
                // States before can be made of it.
                live[position] = states.isEmpty ? nil : Unmanaged.passUnretained(table)
                table.former = self
            }
            remains.state = state
        }
        unlock()
        return remains
    }

    /// States before that one are not shown any more: nobody gets them from here on.
    ///
    /// - Parameter remains: what is left of them is added, to be released outside of all locks.
    package func forget(before number: UInt64, leaving remains: inout TransactionRemains) {
        lock()
        let count = states.firstIndex { $0.number >= number } ?? states.count
        for state in states[..<count] where state.isCounted { changeCount -= state.changeCount }
        if count == 1, states.count == 1, remains.hasNoStates {
            // The rule where nobody waits for the disk. The list keeps its memory.
            var state = states.removeLast()
            state.leaveMemory(to: &memory)
            remains.state = state
        } else if count > 0 {
            // Added: what was there before would go with the mutex held.
            remains.states.append(contentsOf: states[..<count])
            states.removeFirst(count)
        }
        unlock()
    }

    package func forgetAll() {
        var remains = TransactionRemains()
        forget(before: .max, leaving: &remains)
    }

    // MARK: - The readers' side

    /// The context of the state to which a transaction led, or nil where that is not shown any more, or was given
    /// back.
    package func context(after number: UInt64) -> Context? {
        lock()
        defer { unlock() }
        guard let index = states.firstIndex(where: { $0.number == number }) else { return nil }
        return context(of: index)
    }

    private func context(of index: Int) -> Context {
        if let context = states[index].context { return context }
        var context = Context.vacant
        context.session = states[index].session
        context.tables = TableList(
            ContiguousArray(states[index].places.indices.map { table(at: $0, of: index) }),
            positions: states[index].positions)
        states[index].context = context
        return context
    }

    /// The table at a position as it was at a state.
    ///
    /// A live table that is not retained may be at its end, and wait for the mutex in its `deinit`: it can be
    /// copied, and not be answered itself.
    private func table(at position: Int, of index: Int) -> AnyTable {
        guard case .changing(let extent) = states[index].places[position] else {
            return states[index].keptTable(at: position)
        }
        let later = states.indices.dropFirst(index + 1).first { states[$0].keeps(position) }
        let copy: AnyTable
        if let later {
            copy = states[later].keptTable(at: position).cloned()
        } else {
            guard position < live.count, let table = live[position] else {
                preconditionFailure("a table that was neither kept nor followed")
            }
            copy = table._withUnsafeGuaranteedRef { $0.cloned() }
            copy.takeBackJournal()
        }
        for index in (index..<(later ?? states.count)).reversed() {
            // Taken out of the state: keys and comparisons of the application run.
            let all = states[index].changes
            for changes in all where changes.position == position { changes.takeBack(from: copy) }
        }
        extent.restore(copy, tableCount: states[index].places.count)
        keep(copy, at: position, of: index)
        return copy
    }

    private func keep(_ table: AnyTable, at position: Int, of index: Int) {
        states[index].places[position] = .kept(table)
        // States before are made of this one from here on.
        states[index].dropChanges(at: position, into: &dropped)
    }
}

extension Unmanaged<AnyTable> {
    fileprivate func isTable(_ other: AnyTable) -> Bool {
        toOpaque() == Unmanaged.passUnretained(other).toOpaque()
    }
}

/// What a transaction leaves behind, to be released outside of all locks. Not to be copied: it has many references.
@usableFromInline
package struct TransactionRemains: ~Copyable {
    /// Of the journal, where it was large, and whatever the store adds: the first of it takes no memory of its own.
    private var first: (any Sendable)?
    private var others: [any Sendable] = []
    var changes: ContiguousArray<TableChanges> = []
    var state: FormerState?
    var states: ContiguousArray<FormerState> = []

    var hasNoStates: Bool { state == nil && states.isEmpty }

    package init() {}

    package mutating func add(_ part: any Sendable) {
        if first == nil {
            first = part
        } else {
            others.append(part)
        }
    }

    /// From how many entries on a journal is released elsewhere instead of being emptied.
    @usableFromInline static var journalCountMin: Int { 64 }
}
