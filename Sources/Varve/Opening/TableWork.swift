internal import Foundation
internal import VarveEvents
internal import VarveGraph
internal import VarveLog
internal import VarveTables

/// The filling of one entity type's table and of its tombstones' table.
struct TableWork {
    let position: Int
    let table: AnyTable
    /// Nil while nothing of the type was ever deleted.
    let tombstones: AnyTable?
    /// The log's number for the type of the tombstones, where a relation leads to it.
    let tombstoneType: TypeNumber?
    let definition: TypeDefinition
    let state: State
    let unknownFields: UnknownFields?
    let withholdsRows: Bool
    let parts: [RowPart]

    /// What was found in the rows beside what the app's type reads.
    struct Found {
        var unknown: UnknownFields?
        var withheld = WithheldRows()
    }

    /// How much there is to do, about: an index is made faster than the rows.
    var size: Int {
        state.counts(of: definition.number).slots * (3 + table.indexContents.count)
    }

    static func all(
        _ context: inout Context, _ schema: Schema, _ hydration: Hydration
    ) -> [TableWork] {
        let state = hydration.state
        for table in context.tables.tables {
            guard let number = schema.definition(of: table, in: context)?.number,
                state.counts(of: number).tombstones > 0
            else { continue }
            _ = context.position(of: table.descriptor.type._tombstoneDescriptor)
        }
        // The context is new: nothing else references its tables, so they are filled in place.
        let tables = context.tables.tables
        return tables.indices.compactMap { position in
            let table = tables[position]
            guard table.descriptor.tombstoneOwner == nil,
                let definition = schema.definition(atTable: position)
            else { return nil }
            let tombstones = table.descriptor.tombstoneDescriptor
                .flatMap { context.tables.position(of: $0) }
            let unknownFields = schema.unknownFields[position]
            return TableWork(
                position: position, table: table,
                tombstones: tombstones.map { tables[$0] },
                tombstoneType: tombstones.flatMap { schema.definition(atTable: $0)?.number },
                definition: definition, state: state, unknownFields: unknownFields,
                withholdsRows: hydration.withholdsRows,
                parts: parts(
                    of: table, state.counts(of: definition.number).slots,
                    isWhole: unknownFields != nil))
        }
    }

    /// - Parameters:
    ///   - count: how many slots there are.
    ///   - isWhole: whether one thread has to read all rows.
    private static func parts(of table: AnyTable, _ count: Int, isWhole: Bool) -> [RowPart] {
        let size = 1 << AnyTable.partShift
        guard !isWhole, count >= 2 * size else { return [RowPart(0..<count, of: table)] }
        return stride(from: 0, to: count, by: size).map { start in
            RowPart(
                start..<min(start + size, count),
                of: table.descriptor.operations.makePart(table, start))
        }
    }

    // MARK: - Rows

    /// Loads every slot of a part.
    func loadRows(of part: RowPart) throws(StoreError) -> Found {
        try named(part.slots.lazy.map { UInt32(truncatingIfNeeded: $0) }) {
            () throws(CodecError) in try loadEntities(of: part)
        }
    }

    /// After all parts were loaded.
    func joinParts() throws(StoreError) {
        if parts.count > 1 {
            table.append(parts.map(\.table))
        }
        table.nextOrdinal = max(
            table.nextOrdinal, state.nextOrdinal(of: definition.number).rawValue)
        table.adoptNumber(state.lastNumber(of: definition))
        try named(parts.flatMap(\.tombstones)) { () throws(CodecError) in try loadTombstones() }
    }

    /// Every slot: its id, its row or tombstone if it has one.
    private func loadEntities(of part: RowPart) throws(CodecError) -> Found {
        var result = Found(unknown: unknownFields)
        guard var reader = state.reader(of: definition.number, as: definition) else {
            return result
        }
        var batch = LoadingBatch(part.table)
        try reader.forEachSlot(in: part.slots) { () throws(CodecError) in
            try batch.flush()
        } _: { entity throws(CodecError) in
            let withheld = withholdsRows ? withheldRow(entity) : nil
            if let withheld { result.withheld[entity.slot.rawValue] = withheld }
            guard entity.presence.hasRow, withheld == nil else {
                try batch.flush()
                return try loadVacant(entity, into: part.table)
            }
            if entity.isDeleted || !entity.rowStays {
                try batch.flush()
                try load(entity, into: part)
            } else {
                try batch.append(entity)
            }
            if result.unknown != nil {
                result.unknown?[entity.slot.rawValue] = try unknownBytes(of: entity.row)
            }
        }
        return result
    }

    /// The row if the app's type cannot read it.
    private func withheldRow(_ entity: StateEntity) -> WithheldRows.Row? {
        guard entity.presence.hasRow,
            let problem = table.descriptor.problem(inRow: entity.row),
            problem.isUnknownRawValue
        else { return nil }
        return WithheldRows.Row(
            bytes: [UInt8](entity.row), presence: entity.presence,
            stamps: EntityStamps(
                ordinal: entity.ordinal.rawValue, transaction: entity.transaction.rawValue,
                updatedAt: entity.updatedAt.microseconds, saveOrder: entity.saveOrder),
            lists: state.keptLists(of: definition.number, at: entity.slot).map {
                ($0.relation, $0.slots.map(\.rawValue))
            },
            value: UnreadableValue(
                type: definition.name, id: definition.idType.text(of: entity.id), problem))
    }

    private func load(_ entity: StateEntity, into part: RowPart) throws(CodecError) {
        _ = try part.table.descriptor.operations.load(
            part.table, nil, entity.id, entity.isDeleted ? nil : entity.row, .init(entity))
        if entity.isDeleted { part.note(tombstoneAt: entity.slot.rawValue) }
    }

    private func loadTombstones() throws(CodecError) {
        guard let tombstones, var reader = state.reader(of: definition.number, as: definition)
        else { return }
        try loadTombstoneIDs()
        let operations = tombstones.descriptor.operations
        for slot in parts.lazy.flatMap(\.tombstones) {
            _ = try reader.read(.init(slot)) { entity throws(CodecError) in
                let known = try operations.find(tombstones, entity.id)
                let slot = try operations.load(
                    tombstones, known, entity.id, entity.row, .init(entity))
                try operations.amendRow(tombstones, slot) { address throws(CodecError) in
                    try loadLists(of: entity, into: address)
                }
            }
        }
    }

    /// Also of an entity that is withheld, for which the table has no row.
    private func loadVacant(_ entity: StateEntity, into table: AnyTable) throws(CodecError) {
        let isGone = entity.presence == .gone
        let metadata = VarveGraph.RowMetadata(
            ordinal: VarveGraph.RowMetadata.noOrdinal,
            updatedAt: isGone ? entity.updatedAt.microseconds : 0,
            transaction: isGone ? entity.transaction.rawValue : 0)
        _ = try table.descriptor.operations.load(table, nil, entity.id, nil, metadata)
    }

    /// A relation to tombstones names them by slots of their own, which are given out first.
    private func loadTombstoneIDs() throws(CodecError) {
        guard let tombstones, let tombstoneType, var cursor = state.entries(of: tombstoneType)
        else { return }
        while let entry = cursor.nextEntry() {
            _ = try tombstones.descriptor.operations.load(tombstones, nil, entry.id, nil, .vacant)
        }
    }

    /// Sets the relations of a tombstone's entity, which stands at the tombstone's address.
    private func loadLists(
        of entity: StateEntity, into address: UnsafeMutableRawPointer
    ) throws(CodecError) {
        let relations = table.descriptor.relations
        for list in state.keptLists(of: definition.number, at: entity.slot) {
            guard let index = definition.position(of: list.relation), index < relations.count else {
                continue
            }
            let target = definition.relations[index].target
            let ids = list.slots.compactMap { id(of: target, at: $0.rawValue) }
            try relations[index].loadIDs(address + relations[index].offset, ids)
        }
    }

    private func unknownBytes(of row: UnsafeRawBufferPointer) throws(CodecError) -> [UInt8] {
        var reader = ByteReader(row)
        for field in definition.fields.prefix(table.descriptor.fields.count) {
            try field.type.skip(&reader)
        }
        return Array(reader.rest)
    }

    // MARK: - Forms

    func searchForms() throws(StoreError) -> LoggedForms? {
        try named(0..<UInt32(truncatingIfNeeded: state.counts(of: definition.number).slots)) {
            () throws(CodecError) in try findLoggedForms()
        }
    }

    /// Compares the rows with what would be written for them now, where that may differ.
    private func findLoggedForms() throws(CodecError) -> LoggedForms? {
        guard
            var search = LoggedFormSearch.make(
                definition, knownFields: table.descriptor.fields.count),
            var reader = state.reader(of: definition.number, as: definition)
        else { return nil }
        let operations = table.descriptor.operations
        try reader.forEach { entity throws(CodecError) in
            try search.take(entity.slot.rawValue, entity.row) { writer throws(CodecError) in
                guard entity.isDeleted, let tombstones else {
                    let slot = VarveGraph.Slot(entity.slot.rawValue)
                    guard operations.isLive(table, slot) else { return }
                    return try operations.storeRow(table, slot, &writer)
                }
                let tombstoneOperations = tombstones.descriptor.operations
                if let slot = try tombstoneOperations.find(tombstones, entity.id),
                    tombstones.isLive(slot)
                {
                    try tombstoneOperations.storeRow(tombstones, slot, &writer)
                }
            }
        }
        return search.finish()
    }

    // MARK: - Links

    func loadLinks() {
        let logged = state.catalog.definition(of: definition.number)
        for relation in logged?.relations ?? [] {
            guard let index = definition.position(of: relation.number),
                index < table.descriptor.relations.count
            else { continue }
            table.loadLinks(relation: index) { load in
                state.forEachTargets(of: definition.number, relation: relation.number) {
                    load($0, $1)
                    return true
                }
            }
        }
    }
}

/// Rows of one table that one thread loads.
final class RowPart {
    let slots: Range<Int>
    /// The table itself or, where it has several parts, one for the part.
    let table: AnyTable
    /// The slots of tombstones, which go into a table that is one for all parts.
    private(set) var tombstones: [UInt32] = []

    init(_ slots: Range<Int>, of table: AnyTable) {
        self.slots = slots
        self.table = table
    }

    func note(tombstoneAt slot: UInt32) { tombstones.append(slot) }
}

/// Live entities on their way into a table: many at a time, because each call of the table's
/// operations goes through closures that know the type.
private struct LoadingBatch {
    private static let limit = 256

    private let table: AnyTable
    private var entities = ContiguousArray<LoadedEntity>()

    init(_ table: AnyTable) {
        self.table = table
        entities.reserveCapacity(Self.limit)
    }

    mutating func append(_ entity: StateEntity) throws(CodecError) {
        entities.append(
            LoadedEntity(id: entity.id, row: entity.row, metadata: .init(entity)))
        if entities.count == Self.limit { try flush() }
    }

    mutating func flush() throws(CodecError) {
        guard !entities.isEmpty else { return }
        try entities.withUnsafeBufferPointer { entities throws(CodecError) in
            try table.load(entities)
        }
        entities.removeAll(keepingCapacity: true)
    }
}

extension VarveGraph.RowMetadata {
    fileprivate init(_ entity: StateEntity) {
        self.init(
            ordinal: entity.ordinal.rawValue, updatedAt: entity.updatedAt.microseconds,
            transaction: entity.transaction.rawValue, saveOrder: entity.saveOrder)
    }

    fileprivate static var vacant: Self {
        Self(ordinal: noOrdinal, updatedAt: 0, transaction: 0)
    }
}

extension Schema {
    fileprivate func definition(of table: AnyTable, in context: Context) -> TypeDefinition? {
        context.tables.position(of: table.descriptor).flatMap { definition(atTable: $0) }
    }
}
