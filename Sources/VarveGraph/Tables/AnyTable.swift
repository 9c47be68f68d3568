internal import Synchronization

/// What a table has that does not depend on its entity's type: cells, ids without a row, slots, links, order, journal.
///
/// All stored properties go unchecked for exclusive access: a table is mutated through the one
/// context that holds it, a value with exclusive access of its own, and the checks took several
/// percent of a save.
///
/// A table belongs to the contexts that reference it. A context mutates it only while it is the
/// only one; until then it works on a clone, which shares all pages.
@usableFromInline
package class AnyTable {
    @usableFromInline package let descriptor: EntityDescriptor
    @usableFromInline final let indexDefinitions: ContiguousArray<IndexDefinition>
    @usableFromInline final let hasTextIndexes: Bool
    /// The numbers of the indexes that are constraints.
    @usableFromInline final let uniqueIndexes: ContiguousArray<Int>
    @usableFromInline final let layout: CellLayout
    final let cellOperations: CellOperations
    /// The columns of all slots side by side, each slot's in a cell, so that a save copies one path of one tree.
    @exclusivity(unchecked) @usableFromInline final var cells: PageTree
    /// Ids of slots without a row: of entities that were only referred to, or are deleted.
    @exclusivity(unchecked) @usableFromInline final var vacantIDs: PageTree
    /// What each relation leads to inside the context that made this table.
    @exclusivity(unchecked) package var relations: [ResolvedRelation]
    /// One column for each relation, by slot.
    @exclusivity(unchecked) package var links: [LinkColumn]
    /// Slots by the hashes of ids.
    @exclusivity(unchecked) @usableFromInline final var ids: IDMap
    /// Entries of ids while they are loaded. Not copied with the table.
    @exclusivity(unchecked) final var loadedIDs: ContiguousArray<UInt64> = []
    /// Of a table that is loaded to become a part of another: the slot there of its first one.
    @exclusivity(unchecked) final var partStart: Int?
    /// Entries for the indexes of rows while they are loaded. Not copied with the table.
    @exclusivity(unchecked) final var loadedEntries: ContiguousArray<LoadedEntries> = []
    /// How many slots were given out; every one of them has an id.
    @exclusivity(unchecked) @usableFromInline package var slotCount: Int
    /// How many slots hold a row.
    @exclusivity(unchecked) @usableFromInline package var liveCount: Int
    /// From 1, and never given twice.
    @exclusivity(unchecked) @usableFromInline package var nextOrdinal: UInt64
    /// What gives ids; nil where entities bring their own. Shared by all copies, and set when a context takes the
    /// table up.
    @exclusivity(unchecked) @usableFromInline final var numbers: IDNumbers?
    @exclusivity(unchecked) package internal(set) final var newestNumber = NewestNumber()
    @exclusivity(unchecked) @usableFromInline final var order: RowOrder
    /// Where the saves of the newest transaction are among one another.
    @exclusivity(unchecked) package final var saves = SaveSequence()
    /// Before-images of rows, oldest first. Empty unless something may still be rolled back.
    @exclusivity(unchecked) @usableFromInline package var rowJournal: ContiguousArray<RowChange>
    /// Not copied with the table: only the writer, whose journal it is, asks it.
    @exclusivity(unchecked) private var firstChanges = FirstChanges()
    /// Before-images of link lists, oldest first.
    @exclusivity(unchecked) package var linkJournal: ContiguousArray<LinkListChange>
    /// What each of the type's indexes holds, in the order of their declaration. Nothing in a table that loads what is
    /// read: it has no indexes.
    @exclusivity(unchecked) @usableFromInline package var indexContents:
        ContiguousArray<IndexContent>
    /// Why rows went, for those that did not go by a call of their own. A row that is there again
    /// was not deleted by anything.
    @exclusivity(unchecked) @usableFromInline package var deleteCauses: [UInt32: DeleteCause]
    /// The position of the table of this type's tombstones; -1 while there is none.
    @exclusivity(unchecked) @usableFromInline final var tombstoneTable: Int
    /// What a save changed, from one save to the next: it keeps its memory. Not copied with the table.
    @exclusivity(unchecked) final var savedChanges: FieldChanges?
    /// Whether the last row came to a slot that had none: in most work the next one will, too.
    @exclusivity(unchecked) @usableFromInline final var lastSaveWasNew = false
    /// What look-ups made of the leaves of a large table. Shared by all copies.
    @usableFromInline final var madeLeaves: MadeLeaves
    /// Of the store whose transactions change the table in place, or have done so: for those who want it as it
    /// was. Only they, holding its mutex, set it, and only `deinit` looks at it.
    @exclusivity(unchecked) @usableFromInline final var former: FormerTables?

    /// The source of a stored table; nil for a filled one. Set before the table is shared, as the next one.
    @exclusivity(unchecked) final var source: (any TableSource)?
    /// Whether the table has all that it can have: rows, ids, links, indexes and the order of the rows.
    @exclusivity(unchecked) @usableFromInline package internal(set) final var isFilled = true
    /// The reservation of a filled table's memory, which lives as long as the table and its copies.
    @exclusivity(unchecked) package final var memoryReservation: (any MemoryReservation)?
    /// Whether a stored table differs from its source.
    @exclusivity(unchecked) final var isChanged = false
    /// What scans found out about a stored table.
    @exclusivity(unchecked) final var storedFindings: StoredFindings?
    /// Whether changes may have brought rows of a stored table into another order than that of their slots.
    @exclusivity(unchecked) final var mayLeaveOrder = false
    /// Whether changed rows of a stored table may break constraints.
    @exclusivity(unchecked) final var mayHoldEqual = false
    /// Unique values of rows that were saved into a stored table; nil for none.
    @exclusivity(unchecked) final var changedValues: ChangedValues?
    /// The filled table of one that waits, retained, once it was needed.
    final let filledTable = Atomic<UnsafeRawPointer?>(nil)

    /// A part that is loaded by itself has `1 << partShift` slots: as many as a subtree of the rows.
    @usableFromInline package static var partShift: Int { 15 }

    @usableFromInline
    init(descriptor: EntityDescriptor) {
        self.descriptor = descriptor
        indexDefinitions = descriptor.indexes
        hasTextIndexes = descriptor.indexes.contains { $0.kind == .text }
        uniqueIndexes = ContiguousArray(
            descriptor.indexes.indices.filter { descriptor.indexes[$0].kind == .unique })
        layout = descriptor.operations.cells.layout
        cellOperations = descriptor.operations.cells
        cells = AnyTable.noCells
        vacantIDs = AnyTable.noIDs
        self.ids = IDMap()
        self.relations = []
        self.links = descriptor.relations.map { LinkColumn(isToMany: $0.isToMany) }
        self.slotCount = 0
        self.liveCount = 0
        self.nextOrdinal = 1
        self.order = RowOrder()
        self.rowJournal = []
        self.linkJournal = []
        self.indexContents = ContiguousArray(descriptor.indexes.map(IndexContent.init))
        self.deleteCauses = [:]
        self.tombstoneTable = -1
        self.madeLeaves = MadeLeaves()
    }

    @usableFromInline
    init(copying other: AnyTable) {
        descriptor = other.descriptor
        indexDefinitions = other.indexDefinitions
        hasTextIndexes = other.hasTextIndexes
        uniqueIndexes = other.uniqueIndexes
        layout = other.layout
        cellOperations = other.cellOperations
        cells = other.cells
        vacantIDs = other.vacantIDs
        relations = other.relations
        ids = other.ids
        links = other.links
        slotCount = other.slotCount
        liveCount = other.liveCount
        nextOrdinal = other.nextOrdinal
        numbers = other.numbers
        newestNumber = other.newestNumber
        order = other.order
        saves = other.saves
        rowJournal = other.rowJournal
        linkJournal = other.linkJournal
        indexContents = other.indexContents
        deleteCauses = other.deleteCauses
        tombstoneTable = other.tombstoneTable
        lastSaveWasNew = other.lastSaveWasNew
        madeLeaves = other.madeLeaves
        memoryReservation = other.memoryReservation
        guard !other.isFilled else { return }
        isFilled = false
        source = other.source
        isChanged = other.isChanged
        mayHoldEqual = other.mayHoldEqual
        storedFindings = other.storedFindings
        mayLeaveOrder = other.mayLeaveOrder
        changedValues = other.changedValues
    }

    /// With the journals of another, and without links, order and indexes.
    @usableFromInline
    init(journalsOf other: AnyTable) {
        descriptor = other.descriptor
        indexDefinitions = other.indexDefinitions
        hasTextIndexes = other.hasTextIndexes
        uniqueIndexes = other.uniqueIndexes
        layout = other.layout
        cellOperations = other.cellOperations
        cells = other.cells
        // A shared directory would lack the leaves that come.
        cells.dropDirectory()
        vacantIDs = other.vacantIDs
        relations = other.relations
        ids = IDMap()
        links = []
        slotCount = other.slotCount
        liveCount = other.liveCount
        nextOrdinal = other.nextOrdinal
        numbers = other.numbers
        newestNumber = other.newestNumber
        order = RowOrder()
        saves = other.saves
        rowJournal = other.rowJournal
        linkJournal = other.linkJournal
        indexContents = []
        deleteCauses = other.deleteCauses
        tombstoneTable = other.tombstoneTable
        madeLeaves = other.madeLeaves
    }

    deinit {
        guard !isFilled, let filled = filledTable.load(ordering: .relaxed) else { return }
        Unmanaged<AnyTable>.fromOpaque(filled).release()
    }

    /// Makes a copy of a stored table a filled one, whose content is set next.
    final func beFilled() {
        isFilled = true
        source = nil
        isChanged = false
        mayHoldEqual = false
        storedFindings = nil
        mayLeaveOrder = false
        changedValues = nil
    }

    /// An empty table to be filled with what this one waits for.
    package final func makeEmpty() -> AnyTable {
        let table = descriptor.operations.makeTable(descriptor)
        table.relations = relations
        table.numbers = numbers
        table.newestNumber = newestNumber
        table.tombstoneTable = tombstoneTable
        table.madeLeaves = madeLeaves
        return table
    }

    /// Whether one of the two was copied from the other, or both from a third: the slots that the first had then are
    /// those of both.
    package final func isCopy(of other: AnyTable) -> Bool { madeLeaves === other.madeLeaves }

    /// Rolls back the newest row change of the journal.
    func undoLastRowChange() { preconditionFailure("a table without an entity type") }

    /// The place that a slot had before the running transaction, if it had one.
    @usableFromInline
    func formerOrdinal(of slot: Slot) -> UInt64? {
        let former = firstChange(of: slot)?.metadata.ordinal
        return former == RowMetadata.noOrdinal ? nil : former
    }

    /// Forgets the ids that were given slots from a number on. None of them has a row or links.
    func forgetSlots(from first: Int) { preconditionFailure("a table without an entity type") }

    private static var noCells: PageTree {
        PageTree(leafShift: PageTree.rowLeafShift, hasDirectory: true)
    }

    private static var noIDs: PageTree { PageTree(leafShift: PageTree.rowLeafShift) }

    /// What was at a slot before the running transaction, if that changed it. Amortized O(1).
    package func firstChange(of slot: Slot) -> RowChange? {
        firstChanges.position(of: slot.rawValue, in: rowJournal).map { rowJournal[$0] }
    }

    /// Tells what finds first changes that the journal was shortened.
    @usableFromInline
    func journalWasShortened() { firstChanges.truncate(to: rowJournal.count) }

    /// Whether there is anything to forget.
    var hasJournal: Bool {
        !rowJournal.isEmpty || !linkJournal.isEmpty || !deleteCauses.isEmpty
    }

    /// Whether nothing was at a slot before the running transaction.
    @usableFromInline
    func isFirstKnown(_ slot: Slot) -> Bool {
        guard let first = firstChange(of: slot) else { return false }
        return first.before < 0 && !first.metadata.isFormer
    }

    /// Forgets all before-images. What a large transaction needed is returned, by the caller.
    final func clearJournal(leaving remains: inout TransactionRemains) {
        // Asked first: emptying an empty collection costs more than the question.
        if !rowJournal.isEmpty {
            if rowJournal.contains(where: { $0.before >= 0 }),
                let rows = descriptor.operations.clearBeforeRows(self)
            {
                remains.add(rows)
            }
            if let large = rowJournal.emptied() { remains.add(large) }
        }
        journalWasShortened()
        if !linkJournal.isEmpty, let large = linkJournal.emptied() {
            remains.add(large)
        }
        if !deleteCauses.isEmpty { deleteCauses = [:] }
    }

    /// Whether what a slot without a row stands for was deleted, rather than still to come. A
    /// tombstone is there or it is not.
    @usableFromInline
    func isGone(_ slot: Slot) -> Bool {
        descriptor.tombstoneOwner != nil || metadata(of: slot).isFormer
    }

    /// The id of a slot as people read it.
    package func idText(of slot: Slot) -> String {
        preconditionFailure("a table without an entity type")
    }

    /// Sets the links of one relation, which come in the order of their slots. For filling a new table.
    package func loadLinks(
        relation: Int, from lists: ((UInt32, UnsafeBufferPointer<UInt32>) -> Void) -> Void
    ) {
        links[relation].load(lists)
    }

    /// The links of one relation of one slot, as they are now.
    package func linkList(relation: Int, of slot: UInt32) -> LinkList {
        LinkList(list: slotList(relation: relation, of: slot))
    }

    func checkRows() { preconditionFailure("a table without an entity type") }
}

extension ContiguousArray where Element: Sendable {
    /// Empties a journal. A small one keeps its memory; of a large one the content is returned, so that it can
    /// be released elsewhere.
    @inlinable
    mutating func emptied() -> ContiguousArray? {
        guard count >= TransactionRemains.journalCountMin else {
            removeAll(keepingCapacity: true)
            return nil
        }
        return taken()
    }

    /// Empties a journal and returns what it held. Behind a large transaction another one probably comes: then it need
    /// not grow step by step again.
    @inlinable
    mutating func taken() -> ContiguousArray {
        var content: ContiguousArray = []
        swap(&content, &self)
        if content.count >= TransactionRemains.journalCountMin {
            reserveCapacity(Swift.min(content.count, 1_024))
        }
        return content
    }
}

/// One row change: what stood at a slot before.
@frozen
@usableFromInline
package struct RowChange: Sendable {
    @usableFromInline package let slot: UInt32
    /// Position among the table's before-rows, or -1 where the slot held no row.
    @usableFromInline package let before: Int32
    @usableFromInline package let metadata: RowMetadata
    @usableFromInline let nextOrdinal: UInt64
    @usableFromInline let order: RowOrder.Mark

    @inlinable
    init(
        slot: UInt32, before: Int32, metadata: RowMetadata, nextOrdinal: UInt64,
        order: RowOrder.Mark
    ) {
        self.slot = slot
        self.before = before
        self.metadata = metadata
        self.nextOrdinal = nextOrdinal
        self.order = order
    }
}

/// One change of a link list: what the list was before.
package struct LinkListChange: Sendable {
    package let relation: Int
    package let slot: UInt32
    package let before: LinkList
}

/// Why a row was deleted.
@usableFromInline
package enum DeleteCause: Sendable, Equatable {
    /// A delete rule of another entity took it along: table position and slot.
    case cascade(table: Int, slot: UInt32)
    /// An entity was saved that has a unique value of this one: table position and slot.
    case upsert(table: Int, slot: UInt32)
}

/// What a relation leads to inside one context.
package struct ResolvedRelation: Sendable {
    package let childTable: Int
    package let isToMany: Bool
    /// The child's relation back, or nil for a one-way relation.
    package let inverse: Int?
    package let inverseIsToMany: Bool
    package let deleteRule: DeleteRule
    /// Whether an entity that leaves every list is deleted.
    package let deletesOrphans: Bool
}
