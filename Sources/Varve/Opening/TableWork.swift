internal import Foundation
internal import VarveEvents
internal import VarveGraph
internal import VarveLog
internal import VarveTables

/// What a state has for one table of a context: the entities of a type, or its tombstones.
struct TableContent {
    /// Of the type's table in the context.
    let position: Int
    /// Of the type, also where the table is that of its tombstones.
    let descriptor: EntityDescriptor
    /// Nil for the entities.
    let tombstones: Tombstones?
    let definition: TypeDefinition
    var state: State
    let unknownFields: UnknownFields?
    let withholdsRows: Bool
    /// Whether each row can be read, and would be written as it is.
    let isReadable: Bool

    struct Tombstones {
        /// The log's number for the type of the tombstones, where a relation leads to it.
        let type: TypeNumber?
    }

    /// Whether the table may be filled when it is first read: every row can be read then, because the log has checked
    /// that its fields are well formed, or because all were tried; and nothing is to be found in the rows but what the app's
    /// type reads.
    var mayWait: Bool {
        unknownFields == nil && !withholdsRows && (tombstones == nil || namesReadableIDs)
            && isReadable
    }

    /// What is tried of the type.
    var subject: RowTrial.Subject {
        RowTrial.Subject(descriptor: descriptor, definition: definition)
    }

    /// Whether the ids in the relations of a tombstone can be read.
    private var namesReadableIDs: Bool {
        descriptor.relations.allSatisfy { $0.childDescriptor().readsEveryID }
    }

    /// The number of slots that are looked at.
    var slotCount: Int { state.counts(of: definition.number).slots }

    /// One for each table of the context that the state has something for, with the table.
    static func all(
        _ context: inout Context, _ schema: Schema, _ hydration: Hydration
    ) -> [(content: TableContent, table: AnyTable)] {
        let state = hydration.state
        for table in context.tables.tables.unfilled {
            guard let number = schema.definition(of: table, in: context)?.number,
                state.counts(of: number).tombstones > 0
            else { continue }
            _ = context.position(of: table.descriptor.type._tombstoneDescriptor)
        }
        // The context is new: nothing else references its tables, so they are filled in place.
        let tables = context.tables.tables.unfilled
        return tables.indices.flatMap { position -> [(content: TableContent, table: AnyTable)] in
            let table = tables[position]
            guard table.descriptor.tombstoneOwner == nil,
                let definition = schema.definition(atTable: position)
            else { return [] }
            let subject = RowTrial.Subject(descriptor: table.descriptor, definition: definition)
            let isReadable = subject.isForegone || hydration.isTried(subject)
            func content(_ tombstones: Tombstones?) -> TableContent {
                TableContent(
                    position: position, descriptor: table.descriptor, tombstones: tombstones,
                    definition: definition, state: state,
                    unknownFields: schema.unknownFields[position],
                    withholdsRows: hydration.withholdsRows,
                    isReadable: isReadable)
            }
            // At once: what gives ids is shared by all contexts of the store.
            table.adoptNumber(state.lastNumber(of: definition))
            guard
                let tombstones = table.descriptor.tombstoneDescriptor
                    .flatMap({ context.tables.position(of: $0) })
            else { return [(content(nil), table)] }
            let type = schema.definition(atTable: tombstones)?.number
            return [(content(nil), table), (content(.init(type: type)), tables[tombstones])]
        }
    }
}

/// The filling of one table.
struct TableWork {
    let content: TableContent
    let table: AnyTable
    let parts: [RowPart]

    var position: Int { content.position }
    var definition: TypeDefinition { content.definition }
    var state: State { content.state }
    var isOfTombstones: Bool { content.tombstones != nil }

    /// What was found in the rows beside what the app's type reads.
    struct Found {
        var unknown: UnknownFields?
        var withheld = WithheldRows()
    }

    /// How much there is to do, about: an index is made faster than the rows.
    var size: Int { content.slotCount * (3 + table.indexContents.count) }

    init(_ content: TableContent, _ table: AnyTable) {
        self.content = content
        self.table = table
        parts = Self.parts(
            of: table, content.slotCount,
            isWhole: content.unknownFields != nil || content.tombstones != nil)
    }

    /// The loading of slots into a table that has them alone.
    init(_ content: TableContent, _ table: AnyTable, slots: Range<Int>) {
        self.content = content
        self.table = table
        parts = [RowPart(slots, of: table)]
    }

    private static func parts(of table: AnyTable, _ count: Int, isWhole: Bool) -> [RowPart] {
        let size = 1 << AnyTable.partShift
        guard !isWhole, count >= 2 * size else { return [RowPart(0..<count, of: table)] }
        return stride(from: 0, to: count, by: size).map { start in
            RowPart(
                start..<min(start + size, count),
                of: table.makePart(at: start))
        }
    }

    // MARK: - Rows

    /// Loads every slot of a part.
    func loadRows(of part: RowPart) throws(StoreError) -> Found {
        try named(part.slots.lazy.map { UInt32(truncatingIfNeeded: $0) }) {
            () throws(CodecError) in
            try isOfTombstones ? loadTombstones(of: part) : loadEntities(of: part)
        }
    }

    /// After all parts were loaded.
    func joinParts() {
        if parts.count > 1 {
            table.append(parts.map(\.table))
        }
        guard !isOfTombstones else { return }
        table.nextOrdinal = max(
            table.nextOrdinal, state.nextOrdinal(of: definition.number).rawValue)
    }

    /// Every slot: its id, its row or tombstone if it has one.
    ///
    /// - Parameter keepsBlocks: whether what is read for it stays in memory, as where neighbours are soon read too.
    func loadEntities(
        of part: RowPart, keepsBlocks: Bool = false
    ) throws(CodecError) -> Found {
        var result = Found(unknown: content.unknownFields)
        guard var reader = state.reader(of: definition.number, as: definition) else {
            return result
        }
        var batch = LoadingBatch(part.table)
        try reader.forEachSlot(in: part.slots, keepsBlocks: keepsBlocks) { () throws(CodecError) in
            try batch.flush()
        } _: { entity throws(CodecError) in
            let withheld = withheldRow(entity)
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
        guard content.withholdsRows, entity.presence.hasRow,
            let problem = content.descriptor.problem(inRow: entity.row),
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
        _ = try part.table.load(
            at: nil, id: entity.id, row: entity.isDeleted ? nil : entity.row,
            metadata: .init(entity))
    }

    /// The tombstones among the type's slots.
    private func loadTombstones(of part: RowPart) throws(CodecError) -> Found {
        guard var reader = state.reader(of: definition.number, as: definition) else {
            return Found()
        }
        try loadTombstoneIDs()
        try reader.forEachSlot(in: part.slots) {
        } _: { entity throws(CodecError) in
            guard entity.isDeleted, withheldRow(entity) == nil else { return }
            try loadTombstone(entity)
        }
        return Found()
    }

    private func loadTombstone(_ entity: StateEntity) throws(CodecError) {
        let known = try table.descriptor.operations.find(table, entity.id)
        let slot = try table.load(
            at: known, id: entity.id, row: entity.row, metadata: .init(entity))
        try table.amendRow(at: slot) { address throws(CodecError) in
            try loadLists(of: entity, into: address)
        }
    }

    /// Also of an entity that is withheld, for which the table has no row.
    private func loadVacant(_ entity: StateEntity, into table: AnyTable) throws(CodecError) {
        let isGone = entity.presence == .gone
        let metadata = VarveGraph.RowMetadata(
            ordinal: VarveGraph.RowMetadata.noOrdinal,
            updatedAt: isGone ? entity.updatedAt.microseconds : 0,
            transaction: isGone ? entity.transaction.rawValue : 0)
        _ = try table.load(at: nil, id: entity.id, row: nil, metadata: metadata)
    }

    /// A relation to tombstones names them by slots of their own, which are given out first.
    private func loadTombstoneIDs() throws(CodecError) {
        guard let type = content.tombstones?.type, var cursor = state.entries(of: type)
        else { return }
        while let entry = cursor.nextEntry() {
            _ = try table.load(at: nil, id: entry.id, row: nil, metadata: .vacant)
        }
    }

    /// Sets the relations of a tombstone's entity, which stands at the tombstone's address.
    private func loadLists(
        of entity: StateEntity, into address: UnsafeMutableRawPointer
    ) throws(CodecError) {
        let relations = content.descriptor.relations
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
        for field in definition.fields.prefix(content.descriptor.fields.count) {
            try field.type.skip(&reader)
        }
        return Array(reader.rest)
    }

    // MARK: - Links

    func loadLinks() {
        guard !isOfTombstones else { return }
        for (index, relation) in content.relations {
            table.loadLinks(relation: index) { load in
                state.forEachTargets(of: definition.number, relation: relation) {
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
    init(_ slots: Range<Int>, of table: AnyTable) {
        self.slots = slots
        self.table = table
    }
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
        entities.append(LoadedEntity(entity))
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

extension LoadedEntity {
    init(_ entity: StateEntity) {
        self.init(id: entity.id, row: entity.row, metadata: RowMetadata(entity))
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
