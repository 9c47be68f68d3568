internal import Foundation
internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// The filling of one entity type's table and of its tombstones' table.
struct TableWork {
    let position: Int
    let table: AnyTable
    /// Nil while nothing of the type was ever deleted.
    let tombstones: AnyTable?
    /// The log's number for the type of the tombstones, where a relation leads to it.
    let tombstoneType: TypeNumber?
    let definition: TypeDefinition
    let replayed: ReplayState
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
        replayed.counts(of: definition.number).slots * (3 + table.indexContents.count)
    }

    static func all(
        _ context: inout Context, _ schema: Schema, _ hydration: Hydration
    ) -> [TableWork] {
        let replayed = hydration.replayed
        for table in context.tables.tables {
            guard let number = schema.definition(of: table, in: context)?.number,
                replayed.counts(of: number).tombstones > 0
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
                definition: definition, replayed: replayed, unknownFields: unknownFields,
                withholdsRows: hydration.withholdsRows,
                parts: parts(
                    of: table, definition, replayed, isLast: hydration.isLast,
                    isWhole: unknownFields != nil))
        }
    }

    /// - Parameter isWhole: whether one thread has to read all rows.
    private static func parts(
        of table: AnyTable, _ definition: TypeDefinition, _ replayed: ReplayState, isLast: Bool,
        isWhole: Bool
    ) -> [RowPart] {
        // The search for forms reads the rows once more.
        let isSearched = LoggedFormSearch.isNeeded(
            definition, knownFields: table.descriptor.fields.count)
        let pages = (isLast && !isSearched ? replayed.takeRowPages(of: definition.number) : [])
            .sorted { $0.slots.lowerBound < $1.slots.lowerBound }
        let count = replayed.counts(of: definition.number).slots
        let size = 1 << AnyTable.partShift
        guard !isWhole, count >= 2 * size else {
            return [RowPart(0..<count, of: table, pages: pages.reversed())]
        }
        var first = 0
        return stride(from: 0, to: count, by: size).map { start in
            let end = min(start + size, count)
            while first < pages.count, pages[first].slots.upperBound <= start { first += 1 }
            return RowPart(
                start..<end, of: table.descriptor.operations.makePart(table, start),
                pages: pages[first...].prefix { $0.slots.lowerBound < end }.reversed())
        }
    }

    // MARK: - Rows

    /// Loads every slot of a part.
    func loadRows(of part: RowPart) throws(StoreError) -> Found {
        try named(part.slotsInMemory) { () throws(CodecError) in try loadEntities(of: part) }
    }

    /// After all parts were loaded.
    func joinParts() throws(StoreError) {
        if parts.count > 1 {
            table.descriptor.operations.appendParts(table, parts.map(\.table))
        }
        table.nextOrdinal = max(
            table.nextOrdinal, replayed.nextOrdinal(of: definition.number).rawValue)
        table.adoptNumber(replayed.lastNumber(of: definition))
        try named(parts.flatMap(\.tombstones)) { () throws(CodecError) in try loadTombstones() }
    }

    /// Every slot: its id, its row or tombstone if it has one.
    private func loadEntities(of part: RowPart) throws(CodecError) -> Found {
        var result = Found(unknown: unknownFields)
        guard var reader = replayed.reader(of: definition.number, as: definition) else {
            return result
        }
        var batch = LoadingBatch(part.table)
        for index in part.slots {
            let slot = UInt32(truncatingIfNeeded: index)
            let found: Bool? = try reader.read(slot) { entity throws(CodecError) in
                if withholdsRows, let row = withheldRow(entity) {
                    result.withheld[slot] = row
                    return false
                }
                if entity.isDeleted || !entity.rowStays {
                    try batch.flush()
                    try load(entity, into: part)
                } else {
                    try batch.append(entity)
                }
                if result.unknown != nil {
                    result.unknown?[slot] = try unknownBytes(of: entity.row)
                }
                return true
            }
            if found != true {
                try batch.flush()
                try loadVacant(slot, into: part.table)
            }
            if batch.isEmpty { part.release(before: index) }
        }
        try batch.flush()
        part.release(before: .max)
        return result
    }

    /// The row if the app's type cannot read it.
    private func withheldRow(_ entity: ReplayedEntity) -> WithheldRows.Row? {
        guard let problem = table.descriptor.problem(inRow: entity.row), problem.isUnknownRawValue
        else { return nil }
        return WithheldRows.Row(
            bytes: [UInt8](entity.row), presence: entity.isDeleted ? .tombstone : .live,
            stamps: EntityStamps(
                ordinal: entity.ordinal.rawValue, transaction: entity.transaction.rawValue,
                updatedAt: entity.updatedAt.microseconds, saveOrder: entity.saveOrder),
            lists: replayed.deletedLists(of: definition.number, at: entity.slot),
            value: UnreadableValue(
                type: definition.name, id: definition.idType.text(of: entity.id), problem))
    }

    private func load(_ entity: ReplayedEntity, into part: RowPart) throws(CodecError) {
        _ = try part.table.descriptor.operations.load(
            part.table, nil, entity.id, entity.isDeleted ? nil : entity.row, RowMetadata(entity))
        if entity.isDeleted { part.note(tombstoneAt: entity.slot) }
    }

    private func loadTombstones() throws(CodecError) {
        guard let tombstones, var reader = replayed.reader(of: definition.number, as: definition)
        else { return }
        try loadTombstoneIDs()
        let operations = tombstones.descriptor.operations
        for slot in parts.lazy.flatMap(\.tombstones) {
            _ = try reader.read(slot) { entity throws(CodecError) in
                let known = try operations.find(tombstones, entity.id)
                let slot = try operations.load(
                    tombstones, known, entity.id, entity.row, RowMetadata(entity))
                try operations.amendRow(tombstones, slot) { address throws(CodecError) in
                    try loadLists(of: entity, into: address)
                }
            }
        }
    }

    private func loadVacant(_ slot: UInt32, into table: AnyTable) throws(CodecError) {
        var failure: CodecError?
        let departure = replayed.departure(of: definition.number, at: slot)
        let metadata = RowMetadata(
            ordinal: RowMetadata.noOrdinal, updatedAt: departure?.updatedAt.microseconds ?? 0,
            transaction: departure?.transaction.rawValue ?? 0)
        _ = replayed.withID(of: definition.number, at: slot) { id in
            do throws(CodecError) {
                _ = try table.descriptor.operations.load(table, nil, id, nil, metadata)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// A relation to tombstones names them by slots of their own, which are given out first.
    private func loadTombstoneIDs() throws(CodecError) {
        guard let tombstones, let tombstoneType else { return }
        for index in 0..<replayed.counts(of: tombstoneType).slots {
            var failure: CodecError?
            _ = replayed.withID(of: tombstoneType, at: UInt32(truncatingIfNeeded: index)) { id in
                do throws(CodecError) {
                    _ = try tombstones.descriptor.operations.load(
                        tombstones, nil, id, nil, .vacant)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
        }
    }

    /// Sets the relations of a tombstone's entity, which stands at the tombstone's address.
    private func loadLists(
        of entity: ReplayedEntity, into address: UnsafeMutableRawPointer
    ) throws(CodecError) {
        let relations = table.descriptor.relations
        for list in replayed.deletedLists(of: definition.number, at: entity.slot) {
            guard let index = definition.position(of: list.relation), index < relations.count else {
                continue
            }
            let target = definition.relations[index].target
            // The state's ids stay where they are as long as it lives.
            let ids = list.slots.compactMap { slot in
                replayed.withID(of: target, at: slot) { $0 }
            }
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
        // Of a type that is searched, all rows are kept until then.
        try named(0..<UInt32(truncatingIfNeeded: replayed.counts(of: definition.number).slots)) {
            () throws(CodecError) in try findLoggedForms()
        }
    }

    /// Compares the rows with what would be written for them now, where that may differ.
    private func findLoggedForms() throws(CodecError) -> LoggedForms? {
        guard
            var search = LoggedFormSearch.make(
                definition, knownFields: table.descriptor.fields.count),
            var reader = replayed.reader(of: definition.number, as: definition)
        else { return nil }
        let operations = table.descriptor.operations
        try reader.forEach { entity throws(CodecError) in
            try search.take(entity.slot, entity.row) { writer throws(CodecError) in
                guard entity.isDeleted, let tombstones else {
                    guard operations.isLive(table, Slot(entity.slot)) else { return }
                    return try operations.storeRow(table, Slot(entity.slot), &writer)
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
        for links in replayed.links(of: definition.number) {
            guard let index = definition.position(of: links.definition.number),
                index < table.descriptor.relations.count
            else { continue }
            table.loadLinks(relation: index) { load in links.forEachList(load) }
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
    /// What the rows stand in, the last ones first, as far as nobody else needs it.
    private var pages: [RowPage]
    /// The rows before this slot may have been released.
    private var firstInMemory: Int

    /// - Parameter pages: those that hold the slots, the last one first.
    init(_ slots: Range<Int>, of table: AnyTable, pages: [RowPage]) {
        self.slots = slots
        self.table = table
        self.pages = pages
        firstInMemory = slots.lowerBound
    }

    /// The slots whose rows can be read once more.
    var slotsInMemory: Range<UInt32> {
        UInt32(truncatingIfNeeded: firstInMemory)..<UInt32(truncatingIfNeeded: slots.upperBound)
    }

    func note(tombstoneAt slot: UInt32) { tombstones.append(slot) }

    /// Frees the memory of rows before a slot, for the rows that are made next.
    func release(before slot: Int) {
        guard tombstones.isEmpty else { return }
        while let next = pages.last, next.slots.upperBound <= slot {
            pages.removeLast()
            firstInMemory = min(next.slots.upperBound, slots.upperBound)
        }
    }
}

/// Live entities on their way into a table: many at a time, because each call of the table's
/// operations goes through closures that know the type.
private struct LoadingBatch {
    private static let limit = 256

    private let table: AnyTable
    private let operations: EntityOperations
    private var entities = ContiguousArray<LoadedEntity>()

    init(_ table: AnyTable) {
        self.table = table
        operations = table.descriptor.operations
        entities.reserveCapacity(Self.limit)
    }

    var isEmpty: Bool { entities.isEmpty }

    mutating func append(_ entity: ReplayedEntity) throws(CodecError) {
        entities.append(
            LoadedEntity(id: entity.id, row: entity.row, metadata: RowMetadata(entity)))
        if entities.count == Self.limit { try flush() }
    }

    mutating func flush() throws(CodecError) {
        guard !entities.isEmpty else { return }
        try entities.withUnsafeBufferPointer { entities throws(CodecError) in
            try operations.loadAll(table, entities)
        }
        entities.removeAll(keepingCapacity: true)
    }
}

extension RowMetadata {
    fileprivate init(_ entity: ReplayedEntity) {
        self.init(
            ordinal: entity.ordinal.rawValue, updatedAt: entity.updatedAt.microseconds,
            transaction: entity.transaction.rawValue, saveOrder: entity.saveOrder)
    }

    fileprivate static var vacant: RowMetadata {
        RowMetadata(ordinal: noOrdinal, updatedAt: 0, transaction: 0)
    }
}

extension Schema {
    fileprivate func definition(of table: AnyTable, in context: Context) -> TypeDefinition? {
        context.tables.position(of: table.descriptor).flatMap { definition(atTable: $0) }
    }
}
