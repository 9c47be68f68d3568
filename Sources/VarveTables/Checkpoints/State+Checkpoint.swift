package import VarveEvents

extension State {
    /// The state as a checkpoint is written from it.
    package var checkpointSource: CheckpointSource {
        CheckpointSource(
            catalog: catalog, lastTransaction: lastTransaction, lastTime: lastTime,
            tables: tables.indices.map { StateTable(self, at: $0) }, timeline: timeline)
    }

    /// The state without the steps that cannot be undone any more: a checkpoint need not carry them.
    package func trimmingTimeline(below floor: TransactionID) -> State {
        State(self, timeline: timeline.trimmed(below: floor))
    }
}

/// One type of a state, with what reading its rows needs: belongs to one thread.
private final class StateTable: CheckpointTable {
    private let state: State
    private let table: Table
    private var reader: StateReader
    /// The entry that was read last: a checkpoint wants several things of each slot.
    private var last: StoredRow?

    init(_ state: State, at position: Int) {
        self.state = state
        table = state.tables[position]
        reader = StateReader(state, table.rows, RowForm(of: table))
    }

    var definition: TypeDefinition { table.definition }
    var slotCount: Int { table.slotCount }
    var nextOrdinal: UInt64 { table.nextOrdinal.rawValue }
    var lastNumber: UInt64 { table.lastNumber }

    private func entry(_ slot: UInt32) -> StoredRow {
        if let last, last.slot.rawValue == slot { return last }
        let entry = table.rows.entry(Slot(slot), in: state.pages)
        last = entry
        return entry
    }

    func presence(of slot: UInt32) -> EntityPresence { entry(slot).presence }

    func stamps(of slot: UInt32) -> EntityStamps { entry(slot).stamps }

    func writeID(of slot: UInt32, into writer: inout ByteWriter) throws(CodecError) {
        writer.write(entry(slot).id)
    }

    func writeRow(
        of slot: UInt32, _ presence: EntityPresence, into writer: inout ByteWriter
    ) throws(CodecError) {
        _ = try reader.read(entry(slot)) { writer.write($0.row) }
    }

    func forEachList(
        of relation: Int, from first: UInt32,
        while body: (UInt32, UnsafeBufferPointer<UInt32>) -> Bool
    ) {
        table.links[relation].forEachList(from: Slot(first), in: state.pages) { holder, slots in
            slots.withUnsafeBytes { bytes in
                bytes.withMemoryRebound(to: UInt32.self) { body(holder.rawValue, $0) }
            }
        }
    }

    func tombstoneLists(
        of slot: UInt32
    ) throws(CodecError) -> [(relation: RelationNumber, targets: [TombstoneTarget])] {
        table.keptLists(of: Slot(slot), in: state.pages).map { list in
            (list.relation, list.slots.map { TombstoneTarget.slot($0.rawValue) })
        }
    }
}
