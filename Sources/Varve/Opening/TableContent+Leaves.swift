internal import VarveEvents
internal import VarveGraph
internal import VarveReplay
internal import VarveTables

// What is read of a stored table. What is valid as long as the state is kept is used within one call.

/// The leaves of eight neighbouring slots.
struct TableLeaves {
    var rows: AnyObject?
    /// The ids of slots without a row; nil where each has one.
    var vacantIDs: AnyObject?
}

extension TableContent {
    /// Fills a table, which is empty.
    func fill(_ table: AnyTable) throws(StoreError) {
        try state.reading {
            .log($0)
        } _: { () throws(StoreError) in
            _ = try Hydration.fill([TableWork(self, table)])
        }
    }

    /// Ids of the types that wait are the same only if their bytes are.
    func read(
        id: UnsafeRawBufferPointer, in form: RowForm,
        _ body: (LoadedEntity) throws(CodecError) -> Void
    ) throws(CodecError) -> StoredPresence {
        let found = try state.read(of: definition.number, id: id, in: form) {
            entity throws(CodecError) -> StoredPresence in
            guard !entity.isDeleted else { return .absent }
            try body(LoadedEntity(entity))
            return .present
        }
        return found ?? .absent
    }

    /// The leaves of eight slots, by their number.
    ///
    /// - Parameter kind: a table of the type.
    func leaves(
        _ number: Int, of kind: AnyTable, in form: RowForm
    ) throws(CodecError) -> TableLeaves {
        let width = AnyTable.leafWidth
        let slots = (number * width)..<min((number + 1) * width, slotCount)
        if let rows = try packedLeaf(of: slots, kind, form) { return TableLeaves(rows: rows) }
        let table = kind.makeLeaf()
        let work = TableWork(self, table, slots: slots)
        _ = try work.loadEntities(of: work.parts[0], keepsBlocks: true)
        return TableLeaves(rows: table.rowLeaf(0), vacantIDs: table.vacantIDLeaf(0))
    }

    /// The leaf of slots that all have rows, which stay bytes; nil for others.
    private func packedLeaf(
        of slots: Range<Int>, _ kind: AnyTable, _ form: RowForm
    ) throws(CodecError) -> AnyObject? {
        guard var reader = state.reader(of: definition.number, in: form) else { return nil }
        var entities: ContiguousArray<LoadedEntity> = []
        entities.reserveCapacity(slots.count)
        for slot in slots {
            let entity = try reader.read(Slot(UInt32(slot))) {
                $0.isDeleted || !$0.rowStays ? nil : LoadedEntity($0)
            }
            guard let found = entity ?? nil else { return nil }
            entities.append(found)
        }
        return kind.packedLeaf(of: entities)
    }

    /// The lists of a relation that are not empty, of a range of slots.
    func lists(
        of relation: RelationNumber, _ slots: Range<UInt32>
    ) -> [(slot: UInt32, children: [UInt32])] {
        var lists: [(slot: UInt32, children: [UInt32])] = []
        state.forEachTargets(of: definition.number, relation: relation, in: slots) {
            lists.append(($0, Array($1)))
            return true
        }
        return lists
    }

    /// The relations that both the log and the app know: their positions in the app's type, and their numbers.
    var relations: [(index: Int, number: RelationNumber)] {
        let logged = state.catalog.definition(of: definition.number)
        return (logged?.relations ?? []).compactMap { relation in
            guard let index = definition.position(of: relation.number),
                index < descriptor.relations.count
            else { return nil }
            return (index, relation.number)
        }
    }
}
