internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// Turns what a transaction changed in a context into the bytes of a logged transaction.
///
/// Reused from one transaction to the next, so that steady work keeps its memory.
///
/// Unchecked for exclusive access: every event touches these several times. No access calls out while it
/// is open but into the encoder and writers of bytes, which know nothing of this object.
final class CommitEncoder {
    /// The most bytes of one entity's row.
    let rowBytesMax: Int
    @exclusivity(unchecked) private var encoder = TransactionEncoder()
    @exclusivity(unchecked) private var output = ByteWriter(capacity: 4_096)
    @exclusivity(unchecked) private var idBytes = ByteWriter()
    @exclusivity(unchecked) var rowBytes = ByteWriter(capacity: 1_024)
    @exclusivity(unchecked) var otherBytes = ByteWriter(capacity: 1_024)
    @exclusivity(unchecked) var changes = FieldChanges()
    /// The places that slots have in the transaction's entity table, by table position and slot.
    @exclusivity(unchecked) private var indexes = SlotNumbers()
    @exclusivity(unchecked) private var removals: [ListChange] = []
    @exclusivity(unchecked) private var insertions: [ListChange] = []
    /// Where saves were among those of their transactions, of the table whose rows are being encoded.
    @exclusivity(unchecked) private var saveOrders: [EntitySaveOrder] = []
    /// What the journal that is being read has named already.
    @exclusivity(unchecked) private var seen = SlotNumbers()

    /// Leaves that the transaction filled, where they are packed.
    @exclusivity(unchecked) private var filled = FilledLeaves()
    @exclusivity(unchecked) private var packsFilledLeaves = false

    /// Of the transaction that was encoded last.
    var eventCount: Int { encoder.eventCount }

    init(rowBytesMax: ByteCount) { self.rowBytesMax = Int(rowBytesMax.rawValue) }

    /// What encoding looks at in a state: few references, because it is copied for each table. Let go
    /// before the state is changed.
    struct Source {
        let tables: TableList
        private let definitions: StoreDefinitions
        /// The lists that the journals name, where the tables are without.
        private let lists: ContiguousArray<ContiguousArray<LinkList>>?

        init(_ state: StoreState) {
            tables = state.context.tables
            definitions = state.definitions
            lists = nil
        }

        init(_ insertions: Insertions, _ definitions: StoreDefinitions) {
            tables = insertions.tables
            self.definitions = definitions
            lists = insertions.lists
        }

        /// What a list is behind the transaction, of which an entry in the journal of a table tells what it was.
        borrowing func list(_ entry: Int, of position: Int) -> LinkList {
            if let lists { return lists[position][entry] }
            let table = tables.tables[rows: position]
            let change = table.linkJournal[entry]
            return table.linkList(relation: change.relation, of: change.slot)
        }

        var schema: Schema {
            _read { yield definitions.schema }
        }
    }

    /// Encodes the changes that the context's journals hold. False where nothing changed and no id was given:
    /// then nothing is to be logged.
    ///
    /// Rows that were saved but are as they were get their old stamps back.
    ///
    /// - Parameter packsFilledLeaves: whether new rows that fill leaves are kept as their bytes. Not where somebody
    ///   is about to read them.
    func encode(
        _ state: inout StoreState, _ header: TransactionHeader, evenIfEmpty: Bool = false,
        packsFilledLeaves: Bool
    ) throws -> Bool {
        self.packsFilledLeaves = packsFilledLeaves
        try state.extendSchema()
        begin(header)
        var unchanged: [UnchangedRow] = []
        try encodeDefinitions(state.schema)
        let definitionCount = encoder.eventCount
        try encodeTables(Source(state), header, &unchanged)
        for row in unchanged {
            state.context.changeTable(at: row.table) { $0.setMetadata(row.metadata, of: row.slot) }
        }
        for leaves in filled.take() { leaves.place(in: &state.context) }
        if encoder.eventCount > definitionCount || evenIfEmpty {
            try finish(header, of: &state)
            return true
        }
        guard state.context.session.hasGivenIDs else { return false }
        // Its numbers alone are logged. No undo could reverse that, so it is no step, and ends no redo.
        var header = header
        header.isUndoable = false
        try finish(header, of: &state)
        return true
    }

    private func finish(_ header: TransactionHeader, of state: inout StoreState) throws {
        finish(header)
        if state.schema.completesRows { forgetUnknownFields(&state) }
        try confirmDefinitions(&state, header)
        state.note(header)
    }

    /// What the rows were before is not needed any more, nor is anything of entities that have gone for good.
    private func forgetUnknownFields(_ state: inout StoreState) {
        state.definitions.schema.forgetFormerFields()
        for position in state.schema.unknownFields.keys {
            let table = state.context.tables.tables[rows: position]
            for change in table.rowJournal {
                let slot = Slot(change.slot)
                guard !table.isLive(slot),
                    table.metadata(of: slot).ordinal == RowMetadata.noOrdinal
                else { continue }
                state.definitions.schema.unknownFields[position]?.forget(change.slot)
            }
        }
    }

    /// Encodes a transaction of insertions alone, apart from the context in which they happened. Returns leaves that it
    /// filled.
    ///
    /// - Parameter source: what was inserted; the log has all definitions.
    func encode(
        _ source: Source, _ header: TransactionHeader
    ) throws -> ContiguousArray<PackedLeaves> {
        packsFilledLeaves = true
        begin(header)
        var unchanged: [UnchangedRow] = []
        try encodeTables(source, header, &unchanged)
        precondition(unchanged.isEmpty, "what was inserted is new")
        finish(header)
        return filled.take()
    }

    private func begin(_ header: TransactionHeader) {
        encoder.begin(id: header.id, time: header.time)
        indexes.removeAll()
        saveOrders.removeAll(keepingCapacity: true)
        // What a transaction left that failed to be encoded.
        filled.removeAll()
    }

    private func finish(_ header: TransactionHeader) {
        output.removeAll()
        encoder.finish(header, into: &output)
    }

    /// Encodes a transaction of nothing but the definitions that the log lacks. False where it
    /// lacks none.
    func encodePendingDefinitions(
        _ state: inout StoreState, _ header: TransactionHeader
    ) throws -> Bool {
        guard !state.schema.pending.isEmpty else { return false }
        encoder.begin(id: header.id, time: header.time)
        try encodeDefinitions(state.schema)
        finish(header)
        try confirmDefinitions(&state, header)
        state.note(header)
        return true
    }

    /// The encoded transaction, valid until the next is encoded.
    func withBytes<Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try output.withBytes { bytes throws(Failure) in try body(bytes) }
    }

    // MARK: - Definitions

    private func encodeDefinitions(_ schema: Schema) throws {
        for definition in schema.pending {
            do {
                try encoder.define(definition)
            } catch {
                throw StoreError.unencodable(type: definition.name, id: "", error)
            }
        }
    }

    private func confirmDefinitions(_ state: inout StoreState, _ header: TransactionHeader) throws {
        guard !state.schema.pending.isEmpty else { return }
        for definition in state.schema.pending {
            do {
                _ = try state.definitions.catalog.define(definition, in: header.id)
            } catch {
                throw StoreError.schema([SchemaProblem(error)])
            }
        }
        state.definitions.schema.didLogPending()
    }

    private func encodeTables(
        _ source: Source, _ header: TransactionHeader, _ unchanged: inout [UnchangedRow]
    ) throws {
        let version = PreviousVersion(transaction: header.id, updatedAt: header.time)
        for position in source.tables.tables.indices {
            try encodeRows(of: position, source, version, &unchanged)
        }
        for position in source.tables.tables.indices {
            try encodeLinks(of: position, source)
        }
        for position in source.tables.tables.indices {
            nameNumber(of: position, source, in: header.id)
        }
    }

    /// Mentions the id that the transaction gave last, where no row has it any more: the log must not give it again.
    private func nameNumber(of position: Int, _ source: Source, in transaction: TransactionID) {
        guard
            let number = source.tables.tables.unfilled[position]
                .rowlessNumber(of: transaction.rawValue),
            let definition = source.schema.definition(atTable: position)
        else { return }
        idBytes.removeAll()
        definition.idType.writeID(of: number, into: &idBytes)
        // Entered by its bytes: it may have a slot, or none any more.
        idBytes.withBytes { _ = encoder.entity(definition.number, $0) }
    }

    // MARK: - Rows

    /// A row whose save changed nothing.
    private struct UnchangedRow {
        let table: Int
        let slot: Slot
        let metadata: RowMetadata
    }

    private func encodeRows(
        of position: Int, _ source: Source, _ version: PreviousVersion,
        _ unchanged: inout [UnchangedRow]
    ) throws {
        let table = source.tables.tables.unfilled[position]
        // What happens to tombstones is told by the events of the entities they stand for.
        guard !table.rowJournal.isEmpty, table.descriptor.tombstoneOwner == nil,
            source.schema.number(ofTable: position) != nil
        else { return }
        let rows = RowEncoding(
            source: source, position: position, table: table,
            version: version, isCompleted: source.schema.completesRows(at: position),
            mayBePacked: packsFilledLeaves && table.descriptor.mayBePackedWhenSaved)
        if let withheld = source.schema.withheldRows[position] {
            for change in table.rowJournal {
                if let row = withheld[change.slot] { throw StoreError.unreadable(row.value) }
            }
        }
        seen.removeAll()
        filled.beginLeaf()
        for change in table.rowJournal where seen.insert(UInt64(change.slot)) {
            do {
                let slot = Slot(change.slot)
                if try rows.encode(change, with: self) {
                    if table.saves.isNumbered || change.metadata.saveOrder != 0 {
                        try noteSaveOrder(of: slot, change, rows, &unchanged)
                    }
                    continue
                }
                unchanged.append(
                    UnchangedRow(table: position, slot: slot, metadata: change.metadata))
                guard let tombstone = try rows.findTombstone(of: slot),
                    let metadata = tombstone.formerMetadata
                else { continue }
                unchanged.append(
                    UnchangedRow(
                        table: tombstone.position, slot: tombstone.slot, metadata: metadata))
            } catch let error as CodecError {
                throw StoreError.unencodable(
                    type: table.descriptor.name, id: rows.idText(of: change.slot), error)
            }
        }
        guard !saveOrders.isEmpty else { return }
        encoder.saveOrders(saveOrders)
        saveOrders.removeAll(keepingCapacity: saveOrders.capacity < 1_024)
    }

    /// Notes where the save of a row that was encoded was among those of the transaction, and where the one before was
    /// among those of its own. A tombstone has the order of its entity, as the log says one for both.
    private func noteSaveOrder(
        of slot: Slot, _ change: RowChange, _ rows: RowEncoding, _ amended: inout [UnchangedRow]
    ) throws(CodecError) {
        let metadata = rows.table.metadata(of: slot)
        let isThere = metadata.ordinal != RowMetadata.noOrdinal
        let now = isThere ? metadata.saveOrder : 0
        if isThere, !rows.table.isLive(slot), let tombstone = try rows.findTombstone(of: slot) {
            var shown = tombstone.table.metadata(of: tombstone.slot)
            if shown.saveOrder != now {
                shown.saveOrder = now
                amended.append(
                    UnchangedRow(table: tombstone.position, slot: tombstone.slot, metadata: shown))
            }
        }
        guard now > 0 || change.metadata.saveOrder > 0 else { return }
        let entity = try index(of: slot.rawValue, in: rows.position, rows.source)
        saveOrders.append(
            EntitySaveOrder(entity: entity, now: now, before: change.metadata.saveOrder))
    }

    /// Takes note of a row that came to its place in the transaction, and of the bytes that `rowBytes` has of it.
    func noteInsert(_ entity: EntityIndex, at slot: Slot, of table: Int, _ metadata: RowMetadata) {
        encoder.withID(of: entity) { id in
            rowBytes.withBytes { filled.add(slot, of: table, id: id, row: $0, metadata) }
        }
    }

    /// Lets the body append to the transaction.
    func append(_ body: (inout TransactionEncoder) throws -> Void) rethrows {
        try body(&encoder)
    }

    /// The place of an entity in the transaction's entity table.
    func index(
        of slot: UInt32, in position: Int, _ source: borrowing Source
    ) throws(CodecError) -> EntityIndex {
        let key = UInt64(position) << 32 | UInt64(slot)
        if let known = indexes[key] { return EntityIndex(known) }
        // Perhaps of a table that the transaction has not looked at: a link that went names its target.
        let table = source.tables.tables[rows: position]
        guard let number = source.schema.number(ofTable: position) else {
            preconditionFailure("an event names an entity of an undefined type")
        }
        idBytes.removeAll()
        try table.descriptor.operations.storeID(table, Slot(slot), &idBytes)
        // Ids of the same bytes have one slot, so only lists of tombstones, which name ids, may have named it before.
        let index = idBytes.withBytes { encoder.unlistedEntity(number, $0) }
        _ = indexes.insert(key, index.rawValue)
        return index
    }

    // MARK: - Links

    private func encodeLinks(of position: Int, _ source: borrowing Source) throws {
        let table = source.tables.tables.unfilled[position]
        guard !table.linkJournal.isEmpty, let definition = source.schema.definitions[position]
        else { return }
        seen.removeAll()
        for (entry, change) in table.linkJournal.enumerated()
        where seen.insert(UInt64(change.relation) << 32 | UInt64(change.slot)) {
            do throws(CodecError) {
                let now = source.list(entry, of: position)
                try encodeList(change, now, table, position, definition, source)
            } catch {
                throw StoreError.unencodable(type: table.descriptor.name, id: "", error)
            }
        }
    }

    private func encodeList(
        _ change: LinkListChange, _ now: LinkList, _ table: AnyTable, _ position: Int,
        _ definition: TypeDefinition, _ source: borrowing Source
    ) throws(CodecError) {
        guard !now.isIdentical(to: change.before) else { return }
        let child = table.relations[change.relation].childTable
        let relation = definition.relations[change.relation].number
        let oldCount = change.before.count
        if let slot = now.slotAppended(to: change.before) {
            // Nearly every change: nothing is made to tell it.
            let parent = try index(of: change.slot, in: position, source)
            let appended = try index(of: slot, in: child, source)
            return encoder.link(
                parent, relation: relation, oldCount: oldCount, appended: appended)
        }
        let difference = ListChanges(from: change.before, to: now)
        guard !difference.isEmpty else { return }
        removals.removeAll(keepingCapacity: removals.capacity < 1_024)
        insertions.removeAll(keepingCapacity: insertions.capacity < 1_024)
        let parent = try index(of: change.slot, in: position, source)
        for (position, slot) in difference.removals {
            removals.append(
                ListChange(position: position, entity: try index(of: slot, in: child, source)))
        }
        for (position, slot) in difference.insertions {
            insertions.append(
                ListChange(position: position, entity: try index(of: slot, in: child, source)))
        }
        encoder.link(
            parent, relation: relation, oldCount: oldCount, removals: removals,
            insertions: insertions)
    }
}
