internal import Synchronization

/// Gives the ids of one type, for all contexts that share it: whatever becomes of one, no number comes twice.
@usableFromInline
final class IDNumbers: Sendable {
    private let last = Atomic<UInt64>(0)

    /// The next number; nil where that would be above the limit.
    func next(upTo limit: UInt64) -> UInt64? {
        var known = last.load(ordering: .relaxed)
        while known < limit {
            let (isTaken, found) = last.compareExchange(
                expected: known, desired: known + 1, ordering: .relaxed)
            if isTaken { return known + 1 }
            known = found
        }
        return nil
    }

    /// Takes in that a number is an id already.
    func note(_ number: UInt64) { last.max(number, ordering: .relaxed) }
}

/// The counters of all contexts of one store, by type: also of past states, of states that are read again, and of types
/// that several contexts take up, each by itself.
package final class IDCounters: Sendable {
    /// By the number of the descriptor.
    private let counters = Mutex<[Int: IDNumbers]>([:])

    package init() {}

    func numbers(of descriptor: EntityDescriptor) -> IDNumbers {
        counters.withLock { counters in
            if let known = counters[descriptor.number] { return known }
            let numbers = IDNumbers()
            counters[descriptor.number] = numbers
            return numbers
        }
    }
}

/// The greatest number that a table knows to be an id, and where that came from.
package struct NewestNumber: Sendable {
    package fileprivate(set) var number: UInt64 = 0
    /// The transaction that brought it; 0 where the log has it.
    package fileprivate(set) var transaction: UInt64 = 0
    /// The slot that was given a row of this id, whether or not it still has it.
    fileprivate var slot: UInt32?
}

extension AnyTable {
    /// Takes in a number that was given in the running transaction, before there is a row.
    func noteNumber(_ number: UInt64, in transaction: UInt64) {
        guard number > newestNumber.number else { return }
        newestNumber = NewestNumber(number: number, transaction: transaction)
    }

    /// Takes in the id of a row that has just come.
    @usableFromInline
    final func noteNumber(ofRowAt slot: Slot, _ stamp: Stamp) {
        guard let number = descriptor.numberOfID?(self, slot), number >= newestNumber.number else {
            return
        }
        newestNumber = NewestNumber(
            number: number, transaction: stamp.transaction, slot: slot.rawValue)
        numbers?.note(number)
    }

    /// Takes over what the log knows.
    package final func adoptNumber(_ number: UInt64) {
        newestNumber = NewestNumber(number: number)
        numbers?.note(number)
    }

    /// The number that the transaction has given, and which no row of it names: something may have seen it.
    package final func rowlessNumber(of transaction: UInt64) -> UInt64? {
        guard newestNumber.transaction == transaction, newestNumber.number > 0 else { return nil }
        if let slot = newestNumber.slot, Int(slot) < slotCount, isLive(Slot(slot)),
            descriptor.numberOfID?(self, Slot(slot)) == newestNumber.number
        {
            return nil
        }
        return newestNumber.number
    }
}

extension Context {
    /// The next id of a type whose ids the context gives. Generated code calls this.
    ///
    /// - Throws: ``ContextError/idsExhausted(type:property:last:)``.
    @inlinable
    public mutating func _nextID<Entity: EntityModelProtocol>(
        of type: Entity.Type
    ) throws -> Entity.ID where Entity.ID: FixedWidthInteger {
        let position = position(of: Entity._descriptor)
        while let number = nextNumber(at: position, upTo: UInt64(clamping: Entity.ID.max)) {
            let id = Entity.ID(truncatingIfNeeded: number)
            // Something may lead to the id already, of an entity that the application brings itself.
            if knownSlot(of: Entity.self, id: id) == nil { return id }
        }
        throw ContextError.idsExhausted(
            type: Entity._descriptor.name, property: "id", last: "\(Entity.ID.max)")
    }

    /// Throws where one of the entities has an id that is still to be given: no link leads from it, or to it, before it
    /// is saved.
    @usableFromInline
    func checkAreGiven(
        _ slots: ContiguousArray<UInt32>, of descriptor: EntityDescriptor
    ) throws(ContextError) {
        guard let numberOfID = descriptor.numberOfID,
            let table = tables.position(of: descriptor).map({ tables.tables[rows: $0] }),
            slots.contains(where: { numberOfID(table, Slot($0)) == 0 })
        else { return }
        throw .noSuchEntity(type: descriptor.name, id: "0")
    }

    @usableFromInline
    mutating func nextNumber(at position: Int, upTo limit: UInt64) -> UInt64? {
        guard let number = tables.tables[rows: position].numbers?.next(upTo: limit) else {
            return nil
        }
        noteNumber(number, ofTable: position)
        return number
    }

    /// Takes in a number that was given in the running transaction, or in a draft that it commits.
    package mutating func noteNumber(_ number: UInt64, ofTable position: Int) {
        let transaction = session.transaction
        let newest = tables.tables[rows: position].newestNumber
        // A write that failed may have been given a number as great: it is not in the log.
        guard number > newest.number || newest.transaction == transaction else { return }
        session.hasGivenIDs = true
        changeTable(at: position) { $0.noteNumber(number, in: transaction) }
    }
}
