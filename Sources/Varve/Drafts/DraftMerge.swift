internal import VarveEvents
internal import VarveGraph

/// Compares what a draft changed with what others changed since its base, and decides what the draft does to their
/// state.
///
/// Rows are compared field by field, to-one relations as a whole, to-many relations link by link and by their order.
/// Both sides of a mutual relation are one link. Nothing is changed here but ids that are given slots.
final class DraftMerge {
    let content: DraftContent
    var slots: SlotTranslation
    private let choosing: (DraftConflict) throws -> DraftChoice?
    /// Items that others wrote, although they have the value of the base.
    private let written: Set<WrittenSince.Item>
    /// Items for which that decides.
    private(set) var asked: Set<WrittenSince.Item> = []
    /// Conflicts without a choice.
    private(set) var conflicts: [DraftConflict] = []
    var plan = DraftPlan()
    /// Entities whose other changes are dropped: others deleted them, or their own stay.
    var dropped: Set<EntityPlace> = []
    /// Deletions of the draft that were withdrawn: the entity stays as others have it.
    var spared: Set<EntityPlace> = []
    /// Entities that the draft brings back, or replaces as a whole.
    var revived: Set<EntityPlace> = []
    /// Links of relations that are to one on both sides, once one side has decided.
    var decidedPairs: Set<LinkPair> = []

    init(
        _ content: DraftContent, into theirs: inout StoreState,
        written: Set<WrittenSince.Item>,
        choosing: @escaping (DraftConflict) throws -> DraftChoice?
    ) throws {
        self.content = content
        self.written = written
        self.choosing = choosing
        slots = SlotTranslation(of: content, into: &theirs)
        try theirs.extendSchema()
        try mergeRows(with: &theirs)
        try mergeLinks(with: &theirs)
        try noteUnheld(in: &theirs)
        plan.numbers = givenNumbers()
    }

    var base: StoreState { content.base }
    var mine: StoreState { content.state }

    /// The numbers that the draft has given. What had them need not be there any more, but something may have seen them.
    private func givenNumbers() -> [DraftPlan.GivenNumber] {
        let known = base.context.tables.tables.unfilled
        return mine.context.tables.tables.unfilled.enumerated().compactMap { position, table in
            let number = table.newestNumber.number
            guard number > (position < known.count ? known[position].newestNumber.number : 0)
            else { return nil }
            return .init(table: slots.table(position), number: number)
        }
    }

    // MARK: - Choices

    /// Whether the draft's side of a conflict is kept. Where there is no choice, the conflict is noted.
    func keepsMine(_ conflict: DraftConflict) throws -> Bool {
        if let choice = try choosing(conflict) { return choice == .keepMine }
        conflicts.append(conflict)
        return true
    }

    /// Notes a conflict that no choice resolves.
    func refuse(_ conflict: DraftConflict) { conflicts.append(conflict) }

    /// Whether others wrote an item that has the value of the base.
    func isWritten(_ item: WrittenSince.Item) -> Bool {
        asked.insert(item)
        return written.contains(item)
    }

    // MARK: - Entities

    /// The entities that the draft touched, in the order of their tables.
    var entities: [EntityPlace] {
        content.touched.tables.sorted { $0.key < $1.key }.flatMap { position, slots in
            var seen: Set<UInt32> = []
            return (slots.rows + slots.holders).filter { seen.insert($0).inserted }
                .map { EntityPlace(table: position, slot: $0) }
        }
    }

    func descriptor(of entity: EntityPlace) -> EntityDescriptor {
        mine.context.tables.tables.unfilled[entity.table].descriptor
    }

    func wasLive(_ entity: EntityPlace) -> Bool {
        guard let table = baseTable(of: entity) else { return false }
        return table.isLive(Slot(entity.slot))
    }

    func isLive(_ entity: EntityPlace) -> Bool {
        mine.context.tables.tables[rows: entity.table].isLive(Slot(entity.slot))
    }

    func isLive(_ place: EntityPlace, in theirs: borrowing StoreState) -> Bool {
        theirs.context.tables.tables[rows: place.table].isLive(Slot(place.slot))
    }

    func isDeletedInDraft(_ entity: EntityPlace) -> Bool { wasLive(entity) && !isLive(entity) }

    /// The table of an entity in the base; nil where the base does not know the entity.
    func baseTable(of entity: EntityPlace) -> AnyTable? {
        let tables = base.context.tables.tables
        guard entity.table < tables.count, entity.slot < tables.unfilled[entity.table].slotCount
        else {
            return nil
        }
        return tables[rows: entity.table]
    }

    func idText(of entity: EntityPlace) -> String {
        mine.context.tables.tables[rows: entity.table].idText(of: Slot(entity.slot))
    }

    func conflict(
        _ kind: DraftConflict.Kind, of entity: EntityPlace,
        base: DraftConflict.Side = DraftConflict.Side(),
        mine: DraftConflict.Side = DraftConflict.Side(),
        theirs: DraftConflict.Side = DraftConflict.Side()
    ) -> DraftConflict {
        DraftConflict(
            type: descriptor(of: entity).name, id: idText(of: entity), kind: kind, base: base,
            mine: mine, theirs: theirs)
    }

    func encoded(
        _ entity: EntityPlace, _ definition: TypeDefinition
    ) throws(CodecError) -> EncodedEntity {
        let table = mine.context.tables.tables[rows: entity.table]
        var id = ByteWriter()
        try table.descriptor.operations.storeID(table, Slot(entity.slot), &id)
        return EncodedEntity(type: definition.number, id: id.copyBytes())
    }
}

/// A link of a relation that is to one on both sides, whichever side it is seen from.
struct LinkPair: Hashable {
    private let relation: EntityPlace
    private let first: EntityPlace
    private let second: EntityPlace

    init(_ place: EntityPlace, _ relation: Int, _ resolved: ResolvedRelation, _ target: UInt32) {
        let other = EntityPlace(table: resolved.childTable, slot: target)
        // A table and the number of a relation, as one side of the relation.
        let here = EntityPlace(table: place.table, slot: UInt32(relation))
        let there = EntityPlace(table: other.table, slot: UInt32(resolved.inverse ?? relation))
        let isFirst =
            here == there
            ? place.slot <= target : (here.table, here.slot) < (there.table, there.slot)
        first = isFirst ? place : other
        second = isFirst ? other : place
        self.relation = isFirst ? here : there
    }
}
