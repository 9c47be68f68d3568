import VarveEvents

@testable import VarveTables

/// Everything that can be read of a state, in plain values.
struct StateContent: Equatable {
    struct Entity: Equatable {
        var id: [UInt8]
        var row: [UInt8]
        var metadata: RowMetadata
        var targets: [[Slot]]
        var kept: [[Slot]]
    }

    struct Table: Equatable {
        var counts: TypeCounts
        var nextOrdinal: Ordinal
        var entities: [Entity]
        /// By each index, the slots in its order.
        var indexed: [[Slot]]
    }

    var lastTransaction: TransactionID
    var lastTime: Timestamp
    var definitions: [TypeDefinition]
    var timeline: [UInt8]
    var tables: [Table]

    /// Reads all of it, by slots and by ids, which must lead to the same.
    init(_ state: State) {
        lastTransaction = state.lastTransaction
        lastTime = state.lastTime
        definitions = state.catalog.revisions.map(\.definition)
        var writer = ByteWriter()
        state.timeline.encode(into: &writer)
        timeline = writer.copyBytes()
        tables = state.tables.map { Self.table($0, of: state) }
    }

    private static func table(_ table: VarveTables.Table, of state: State) -> Table {
        let type = table.definition.number
        var entities: [Entity] = []
        var cursor = table.rows.cursor(in: state.pages)
        while let entry = cursor.nextEntry() {
            let targets = table.links.indices.map {
                state.targets(of: type, at: entry.slot, relation: $0)
            }
            let found = state.slot(of: type, id: entry.id)
            entities.append(
                Entity(
                    id: found == entry.slot ? [UInt8](entry.id) : [], row: [UInt8](entry.row),
                    metadata: entry.metadata, targets: targets,
                    kept: state.keptLists(of: type, at: entry.slot).map(\.slots)))
        }
        let indexed = table.indexes.map { declared in
            var slots: [Slot] = []
            declared.index.forEach(
                from: UnsafeRawBufferPointer(start: nil, count: 0), to: nil, in: state.pages
            ) { slot, _ in
                slots.append(slot)
                return true
            }
            return slots
        }
        return Table(
            counts: state.counts(of: type), nextOrdinal: table.nextOrdinal, entities: entities,
            indexed: indexed)
    }
}
