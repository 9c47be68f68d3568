internal import VarveEvents
internal import VarveGraph

extension LinkList: ReversalList {}

/// A store's state as one that transactions are reverted from. Holds what that may change.
///
/// Unchecked for exclusive access: each event touches it many times. No access calls out while it is
/// open but into the context's own operations, which know nothing of this object.
final class ReversedState: ReversalTarget {
    @exclusivity(unchecked) private var context: Context
    @exclusivity(unchecked) var definitions: StoreDefinitions
    /// Rows that were set here and that the app would write otherwise: what was reverted before it
    /// is compared with them as they were logged.
    @exclusivity(unchecked) private var restored: [EntityPlace: [UInt8]] = [:]

    /// Whether rows that the app's types cannot read are withheld: where the past is looked at. A transaction cannot
    /// change them.
    let withholdsRows: Bool
    /// A withheld row that a transaction would have changed.
    var refused: UnreadableValue?

    /// A copy, which leaves the state as it is.
    init(_ state: StoreState) {
        context = state.context
        definitions = state.definitions
        withholdsRows = false
    }

    /// Takes a state over: until ``hand(to:)`` gives it back, its context may not be asked for. A copy would make
    /// all tables look shared.
    init(taking state: inout StoreState, withholdsRows: Bool = false) {
        self.withholdsRows = withholdsRows
        context = .vacant
        // The catalog is asked for meanwhile.
        definitions = state.definitions
        swap(&context, &state.context)
    }

    /// Makes the state, which this began with, what it is here. Nothing is asked of this afterwards.
    func hand(to state: inout StoreState) {
        // Exchanged: a copy would count references, and the state would let as many go.
        swap(&context, &state.context)
        swap(&definitions, &state.definitions)
    }

    /// Begins a change of the state's context.
    func begin() -> JournalMark { context.begin() }

    /// Ends a change that stays.
    func end(_ mark: JournalMark) { context.end(mark) }

    func table(_ position: Int) -> AnyTable { context.tables.tables[rows: position] }

    private func operations(_ position: Int) -> EntityOperations {
        table(position).descriptor.operations
    }

    // MARK: - Entities

    func place(
        of type: TypeNumber, _ id: UnsafeRawBufferPointer
    ) throws(CodecError) -> EntityPlace? {
        guard let position = definitions.schema.position(of: type) else { return nil }
        let slot = try operations(position).intern(&context, position, id)
        return EntityPlace(table: position, slot: slot.rawValue)
    }

    func presence(of place: EntityPlace) -> EntityPresence {
        if let row = withheld(place) { return row.presence }
        let table = table(place.table)
        if table.isLive(Slot(place.slot)) { return .live }
        let metadata = table.metadata(of: Slot(place.slot))
        guard metadata.isFormer else { return .vacant }
        return metadata.ordinal != RowMetadata.noOrdinal ? .tombstone : .gone
    }

    func stamps(of place: EntityPlace) -> EntityStamps {
        if let row = withheld(place) { return row.stamps }
        let metadata = table(place.table).metadata(of: Slot(place.slot))
        return EntityStamps(
            ordinal: metadata.ordinal, transaction: metadata.transaction,
            updatedAt: metadata.updatedAt, saveOrder: metadata.saveOrder)
    }

    func knownFieldCount(ofTable table: Int) -> Int {
        self.table(table).descriptor.fields.count
    }

    func writeRow(of place: EntityPlace, into writer: inout ByteWriter) throws(CodecError) {
        if !restored.isEmpty, let row = restored[place] { return writer.write(row) }
        if let row = withheld(place) { return writer.write(row.bytes) }
        let start = writer.count
        try table(place.table).storeRow(at: Slot(place.slot), into: &writer)
        try definitions.schema.completeRow(
            of: place.slot, at: place.table, in: &writer, from: start)
    }

    func encoded(_ place: EntityPlace) throws(CodecError) -> EncodedEntity {
        var id = ByteWriter()
        try operations(place.table).storeID(table(place.table), Slot(place.slot), &id)
        return EncodedEntity(type: definition(ofTable: place.table).number, id: id.copyBytes())
    }

    func definition(ofTable table: Int) -> TypeDefinition {
        guard let definition = definitions.schema.definitions[table] else {
            preconditionFailure("an event names an entity of an undefined type")
        }
        return definition
    }

    func numbersIDs(ofTable table: Int) -> Bool { self.table(table).descriptor.numbersIDs }

    func name(of place: EntityPlace) -> (type: String, id: String) {
        let table = table(place.table)
        return (table.descriptor.name, table.idText(of: Slot(place.slot)))
    }

    // MARK: - Rows

    func setRow(
        of place: EntityPlace, to row: UnsafeRawBufferPointer, ordinal: UInt64,
        version: PreviousVersion?
    ) throws(CodecError) {
        release(place)
        let known = try takeUnknownFields(of: place, from: row)
        try dropTombstone(of: place)
        do throws(CodecError) {
            try put(known, at: Slot(place.slot), ordinal: ordinal, place.table)
        } catch {
            guard withhold(row, of: place, as: .live, ordinal: ordinal, lists: [], version, error)
            else { throw error }
            return
        }
        stamp(place.slot, ofTable: place.table, version)
        keep(row, of: place)
    }

    /// Remembers a row that was set if the app would write it otherwise.
    private func keep(_ row: UnsafeRawBufferPointer, of place: EntityPlace) {
        guard definitions.schema.mayBeReformed(at: place.table) else { return }
        restored[place] = nil
        var written = ByteWriter(capacity: row.count)
        let isWritten: Void? = try? writeRow(of: place, into: &written)
        let isSame = written.withBytes { isWritten != nil && $0.hasSameBytes(as: row) }
        if !isSame { restored[place] = [UInt8](row) }
    }

    /// Lets the running transaction log values that have returned in the form that they had: what is
    /// reverted after it is compared with that. A value that has not changed stays as it is.
    func keepForms() throws(CodecError) {
        for (place, row) in restored where presence(of: place) == .live {
            let table = table(place.table)
            var now = ByteWriter()
            try table.storeRow(at: Slot(place.slot), into: &now)
            var before = ByteWriter()
            if let first = table.firstChange(of: Slot(place.slot)), first.before >= 0 {
                try table.storeBefore(first.before, into: &before)
            }
            let fields = definition(ofTable: place.table).fields.prefix(
                knownFieldCount(ofTable: place.table))
            var forms = definitions.schema.loggedForms[place.table] ?? LoggedForms()
            try row.withBuffer { row throws(CodecError) in
                var logged = ByteReader(row)
                try now.withBytes { now throws(CodecError) in
                    var written = ByteReader(now)
                    try before.withBytes { before throws(CodecError) in
                        var former = ByteReader(before)
                        for (index, field) in fields.enumerated() {
                            let old = try field.type.readSlice(&logged)
                            let new = try field.type.readSlice(&written)
                            let replaced =
                                try before.isEmpty ? nil : field.type.readSlice(&former)
                            if let replaced, replaced.hasSameBytes(as: new) { continue }
                            guard !old.hasSameBytes(as: new) else { continue }
                            forms.restore(index, of: place.slot, written: new, logged: old)
                        }
                    }
                }
            }
            definitions.schema.loggedForms[place.table] = forms
        }
    }

    /// Puts a row at a slot, and at its place in the order of its type.
    private func put(
        _ row: UnsafeRawBufferPointer, at slot: Slot, ordinal: UInt64, _ position: Int
    ) throws(CodecError) {
        // A row that is changed stays where it is.
        if table(position).isLive(slot), table(position).metadata(of: slot).ordinal != ordinal {
            context.removeRow(at: slot, in: position, keepsPlace: false)
        }
        do throws(CodecError) {
            try context.restoreRow(at: slot, in: position, from: row, ordinal: ordinal)
        } catch {
            throw table(position).descriptor.problem(inRow: row) ?? error
        }
    }

    func setTombstone(
        of place: EntityPlace, row: UnsafeRawBufferPointer, ordinal: UInt64,
        lists: [(relation: Int, entities: [EntityPlace])], version: PreviousVersion?
    ) throws(CodecError) {
        release(place)
        let slot = Slot(place.slot)
        let known = try takeUnknownFields(of: place, from: row)
        if !restored.isEmpty { restored[place] = nil }
        if let problem = problem(in: known, of: place),
            withhold(
                row, of: place, as: .tombstone, ordinal: ordinal, lists: lists, version, problem)
        {
            return
        }
        if table(place.table).isLive(slot) {
            context.removeRow(at: slot, in: place.table, keepsPlace: true)
        }
        // Also where only the tombstone changes: that is told by its entity.
        context.setVacancy(of: slot, ordinal: ordinal, table: place.table)
        stamp(place.slot, ofTable: place.table, version)
        let descriptor = table(place.table).descriptor.type._tombstoneDescriptor
        let position = context.position(of: descriptor)
        let tombstone = try withID(of: place) { (id, context) throws(CodecError) in
            try descriptor.operations.intern(&context, position, id)
        }
        try put(known, at: tombstone, ordinal: ordinal, position)
        try setLists(lists, of: tombstone, at: position, owner: place.table)
        stamp(tombstone.rawValue, ofTable: position, version)
    }

    /// Sets the relations of a tombstone's entity, which stands at the tombstone's address.
    private func setLists(
        _ lists: [(relation: Int, entities: [EntityPlace])], of tombstone: Slot, at position: Int,
        owner: Int
    ) throws(CodecError) {
        for (index, entities) in lists where !entities.isEmpty {
            let relation = table(owner).descriptor.relations[index]
            var ids: [[UInt8]] = []
            for entity in entities {
                var writer = ByteWriter()
                try operations(entity.table).storeID(
                    table(entity.table), Slot(entity.slot), &writer)
                ids.append(writer.copyBytes())
            }
            let joined = ids.flatMap { $0 }
            try joined.withBuffer { bytes throws(CodecError) in
                var start = 0
                let slices = ids.map { id in
                    defer { start += id.count }
                    return UnsafeRawBufferPointer(rebasing: bytes[start..<start + id.count])
                }
                try context.changeTable(at: position) { (tombstones) throws(CodecError) in
                    try tombstones.amendRow(at: tombstone) {
                        address throws(CodecError) in
                        try relation.loadIDs(address + relation.offset, slices)
                    }
                }
            }
        }
    }

    func clear(_ place: EntityPlace, as absence: EntityAbsence) {
        release(place)
        let slot = Slot(place.slot)
        if !restored.isEmpty { restored[place] = nil }
        if table(place.table).isLive(slot) {
            context.removeRow(at: slot, in: place.table, keepsPlace: false)
        } else {
            do throws(CodecError) {
                try dropTombstone(of: place)
            } catch {
                preconditionFailure("the id of a known entity cannot be encoded: \(error)")
            }
            context.setVacancy(of: slot, ordinal: nil, table: place.table)
        }
        switch absence {
        case .goes:
            // Not as if it came and went in this transaction.
            context.setRunningStamps(of: slot, table: place.table)
        case .gone(let version): stamp(place.slot, ofTable: place.table, version)
        case .toCome:
            context.setStamps(of: slot, updatedAt: 0, transaction: 0, table: place.table)
        }
    }

    private func dropTombstone(of place: EntityPlace) throws(CodecError) {
        guard let descriptor = table(place.table).descriptor.tombstoneDescriptor,
            let position = context.tables.position(of: descriptor),
            context.tables.tables[rows: position].liveCount > 0
        else { return }
        let tombstone = try withID(of: place) { (id, context) throws(CodecError) in
            try descriptor.operations.find(context.tables.tables[rows: position], id)
        }
        guard let tombstone, table(position).isLive(tombstone) else { return }
        context.removeRow(at: tombstone, in: position, keepsPlace: false)
    }

    /// Makes everything that was changed since the running transaction began carry that, whatever
    /// versions it was given.
    func stampChanges() {
        for position in context.tables.tables.indices {
            for change in context.tables.tables.unfilled[position].rowJournal {
                let slot = Slot(change.slot)
                guard table(position).isLive(slot) || table(position).metadata(of: slot).isFormer
                else { continue }
                context.setRunningStamps(of: slot, table: position)
            }
        }
    }

    /// Appends the row of a live entity, or that of its tombstone.
    func writeRowOrTombstone(
        of place: EntityPlace, into writer: inout ByteWriter
    ) throws(CodecError) {
        if table(place.table).isLive(Slot(place.slot)) || withheld(place) != nil {
            return try writeRow(of: place, into: &writer)
        }
        guard let descriptor = table(place.table).descriptor.tombstoneDescriptor,
            let position = context.tables.position(of: descriptor)
        else { return }
        var id = ByteWriter()
        try operations(place.table).storeID(table(place.table), Slot(place.slot), &id)
        let tombstone = try id.withBytes { id throws(CodecError) in
            try descriptor.operations.find(table(position), id)
        }
        guard let tombstone else { return }
        let start = writer.count
        try table(position).storeRow(at: tombstone, into: &writer)
        try definitions.schema.completeRow(
            of: place.slot, at: place.table, in: &writer, from: start)
    }

    /// Takes away the tombstones of what was deleted before a moment. Returns how many.
    ///
    /// - Parameter types: names; none for all.
    func purgeTombstones(before time: Timestamp, _ types: Set<String>) -> Int {
        var count = 0
        let mark = context.begin()
        for position in context.tables.tables.indices {
            let owner = context.tables.tables.unfilled[position].descriptor
            guard owner.tombstoneOwner == nil, types.isEmpty || types.contains(owner.name),
                let descriptor = owner.tombstoneDescriptor,
                let tombstones = context.tables.position(of: descriptor),
                table(tombstones).liveCount > 0
            else { continue }
            for slot in table(position).keptPlaces() {
                let place = EntityPlace(table: position, slot: slot)
                // What the app cannot read stays, as it does in every other write.
                guard presence(of: place) == .tombstone, withheld(place) == nil,
                    stamps(of: place).updatedAt < time.microseconds
                else { continue }
                clear(place, as: .goes)
                count += 1
            }
        }
        context.end(mark)
        return count
    }

    private func withID<Result>(
        of place: EntityPlace,
        _ body: (UnsafeRawBufferPointer, inout Context) throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        var writer = ByteWriter()
        try operations(place.table).storeID(table(place.table), Slot(place.slot), &writer)
        return try writer.withBytes { bytes throws(CodecError) in
            try body(bytes, &context)
        }
    }

    private func stamp(_ slot: UInt32, ofTable table: Int, _ version: PreviousVersion?) {
        guard let version else { return }
        context.setStamps(
            of: Slot(slot), updatedAt: version.updatedAt.microseconds,
            transaction: version.transaction.rawValue, saveOrder: version.saveOrder, table: table)
    }

    /// The part of a row that the app knows; the rest is kept beside it.
    private func takeUnknownFields(
        of place: EntityPlace, from row: UnsafeRawBufferPointer
    ) throws(CodecError) -> UnsafeRawBufferPointer {
        guard definitions.schema.unknownFields[place.table] != nil,
            let definition = definitions.schema.definitions[place.table]
        else { return row }
        var reader = ByteReader(row)
        for field in definition.fields.prefix(knownFieldCount(ofTable: place.table)) {
            try field.type.skip(&reader)
        }
        let known = reader.position
        let rest = try definitions.schema.unknownFields[place.table]?.bytes(from: &reader) ?? []
        definitions.schema.unknownFields[place.table]?.replace(of: place.slot, with: rest)
        return reader.slice(from: 0, to: known)
    }

    // MARK: - Links

    func relation(_ number: RelationNumber, ofTable table: Int) -> ReversalRelation? {
        guard table < definitions.schema.definitions.count,
            let index = definitions.schema.definitions[table]?.position(of: number),
            index < self.table(table).descriptor.relations.count
        else { return nil }
        return relation(at: index, ofTable: table)
    }

    func relationCount(ofTable table: Int) -> Int { self.table(table).relations.count }

    func relation(at index: Int, ofTable table: Int) -> ReversalRelation {
        let resolved = self.table(table).relations[index]
        return ReversalRelation(
            index: index, number: definition(ofTable: table).relations[index].number,
            target: resolved.childTable,
            targetType: definition(ofTable: resolved.childTable).number,
            isToMany: resolved.isToMany, inverse: resolved.inverse)
    }

    func relationName(_ index: Int, ofTable table: Int) -> String {
        self.table(table).descriptor.relations[index].name
    }

    func list(of relation: Int, at place: EntityPlace) -> LinkList {
        table(place.table).linkList(relation: relation, of: place.slot)
    }

    func setList(_ list: LinkList, of relation: Int, at place: EntityPlace) {
        context.setLinkList(list, of: place.slot, relation: relation, table: place.table)
    }

    func hasUniqueIndexes(inTable table: Int) -> Bool {
        self.table(table).descriptor.hasUniqueIndexes
    }

    func uniqueRival(of place: EntityPlace) -> (index: String, rival: EntityPlace)? {
        let (table, slot) = (table(place.table), Slot(place.slot))
        // What was so before is not for an undo to mend.
        guard table.hasNewUniqueValues(at: slot),
            let found = context.rival(ofRowAt: slot, table: place.table, from: 0)
        else { return nil }
        let rival = EntityPlace(table: place.table, slot: found.existing.rawValue)
        return (table.descriptor.nameOfIndex(found.index), rival)
    }
}

extension [UInt8] {
    fileprivate func withBuffer<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var writer = ByteWriter(capacity: Swift.max(count, 1))
        writer.write(self)
        return try writer.withBytes { bytes throws(Failure) in try body(bytes) }
    }
}
