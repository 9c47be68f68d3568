internal import Foundation
internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// Turns the encoded rows of a replay into the tables of a context.
///
/// Slots stay what they are, so links are taken over as numbers. Each table is filled by one
/// thread; several are filled at once.
struct Hydration {
    let replayed: ReplayState

    func fill(_ context: inout Context, _ schema: inout Schema) throws(StoreError) {
        var works = TableWork.all(&context, schema, replayed)
        // Whatever is largest goes first, so that no thread is left with it alone at the end.
        works.sort { $0.size > $1.size }
        let failures = Lock<[StoreError]>([])
        let unknown = Lock<[Int: UnknownFields]>([:])
        let forms = Lock<[Int: LoggedForms]>([:])
        // Unchecked: reading a replayed state is safe from several threads, and each work fills
        // tables that no other touches.
        nonisolated(unsafe) let shared = works
        DispatchQueue.concurrentPerform(iterations: shared.count) { index in
            do throws(StoreError) {
                let (fields, reformed) = try shared[index].perform()
                if let fields {
                    unknown.withLock { $0[shared[index].position] = fields }
                }
                if let reformed {
                    forms.withLock { $0[shared[index].position] = reformed }
                }
            } catch {
                failures.withLock { $0.append(error) }
            }
        }
        if let failure = failures.withLock({ $0.first }) { throw failure }
        schema.unknownFields.merge(unknown.withLock { $0 }) { _, new in new }
        schema.loggedForms = forms.withLock { $0 }
        fillIndexes(of: context.tables.tables)
    }

    /// Makes every index from the rows, which were loaded without: sorting once is much faster
    /// than inserting one by one. Several indexes are made at once.
    private func fillIndexes(of tables: ContiguousArray<AnyTable>) {
        var works: [(table: AnyTable, index: Int)] = []
        for table in tables where table.liveCount > 0 {
            for index in table.indexContents.indices { works.append((table, index)) }
        }
        works.sort { $0.table.liveCount > $1.table.liveCount }
        // Unchecked: making an index only reads its table. The contents are set afterwards.
        nonisolated(unsafe) let shared = works
        let contents = Lock<[Int: IndexContent]>([:])
        DispatchQueue.concurrentPerform(iterations: shared.count) { number in
            let (table, index) = shared[number]
            let content = table.descriptor.operations.buildIndex(table, index)
            contents.withLock { $0[number] = content }
        }
        for (number, content) in contents.withLock({ $0 }) {
            works[number].table.indexContents[works[number].index] = content
        }
    }
}

/// The filling of one entity type's table and of its tombstones' table.
private struct TableWork {
    let position: Int
    let table: AnyTable
    /// Nil while nothing of the type was ever deleted.
    let tombstones: AnyTable?
    /// The log's number for the type of the tombstones, where a relation leads to it.
    let tombstoneType: TypeNumber?
    let definition: TypeDefinition
    let replayed: ReplayState
    let unknownFields: UnknownFields?

    /// How much there is to do.
    var size: Int { replayed.counts(of: definition.number).slots }

    static func all(
        _ context: inout Context, _ schema: Schema, _ replayed: ReplayState
    ) -> [TableWork] {
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
            guard table.descriptor.tombstoneOwner == nil, position < schema.definitions.count,
                let definition = schema.definitions[position]
            else { return nil }
            let tombstones = table.descriptor.tombstoneDescriptor
                .flatMap { context.tables.position(of: $0) }
            return TableWork(
                position: position, table: table,
                tombstones: tombstones.map { tables[$0] },
                tombstoneType: tombstones.flatMap { schema.definition(at: $0)?.number },
                definition: definition, replayed: replayed,
                unknownFields: schema.unknownFields[position])
        }
    }

    func perform() throws(StoreError) -> (UnknownFields?, LoggedForms?) {
        do throws(CodecError) {
            let unknown = try loadEntities()
            loadLinks()
            return (unknown, try findLoggedForms())
        } catch {
            throw .inconsistent(
                transaction: replayed.lastTransaction,
                reason: "rows of \(definition.name): \(error)")
        }
    }

    // MARK: - Rows

    /// Loads every slot: its id, its row or tombstone if it has one. Answers the bytes of fields
    /// that the app does not know.
    private func loadEntities() throws(CodecError) -> UnknownFields? {
        try loadTombstoneIDs()
        guard var reader = replayed.reader(of: definition.number, as: definition) else {
            return unknownFields
        }
        var unknown = unknownFields
        var batch = LoadingBatch(table)
        for index in 0..<reader.slotCount {
            let slot = UInt32(truncatingIfNeeded: index)
            let found: Void? = try reader.read(slot) { entity throws(CodecError) in
                if entity.isDeleted || !entity.rowStays {
                    try batch.flush()
                    try load(entity)
                } else {
                    try batch.append(entity)
                }
                if unknown != nil { unknown?[slot] = try unknownBytes(of: entity.row) }
            }
            if found == nil {
                try batch.flush()
                try loadVacant(slot)
            }
        }
        try batch.flush()
        table.descriptor.operations.finishLoading(table)
        table.nextOrdinal = max(
            table.nextOrdinal, replayed.nextOrdinal(of: definition.number).rawValue)
        return unknown
    }

    private func load(_ entity: ReplayedEntity) throws(CodecError) {
        let operations = table.descriptor.operations
        let metadata = RowMetadata(entity)
        _ = try operations.load(
            table, nil, entity.id, entity.isDeleted ? nil : entity.row, metadata)
        guard entity.isDeleted, let tombstones else { return }
        let tombstoneOperations = tombstones.descriptor.operations
        let known = try tombstoneOperations.find(tombstones, entity.id)
        let slot = try tombstoneOperations.load(
            tombstones, known, entity.id, entity.row, metadata)
        try tombstoneOperations.amendRow(tombstones, slot) { address throws(CodecError) in
            try loadLists(of: entity, into: address)
        }
    }

    private func loadVacant(_ slot: UInt32) throws(CodecError) {
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
                    return try operations.storeRow(table, Slot(entity.slot), &writer)
                }
                let tombstoneOperations = tombstones.descriptor.operations
                if let slot = try tombstoneOperations.find(tombstones, entity.id) {
                    try tombstoneOperations.storeRow(tombstones, slot, &writer)
                }
            }
        }
        return search.finish()
    }

    // MARK: - Links

    private func loadLinks() {
        for links in replayed.links(of: definition.number) {
            guard let index = definition.position(of: links.definition.number),
                index < table.descriptor.relations.count
            else { continue }
            table.loadLinks(relation: index) { load in links.forEachList(load) }
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
            transaction: entity.transaction.rawValue)
    }

    fileprivate static var vacant: RowMetadata {
        RowMetadata(ordinal: noOrdinal, updatedAt: 0, transaction: 0)
    }
}

extension Schema {
    fileprivate func definition(at position: Int) -> TypeDefinition? {
        position < definitions.count ? definitions[position] : nil
    }

    fileprivate func definition(of table: AnyTable, in context: Context) -> TypeDefinition? {
        context.tables.position(of: table.descriptor).flatMap { definition(at: $0) }
    }
}
