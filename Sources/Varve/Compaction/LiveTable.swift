internal import VarveEvents
internal import VarveGraph

/// The entities of a registered type, in a frozen context, as a checkpoint is written from them.
struct LiveTable: CheckpointTable {
    let state: StoreState
    let position: Int
    let table: AnyTable
    let definition: TypeDefinition
    /// Kept: a copy, which each look at the descriptor makes, counts a reference to every closure.
    private let operations: EntityOperations
    /// Whether the log has more in its rows than the app's type says.
    private let completesRows: Bool
    /// Rows that the app's type cannot read.
    private let withheld: WithheldRows?

    init(state: StoreState, position: Int, definition: TypeDefinition) {
        self.state = state
        self.position = position
        self.definition = definition
        table = state.context.tables.tables[position]
        operations = table.descriptor.operations
        completesRows = state.schema.completesRows(at: position)
        withheld = state.schema.withheldRows[position]
    }

    /// Tombstones are told with the entities that they stand for: of their own type there are ids
    /// only, for the lists that name them.
    private var isOfTombstones: Bool { table.descriptor.tombstoneOwner != nil }

    var slotCount: Int { table.slotCount }

    var nextOrdinal: UInt64 { isOfTombstones ? 1 : table.nextOrdinal }

    /// All ids are looked at where the log counts them and the app, which gives them itself, does not.
    var lastNumber: UInt64 {
        get throws(CodecError) {
            var last = table.newestNumber.number
            guard definition.numbersIDs, !table.descriptor.numbersIDs else { return last }
            var id = ByteWriter()
            for slot in 0..<UInt32(truncatingIfNeeded: slotCount) {
                id.removeAll()
                try writeID(of: slot, into: &id)
                last = max(last, id.withBytes { definition.idType.number(ofID: $0) } ?? 0)
            }
            return last
        }
    }

    func presence(of slot: UInt32) -> EntityPresence {
        guard !isOfTombstones else { return .vacant }
        if let withheld, let row = withheld[slot] { return row.presence }
        if operations.isLive(table, Slot(slot)) { return .live }
        let metadata = operations.metadata(table, Slot(slot))
        guard metadata.isFormer else { return .vacant }
        return metadata.ordinal != RowMetadata.noOrdinal ? .tombstone : .gone
    }

    func stamps(of slot: UInt32) -> EntityStamps {
        if let withheld, let row = withheld[slot] { return row.stamps }
        let metadata = operations.metadata(table, Slot(slot))
        return EntityStamps(
            ordinal: metadata.ordinal == RowMetadata.noOrdinal ? 0 : metadata.ordinal,
            transaction: metadata.transaction,
            updatedAt: metadata.updatedAt, saveOrder: metadata.saveOrder)
    }

    func writeID(of slot: UInt32, into writer: inout ByteWriter) throws(CodecError) {
        try operations.storeID(table, Slot(slot), &writer)
    }

    func writeRow(
        of slot: UInt32, _ presence: EntityPresence, into writer: inout ByteWriter
    ) throws(CodecError) {
        if let withheld, let row = withheld[slot] { return writer.write(row.bytes) }
        let start = writer.count
        if presence == .live {
            try operations.storeRow(table, Slot(slot), &writer)
        } else {
            try tombstone(of: slot).storeRow(into: &writer)
        }
        guard completesRows else { return }
        try state.schema.completeRow(of: slot, at: position, in: &writer, from: start)
    }

    func forEachList(
        of relation: Int, from first: UInt32,
        while body: (UInt32, UnsafeBufferPointer<UInt32>) -> Bool
    ) {
        guard relation < table.descriptor.relations.count else {
            let number = definition.relations[relation].number
            return state.unread.forEachList(
                of: definition.number, relation: number, from: first, while: body)
        }
        table.forEachLinkList(relation: relation, from: first, while: body)
    }

    func tombstoneLists(
        of slot: UInt32
    ) throws(CodecError) -> [(relation: RelationNumber, targets: [TombstoneTarget])] {
        if let withheld, let row = withheld[slot] {
            var lists: [(relation: RelationNumber, targets: [TombstoneTarget])] = []
            for list in row.lists {
                lists.append((list.relation, list.slots.map { TombstoneTarget.slot($0) }))
            }
            lists.sort { $0.relation < $1.relation }
            return lists
        }
        let tombstone = try tombstone(of: slot)
        var lists: [(relation: RelationNumber, targets: [TombstoneTarget])] = []
        for index in table.descriptor.relations.indices {
            let child = state.context.tables.tables[table.relations[index].childTable]
            var targets: [TombstoneTarget] = []
            var failure: CodecError?
            try tombstone.forEachID(of: index) { id in
                do throws(CodecError) {
                    let slot = try child.descriptor.operations.find(child, id)
                    targets.append(slot.map { .slot($0.rawValue) } ?? .id(Array(id)))
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            if !targets.isEmpty { lists.append((definition.relations[index].number, targets)) }
        }
        return (lists + unreadTombstoneLists(of: slot)).sorted { $0.relation < $1.relation }
    }

    private func unreadTombstoneLists(
        of slot: UInt32
    ) -> [(relation: RelationNumber, targets: [TombstoneTarget])] {
        guard let kept = state.unread.tombstoneLists[position]?[slot],
            kept.transaction == table.metadata(of: Slot(slot)).transaction
        else { return [] }
        return kept.lists.map { list in
            (list.relation, list.slots.map { TombstoneTarget.slot($0) })
        }
    }

    private func tombstone(of slot: UInt32) throws(CodecError) -> Tombstone {
        guard let descriptor = table.descriptor.tombstoneDescriptor,
            let position = state.context.tables.position(of: descriptor)
        else { preconditionFailure("a place in the order without a row or a tombstone") }
        let tombstones = state.context.tables.tables[position]
        var id = ByteWriter()
        try writeID(of: slot, into: &id)
        let found = try id.withBytes { bytes throws(CodecError) in
            try descriptor.operations.find(tombstones, bytes)
        }
        guard let found, tombstones.isLive(found) else {
            preconditionFailure("a place in the order without a row or a tombstone")
        }
        return Tombstone(
            position: position, table: tombstones, slot: found, owner: table.descriptor)
    }
}

extension StoreState {
    /// The error for a value that was read, and that its type cannot write any more. O(n).
    func unencodable(_ error: CodecError) -> StoreError {
        for (position, definition) in schema.definitions.enumerated() {
            guard let definition else { continue }
            let table = LiveTable(state: self, position: position, definition: definition)
            for slot in 0..<UInt32(truncatingIfNeeded: table.slotCount) {
                let presence = table.presence(of: slot)
                guard presence.hasRow else { continue }
                var row = ByteWriter()
                guard (try? table.writeRow(of: slot, presence, into: &row)) == nil else { continue }
                return .unencodable(
                    type: definition.name, id: table.table.idText(of: Slot(slot)), error)
            }
        }
        return .unencodable(type: "a value", id: "", error)
    }

    /// The state as a checkpoint is written from it. All its definitions must be in the log.
    var checkpointSource: CheckpointSource {
        var positions: [TypeNumber: Int] = [:]
        for (position, definition) in schema.definitions.enumerated() {
            if let definition { positions[definition.number] = position }
        }
        let tables = catalog.definitions.map { definition -> (any CheckpointTable)? in
            guard let position = positions[definition.number] else {
                return unread.table(of: definition.number)
            }
            return LiveTable(state: self, position: position, definition: definition)
        }
        return CheckpointSource(
            catalog: catalog, lastTransaction: lastTransaction, lastTime: lastTime,
            tables: tables, timeline: timeline)
    }
}
