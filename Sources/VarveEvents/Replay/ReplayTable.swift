/// The entities of one type, encoded.
///
/// An id has a slot as soon as it is mentioned; a slot without row is vacant, and may still hold
/// links. Links are independent of rows: only link events change them.
final class ReplayTable {
    enum Liveness: UInt8, BitwiseCopyable {
        case vacant
        case live
        case tombstone
    }

    /// A slot. Row, ordinal, transaction and time are those of the live row or of the tombstone.
    struct Record: BitwiseCopyable {
        let id: StoredID
        var row: UnsafeMutableRawPointer?
        var rowCount: UInt32 = 0
        var rowCapacity: UInt32 = 0
        var ordinal: UInt64 = 0
        var transaction: UInt64 = 0
        var updatedAt: Int64 = 0
        var revision: UInt32 = 0
        /// Where its save was among those of the transaction.
        var saveOrder: UInt32 = 0
        var liveness = Liveness.vacant

        var idBytes: UnsafeRawBufferPointer { id.bytes }

        var rowBytes: UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: row, count: Int(rowCount))
        }

        /// What an event on this entity must name as previous version.
        var version: PreviousVersion? {
            guard liveness != .vacant else { return nil }
            return PreviousVersion(
                transaction: TransactionID(transaction),
                updatedAt: Timestamp(microseconds: updatedAt))
        }
    }

    typealias DeletedLists = [(relation: RelationNumber, slots: [UInt32])]

    private(set) var deletedLists: [UInt32: DeletedLists] = [:]
    private(set) var tombstoneCount = 0

    // Unchecked: every event touches these several times, and the run-time checks took a tenth of
    // replay. No access calls out while it is open: the closures passed below are the table's own
    // and touch other properties.
    /// Layouts by revision, oldest first.
    @exclusivity(unchecked) private(set) var layouts: [RowLayout]
    @exclusivity(unchecked) private(set) var links: [LinkColumn]
    @exclusivity(unchecked) private(set) var records = RawColumn<Record>()
    @exclusivity(unchecked) private(set) var liveCount = 0
    @exclusivity(unchecked) private(set) var nextOrdinal: UInt64 = 1
    /// The greatest number of an id that was ever mentioned, of a type whose ids the store gives.
    @exclusivity(unchecked) private(set) var lastNumber: UInt64 = 0
    /// Apart from the definition, which is looked at for every new id.
    @exclusivity(unchecked) private(set) var numbersIDs: Bool
    let directory: SlotDirectory
    @exclusivity(unchecked) private var rows = ByteArena()
    /// Bytes of the row arena, and of loaded pages, that no row uses any more.
    @exclusivity(unchecked) private var wasted = 0
    /// Pages of a checkpoint that rows stand in, and what the ids of their entities stand in.
    private var rowPages: [RowPage] = []
    private var idPages: [PageBytes] = []
    private var rowPageBytes = 0
    /// The slots that were loaded. Empty until one is looked up, which opening a store whose log ends
    /// with its checkpoint never does.
    @exclusivity(unchecked) private var loadedSlots = LoadedSlotMap()
    @exclusivity(unchecked) private var isMapped = true
    /// Conversions to the newest revision, by old revision.
    private var conversions: [UInt32: RowConversion] = [:]
    private var scratch = ByteWriter(capacity: 256)

    init(_ definition: TypeDefinition) {
        layouts = [RowLayout(definition)]
        numbersIDs = definition.numbersIDs
        links = definition.relations.map { LinkColumn($0) }
        directory = SlotDirectory(definition.idType, loadedCount: 0)
    }

    /// A table whose `count` records are about to be filled by `loadRows`.
    init(loading layout: RowLayout, count: Int) {
        layouts = [layout]
        numbersIDs = layout.definition.numbersIDs
        links = layout.definition.relations.map { LinkColumn($0) }
        records = RawColumn(uninitializedCount: count)
        directory = SlotDirectory(layout.definition.idType, loadedCount: count)
        isMapped = false
    }

    var definition: TypeDefinition { layouts[layouts.count - 1].definition }

    var currentRevision: UInt32 { UInt32(truncatingIfNeeded: layouts.count - 1) }

    var layout: RowLayout { layouts[layouts.count - 1] }

    var slotCount: Int { records.count }

    /// Takes in a new revision of the type.
    func revise(_ definition: TypeDefinition) {
        let old = links
        layouts.append(RowLayout(definition))
        if definition.numbersIDs, !numbersIDs { raiseLastNumber(to: greatestNumber) }
        numbersIDs = definition.numbersIDs
        conversions.removeAll()
        links = definition.relations.map { relation in
            guard let column = old.first(where: { $0.definition.number == relation.number })
            else { return LinkColumn(relation) }
            return LinkColumn(relation, from: column)
        }
    }

    // MARK: Slots

    /// The slot of an id, if the id was ever mentioned.
    func slot(of id: UnsafeRawBufferPointer, hash: UInt64) -> UInt32? {
        mapSlots()
        return knownSlot(of: id, hash: hash)
    }

    @inline(__always)
    private func knownSlot(of id: UnsafeRawBufferPointer, hash: UInt64) -> UInt32? {
        if let slot = directory.find(id, hash: hash) { return slot }
        return loadedSlots.isEmpty ? nil : loadedSlots.find(id, hash: hash, in: records)
    }

    /// Makes the coming look-ups of these hashes fast.
    func touch(_ hashes: borrowing RawColumn<UInt64>, _ range: Range<Int>) -> Int {
        mapSlots()
        return directory.touch(hashes, range) &+ loadedSlots.touch(hashes, range, in: records)
    }

    /// The slot of an id, which gets a vacant one if it is new.
    func intern(
        _ id: UnsafeRawBufferPointer, hash: UInt64
    ) throws(EntityFault) -> UInt32 {
        mapSlots()
        if let slot = knownSlot(of: id, hash: hash) { return slot }
        let new = try directory.add(id, hash: hash)
        append(new.id)
        return new.slot
    }

    /// Makes the vacant record of an id that the directory has given the next slot.
    func append(_ id: StoredID) {
        records.append(Record(id: id))
        if numbersIDs { noteNumber(of: id.bytes) }
    }

    private func noteNumber(of id: UnsafeRawBufferPointer) {
        raiseLastNumber(to: definition.idType.number(ofID: id) ?? 0)
    }

    func raiseLastNumber(to number: UInt64) { lastNumber = max(lastNumber, number) }

    /// The greatest number of an id that was ever mentioned, whether or not they are counted. O(slots).
    var greatestNumber: UInt64 {
        let type = definition.idType
        return (0..<records.count).reduce(0) {
            max($0, type.number(ofID: records[$1].idBytes) ?? 0)
        }
    }

    /// Prepares the looking up of slots. Several tables may do so at once.
    @inline(__always)
    func mapSlots() {
        if !isMapped { mapLoadedSlots() }
    }

    @inline(never)
    private func mapLoadedSlots() {
        isMapped = true
        loadedSlots = LoadedSlotMap(records.elements)
    }

    /// Takes over what a page gave.
    func adopt(_ loaded: LoadedRows) {
        liveCount += loaded.live
        tombstoneCount += loaded.tombstones
        raiseNextOrdinal(to: loaded.ordinalMax + 1)
        rowPages.append(loaded.page)
        rowPageBytes += loaded.page.bytes.bytes.count
        idPages.append(loaded.ids)
    }

    /// Gives away the pages that rows stand in: rows are there as long as their pages are.
    func takeRowPages() -> [RowPage] {
        defer { rowPages = [] }
        return rowPages
    }

    func raiseNextOrdinal(to ordinal: UInt64) { nextOrdinal = max(nextOrdinal, ordinal) }

    // MARK: Rows

    /// Gives a slot a row: of a live entity, or of a tombstone.
    func setRow(
        _ slot: UInt32, to row: UnsafeRawBufferPointer, liveness: Liveness, ordinal: Ordinal,
        at version: PreviousVersion
    ) throws(EntityFault) {
        try storeRow(slot, row)
        var record = records[Int(slot)]
        count(record.liveness, by: -1)
        count(liveness, by: 1)
        record.liveness = liveness
        record.ordinal = ordinal.rawValue
        record.transaction = version.transaction.rawValue
        record.updatedAt = version.updatedAt.microseconds
        record.saveOrder = version.saveOrder
        record.revision = currentRevision
        records[Int(slot)] = record
        nextOrdinal = max(nextOrdinal, ordinal.rawValue + 1)
    }

    /// Whether there is an entity or a tombstone that a transaction wrote last.
    func isSaved(_ slot: UInt32, in transaction: TransactionID) -> Bool {
        records[Int(slot)].version?.transaction == transaction
    }

    /// Says where the newest save of an entity, or of a tombstone, was among those of its transaction.
    func setSaveOrder(_ slot: UInt32, to order: UInt32) {
        records.modify(Int(slot)) { $0.saveOrder = order }
    }

    private func count(_ liveness: Liveness, by change: Int) {
        switch liveness {
        case .vacant: break
        case .live: liveCount += change
        case .tombstone: tombstoneCount += change
        }
    }

    private func storeRow(
        _ slot: UInt32, _ row: UnsafeRawBufferPointer
    ) throws(EntityFault) {
        guard let count = UInt32(exactly: row.count) else { throw .tooLarge }
        var record = records[Int(slot)]
        if let memory = record.row, count <= record.rowCapacity {
            if let source = row.baseAddress {
                memory.copyMemory(from: source, byteCount: row.count)
            }
        } else {
            wasted += Int(record.rowCapacity)
            record.row = rows.copy(row)
            record.rowCapacity = count
        }
        record.rowCount = count
        records[Int(slot)] = record
        // Amortised: as many bytes were written since the last time as are copied now.
        if wasted > 1 << 20, wasted * 2 > rows.used + rowPageBytes { compactRows() }
    }

    private func compactRows() {
        var compact = ByteArena()
        for slot in 0..<records.count {
            records.modify(slot) { record in
                guard record.row != nil else { return }
                record.row = compact.copy(record.rowBytes)
                record.rowCapacity = record.rowCount
            }
        }
        rows = compact
        rowPages = []
        rowPageBytes = 0
        wasted = 0
    }

    /// Makes a slot vacant: its row, ordinal and chain of versions end. Its links stay, and so does
    /// when it was that the entity went: `version`.
    func clearRow(_ slot: UInt32, at version: PreviousVersion) {
        records.modify(Int(slot)) { record in
            wasted += Int(record.rowCapacity)
            count(record.liveness, by: -1)
            record = Record(id: record.id)
            record.transaction = version.transaction.rawValue
            record.updatedAt = version.updatedAt.microseconds
        }
        deletedLists[slot] = nil
    }

    /// Forgets that there ever was an entity at a vacant slot.
    func withdraw(_ slot: UInt32) {
        records.modify(Int(slot)) { record in
            record.transaction = 0
            record.updatedAt = 0
        }
    }

    func setDeletedLists(_ slot: UInt32, to lists: DeletedLists) {
        deletedLists[slot] = lists.isEmpty ? nil : lists
    }

    /// Brings the row of a slot to the newest revision.
    func modernise(_ slot: UInt32) throws(EntityFault) {
        let record = records[Int(slot)]
        guard record.revision != currentRevision else { return }
        scratch.removeAll()
        do throws(CodecError) {
            try conversion(from: record.revision).convert(record.rowBytes, into: &scratch)
        } catch {
            throw .malformedRow(error)
        }
        try scratch.withBytes { row throws(EntityFault) in try storeRow(slot, row) }
        records.modify(Int(slot)) { $0.revision = currentRevision }
    }

    private func conversion(from revision: UInt32) throws(CodecError) -> RowConversion {
        if let conversion = conversions[revision] { return conversion }
        do throws(CatalogError) {
            let conversion = try RowConversion(from: layouts[Int(revision)], to: definition)
            conversions[revision] = conversion
            return conversion
        } catch {
            throw .notRoundTrippable(property: "\(error)")
        }
    }

    // MARK: Links

    /// Makes the coming changes of lists of these slots fast.
    func touchLinks(_ slots: ArraySlice<UInt32>) -> Int {
        var touched = 0
        for index in links.indices { touched &+= links[index].touch(slots) }
        return touched
    }

    func modifyLinks<Result, Failure: Error>(
        _ position: Int, _ body: (inout LinkColumn) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(&links[position])
    }
}
