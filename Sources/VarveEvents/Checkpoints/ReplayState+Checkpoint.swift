extension ReplayState {
    /// The state as a checkpoint is written from it.
    package var checkpointSource: CheckpointSource {
        CheckpointSource(
            catalog: catalog, lastTransaction: lastTransaction, lastTime: lastTime,
            tables: tables.map { table in table.map { ReplayedTable($0) } }, timeline: timeline)
    }

    /// One type's entities as a checkpoint is written from them, if the type was not handed over.
    package func checkpointTable(of type: TypeNumber) -> (any CheckpointTable)? {
        table(type).map { ReplayedTable($0) }
    }
}

/// A replayed type, with what reading its rows needs: belongs to one thread.
private final class ReplayedTable: CheckpointTable {
    private let table: ReplayTable
    private var reader: EntityReader

    init(_ table: ReplayTable) {
        self.table = table
        reader = EntityReader(table)
    }

    var definition: TypeDefinition { table.definition }
    var slotCount: Int { table.slotCount }
    var nextOrdinal: UInt64 { table.nextOrdinal }
    var lastNumber: UInt64 { table.lastNumber }

    func presence(of slot: UInt32) -> EntityPresence {
        let record = table.records[Int(slot)]
        return switch record.liveness {
        case .vacant: record.transaction == 0 ? .vacant : .gone
        case .live: .live
        case .tombstone: .tombstone
        }
    }

    func stamps(of slot: UInt32) -> EntityStamps {
        let record = table.records[Int(slot)]
        return EntityStamps(
            ordinal: record.ordinal, transaction: record.transaction,
            updatedAt: record.updatedAt, saveOrder: record.saveOrder)
    }

    func writeID(of slot: UInt32, into writer: inout ByteWriter) throws(CodecError) {
        writer.write(table.records[Int(slot)].idBytes)
    }

    func writeRow(
        of slot: UInt32, _ presence: EntityPresence, into writer: inout ByteWriter
    ) throws(CodecError) {
        _ = try reader.read(slot) { writer.write($0.row) }
    }

    func forEachList(
        of relation: Int, from first: UInt32,
        while body: (UInt32, UnsafeBufferPointer<UInt32>) -> Bool
    ) {
        table.links[relation].forEachList(from: first, while: body)
    }

    func tombstoneLists(
        of slot: UInt32
    ) throws(CodecError) -> [(relation: RelationNumber, targets: [TombstoneTarget])] {
        (table.deletedLists[slot] ?? []).filter { !$0.slots.isEmpty }.map { list in
            (list.relation, list.slots.map { TombstoneTarget.slot($0) })
        }
    }
}
