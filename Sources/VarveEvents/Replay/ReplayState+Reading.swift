/// An entity of a replayed state. The buffers are valid during the call that gave it only, unless
/// `rowStays`.
package struct ReplayedEntity {
    package let slot: UInt32
    package let id: UnsafeRawBufferPointer
    /// In the layout that was asked for; fields that the app does not know are at its end.
    package let row: UnsafeRawBufferPointer
    package let ordinal: Ordinal
    /// The transaction that last touched it; for a tombstone, the one that deleted it.
    package let transaction: TransactionID
    /// When it was last touched; for a tombstone, when it was deleted.
    package let updatedAt: Timestamp
    /// Where that was among the saves of its transaction.
    package let saveOrder: UInt32
    /// Whether this is a tombstone.
    package let isDeleted: Bool
    /// Whether id and row stay where they are as long as the state is not changed and the row's page was not
    /// taken: the row was not converted from an older layout.
    package let rowStays: Bool
}

/// The links of one relation, as slots of its target type.
package struct ReplayedLinks: Sendable {
    private let column: LinkColumn

    init(_ column: LinkColumn) { self.column = column }

    package var definition: RelationDefinition { column.definition }

    /// Slots from this one on have no links.
    package var extent: Int { column.extent }

    /// The targets in their order, of either kind of relation.
    package func targets(of slot: UInt32) -> [UInt32] { column.list(of: slot) }

    /// Calls `body` with each slot that has links and their targets, in order of slots. The buffers
    /// are valid during the calls only.
    package func forEachList(_ body: (UInt32, UnsafeBufferPointer<UInt32>) -> Void) {
        column.forEachList(body)
    }

    /// Calls `body` with each slot that has links and their targets, from a slot on, until it returns false.
    package func forEachList(
        from first: UInt32, while body: (UInt32, UnsafeBufferPointer<UInt32>) -> Bool
    ) {
        column.forEachList(from: first, while: body)
    }
}

/// Reads the entities of one type in one layout.
///
/// Each reader has its own scratch memory: several threads may read a state, each with a reader,
/// as long as nothing changes the state.
package struct EntityReader: ~Copyable {
    private let table: ReplayTable
    private let target: TypeDefinition
    private var conversions: [RowConversion?]
    /// The revision whose rows need no conversion, once one was met: a number is compared without
    /// counting references to the conversion.
    private var identicalRevision: UInt32?
    private var scratch = ByteWriter(capacity: 256)

    /// `target` is the type's current definition if nil.
    init(_ table: ReplayTable, _ target: TypeDefinition? = nil) {
        self.table = table
        self.target = target ?? table.definition
        conversions = Array(repeating: nil, count: table.layouts.count)
    }

    /// The number of slots; entities have slots below it.
    package var slotCount: Int { table.slotCount }

    /// Calls `body` with the entity (or tombstone) at a slot; returns nil at a vacant one.
    package mutating func read<Result>(
        _ slot: UInt32, _ body: (ReplayedEntity) throws(CodecError) -> Result
    ) throws(CodecError) -> Result? {
        let record = table.records[Int(slot)]
        guard record.liveness != .vacant else { return nil }
        if record.revision == identicalRevision {
            return try body(Self.entity(slot, record, record.rowBytes, rowStays: true))
        }
        let conversion = try conversion(from: Int(record.revision))
        if conversion.isIdentity {
            identicalRevision = record.revision
            return try body(Self.entity(slot, record, record.rowBytes, rowStays: true))
        }
        scratch.removeAll()
        try conversion.convert(record.rowBytes, into: &scratch)
        return try scratch.withBytes { row throws(CodecError) in
            try body(Self.entity(slot, record, row, rowStays: false))
        }
    }

    private static func entity(
        _ slot: UInt32, _ record: ReplayTable.Record, _ row: UnsafeRawBufferPointer,
        rowStays: Bool
    ) -> ReplayedEntity {
        ReplayedEntity(
            slot: slot, id: record.idBytes, row: row, ordinal: Ordinal(record.ordinal),
            transaction: TransactionID(record.transaction),
            updatedAt: Timestamp(microseconds: record.updatedAt), saveOrder: record.saveOrder,
            isDeleted: record.liveness == .tombstone, rowStays: rowStays)
    }

    private mutating func conversion(from revision: Int) throws(CodecError) -> RowConversion {
        if let known = conversions[revision] { return known }
        do throws(CatalogError) {
            let conversion = try RowConversion(from: table.layouts[revision], to: target)
            conversions[revision] = conversion
            return conversion
        } catch {
            throw .notTranscodable(
                from: .structure(table.definition.name, []), to: .structure(target.name, []),
                reason: "\(error)")
        }
    }

    /// Calls `body` with each entity and tombstone whose slot is in `range`, in order of slots.
    package mutating func forEach(
        in range: Range<Int>, _ body: (ReplayedEntity) throws(CodecError) -> Void
    ) throws(CodecError) {
        for slot in range.clamped(to: 0..<slotCount) {
            _ = try read(UInt32(truncatingIfNeeded: slot), body)
        }
    }

    /// Calls `body` with each entity and tombstone, in order of slots.
    package mutating func forEach(
        _ body: (ReplayedEntity) throws(CodecError) -> Void
    ) throws(CodecError) {
        try forEach(in: 0..<slotCount, body)
    }
}

/// How many there are of a type.
package struct TypeCounts: Hashable, Sendable {
    package let live: Int
    package let tombstones: Int
    /// Ids that were ever mentioned, by an entity or a link.
    package let slots: Int

    package init(live: Int, tombstones: Int, slots: Int) {
        self.live = live
        self.tombstones = tombstones
        self.slots = slots
    }
}

// Types that are unknown, or that were handed over, have no entities here.
extension ReplayState {
    /// A reader of a type's entities in the layout of `target`, which is the type's current
    /// definition if nil.
    package func reader(of type: TypeNumber, as target: TypeDefinition? = nil) -> EntityReader? {
        guard let table = table(type) else { return nil }
        return EntityReader(table, target)
    }

    package func counts(of type: TypeNumber) -> TypeCounts {
        guard let table = table(type) else {
            return TypeCounts(live: 0, tombstones: 0, slots: 0)
        }
        return TypeCounts(
            live: table.liveCount, tombstones: table.tombstoneCount, slots: table.slotCount)
    }

    /// The ordinal that the next new entity of a type gets.
    package func nextOrdinal(of type: TypeNumber) -> Ordinal {
        Ordinal(table(type)?.nextOrdinal ?? 1)
    }

    /// The greatest id that was ever mentioned, of a type whose ids the store gives; 0 of other types.
    ///
    /// - Parameter definition: as the app has it: it may be the first that makes the store give ids. All ids are looked
    ///   at then.
    package func lastNumber(of definition: TypeDefinition) -> UInt64 {
        guard let table = table(definition.number) else { return 0 }
        return definition.numbersIDs && !table.numbersIDs
            ? table.greatestNumber : table.lastNumber
    }

    /// Gives away the pages of a checkpoint that rows of a type stand in, of a state that is read for
    /// the last time: who has them lets each go when its rows were read.
    package func takeRowPages(of type: TypeNumber) -> [RowPage] {
        table(type)?.takeRowPages() ?? []
    }

    package var typeCount: Int { tables.count }

    /// How many slots all types have.
    package var slotCount: Int { tables.reduce(0) { $0 + ($1?.slotCount ?? 0) } }

    /// Prepares the looking up of a type's slots, which otherwise the first look-up does. Several threads
    /// may do so at once, each with a type of its own.
    package func prepareLookUps(ofTypeAt index: Int) { tables[index]?.mapSlots() }

    /// The slot of an id, if it was ever mentioned. O(1).
    package func slot(of type: TypeNumber, id: UnsafeRawBufferPointer) -> UInt32? {
        table(type)?.slot(of: id, hash: KeyedHash.hash(id))
    }

    /// The transaction that last touched the entity or tombstone at a slot; nil at a vacant one.
    package func transaction(of type: TypeNumber, at slot: UInt32) -> TransactionID? {
        guard let table = table(type), Int(slot) < table.slotCount else { return nil }
        return table.records[Int(slot)].version?.transaction
    }

    /// Calls `body` with the bytes of the id at a slot, vacant or not.
    package func withID<Result>(
        of type: TypeNumber, at slot: UInt32, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        guard let table = table(type), Int(slot) < table.slotCount else { return nil }
        return body(table.records[Int(slot)].idBytes)
    }

    /// When the entity at a vacant slot went for good; nil where there was none yet.
    package func departure(of type: TypeNumber, at slot: UInt32) -> PreviousVersion? {
        guard let table = table(type), Int(slot) < table.slotCount else { return nil }
        let record = table.records[Int(slot)]
        guard record.liveness == .vacant, record.transaction != 0 else { return nil }
        return PreviousVersion(
            transaction: TransactionID(record.transaction),
            updatedAt: Timestamp(microseconds: record.updatedAt))
    }

    /// The links of a type's relations, in the order of its current definition.
    package func links(of type: TypeNumber) -> [ReplayedLinks] {
        table(type)?.links.map { ReplayedLinks($0) } ?? []
    }

    /// The lists that a tombstone keeps.
    package func deletedLists(
        of type: TypeNumber, at slot: UInt32
    ) -> [(relation: RelationNumber, slots: [UInt32])] {
        table(type)?.deletedLists[slot] ?? []
    }

    /// Slots of the live entities of a type in their default order. O(n) where they were inserted in that order, as
    /// most are, else O(n log n).
    package func slotsInOrder(of type: TypeNumber) -> [UInt32] {
        guard let table = table(type) else { return [] }
        var slots: [UInt32] = []
        slots.reserveCapacity(table.liveCount)
        var (last, isInOrder): (UInt64, Bool) = (0, true)
        for slot in 0..<table.slotCount {
            let record = table.records[slot]
            guard record.liveness == .live else { continue }
            slots.append(UInt32(truncatingIfNeeded: slot))
            isInOrder = isInOrder && record.ordinal >= last
            last = record.ordinal
        }
        return isInOrder
            ? slots
            : slots.sorted { table.records[Int($0)].ordinal < table.records[Int($1)].ordinal }
    }
}
