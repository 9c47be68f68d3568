internal import VarveEvents
internal import VarveGraph

extension DraftMerge {
    /// One list of a relation that the draft touched.
    private struct TouchedList {
        let entity: EntityPlace
        let place: EntityPlace
        let relation: Int
        /// As the draft's context has it.
        let resolved: ResolvedRelation
        /// In slots of the draft.
        let was: ContiguousArray<UInt32>
        let has: ContiguousArray<UInt32>
    }

    func mergeLinks(with theirs: inout StoreState) throws {
        let lists = try touchedLists(in: &theirs)
        // New links first: what one side of a pair decides, the other side follows.
        for list in lists where !list.resolved.isToMany && !list.has.isEmpty {
            try mergeOwner(list, with: &theirs)
        }
        for list in lists where !list.resolved.isToMany && list.has.isEmpty {
            try mergeOwner(list, with: &theirs)
        }
        for list in lists where list.resolved.isToMany { try merge(list, with: &theirs) }
    }

    func noteUnheld(in theirs: inout StoreState) throws(CodecError) {
        let tables = mine.context.tables.tables
        for entity in entities where isLive(entity) {
            for (index, relation) in tables[rows: entity.table].relations.enumerated() {
                guard let inverse = relation.inverse,
                    tables[rows: relation.childTable].relations[inverse].deletesOrphans,
                    lists(of: index, at: entity).has.isEmpty
                else { continue }
                let place = try slots.place(of: entity, in: &theirs)
                plan.unheld.insert(.init(place: place, relation: index))
            }
        }
    }

    /// What a relation of an entity leads to in the base and in the draft, in slots of the draft.
    func lists(
        of relation: Int, at entity: EntityPlace
    ) -> (was: ContiguousArray<UInt32>, has: ContiguousArray<UInt32>) {
        let has = mine.context.tables.tables[rows: entity.table].linkList(
            relation: relation, of: entity.slot)
        let was = baseTable(of: entity)?.linkList(relation: relation, of: entity.slot)
        if let was, was.isIdentical(to: has) {
            let slots = has.slots
            return (slots, slots)
        }
        return (was?.slots ?? [], has.slots)
    }

    /// Whether a deletion in the draft cut a link to an entity of the base: it knows those of the other side alone.
    func isCut(_ target: UInt32, of relation: ResolvedRelation) -> Bool {
        relation.inverse != nil
            && isDeletedInDraft(EntityPlace(table: relation.childTable, slot: target))
    }

    private func touchedLists(in theirs: inout StoreState) throws(CodecError) -> [TouchedList] {
        var found: [TouchedList] = []
        for entity in entities {
            let relations = mine.context.tables.tables[rows: entity.table].relations
            if relations.isEmpty { continue }
            let place = try slots.place(of: entity, in: &theirs)
            if dropped.contains(place) { continue }
            let isDeleted = isDeletedInDraft(entity)
            for (index, relation) in relations.enumerated() {
                let (was, has) = lists(of: index, at: entity)
                // A deletion cuts the links that there were. What the draft has was made behind it.
                guard isDeleted ? !has.isEmpty : was != has || revived.contains(place) else {
                    continue
                }
                found.append(
                    TouchedList(
                        entity: entity, place: place, relation: index, resolved: relation,
                        was: was, has: has))
            }
        }
        return found
    }

    // MARK: - To one

    private func mergeOwner(_ list: TouchedList, with theirs: inout StoreState) throws {
        let child = list.resolved.childTable
        if list.has.isEmpty, let first = list.was.first, isCut(first, of: list.resolved) { return }
        let was = try slots.slots(of: list.was, ofTable: child, in: &theirs).first
        let has = try slots.slots(of: list.has, ofTable: child, in: &theirs).first
        let table = theirs.context.tables.tables[rows: list.place.table]
        let resolved = table.relations[list.relation]
        let have = table.linkList(relation: list.relation, of: list.place.slot).slots.first
        let pairs = try pairs(of: list, resolved, was, has, in: &theirs)
        if let decisive = pairs.last, decidedPairs.contains(decisive) { return }
        decidedPairs.formUnion(pairs)
        guard has != have else { return }
        guard try mayLead(list, was, has, have, in: &theirs) else { return }
        plan.owners.append(.init(place: list.place, relation: list.relation, target: has))
    }

    /// The links that one decision is about, of a relation that is to one on both sides, the new one last: a link that
    /// comes cuts those that both of its ends had.
    private func pairs(
        of list: TouchedList, _ resolved: ResolvedRelation, _ was: UInt32?, _ has: UInt32?,
        in theirs: inout StoreState
    ) throws(CodecError) -> [LinkPair] {
        guard let inverse = resolved.inverse, !resolved.inverseIsToMany else { return [] }
        var pairs: [LinkPair] = []
        if let was { pairs.append(LinkPair(list.place, list.relation, resolved, was)) }
        guard let has, let target = list.has.first else { return pairs }
        if let former = formerPartner(of: target, list, inverse) {
            let partner = try slots.place(
                of: EntityPlace(table: list.entity.table, slot: former), in: &theirs)
            pairs.append(LinkPair(partner, list.relation, resolved, has))
        }
        pairs.append(LinkPair(list.place, list.relation, resolved, has))
        return pairs
    }

    /// What the new target of a relation to one was linked to in the base.
    private func formerPartner(of target: UInt32, _ list: TouchedList, _ inverse: Int) -> UInt32? {
        let entity = EntityPlace(table: list.resolved.childTable, slot: target)
        return baseTable(of: entity)?.linkList(relation: inverse, of: target).slots.first
    }

    /// Whether the draft's target replaces the one of the others.
    private func mayLead(
        _ list: TouchedList, _ was: UInt32?, _ has: UInt32?, _ have: UInt32?,
        in theirs: inout StoreState
    ) throws -> Bool {
        let child = theirs.context.tables.tables[rows: list.place.table].relations[list.relation]
            .childTable
        let isDecided = revived.contains(list.place) || isDeletedInDraft(list.entity)
        let isLed = try !isDecided && isLedByOthers(list, was, have, in: theirs)
        if try isLed || isTaken(has, list, in: &theirs) {
            let name = descriptor(of: list.entity).relations[list.relation].name
            let found = conflict(
                .relation(name), of: list.entity, base: side(was, child, theirs),
                mine: side(has, child, theirs), theirs: side(have, child, theirs))
            guard try keepsMine(found) else { return false }
        }
        guard let target = list.has.first, let has else { return true }
        return try mayLink(list, to: target, at: EntityPlace(table: child, slot: has), in: theirs)
    }

    /// Whether others led the relation elsewhere, and not only deleted what it led to.
    private func isLedByOthers(
        _ list: TouchedList, _ was: UInt32?, _ have: UInt32?, in theirs: borrowing StoreState
    ) throws -> Bool {
        if have != was {
            guard have == nil, let first = list.was.first, let was else { return true }
            let child = theirs.context.tables.tables[rows: list.place.table].relations[
                list.relation
            ]
            .childTable
            let wasThere = wasLive(EntityPlace(table: list.resolved.childTable, slot: first))
            return !wasThere || isLive(EntityPlace(table: child, slot: was), in: theirs)
        }
        // Of an entity that both sides inserted there is nothing that the base had.
        guard wasLive(list.entity) else { return false }
        let definition = definition(of: list.place, in: theirs)
        return isWritten(
            .owner(
                try encoded(list.entity, definition), definition.relations[list.relation].number))
    }

    /// Whether others linked the new target to another entity, where it can be linked to one alone.
    private func isTaken(
        _ has: UInt32?, _ list: TouchedList, in theirs: inout StoreState
    ) throws(CodecError) -> Bool {
        guard let has, let target = list.has.first, let inverse = list.resolved.inverse,
            !list.resolved.inverseIsToMany
        else { return false }
        let child = slots.table(list.resolved.childTable)
        let owner = theirs.context.tables.tables[rows: child]
            .linkList(relation: inverse, of: has).slots.first
        guard let owner, owner != list.place.slot else { return false }
        guard let former = formerPartner(of: target, list, inverse) else { return true }
        let known = EntityPlace(table: list.entity.table, slot: former)
        return try slots.place(of: known, in: &theirs).slot != owner
    }

    private func side(
        _ slot: UInt32?, _ table: Int, _ theirs: borrowing StoreState
    ) -> DraftConflict.Side {
        side(slot.map { [$0] } ?? [], table, theirs)
    }

    private func side(
        _ slots: ContiguousArray<UInt32>, _ table: Int, _ theirs: borrowing StoreState
    ) -> DraftConflict.Side {
        let table = theirs.context.tables.tables[rows: table]
        return DraftConflict.Side(ids: slots.map { table.idText(of: Slot($0)) })
    }

    /// Whether a link is made although others may have deleted what it leads to.
    private func mayLink(
        _ list: TouchedList, to target: UInt32, at place: EntityPlace,
        in theirs: borrowing StoreState
    ) throws -> Bool {
        let entity = EntityPlace(table: list.resolved.childTable, slot: target)
        guard wasLive(entity), isLive(entity), !isLive(place, in: theirs), !revived.contains(place)
        else { return true }
        let name = descriptor(of: list.entity).relations[list.relation].name
        return try keepsMine(
            conflict(
                .targetDeleted(relation: name, target: idText(of: entity)), of: list.entity,
                mine: side(place.slot, place.table, theirs)))
    }

    // MARK: - To many

    private func merge(_ list: TouchedList, with theirs: inout StoreState) throws {
        let child = list.resolved.childTable
        let isRevived = revived.contains(list.place)
        let was = isRevived ? [] : try slots.slots(of: list.was, ofTable: child, in: &theirs)
        let has = try slots.slots(of: list.has, ofTable: child, in: &theirs)
        let table = theirs.context.tables.tables[rows: list.place.table]
        let have = table.linkList(relation: list.relation, of: list.place.slot).slots
        let target = table.relations[list.relation].childTable
        var added = Set(has).subtracting(was).subtracting(have)
        var removed: Set<UInt32> = []
        if let inverse = list.resolved.inverse, !list.resolved.inverseIsToMany {
            // Where each child leads decides. Those of a revived entity lost it with the deletion.
            if isRevived { relink(has, to: list.place, inverse, target, theirs) }
        } else {
            let gone = zip(list.was, was).filter { isCut($0.0, of: list.resolved) }.map(\.1)
            removed = Set(was).subtracting(has).subtracting(gone)
            for (slot, place) in zip(list.has, has) where added.contains(place) {
                let found = EntityPlace(table: target, slot: place)
                if try !mayLink(list, to: slot, at: found, in: theirs) { added.remove(place) }
            }
        }
        let leads = try leads(list, was, has, have, target, theirs)
        guard leads || !added.isEmpty || !removed.isEmpty else { return }
        plan.lists.append(
            .init(
                place: list.place, relation: list.relation, mine: has, added: added,
                removed: removed, leads: leads))
    }

    private func relink(
        _ children: ContiguousArray<UInt32>, to place: EntityPlace, _ inverse: Int, _ child: Int,
        _ theirs: borrowing StoreState
    ) {
        let table = theirs.context.tables.tables[rows: child]
        for slot in children where table.linkList(relation: inverse, of: slot).count == 0 {
            plan.owners.append(
                .init(
                    place: EntityPlace(table: child, slot: slot), relation: inverse,
                    target: place.slot))
        }
    }

    /// Whether the draft says the order of what it did not add.
    private func leads(
        _ list: TouchedList, _ was: ContiguousArray<UInt32>, _ has: ContiguousArray<UInt32>,
        _ have: ContiguousArray<UInt32>, _ child: Int, _ theirs: borrowing StoreState
    ) throws -> Bool {
        let both = Set(was).intersection(has)
        guard !both.isEmpty, was.filter(both.contains) != has.filter(both.contains) else {
            return false
        }
        let common = both.intersection(have)
        let order = (
            was: was.filter(common.contains), has: has.filter(common.contains),
            have: have.filter(common.contains)
        )
        guard order.have != order.was, order.have != order.has else { return true }
        let name = descriptor(of: list.entity).relations[list.relation].name
        return try keepsMine(
            conflict(
                .order(relation: name), of: list.entity, base: side(was, child, theirs),
                mine: side(has, child, theirs), theirs: side(have, child, theirs)))
    }
}
