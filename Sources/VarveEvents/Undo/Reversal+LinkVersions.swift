extension Reversal {
    /// Takes a change back as far as its versions of the links are the current ones.
    func takeBack(
        _ edit: ListEdit, of event: LinkEvent, _ relation: ReversalRelation, at place: EntityPlace,
        _ later: LaterTransactions, _ step: ReversalStep
    ) {
        guard !leftOut.contains(place),
            let kept = current(edit, of: event, relation, at: place, later, step)
        else { return }
        let present = target.list(of: relation.index, at: place)
        let losesAny = kept.removed.contains { isLost($0.slot, relation, at: place, step) }
        guard kept.isWhole, !losesAny, kept.matches(present, isExact: false) else {
            return takeBackApart(kept, relation, at: place, step)
        }
        var restored = present
        kept.takeBack(from: &restored)
        target.setList(restored, of: relation.index, at: place)
    }

    /// A change without the links that it does not decide any more; nil where nothing of it is left. Reports those
    /// that another step wrote last.
    private func current(
        _ edit: ListEdit, of event: LinkEvent, _ relation: ReversalRelation, at place: EntityPlace,
        _ later: LaterTransactions, _ step: ReversalStep
    ) -> ListEdit? {
        let holder = EncodedEntity(step.entity(event.parent))
        let list = LinkScan.List(holder: holder, relation: event.relation)
        if catalog.isToMany(list) {
            return edit.filter { element in
                let item = WrittenItem.link(list, target: [UInt8](step.entity(element.entity).id))
                switch later.standing(of: item, by: step.id) {
                case .withdrawn: return false
                case .current: return !isLeftOut(element, relation)
                case .overwritten:
                    reportOverwritten(element.slot, relation, at: place, step)
                    return isForced
                }
            }
        }
        switch later.standing(of: .owner(list), by: step.id) {
        case .withdrawn: return nil
        case .current: break
        case .overwritten:
            report(.ownerMoved(relation: name(of: relation, at: place)), of: place)
            guard isForced else { return nil }
        }
        return edit.filter { !isLeftOut($0, relation) }
    }

    private func isLeftOut(_ element: ListEdit.Element, _ relation: ReversalRelation) -> Bool {
        leftOut.contains(EntityPlace(table: relation.target, slot: element.slot))
    }

    private func reportOverwritten(
        _ slot: UInt32, _ relation: ReversalRelation, at place: EntityPlace, _ step: ReversalStep
    ) {
        if isLost(slot, relation, at: place, step) {
            return reportLost(slot, relation, at: place, step)
        }
        let other = target.name(of: EntityPlace(table: relation.target, slot: slot)).id
        report(
            .linkChanged(relation: name(of: relation, at: place), target: other), of: place)
    }

    func name(of relation: ReversalRelation, at place: EntityPlace) -> String {
        target.relationName(relation.index, ofTable: place.table)
    }
}

extension ListEdit {
    /// What the change took out, be it to put it elsewhere.
    var removedSlots: Set<UInt32> { Set(removed.map(\.slot)) }

    /// Without some elements.
    func filter(_ isIncluded: (Element) -> Bool) -> ListEdit {
        var edit = self
        edit.inserted = inserted.filter(isIncluded)
        edit.removed = removed.filter(isIncluded)
        edit.isWhole = edit.inserted.count == inserted.count && edit.removed.count == removed.count
        return edit
    }
}
