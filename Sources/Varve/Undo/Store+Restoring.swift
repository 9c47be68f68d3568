public import Foundation
internal import VarveEvents
public import VarveGraph
internal import VarveLog

extension Store {
    /// Restores one deleted entity: its row, its place in the order of its type, and its links, each at its
    /// place in its list, on both sides. What was deleted along with it stays deleted; see
    /// ``restoreDeletion(of:id:_:)``. A link to an entity that is still deleted becomes visible when that
    /// entity is restored too; ``Restoration/unlinked`` lists such links.
    ///
    /// Where history does not reach back to the deletion, the entity is restored from what the
    /// tombstone holds: its links then come last in the lists of others.
    ///
    /// Only a taken unique value keeps it from happening, and `force` in the options overrules nothing.
    ///
    /// - Returns: what was done; nil where there is no such deleted entity.
    /// - Throws: ``StoreError/conflicts(_:)`` where another entity has a unique value by now, and
    ///   then nothing was done; what ``write(_:options:_:)`` throws.
    @discardableResult
    public func restore<Entity: EntityModelProtocol>(
        _ type: Entity.Type, id: Entity.ID, _ options: UndoOptions = UndoOptions()
    ) throws -> Restoration? {
        try finish(try writing().restore(type, id: id, isWhole: false, options))
    }

    /// Restores a deletion as a whole: the entity and everything that its delete rules took along,
    /// with links and places. Entities that were deleted before stay deleted.
    ///
    /// Which entities went along, the log alone says: a tombstone knows no more than its own entity, for
    /// which there is ``restore(_:id:_:)``.
    ///
    /// - Returns: as ``restore(_:id:_:)``.
    /// - Throws: ``StoreError/belowFloor(_:floor:)`` with the deleting transaction, where history does
    ///   not reach back to it; else as ``restore(_:id:_:)``.
    @discardableResult
    public func restoreDeletion<Entity: EntityModelProtocol>(
        of type: Entity.Type, id: Entity.ID, _ options: UndoOptions = UndoOptions()
    ) throws -> Restoration? {
        try finish(try writing().restore(type, id: id, isWhole: true, options))
    }

    /// Removes the tombstones of entities that were deleted before a moment, in one transaction that
    /// cannot be undone. Their history stays as long as history is kept.
    ///
    /// - Parameters:
    ///   - date: the moment before which they were deleted.
    ///   - types: those to look through; all where it is empty.
    /// - Returns: how many went.
    @discardableResult
    public func purgeDeleted(
        before date: Date, _ types: any EntityModelProtocol.Type...
    ) throws -> Int {
        try finish(
            try writing().purge(before: Timestamp(date), Set(types.map { $0._descriptor.name })))
    }
}

extension Writer {
    fileprivate func restore<Entity: EntityModelProtocol>(
        _ type: Entity.Type, id: Entity.ID, isWhole: Bool, _ options: UndoOptions
    ) throws -> Written<Restoration?> {
        let written = try commit(options.durability) { core in
            var written = options.written
            written.undoable = true
            written.metadata[Timeline.Key.restore] = "1"
            return header("Restore \(Entity._descriptor.name) \(id)", written, core)
        } body: { state, turn -> [HiddenLink] in
            guard let tombstone = state.context.tombstoneSlot(of: type, id: id) else { return [] }
            let metadata = state.context.tables.tables[rows: tombstone.table]
                .metadata(of: tombstone.slot)
            let history = turn.history(state)
            var bytes = ByteWriter()
            try Entity._storeID(id, into: &bytes)
            let entity = (
                state.schema.definition(atTable: tombstone.table)?.number, bytes.copyBytes()
            )
            let deletion = try history.deletion(
                of: entity, TransactionID(metadata.transaction), state)
            guard let deletion, deletion >= history.floor else {
                if isWhole, let deletion {
                    throw StoreError.belowFloor(deletion, floor: history.floor)
                }
                let deleted: Deleted<Entity>? = state.context.find(id)
                try deleted?.restore(in: &state.context)
                let place = EntityPlace(table: tombstone.table, slot: tombstone.slot.rawValue)
                return HiddenLink.all(of: place, in: ReversedState(state))
            }
            return try StateReversal.restore(
                entity, isWhole: isWhole, deletedIn: deletion, in: &state, history,
                running: turn.header.id)
        }
        return Written(
            result: written.receipt.appended.map { Restoration($0, hiding: written.result) },
            receipt: written.receipt)
    }

    fileprivate func purge(before time: Timestamp, _ types: Set<String>) throws -> Written<Int> {
        try commit(nil) { core in
            var header = header("Purge", WriteOptions(undoable: false), core)
            header.kind = .purge
            return header
        } body: { state, _ in
            let target = ReversedState(taking: &state)
            let count = target.purgeTombstones(before: time, types)
            target.hand(to: &state)
            return count
        }
    }
}

extension Context {
    /// The slot of an entity that has a tombstone.
    fileprivate func tombstoneSlot<Entity: EntityModelProtocol>(
        of type: Entity.Type, id: Entity.ID
    ) -> (table: Int, slot: Slot)? {
        guard let position = tables.position(of: Entity._descriptor) else { return nil }
        let deleted: Deleted<Entity>? = find(id)
        guard deleted != nil, let slot = encodedSlot(of: Entity.self, id: id) else { return nil }
        return (position, slot)
    }
}

extension Context {
    fileprivate func encodedSlot<Entity: EntityModelProtocol>(
        of type: Entity.Type, id: Entity.ID
    ) -> Slot? {
        var bytes = ByteWriter()
        guard let position = tables.position(of: Entity._descriptor),
            (try? Entity._storeID(id, into: &bytes)) != nil
        else { return nil }
        return bytes.withBytes { bytes in
            // An id that was encoded a moment ago is decoded.
            (try? Entity._descriptor.operations.find(tables.tables[rows: position], bytes)) ?? nil
        }
    }
}

extension LogHistory {
    /// The transaction that deleted an entity, whose tombstone migrations may have changed since; nil where a migration
    /// made the tombstone.
    ///
    /// - Parameter newest: the one that last touched the tombstone.
    fileprivate func deletion(
        of entity: (type: TypeNumber?, id: [UInt8]), _ newest: TransactionID, _ state: StoreState
    ) throws -> TransactionID? {
        var deletion = newest
        guard let type = entity.type else { return deletion }
        var entity = EncodedEntity(type: type, id: entity.id)
        let migrations = Set(state.timeline.migrations.map(\.transaction))
        guard migrations.contains(deletion) else { return deletion }
        let past = try self.migrations(behind: state)
        while migrations.contains(deletion), deletion >= floor {
            let predecessor = try past.predecessor(of: entity.type, in: deletion)
            let former: PreviousVersion? = try with(deletion) { view in
                if let version = try view.formerVersion(of: entity) { return version }
                guard let predecessor,
                    let found = try view.predecessor(of: entity, in: predecessor)
                else { return nil }
                entity = found.entity
                return found.version
            }
            guard let former, former.transaction < deletion else { return nil }
            deletion = former.transaction
        }
        return deletion
    }
}
