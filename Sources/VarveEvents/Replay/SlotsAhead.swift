/// Gives the entities that transactions mention their slots, some way ahead of the state that the
/// transactions are applied to.
///
/// Looking ids up takes replay a third of its time, nearly all of it waiting for memory, and needs
/// nothing that events change but the definitions of types. So the directories of the state's tables belong
/// to whoever has this, maybe on another thread, while transactions are applied with what it found. Where
/// one of them cannot be applied, there are slots without a record: the state must not be looked at.
package final class SlotsAhead {
    private let state: ReplayState
    /// By type number - 1, as far as types were there at the last look.
    private var directories: [SlotDirectory?] = []
    private var hashes = RawColumn<UInt64>()
    /// Written so that the loads of ``SlotMap/touch(_:_:)`` are not for nothing.
    private var touched = 0

    /// Nil for a state that has entities: the ids of loaded ones are looked up among their records.
    package init?(_ state: ReplayState) {
        guard state.slotCount == 0 else { return nil }
        self.state = state
        lookAtTypes()
    }

    /// Takes notice of the types that are defined by now, and returns whether there are more than before.
    /// Nobody may change the state meanwhile.
    @discardableResult
    package func lookAtTypes() -> Bool {
        let known = directories.count
        directories = state.tables.map { $0?.directory }
        return directories.count > known
    }

    /// Whether the types of all entities are known. They are not where the transaction defines one, or one
    /// before it since the last look did.
    package func knowsTypes(of transaction: TransactionView) -> Bool {
        var known = TypeNumber(0)
        for entity in transaction.entities where entity.type != known {
            guard directory(entity.type) != nil else { return false }
            known = entity.type
        }
        return true
    }

    private func directory(_ type: TypeNumber) -> SlotDirectory? {
        let index = Int(type.rawValue) - 1
        return directories.indices.contains(index) ? directories[index] : nil
    }

    /// Gives each entity of a transaction, whose types are known, its slot. One whose id cannot have any
    /// stays without, so that the first event which needs it says why.
    package func resolve(
        _ transaction: TransactionView, into resolved: inout ResolvedSlots
    ) -> ResolvedSlots.Share {
        let entities = transaction.entities
        let (start, firstAdded) = (resolved.slots.count, resolved.added.count)
        hashes.removeAll()
        for entity in entities { hashes.append(KeyedHash.hash(entity.id)) }
        transaction.forEachStretch { type, range in
            guard let directory = directory(type) else {
                preconditionFailure("the type of an entity that is resolved is known")
            }
            touched &+= directory.touch(hashes, range)
            for index in range {
                resolved.append(entities[index], hash: hashes[index], in: directory)
            }
        }
        return ResolvedSlots.Share(
            slots: start..<resolved.slots.count, added: firstAdded..<resolved.added.count)
    }
}

/// The slots of entities that some transactions mention.
package struct ResolvedSlots: ~Copyable {
    /// What of it is one transaction's.
    package struct Share {
        let slots: Range<Int>
        let added: Range<Int>
    }

    /// An entity that has a slot, and no record yet.
    struct Added: BitwiseCopyable {
        let type: TypeNumber
        let id: StoredID
    }

    /// By the transactions' order of entities.
    private(set) var slots = RawColumn<UInt32>()
    /// Those that had no slot before. Of one type, they are in the order of their slots.
    private(set) var added = RawColumn<Added>()

    package init() {}

    package mutating func removeAll() {
        slots.removeAll()
        added.removeAll()
    }

    @inline(__always)
    fileprivate mutating func append(
        _ entity: TransactionView.Entity, hash: UInt64, in directory: SlotDirectory
    ) {
        if let slot = directory.find(entity.id, hash: hash) { return slots.append(slot) }
        do throws(EntityFault) {
            let new = try directory.add(entity.id, hash: hash)
            added.append(Added(type: entity.type, id: new.id))
            slots.append(new.slot)
        } catch {
            slots.append(ReplayState.unresolved)
        }
    }
}
