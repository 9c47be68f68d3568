internal import Foundation

/// A normalized graph of entities, as a value.
///
/// Copying a context is O(1) and makes a snapshot: whatever happens to one of the copies, the
/// other stays as it is, and any thread may read it. A context in memory is complete in itself;
/// a store makes one durable.
public struct Context: Sendable {
    /// In order of first use. Shared with copies until one of them changes a table.
    @usableFromInline package var tables: TableList
    @usableFromInline package var session: Session

    /// An empty graph.
    public init() {
        self = .vacant
        // Now: a copy may be made before there is a type that needs them.
        session.counters = IDCounters()
    }

    /// The place of a context that is moved. It takes up no types, and has no counters, which each commit would allocate.
    package static var vacant: Context { Context(TableList(), Session()) }

    private init(_ tables: TableList, _ session: Session) {
        self.tables = tables
        self.session = session
    }

    /// Where the changes that are being made belong.
    @usableFromInline
    package struct Session: Sendable {
        /// Before-images are kept for the whole transaction, not only for the running save.
        @usableFromInline package var isTracking = false
        /// The transaction that changes belong to; 0 in a context without a log.
        @usableFromInline package var transaction: UInt64 = 0
        /// Microseconds since 1970; 0 lets each outermost change take the clock's time.
        @usableFromInline package var fixedTime: Int64 = 0
        @usableFromInline var time: Int64 = 0
        /// How many saves and deletes are running inside one another.
        @usableFromInline var depth = 0
        /// Rows whose `willDelete` is running: table and slot.
        @usableFromInline var deleting: ContiguousArray<UInt64> = []
        /// What running saves have yet to do, the next step last.
        @usableFromInline var pending: ContiguousArray<PendingSave> = []
        /// What left a list that deletes its orphans, in the change that is running.
        @usableFromInline var orphans: ContiguousArray<Orphan> = []
        /// Whether the relations that the save of an entity is at have left something to do.
        @usableFromInline var isDeferring = false
        /// Tells the context of one transaction from every other; nil outside.
        @usableFromInline package var token: TransactionToken?
        /// What the transaction changes in place, for those who want it as it was; nil where it copies
        /// whatever it changes.
        @usableFromInline var former: FormerTables?
        /// What gives ids, also of types that come later. All copies of a context share it, and all contexts of a store.
        /// Nil in the place of a context that was moved.
        package var counters: IDCounters?
        /// Whether the running transaction has given an id, also to what has not stayed.
        package internal(set) var hasGivenIDs = false
        /// Which table each journaled change belongs to, oldest first.
        @usableFromInline var journal: ContiguousArray<JournalEntry> = []

        @usableFromInline
        init() {}

        /// What lasts of one while no transaction is running and nothing is being saved. Part by part: a session that is
        /// passed on would be copied.
        init(transaction: UInt64, time: Int64, counters: IDCounters?) {
            self.transaction = transaction
            self.time = time
            self.counters = counters
        }

        /// Notes that the journal of a table has another change.
        @usableFromInline
        mutating func noteChange(of table: Int) {
            journal.append(JournalEntry(table: table, isLink: false))
        }

        @inlinable var stamp: Stamp {
            Stamp(time: time, transaction: transaction)
        }
    }
}

/// The identity of one running transaction.
@usableFromInline
package final class TransactionToken: Sendable {
    package init() {}
}

/// Says which table's journal holds the next change to roll back.
@usableFromInline
struct JournalEntry: Sendable {
    @usableFromInline let table: UInt32
    @usableFromInline let isLink: Bool

    @inlinable
    init(table: Int, isLink: Bool) {
        self.table = UInt32(truncatingIfNeeded: table)
        self.isLink = isLink
    }
}

/// The tables of a context, found by the number of their entity type.
@usableFromInline
package struct TableList {
    @usableFromInline package var tables = ContextTables()
    /// Position + 1 by descriptor number; 0 for a type that the context does not hold.
    @usableFromInline var positions: ContiguousArray<UInt16> = []

    init() {}

    init(_ tables: ContiguousArray<AnyTable>, positions: ContiguousArray<UInt16>) {
        self.tables = ContextTables(tables)
        self.positions = positions
    }

    @inlinable
    package func position(of descriptor: EntityDescriptor) -> Int? {
        let number = descriptor.number
        guard number < positions.count, positions[number] != 0 else { return nil }
        return Int(positions[number]) - 1
    }

    /// The table at `position` as a plain word: neither retained nor released. For what leaves the list as it is, and
    /// reads slots, ids, rows and links, as ``ContextTables/subscript(rows:)``.
    @inlinable @inline(__always)
    func unretained<Kind: AnyTable>(at position: Int, as type: Kind.Type) -> Unmanaged<Kind> {
        let table = unretainedUnfilled(at: position, as: type)
        if table._withUnsafeGuaranteedRef({ $0.isFilled }) { return table }
        return .fromOpaque(readable(at: position))
    }

    /// Of a stored table. What is returned lives as long as that.
    @usableFromInline @inline(never)
    func readable(at position: Int) -> UnsafeRawPointer {
        unretainedUnfilled(at: position, as: AnyTable.self)._withUnsafeGuaranteedRef { table in
            table.knownFilledTable
                ?? UnsafeRawPointer(Unmanaged.passUnretained(table.readable()).toOpaque())
        }
    }

    /// The table as it is, filled or not.
    @inlinable @inline(__always)
    func unretainedUnfilled<Kind: AnyTable>(
        at position: Int, as type: Kind.Type
    ) -> Unmanaged<Kind> {
        precondition(
            position < tables.unfilled.count, "a table that the context does not have")
        return tables.unfilled.withUnsafeBufferPointer { tables in
            // Not empty, so it has an address.
            .fromOpaque(
                UnsafeRawPointer(tables.baseAddress! + position).load(as: UnsafeRawPointer.self))
        }
    }

    @usableFromInline
    mutating func cloneTable(at position: Int, keptIn former: FormerTables?) {
        let table = tables.unfilled[position]
        former?.willCopy(table, at: position)
        tables.unfilled[position] = table.descriptor.operations.clone(table)
    }

    /// Replaces stored tables by filled ones, where there are some by now. Called outside of all locks.
    mutating func useFilledTables() {
        for position in tables.unfilled.indices
        where !tables.unfilled[position].isFilled && tables.unfilled[position].hasFilled {
            fillTable(at: position, keptIn: nil)
        }
    }

    /// Evicts the cached leaves of each stored table in which they take more than `byteCount`.
    package mutating func evictLeaves(above byteCount: Int) {
        for position in tables.unfilled.indices
        where !tables.unfilled[position].isFilled
            && tables.unfilled[position].cachedLeafBytes > byteCount
        {
            tables.unfilled[position] = tables.unfilled[position].withoutCachedLeaves()
        }
    }

    /// Stored tables that replace some of these, by position: they have equal content. What the replaced tables hold of changes
    /// and insertions is then read from a file as well.
    ///
    /// Links name slots. So a table is replaced only where the tables that it leads to have equal ids in equal slots too,
    /// whether these are replaced or not.
    ///
    /// - Parameters:
    ///   - positions: which tables are to be replaced.
    ///   - other: tables with equal content, which no other context has.
    ///   - compared: below which slots the ids of a table are known to be equal, by position; grows by what is compared.
    package func replacements(
        for positions: Set<Int>, in other: borrowing TableList,
        idsComparedBelow compared: inout [Int: Int]
    ) -> [Int: AnyTable] {
        var replacements: [Int: AnyTable] = [:]
        for position in positions {
            let former = tables.unfilled[position]
            guard let found = other.position(of: former.descriptor) else { continue }
            let next = other.tables.unfilled[found]
            if next.takePlace(of: former, idsComparedBelow: compared[position] ?? 0) {
                replacements[position] = next
                compared[position] = next.slotCount
            }
        }
        var agreeing = Set(replacements.keys)
        let targets = replacements.values.flatMap { $0.relations.map(\.childTable) }
        for position in Set(targets).subtracting(agreeing) {
            let former = tables.unfilled[position]
            guard let found = other.position(of: former.descriptor),
                other.tables.unfilled[found].hasSameIDs(
                    as: former, comparedBelow: compared[position] ?? 0)
            else { continue }
            agreeing.insert(position)
            compared[position] = former.slotCount
        }
        return replacements.filter { _, table in
            table.relations.allSatisfy { agreeing.contains($0.childTable) }
        }
    }

    package mutating func replace(by replacements: [Int: AnyTable]) {
        for (position, table) in replacements { tables.unfilled[position] = table }
    }

    /// Replaces a stored table by the filled one.
    mutating func fillTable(at position: Int, keptIn former: FormerTables?) {
        let table = tables.unfilled[position]
        former?.willCopy(table, at: position)
        tables.unfilled[position] = table.filled()
    }
}

// A table is mutated only while one context references it, and a context is a value that one
// thread mutates at a time; a shared table is immutable.
extension TableList: @unchecked Sendable {}

extension Context {
    /// The position of a type's table, made now, with those of all related types, if need be.
    @inlinable
    package mutating func position(of descriptor: EntityDescriptor) -> Int {
        tables.position(of: descriptor) ?? register(descriptor)
    }

    /// Makes tables for a type and all types that relations lead to from it.
    @usableFromInline
    package mutating func register(_ descriptor: EntityDescriptor) -> Int {
        var added: [Int] = []
        var queue = [descriptor]
        while let next = queue.popLast() {
            guard tables.position(of: next) == nil else { continue }
            let position = tables.add(next)
            added.append(position)
            if next.numbersIDs { tables.tables.unfilled[position].numbers = numbers(of: next) }
            queue.append(contentsOf: next.relations.map { $0.childDescriptor() })
            if let owner = next.tombstoneOwner { queue.append(owner._descriptor) }
        }
        for position in added {
            resolveRelations(at: position)
            noteTombstones(at: position)
        }
        guard let position = tables.position(of: descriptor) else {
            preconditionFailure("a table that was just added is missing")
        }
        return position
    }

    private func numbers(of descriptor: EntityDescriptor) -> IDNumbers {
        guard let counters = session.counters else {
            preconditionFailure("a type in the place of a context that was moved")
        }
        return counters.numbers(of: descriptor)
    }

    /// Tells the table of a type where its tombstones are.
    private mutating func noteTombstones(at position: Int) {
        guard let owner = tables.tables.unfilled[position].descriptor.tombstoneOwner,
            let ownerPosition = tables.position(of: owner._descriptor)
        else { return }
        changeTable(at: ownerPosition) { $0.tombstoneTable = position }
    }

    private mutating func resolveRelations(at position: Int) {
        let descriptor = tables.tables.unfilled[position].descriptor
        let relations = descriptor.relations.enumerated().map { index, relation in
            let child = relation.childDescriptor()
            guard let childTable = tables.position(of: child) else {
                preconditionFailure("a related type without a table")
            }
            let inverse = inverse(of: index, in: descriptor)
            return ResolvedRelation(
                childTable: childTable, isToMany: relation.isToMany, inverse: inverse,
                inverseIsToMany: inverse.map { child.relations[$0].isToMany } ?? false,
                deleteRule: relation.deleteRule, deletesOrphans: relation.orphans == .delete)
        }
        changeTable(at: position) { $0.relations = relations }
    }

    private func inverse(of index: Int, in descriptor: EntityDescriptor) -> Int? {
        do throws(RelationProblem) {
            return try descriptor.inverse(of: index)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// The table of a type of which slots, ids, rows and links are read, or nil while the context has none; see
    /// ``ContextTables/subscript(rows:)``.
    // Inlinable: else two entities are 69.3 KB of code and ten 297, not 68.5 and 286 (`Benchmarks/compile`).
    @inlinable
    func rows<Entity: EntityModelProtocol>(of type: Entity.Type) -> Table<Entity>? {
        guard let position = tables.position(of: Entity._descriptor) else { return nil }
        return tables.tables[rows: position].rows(of: Entity.self)
    }

    /// The table of a type for reading, filled, or nil while the context has none.
    @inlinable
    func table<Entity: EntityModelProtocol>(of type: Entity.Type) -> Table<Entity>? {
        guard let position = tables.position(of: Entity._descriptor) else { return nil }
        return tables.tables[position].rows(of: Entity.self)
    }

    /// A copy of the row with an id, or nil where there is none. O(log n).
    ///
    /// Neither the context's table nor anything in it is retained on the way: counting references took as long
    /// as finding the row. So the caller sees to it that the context outlives the call.
    @inlinable @inline(__always)
    func copyOfRow<Entity: EntityModelProtocol>(
        of type: Entity.Type, id: Entity.ID
    ) -> Entity? {
        guard let position = tables.position(of: Entity._descriptor) else { return nil }
        let table = tables.unretained(at: position, as: Table<Entity>.self)
        return table._withUnsafeGuaranteedRef {
            $0.copyOfRow(of: id, isInTransaction: session.isTracking)
        }
    }

    // What follows answers values, so that no reference to a table outlives the call: a mutation
    // behind a second reference would copy the table first.

    /// The slot of an id that is known, whether it has a row or not.
    @inlinable
    func knownSlot<Entity: EntityModelProtocol>(of type: Entity.Type, id: Entity.ID) -> Slot? {
        rows(of: type)?.slot(of: id)
    }

    /// The slot of an id that has a row.
    @inlinable
    func liveSlot<Entity: EntityModelProtocol>(of type: Entity.Type, id: Entity.ID) -> Slot? {
        rows(of: type)?.liveSlot(of: id)
    }

    /// A copy of the row at a slot.
    @inlinable
    func row<Entity: EntityModelProtocol>(of type: Entity.Type, at slot: Slot) -> Entity? {
        rows(of: type)?.copyOfRow(at: slot)
    }

    /// The time of the change that is starting: the transaction's, or the clock's.
    @usableFromInline
    static func now() -> Int64 {
        // Not through Date, whose floating-point seconds cost more than the clock itself.
        var time = timespec()
        guard clock_gettime(CLOCK_REALTIME, &time) == 0 else {
            return Int64((Date().timeIntervalSince1970 * 1_000_000).rounded())
        }
        // The nearest one, as dates are read: cut off, it would lie before a date that was taken before it.
        return Int64(time.tv_sec) * 1_000_000 + (Int64(time.tv_nsec) + 500) / 1_000
    }
}

extension TableList {
    /// Adds an empty table and returns its position.
    fileprivate mutating func add(_ descriptor: EntityDescriptor) -> Int {
        let position = tables.count
        precondition(position < Int(UInt16.max) - 1, "a context holds at most 65,000 types")
        tables.unfilled.append(descriptor.operations.makeTable(descriptor))
        if descriptor.number >= positions.count {
            positions.append(
                contentsOf: repeatElement(0, count: descriptor.number + 1 - positions.count))
        }
        positions[descriptor.number] = UInt16(position + 1)
        return position
    }
}
