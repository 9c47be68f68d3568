extension Reversal {
    func takeBack(_ event: LinkEvent, _ step: ReversalStep) throws(ReversalError) {
        guard let place = step.place(event.parent) else {
            // The rows of such a type have been reported; its links alone are another's as well.
            return isPast ? () : reportUnknownParent(event, step)
        }
        guard let relation = target.relation(event.relation, ofTable: place.table) else {
            return reportUnknownRelation(event.relation, of: place)
        }
        var list = target.list(of: relation.index, at: place)
        let edit = ListEdit(event, step, target: relation.target)
        // What lies below the newest checkpoint was not replayed at opening.
        guard edit.isWhole, relation.isToMany || max(event.oldCount, event.newCount) < 2 else {
            throw .inconsistent("links of \(target.name(of: place)) lead to what cannot be there")
        }
        if step.selection != nil { return takeBackApart(edit, relation, at: place, step) }
        if !isExact, let later, later.hasOthers {
            return takeBack(edit, of: event, relation, at: place, later, step)
        }
        if edit.matches(list, isExact: isExact) {
            let isLost = { self.isLost($0, relation, at: place, step) }
            guard isExact || !edit.removed.contains(where: { isLost($0.slot) }) else {
                return takeBackApart(edit, relation, at: place, step)
            }
            edit.takeBack(from: &list)
            return target.setList(list, of: relation.index, at: place)
        }
        guard !isExact else {
            throw .inconsistent("the links of \(target.name(of: place)) are others")
        }
        takeBackApart(edit, relation, at: place, step)
    }

    private func reportUnknownParent(_ event: LinkEvent, _ step: ReversalStep) {
        let entity = step.entity(event.parent)
        guard catalog.definition(of: entity.type) != nil else { return }
        reportUnknown(event.parent, step)
    }

    /// Takes a change back from a list that others have changed since: element by element.
    func takeBackApart(
        _ edit: ListEdit, _ relation: ReversalRelation, at place: EntityPlace, _ step: ReversalStep
    ) {
        if !relation.isToMany { return takeBackOwner(edit, relation, at: place, step) }
        var list = target.list(of: relation.index, at: place)
        if step.selection == nil {
            let moved = edit.removedSlots
            for element in edit.inserted {
                guard let position = list.position(of: element.slot) else { continue }
                // What was moved is moved back, where it can return.
                if moved.contains(element.slot), isLost(element.slot, relation, at: place, step) {
                    continue
                }
                list.remove(at: position)
            }
        }
        // Elements that do not return leave those behind them one place further ahead.
        var missing = 0
        let present =
            edit.removed.count > 8 ? Set((0..<list.count).map { list.slot(at: $0) }) : nil
        for element in edit.removed
        where !(present?.contains(element.slot) ?? (list.position(of: element.slot) != nil)) {
            if !edit.isSelected(element) {
                missing += 1
                continue
            }
            guard mayLink(element.slot, relation, at: place, step) else {
                missing += 1
                continue
            }
            list.insert(element.slot, at: min(max(0, element.position - missing), list.count))
        }
        target.setList(list, of: relation.index, at: place)
    }

    private func takeBackOwner(
        _ edit: ListEdit, _ relation: ReversalRelation, at place: EntityPlace, _ step: ReversalStep
    ) {
        var list = target.list(of: relation.index, at: place)
        let now = list.count > 0 ? list.slot(at: 0) : nil
        let old = edit.removed.first?.slot
        guard now != old else { return }
        if step.selection != nil {
            guard now == nil, let element = edit.removed.first, edit.isSelected(element) else {
                return
            }
        }
        if step.selection == nil, now != edit.inserted.first?.slot {
            report(
                .ownerMoved(relation: name(of: relation, at: place)), of: place)
            guard isForced else { return }
        }
        if let now {
            list.remove(at: 0)
            target.setList(list, of: relation.index, at: place)
            unlinkBack(from: now, to: place, relation)
        }
        guard let old else { return }
        guard mayLink(old, relation, at: place, step) else { return }
        list.insert(old, at: 0)
        target.setList(list, of: relation.index, at: place)
    }

    /// Whether a link returns; reports it where an end was deleted since. Where that end has a tombstone,
    /// the link is set all the same: it is not visible until the entity is restored, in whichever order
    /// the ends return. Nothing is linked to what went for good.
    private func mayLink(
        _ slot: UInt32, _ relation: ReversalRelation, at place: EntityPlace, _ step: ReversalStep
    ) -> Bool {
        guard isLost(slot, relation, at: place, step) else { return true }
        reportLost(slot, relation, at: place, step)
        return target.presence(of: place) != .gone
            && target.presence(of: EntityPlace(table: relation.target, slot: slot)) != .gone
    }

    /// Whether one end of a link was deleted since.
    func isLost(
        _ slot: UInt32, _ relation: ReversalRelation, at place: EntityPlace, _ step: ReversalStep
    ) -> Bool {
        isLost(EntityPlace(table: relation.target, slot: slot), step) || isLost(place, step)
    }

    private func isLost(_ place: EntityPlace, _ step: ReversalStep) -> Bool {
        switch target.presence(of: place) {
        case .live, .vacant: return false
        case .tombstone, .gone:
            if step.selection != nil { return true }
            let departure = TransactionID(target.stamps(of: place).transaction)
            guard departure > step.id, departure != running else { return false }
            guard let later, let entity = try? target.encoded(place) else { return true }
            return !later.hadGone(entity, behind: step.id)
        }
    }

    /// The slots that were put behind a transaction into a list.
    private func linked(
        since transaction: TransactionID, to place: EntityPlace, _ relation: ReversalRelation
    ) throws(ReversalError) -> Set<UInt32> {
        guard let later else { return [] }
        do throws(CodecError) {
            let holder = try target.encoded(place)
            let found = later.linked(
                since: transaction,
                into: LinkScan.List(holder: holder, relation: relation.number))
            var slots: Set<UInt32> = []
            for id in found {
                let place = try id.withReader { reader throws(CodecError) in
                    try target.place(of: relation.targetType, reader.rest)
                }
                if let place { slots.insert(place.slot) }
            }
            return slots
        } catch {
            throw unreadable(place, error)
        }
    }

    func reportLost(
        _ slot: UInt32, _ relation: ReversalRelation, at place: EntityPlace, _ step: ReversalStep
    ) {
        guard step.selection == nil else { return }
        let child = EntityPlace(table: relation.target, slot: slot)
        if isLost(place, step) { return report(.missing, of: place) }
        report(
            .targetMissing(
                relation: target.relationName(relation.index, ofTable: place.table),
                target: target.name(of: child).id), of: place)
    }

    // MARK: - Tombstones

    /// Links what a tombstone holds where no event says in which places. What is linked by now to
    /// another stays so.
    func relink(_ events: ReversedEvents, _ step: ReversalStep) {
        for case .delete(let event) in events.rows
        where events.heldByTombstone.contains(event.entity) {
            guard let place = step.place(event.entity), target.presence(of: place) == .live,
                target.stamps(of: place).transaction == running.rawValue
            else { continue }
            for (number, entities) in event.lists {
                guard let relation = target.relation(number, ofTable: place.table) else { continue }
                for other in entities.compactMap({ step.place($0) })
                where other.table == relation.target
                    && mayLink(other.slot, relation, at: place, step)
                {
                    link(other.slot, relation, at: place)
                }
            }
        }
    }

    private func link(_ slot: UInt32, _ relation: ReversalRelation, at place: EntityPlace) {
        var list = target.list(of: relation.index, at: place)
        guard list.position(of: slot) == nil, relation.isToMany || list.count == 0 else { return }
        list.insert(slot, at: list.count)
        target.setList(list, of: relation.index, at: place)
        guard let inverse = relation.inverse else { return }
        mirror(slot, relation, inverse, at: place, isWanted: true)
    }

    // MARK: - Both sides

    /// Sees to it that both sides of each link that was touched say the same: one of them may have
    /// been changed since, or be known since only.
    func mirrorLinks(of events: [LinkEvent], _ step: ReversalStep) {
        var members = LinkMembership<Target>()
        for event in events {
            guard let place = step.place(event.parent),
                let relation = target.relation(event.relation, ofTable: place.table),
                let inverse = relation.inverse
            else { continue }
            let edit = ListEdit(event, step, target: relation.target)
            let restored = Set(edit.removed.map(\.slot))
            let touched = step.selection == nil ? edit.inserted + edit.removed : edit.removed
            for element in touched where edit.isSelected(element) {
                let isThere = members.contains(element.slot, in: relation.index, of: place, target)
                let child = EntityPlace(table: relation.target, slot: element.slot)
                let isHome = members.contains(place.slot, in: inverse, of: child, target)
                guard isThere != isHome else { continue }
                members.forget(relation.index, of: place)
                members.forget(inverse, of: child)
                mirror(
                    element.slot, relation, inverse, at: place,
                    isWanted: restored.contains(element.slot))
            }
        }
    }

    private func mirror(
        _ slot: UInt32, _ relation: ReversalRelation, _ inverse: Int, at place: EntityPlace,
        isWanted: Bool
    ) {
        let child = EntityPlace(table: relation.target, slot: slot)
        var list = target.list(of: relation.index, at: place)
        var back = target.list(of: inverse, at: child)
        let forth = list.position(of: slot)
        let home = back.position(of: place.slot)
        guard (forth == nil) != (home == nil) else { return }
        let inverseIsToMany = target.relation(at: inverse, ofTable: child.table).isToMany
        if isWanted, forth != nil, inverseIsToMany || back.count == 0 {
            back.insert(place.slot, at: back.count)
            target.setList(back, of: inverse, at: child)
        } else if isWanted, home != nil, relation.isToMany || list.count == 0 {
            list.insert(slot, at: list.count)
            target.setList(list, of: relation.index, at: place)
        } else if let forth {
            list.remove(at: forth)
            target.setList(list, of: relation.index, at: place)
        } else if let home {
            back.remove(at: home)
            target.setList(back, of: inverse, at: child)
        }
    }

    private func unlinkBack(
        from slot: UInt32, to place: EntityPlace, _ relation: ReversalRelation
    ) {
        guard let inverse = relation.inverse else { return }
        let child = EntityPlace(table: relation.target, slot: slot)
        var back = target.list(of: inverse, at: child)
        guard let position = back.position(of: place.slot) else { return }
        back.remove(at: position)
        target.setList(back, of: inverse, at: child)
    }

    // MARK: - What vanishes

    /// Looks up once what ``detach(_:_:)`` will ask for each of the entities that vanish.
    func prepareDetaching(_ insertions: [InsertEvent], _ step: ReversalStep) {
        guard let later, insertions.count > 1 else { return }
        var lists: Set<LinkScan.List> = []
        for event in insertions {
            guard let place = step.place(event.entity), target.presence(of: place) == .live
            else { continue }
            let entity = step.entity(event.entity)
            let holder = EncodedEntity(type: entity.type, id: [UInt8](entity.id))
            for index in 0..<target.relationCount(ofTable: place.table)
            where target.list(of: index, at: place).count > 0 {
                let relation = target.relation(at: index, ofTable: place.table)
                lists.insert(LinkScan.List(holder: holder, relation: relation.number))
            }
        }
        if lists.count > 1 { later.find(lists, since: step.id) }
    }

    /// Links that came behind the transaction which is reverted depend on the entity. They are
    /// reported, and cut where that is forced. Those that were there before the entity stay.
    func detach(_ place: EntityPlace, _ step: ReversalStep) throws(ReversalError) {
        for index in 0..<target.relationCount(ofTable: place.table) {
            let relation = target.relation(at: index, ofTable: place.table)
            var list = target.list(of: relation.index, at: place)
            guard list.count > 0 else { continue }
            let since = try linked(since: step.id, to: place, relation)
            var names: [String] = []
            for position in (0..<list.count).reversed() {
                let slot = list.slot(at: position)
                guard since.contains(slot) else { continue }
                let child = EntityPlace(table: relation.target, slot: slot)
                names.append(target.name(of: child).id)
                list.remove(at: position)
                if isForced { unlinkBack(from: slot, to: place, relation) }
            }
            guard !names.isEmpty else { continue }
            report(
                .dependants(
                    relation: target.relationName(relation.index, ofTable: place.table),
                    entities: names.reversed()), of: place)
            if isForced { target.setList(list, of: relation.index, at: place) }
        }
    }
}

/// A change of one list, as slots.
struct ListEdit {
    struct Element {
        let position: Int
        let slot: UInt32
        let entity: EntityIndex
    }

    /// By position in the old list.
    var removed: [Element]
    /// By position in the new list.
    var inserted: [Element]
    /// Whether all that is removed and inserted is of the relation's target type.
    var isWhole: Bool
    private let newCount: Int
    /// Nil where all elements are selected.
    private let selection: Set<EntityIndex>?

    /// - Parameter target: the state's number for the relation's target type.
    init(_ event: LinkEvent, _ step: ReversalStep, target: Int) {
        func elements(_ changes: ListChangeSequence) -> [Element] {
            changes.compactMap { change in
                guard let place = step.place(change.entity), place.table == target else {
                    return nil
                }
                return Element(
                    position: change.position, slot: place.slot, entity: change.entity)
            }
        }
        removed = elements(event.removals)
        inserted = elements(event.insertions)
        isWhole =
            removed.count == event.removals.count && inserted.count == event.insertions.count
        newCount = event.newCount
        selection = step.selection.flatMap { $0.contains(event.parent) ? nil : $0 }
    }

    /// Whether the element is one that is to return.
    func isSelected(_ element: Element) -> Bool {
        selection?.contains(element.entity) ?? true
    }

    /// Whether the list is as the change left it, as far as the change can tell.
    func matches(_ list: some ReversalList, isExact: Bool) -> Bool {
        guard list.count == newCount,
            inserted.allSatisfy({ list.slot(at: $0.position) == $0.slot })
        else { return false }
        return isExact || !hasAny(list)
    }

    /// Whether an element that was removed is in the list again.
    private func hasAny(_ list: some ReversalList) -> Bool {
        guard list.count > 0, !removed.isEmpty else { return false }
        let moved = Set(inserted.map(\.slot))
        guard removed.count > 8 else {
            return removed.contains {
                !moved.contains($0.slot) && list.position(of: $0.slot) != nil
            }
        }
        let present = Set((0..<list.count).map { list.slot(at: $0) })
        return removed.contains { !moved.contains($0.slot) && present.contains($0.slot) }
    }

    func takeBack(from list: inout some ReversalList) {
        for element in inserted.reversed() { list.remove(at: element.position) }
        for element in removed { list.insert(element.slot, at: element.position) }
    }
}
