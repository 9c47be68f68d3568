public import VarveEvents
public import VarveGraph
internal import VarveLog

extension Store {
    /// Deletes an entity for good, with what its delete rules take along, and makes the store forget
    /// it: from this transaction on, nothing before it can be asked for, undone or restored, and the
    /// next compaction drops every file that was written by then. Savepoints go; only what is being
    /// read at the moment holds a compaction back.
    ///
    /// What delete rules take along leaves tombstones, as with any deletion; the ids of the entity
    /// stay where others mention them.
    ///
    /// - Returns: the transaction that was appended.
    /// - Throws: what ``write(_:options:_:)`` throws.
    @discardableResult
    public func forget<Entity: EntityModelProtocol>(
        _ type: Entity.Type, id: Entity.ID
    ) throws -> TransactionID {
        try finish(try writing().forget(type, id: id))
    }
}

extension Writer {
    fileprivate func forget<Entity: EntityModelProtocol>(
        _ type: Entity.Type, id: Entity.ID
    ) throws -> Written<TransactionID> {
        let written = try commit(nil, evenIfEmpty: true) { core in
            header(
                "Forget \(Entity._descriptor.name)",
                WriteOptions(metadata: [Timeline.Key.forget: "1"], undoable: false), core)
        } body: { state, turn in
            try Entity.delete(id: id, from: &state.context)
            try Deleted<Entity>.delete(id: id, from: &state.context)
            return turn.header.id
        }
        turn.withLock { core in pinSavepoints(core) }
        return written
    }
}
