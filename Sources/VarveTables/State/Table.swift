package import VarveEvents

/// The entities of one type: rows by slot, slots by id, links by relation.
///
/// An id has a slot as soon as it is mentioned. A slot without row is vacant or gone, and may still
/// hold links: only link events change links.
///
/// A value of some root numbers: a copy is the table of another version.
package struct Table: Sendable {
    /// Layouts by revision, oldest first.
    package private(set) var layouts: [RowLayout]
    var rows: RowTree
    var ids: IDMap
    /// By position of the relation in the newest definition.
    private(set) var links: [LinkMap]
    /// The lists that tombstones keep for a restoration, by relation: also of relations that a later
    /// revision dropped.
    private(set) var keptLists: [(relation: RelationNumber, lists: LinkMap)] = []
    /// Of the live entities. The transaction changes them with the rows.
    var indexes: [DeclaredIndex] = []
    package private(set) var liveCount = 0
    package private(set) var tombstoneCount = 0
    /// The ordinal that the next new entity gets.
    package private(set) var nextOrdinal = Ordinal(1)
    private(set) var slotOrder = SlotOrder.empty
    /// The greatest id that was ever mentioned, of a type whose ids the store gives; 0 of other types.
    package private(set) var lastNumber: UInt64 = 0
    /// Whether the store gives the ids of the type.
    private(set) var numbersIDs: Bool

    /// Trees of an image's indexes whose keys this program would make otherwise, or whose fields it cannot order.
    /// Their pages are there until ``StateTransaction/releaseStaleIndexes()``.
    var staleTrees: [KeyTree] = []

    /// An index, and what it was declared as.
    struct DeclaredIndex: Sendable {
        let declaration: IndexDeclaration
        var index: FieldIndex
        /// Of the open transaction: how many entries it took from those that were there.
        var removalCount = 0
    }

    init(_ definition: TypeDefinition) { self.init(layouts: [RowLayout(definition)]) }

    /// - Parameter layouts: of all definitions of the type, oldest first.
    init(layouts: [RowLayout]) {
        let definition = layouts[layouts.count - 1].definition
        self.layouts = layouts
        numbersIDs = definition.numbersIDs
        rows = RowTree()
        ids = IDMap()
        links = definition.relations.map { _ in LinkMap() }
    }

    /// The table of an image.
    init(_ parts: Parts, layouts: [RowLayout]) {
        self.layouts = layouts
        rows = parts.rows
        ids = parts.ids
        links = parts.links
        keptLists = parts.keptLists
        liveCount = parts.liveCount
        tombstoneCount = parts.tombstoneCount
        nextOrdinal = parts.nextOrdinal
        slotOrder = parts.slotOrder
        lastNumber = parts.lastNumber
        numbersIDs = layouts[layouts.count - 1].definition.numbersIDs
    }

    var parts: Parts {
        Parts(
            rows: rows, ids: ids, links: links, keptLists: keptLists, liveCount: liveCount,
            tombstoneCount: tombstoneCount, nextOrdinal: nextOrdinal, slotOrder: slotOrder,
            lastNumber: lastNumber)
    }

    /// What an image keeps of a table beside its definitions and indexes.
    struct Parts: Sendable {
        var rows = RowTree()
        var ids = IDMap()
        var links: [LinkMap] = []
        var keptLists: [(relation: RelationNumber, lists: LinkMap)] = []
        var liveCount = 0
        var tombstoneCount = 0
        var nextOrdinal = Ordinal(1)
        var slotOrder = SlotOrder.empty
        var lastNumber: UInt64 = 0
    }

    package var layout: RowLayout { layouts[layouts.count - 1] }

    package var definition: TypeDefinition { layout.definition }

    var currentRevision: UInt32 { UInt32(truncatingIfNeeded: layouts.count - 1) }

    package var slotCount: Int { rows.count }

    // MARK: Slots

    /// The entry of an id, if it was ever mentioned.
    func entry(of id: UnsafeRawBufferPointer, in pages: PageTable) -> StoredRow? {
        ids.entry(of: id, ids.hash(id), in: rows, pages)
    }

    /// The slot of an id, which gets a vacant one if it is new.
    mutating func intern(
        _ id: UnsafeRawBufferPointer, in transaction: PageTransaction
    ) throws(EntityFault) -> Slot {
        let hash = ids.hash(id)
        if let entry = ids.entry(of: id, hash, in: rows, transaction.pages) { return entry.slot }
        do throws(CodecError) {
            try layout.checkID(id)
        } catch {
            throw .invalidID(error)
        }
        guard slotCount < Slot.limit, id.count < Int32.max else { throw .tooManyEntities }
        let slot = rows.append(id: id, in: transaction)
        if !ids.insert(hash, slot, in: transaction) { renewIDs(in: transaction) }
        if numbersIDs { noteNumber(of: id) }
        return slot
    }

    /// Prefetches what a transaction that mentions an entity reads of it first: its row's leaf and, because a link may
    /// be why it does so, its lists' leaves. Of an image nothing is read that may not be needed.
    func prefetch(_ slot: Slot, in pages: PageTable) {
        rows.prefetchLeaf(of: slot, in: pages)
        guard pages.cold == nil else { return }
        for lists in links { lists.prefetchLeaf(of: slot, in: pages) }
    }

    /// Inserts an entity whose id is new, and returns its slot. Returns nil, and changes nothing, where the id is known,
    /// or id or row cannot be such: ``intern(_:in:)`` and ``setRow(_:to:_:_:at:in:)`` say what is wrong then.
    mutating func insertNew(
        _ id: UnsafeRawBufferPointer, _ row: UnsafeRawBufferPointer, _ ordinal: Ordinal,
        at version: PreviousVersion, in transaction: PageTransaction
    ) -> Slot? {
        let (layout, pages) = (layout, transaction.pages)
        guard slotCount < Slot.limit, id.count < Int32.max, row.count < UInt32.max,
            (try? layout.checkID(id)) != nil, (try? layout.check(row)) != nil
        else { return nil }
        let slot = Slot(UInt32(truncatingIfNeeded: slotCount))
        let entering = ids.enter(ids.hash(id), slot, in: transaction) {
            rows.entry($0, in: pages).id.hasSameBytes(as: id)
        }
        guard case .added(let isByChance) = entering else { return nil }
        count(.live)
        noteInsertion(slot, ordinal)
        _ = rows.append(
            id: id, row: row, metadata(.live, ordinal, at: version), in: transaction)
        if !isByChance { renewIDs(in: transaction) }
        if numbersIDs { noteNumber(of: id) }
        return slot
    }

    /// Of a row in the newest layout.
    private func metadata(
        _ presence: EntityPresence, _ ordinal: Ordinal, at version: PreviousVersion
    ) -> RowMetadata {
        RowMetadata(
            presence: presence,
            stamps: EntityStamps(
                ordinal: ordinal.rawValue, transaction: version.transaction.rawValue,
                updatedAt: version.updatedAt.microseconds, saveOrder: version.saveOrder),
            revision: currentRevision)
    }

    /// Makes the map of ids again under another key: no chance makes so many hashes alike.
    private mutating func renewIDs(in transaction: PageTransaction) {
        let renewed = ids.renewed(of: rows, in: transaction)
        ids.removeAll(in: transaction)
        ids = renewed
    }

    private mutating func noteNumber(of id: UnsafeRawBufferPointer) {
        raiseLastNumber(to: definition.idType.number(ofID: id) ?? 0)
    }

    mutating func raiseLastNumber(to number: UInt64) { lastNumber = max(lastNumber, number) }

    /// The greatest number of an id that was ever mentioned, whether or not the store gives them. O(slots).
    func greatestNumber(in pages: PageTable) -> UInt64 {
        let idType = definition.idType
        var cursor = rows.cursor(in: pages)
        var greatest: UInt64 = 0
        while let entry = cursor.nextEntry() {
            greatest = max(greatest, idType.number(ofID: entry.id) ?? 0)
        }
        return greatest
    }

    // MARK: Rows

    /// Gives a slot a row in the newest layout: of a live entity, or of a tombstone.
    mutating func setRow(
        _ slot: Slot, to row: UnsafeRawBufferPointer, _ presence: EntityPresence,
        _ ordinal: Ordinal, at version: PreviousVersion, in transaction: PageTransaction
    ) throws(EntityFault) {
        guard UInt32(exactly: row.count) != nil else { throw .tooLarge }
        count(presence)
        let metadata = metadata(presence, ordinal, at: version)
        let former = rows.set(slot, row: row, metadata, in: transaction)
        uncount(former.presence, transaction.pages)
        if !former.presence.hasRow || former.ordinal != ordinal { noteInsertion(slot, ordinal) }
    }

    private mutating func noteInsertion(_ slot: Slot, _ ordinal: Ordinal) {
        slotOrder.insert(slot, ordinal, next: nextOrdinal)
        raiseNextOrdinal(to: Ordinal(ordinal.rawValue + 1))
    }

    private mutating func count(_ presence: EntityPresence) {
        switch presence {
        case .vacant, .gone: break
        case .live: liveCount += 1
        case .tombstone: tombstoneCount += 1
        }
    }

    /// The counts of an image may be lower than what its rows come to.
    private mutating func uncount(_ presence: EntityPresence, _ pages: PageTable) {
        switch presence {
        case .live where liveCount > 0: liveCount -= 1
        case .tombstone where tombstoneCount > 0: tombstoneCount -= 1
        case .vacant, .gone: break
        case .live, .tombstone: pages.noteContradiction()
        }
    }

    /// Takes the row of a slot, and what its tombstone keeps. Its links stay, and so does when it was
    /// that the entity went: `version`.
    mutating func clearRow(
        _ slot: Slot, at version: PreviousVersion, in transaction: PageTransaction
    ) {
        let metadata = RowMetadata(
            presence: .gone,
            stamps: EntityStamps(
                ordinal: 0, transaction: version.transaction.rawValue,
                updatedAt: version.updatedAt.microseconds),
            revision: 0)
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        let former = rows.set(slot, row: none, metadata, in: transaction)
        uncount(former.presence, transaction.pages)
        keepLists([], of: slot, in: transaction)
    }

    /// Says where the last change of an entity, or of a tombstone, was among the saves of its transaction.
    mutating func setSaveOrder(_ slot: Slot, to order: UInt32, in transaction: PageTransaction) {
        var metadata = rows.entry(slot, in: transaction.pages).metadata
        metadata.stamps.saveOrder = order
        rows.setMetadata(slot, metadata, in: transaction)
    }

    /// Forgets that there ever was an entity at a slot without a row.
    mutating func withdraw(_ slot: Slot, in transaction: PageTransaction) {
        rows.setMetadata(slot, .vacant, in: transaction)
    }

    // MARK: Links

    mutating func changeLinks(
        _ position: Int, of slot: Slot, _ changes: SlotListChanges, in transaction: PageTransaction
    ) {
        links[position].change(changes, of: slot, in: transaction)
    }

    mutating func setLinks(
        _ position: Int, of slot: Slot, to targets: [Slot], in transaction: PageTransaction
    ) {
        links[position].replace(targets, of: slot, in: transaction)
    }

    /// The lists that a tombstone keeps, without empty ones, ascending by relation.
    func keptLists(
        of slot: Slot, in pages: PageTable
    ) -> [(relation: RelationNumber, slots: [Slot])] {
        keptLists.compactMap { kept in
            let slots = kept.lists.targets(of: slot, in: pages)
            return slots.isEmpty ? nil : (kept.relation, slots)
        }.sorted { $0.relation < $1.relation }
    }

    /// Sets the lists that the tombstone at a slot keeps, each of another relation.
    mutating func keepLists(
        _ lists: [(relation: RelationNumber, slots: [Slot])], of slot: Slot,
        in transaction: PageTransaction
    ) {
        for index in keptLists.indices
        where !lists.contains(where: { $0.relation == keptLists[index].relation }) {
            keptLists[index].lists.replace([], of: slot, in: transaction)
        }
        for list in lists {
            if !keptLists.contains(where: { $0.relation == list.relation }) {
                keptLists.append((list.relation, LinkMap()))
            }
            for index in keptLists.indices where keptLists[index].relation == list.relation {
                keptLists[index].lists.replace(list.slots, of: slot, in: transaction)
            }
        }
    }

    // MARK: Indexes

    /// Takes in that the row of a live entity has changed, both rows in the newest layout: nil where there
    /// was, or is, none.
    mutating func changeIndexes(
        _ slot: Slot, from old: UnsafeRawBufferPointer?, to new: UnsafeRawBufferPointer?,
        in transaction: PageTransaction
    ) throws(CodecError) {
        let layout = layout
        for position in indexes.indices {
            if try indexes[position].index.change(
                slot, from: old, to: new, layout, in: transaction)
            {
                indexes[position].removalCount += 1
            }
        }
    }

    // MARK: Loading

    /// Gives the next slots to what a checkpoint holds. ``loadIDs(_:in:)`` makes them known by their ids.
    mutating func loadRows(
        _ loaded: UnsafeBufferPointer<LoadedRow>, in transaction: PageTransaction
    ) {
        for (index, row) in loaded.enumerated() {
            count(row.metadata.presence)
            if row.metadata.presence.hasRow {
                let slot = Slot(UInt32(truncatingIfNeeded: slotCount + index))
                noteInsertion(slot, Ordinal(row.metadata.stamps.ordinal))
            }
        }
        rows.append(loaded, in: transaction)
    }

    /// - Parameter hashes: of the ids of all slots.
    mutating func loadIDs(_ hashes: [UInt64], in transaction: PageTransaction) {
        if !ids.insertAll(hashes, in: transaction) { renewIDs(in: transaction) }
    }

    /// Takes the lists of a relation, whose holders have none yet.
    mutating func loadLinks(
        _ position: Int, _ lists: LoadedLists, in transaction: PageTransaction
    ) {
        links[position].load(lists, in: transaction)
    }

    mutating func raiseNextOrdinal(to ordinal: Ordinal) {
        if ordinal.rawValue > nextOrdinal.rawValue { nextOrdinal = ordinal }
    }

    // MARK: Definitions

    /// Takes in a new revision of the type. Rows stay as they are; lists of relations that it lacks go.
    mutating func revise(_ definition: TypeDefinition, in transaction: PageTransaction) {
        let old = self.definition.relations
        for (position, relation) in old.enumerated()
        where definition.position(of: relation.number) == nil {
            links[position].removeAll(in: transaction)
        }
        links = definition.relations.map { relation in
            old.firstIndex { $0.number == relation.number }.map { links[$0] } ?? LinkMap()
        }
        layouts.append(RowLayout(definition))
        if definition.numbersIDs, !numbersIDs {
            raiseLastNumber(to: greatestNumber(in: transaction.pages))
        }
        numbersIDs = definition.numbersIDs
    }
}
