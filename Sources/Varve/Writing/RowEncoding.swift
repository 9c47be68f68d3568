internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// Encodes the row changes of one table: what was before the transaction against what is now.
struct RowEncoding {
    let source: CommitEncoder.Source
    let position: Int
    let table: AnyTable
    /// What the transaction makes of what it touches.
    let version: PreviousVersion
    /// Whether the log has something in rows of the type that the application does not write itself.
    let isCompleted: Bool
    /// Whether new rows may be kept as their bytes.
    let mayBePacked: Bool

    /// Appends the events of one slot. False where it is as it was.
    ///
    /// A slot without a row has a place in its type's order exactly while it has a tombstone.
    func encode(_ change: RowChange, with commit: CommitEncoder) throws -> Bool {
        let slot = Slot(change.slot)
        let hadRow = change.before >= 0
        let hadTombstone = !hadRow && change.metadata.ordinal != RowMetadata.noOrdinal
        let metadata = table.metadata(of: slot)
        let hasRow = table.isLive(slot)
        let hasTombstone = !hasRow && metadata.ordinal != RowMetadata.noOrdinal
        let previous = hadRow || hadTombstone ? change.previousVersion : nil
        if hasRow {
            guard hadRow else { return try encodeInsert(change, metadata, previous, commit) }
            return change.metadata.ordinal == metadata.ordinal
                ? try encodeUpdate(change, slot, commit)
                : try encodeMove(change, metadata, commit)
        }
        if hadRow {
            if hasTombstone, change.metadata.ordinal != metadata.ordinal {
                return try encodeMove(change, metadata, commit)
            }
            try encodeDelete(change, slot, keepsTombstone: hasTombstone, commit)
            if !hasTombstone { try noteWithdrawal(change.slot, metadata, commit) }
            return true
        }
        if hasTombstone {
            return try encodeTombstone(change, metadata, previous, commit)
        }
        guard hadTombstone else { return try encodeAbsence(change, metadata, commit) }
        try noteFormer(change, commit)
        let entity = try commit.index(of: change.slot, in: position, source)
        commit.append { $0.purge([entity]) }
        try noteWithdrawal(change.slot, metadata, commit)
        return true
    }

    /// A row, or its tombstone, that came to another place in the order: what was there goes for good.
    private func encodeMove(
        _ change: RowChange, _ metadata: RowMetadata, _ commit: CommitEncoder
    ) throws -> Bool {
        try encodeDelete(change, Slot(change.slot), keepsTombstone: false, commit)
        return table.isLive(Slot(change.slot))
            ? try encodeInsert(change, metadata, nil, commit)
            : try encodeTombstone(change, metadata, nil, commit)
    }

    /// Whether there ever was an entity, where there is none before and behind the transaction.
    private func encodeAbsence(
        _ change: RowChange, _ metadata: RowMetadata, _ commit: CommitEncoder
    ) throws -> Bool {
        guard change.metadata.isFormer != metadata.isFormer else { return false }
        try noteFormer(change, commit)
        let entity = try commit.index(of: change.slot, in: position, source)
        commit.append { encoder in
            if metadata.isFormer { encoder.depart(entity) } else { encoder.withdraw(entity) }
        }
        return true
    }

    /// Where an undo took back that there ever was an entity, no trace of it stays.
    private func noteWithdrawal(
        _ slot: UInt32, _ metadata: RowMetadata, _ commit: CommitEncoder
    ) throws {
        guard !metadata.isFormer else { return }
        let entity = try commit.index(of: slot, in: position, source)
        commit.append { $0.withdraw(entity) }
    }

    /// The entity's id for people.
    func idText(of slot: UInt32) -> String {
        var writer = ByteWriter()
        do {
            try table.descriptor.operations.storeID(table, Slot(slot), &writer)
        } catch {
            return "(\(error))"
        }
        return writer.withBytes { bytes in
            do throws(CodecError) {
                return try StoredValue(definition.idType, bytes: bytes).json
            } catch {
                return "(\(error))"
            }
        }
    }

    // MARK: - Events

    private func encodeInsert(
        _ change: RowChange, _ metadata: RowMetadata, _ previous: PreviousVersion?,
        _ commit: CommitEncoder
    ) throws -> Bool {
        let slot = Slot(change.slot)
        try noteFormer(change, commit)
        commit.rowBytes.removeAll()
        try table.storeRow(at: slot, into: &commit.rowBytes)
        let entity = try commit.index(of: slot.rawValue, in: position, source)
        // As the application writes it, before what only the log knows is added.
        if mayBePacked { commit.noteInsert(entity, at: slot, of: position, metadata) }
        try completeRow(of: slot, in: &commit.rowBytes)
        try checkSize(commit.rowBytes.count, of: slot, commit)
        commit.append { encoder in
            commit.rowBytes.withBytes {
                encoder.insert(
                    entity, ordinal: Ordinal(metadata.ordinal), previous: previous, row: $0)
            }
        }
        return true
    }

    private func encodeUpdate(
        _ change: RowChange, _ slot: Slot, _ commit: CommitEncoder
    ) throws -> Bool {
        commit.changes.removeAll()
        try table.compare(change.before, withRowAt: slot, into: &commit.changes)
        if let forms = source.schema.loggedForms[position] {
            forms.apply(to: slot.rawValue, &commit.changes)
        }
        if isCompleted, let unknown = source.schema.unknownFields[position] {
            try unknown.noteChanges(of: slot.rawValue, in: &commit.changes)
        }
        guard !commit.changes.isEmpty else { return false }
        // A row that grew by little is within the limit, unless it has as many fields.
        if commit.changes.byteCount > commit.rowBytesMax / 64 {
            commit.rowBytes.removeAll()
            try table.storeRow(at: slot, into: &commit.rowBytes)
            try completeRow(of: slot, in: &commit.rowBytes)
            try checkSize(commit.rowBytes.count, of: slot, commit)
        }
        try appendUpdate(of: slot, change.previousVersion, commit)
        return true
    }

    private func appendUpdate(
        of slot: Slot, _ previous: PreviousVersion, _ commit: CommitEncoder
    ) throws {
        let entity = try commit.index(of: slot.rawValue, in: position, source)
        commit.append {
            $0.update(
                entity, previous: previous, changes: commit.changes, fields: fields)
        }
    }

    /// The row that goes is the one that the log holds; what a tombstone shows may have been
    /// changed in the same transaction first, which is then said as an update.
    private func encodeDelete(
        _ change: RowChange, _ slot: Slot, keepsTombstone: Bool, _ commit: CommitEncoder
    ) throws {
        commit.rowBytes.removeAll()
        try table.storeBefore(change.before, into: &commit.rowBytes)
        try completeRow(of: slot, in: &commit.rowBytes, isFormer: true)
        var previous = change.previousVersion
        var lists: [(relation: RelationNumber, entities: [EntityIndex])] = []
        if keepsTombstone, let tombstone = try findTombstone(of: slot) {
            commit.otherBytes.removeAll()
            try tombstone.storeRow(into: &commit.otherBytes)
            try completeRow(of: slot, in: &commit.otherBytes)
            try checkSize(commit.otherBytes.count, of: slot, commit)
            if try noteDifference(commit) {
                try appendUpdate(of: slot, previous, commit)
                previous = version
                swap(&commit.rowBytes, &commit.otherBytes)
            }
            lists = try self.lists(of: tombstone, commit)
        }
        let entity = try commit.index(of: slot.rawValue, in: position, source)
        let cause = try deletionCause(of: slot, commit)
        commit.append { encoder in
            commit.rowBytes.withBytes {
                encoder.delete(
                    entity, keepsTombstone: keepsTombstone,
                    ordinal: Ordinal(change.metadata.ordinal), previous: previous, cause: cause,
                    row: $0, lists: lists)
            }
        }
    }

    /// Says what was there before a row or a tombstone came, or a tombstone went: the events say what
    /// comes, and nobody could take them back without.
    private func noteFormer(_ change: RowChange, _ commit: CommitEncoder) throws {
        guard change.before < 0, change.metadata.isFormer else { return }
        let entity = try commit.index(of: change.slot, in: position, source)
        guard change.metadata.ordinal != RowMetadata.noOrdinal else {
            return commit.append { $0.formerlyGone(entity, previous: change.previousVersion) }
        }
        guard let tombstone = try findFormerTombstone(of: Slot(change.slot)) else { return }
        commit.rowBytes.removeAll()
        try tombstone.storeRow(into: &commit.rowBytes)
        try completeRow(of: Slot(change.slot), in: &commit.rowBytes, isFormer: true)
        let lists = try lists(of: tombstone, commit)
        commit.append { encoder in
            commit.rowBytes.withBytes {
                encoder.formerTombstone(
                    entity, ordinal: Ordinal(change.metadata.ordinal),
                    previous: change.previousVersion, row: $0, lists: lists)
            }
        }
    }

    /// A tombstone that comes, or changes, without a row that goes.
    private func encodeTombstone(
        _ change: RowChange, _ metadata: RowMetadata, _ previous: PreviousVersion?,
        _ commit: CommitEncoder
    ) throws -> Bool {
        let slot = Slot(change.slot)
        guard let tombstone = try findTombstone(of: slot) else {
            preconditionFailure("a place in the order without a row or a tombstone")
        }
        if previous != nil, change.metadata.ordinal == metadata.ordinal,
            try !tombstone.isChanged(),
            !(source.schema.unknownFields[position]?.areChanged(of: change.slot) ?? false)
        {
            return false
        }
        try noteFormer(change, commit)
        commit.rowBytes.removeAll()
        try tombstone.storeRow(into: &commit.rowBytes)
        try completeRow(of: slot, in: &commit.rowBytes)
        try checkSize(commit.rowBytes.count, of: slot, commit)
        let lists = try lists(of: tombstone, commit)
        let entity = try commit.index(of: slot.rawValue, in: position, source)
        commit.append { encoder in
            commit.rowBytes.withBytes {
                encoder.delete(
                    entity, keepsTombstone: true, isRowless: true,
                    ordinal: Ordinal(metadata.ordinal), previous: previous, cause: .direct,
                    row: $0, lists: lists)
            }
        }
        return true
    }

    // MARK: - Parts

    /// What the log says about the type. Asked for where it is wanted: most transactions come without, and it has
    /// many references.
    private var definition: TypeDefinition {
        guard let definition = source.schema.definitions[position] else { lackDefinition() }
        return definition
    }

    /// The fields alone.
    private var fields: [FieldDefinition] {
        guard let fields = source.schema.definitions[position]?.fields else { lackDefinition() }
        return fields
    }

    private func lackDefinition() -> Never {
        preconditionFailure("rows of a type that the log does not know")
    }

    /// Refuses a row that a checkpoint could not hold. Before anything is logged: what a transaction has
    /// logged, its undo, restoration and compaction must be able to write.
    private func checkSize(_ count: Int, of slot: Slot, _ commit: CommitEncoder) throws(StoreError)
    {
        guard count <= commit.rowBytesMax else {
            throw .rowTooLarge(
                type: table.descriptor.name, id: idText(of: slot.rawValue),
                bytes: ByteCount(UInt64(count)), limit: ByteCount(UInt64(commit.rowBytesMax)))
        }
    }

    private func completeRow(
        of slot: Slot, in writer: inout ByteWriter, isFormer: Bool = false
    ) throws(CodecError) {
        guard isCompleted else { return }
        try source.schema.completeRow(
            of: slot.rawValue, at: position, in: &writer, isFormer: isFormer)
    }

    /// Notes the fields in which the two row buffers differ. False where they do not.
    private func noteDifference(_ commit: CommitEncoder) throws -> Bool {
        commit.changes.removeAll()
        return try commit.rowBytes.withBytes { old in
            try commit.otherBytes.withBytes { new in
                guard !old.hasSameBytes(as: new) else { return false }
                var oldReader = ByteReader(old)
                var newReader = ByteReader(new)
                for (index, field) in fields.enumerated() where !oldReader.isAtEnd {
                    let oldValue = try field.type.readSlice(&oldReader)
                    let newValue = try field.type.readSlice(&newReader)
                    try commit.changes.append(
                        index, old: { $0.write(oldValue) }, new: { $0.write(newValue) })
                }
                return true
            }
        }
    }

    private func deletionCause(of slot: Slot, _ commit: CommitEncoder) throws -> DeletionCause {
        switch table.deleteCauses[slot.rawValue] {
        case nil: .direct
        case .cascade(let position, let slot):
            .cascade(of: try commit.index(of: slot, in: position, source))
        case .upsert(let position, let slot):
            .upsert(by: try commit.index(of: slot, in: position, source))
        }
    }

    /// The tombstone as it is now.
    func findTombstone(of slot: Slot) throws(CodecError) -> Tombstone? {
        guard let tombstone = try locateTombstone(of: slot),
            tombstone.table.isLive(tombstone.slot)
        else { return nil }
        return tombstone
    }

    /// The tombstone as it was before the transaction, which has taken it away or changed it.
    private func findFormerTombstone(of slot: Slot) throws(CodecError) -> Tombstone? {
        guard var tombstone = try locateTombstone(of: slot),
            let first = tombstone.table.firstChange(of: tombstone.slot), first.before >= 0
        else { return nil }
        tombstone.before = first.before
        return tombstone
    }

    private func locateTombstone(of slot: Slot) throws(CodecError) -> Tombstone? {
        guard let descriptor = table.descriptor.tombstoneDescriptor,
            let position = source.tables.position(of: descriptor)
        else { return nil }
        let tombstones = source.tables.tables[rows: position]
        var id = ByteWriter()
        try table.descriptor.operations.storeID(table, slot, &id)
        let found = try id.withBytes { bytes throws(CodecError) in
            try descriptor.operations.find(tombstones, bytes)
        }
        guard let found else { return nil }
        return Tombstone(
            position: position, table: tombstones, slot: found, owner: table.descriptor)
    }

    private func lists(
        of tombstone: Tombstone, _ commit: CommitEncoder
    ) throws -> [(relation: RelationNumber, entities: [EntityIndex])] {
        var lists: [(relation: RelationNumber, entities: [EntityIndex])] = []
        for index in table.descriptor.relations.indices {
            let target = table.relations[index].childTable
            guard let number = source.schema.number(ofTable: target) else { continue }
            var entities: [EntityIndex] = []
            try tombstone.forEachID(of: index) { bytes in
                commit.append { entities.append($0.entity(number, bytes)) }
            }
            if !entities.isEmpty { lists.append((definition.relations[index].number, entities)) }
        }
        return lists.sorted { $0.relation < $1.relation }
    }
}

extension RowChange {
    fileprivate var previousVersion: PreviousVersion {
        PreviousVersion(
            transaction: TransactionID(metadata.transaction),
            updatedAt: Timestamp(microseconds: metadata.updatedAt))
    }
}
