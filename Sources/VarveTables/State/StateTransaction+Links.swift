import VarveEvents

extension StateTransaction {
    func link(_ event: LinkEvent, of logged: TransactionView) throws(ReplayError) {
        let type = try table(of: logged.entities[Int(event.parent.rawValue)], in: logged.id)
        let slot = try slot(event.parent, in: type, of: logged)
        guard let relation = tables[type].layout.relation(event.relation) else {
            throw fault(.unknownRelation(event.relation), event.parent, in: type, of: logged)
        }
        changes.removeAll()
        for change in event.removals {
            let slot = try target(
                change.entity, of: relation, held: event.parent, by: type, of: logged)
            changes.removals.append(.init(position: change.position, slot: slot))
        }
        for change in event.insertions {
            let slot = try target(
                change.entity, of: relation, held: event.parent, by: type, of: logged)
            changes.insertions.append(.init(position: change.position, slot: slot))
        }
        do throws(EntityFault) {
            try check(changes, oldCount: event.oldCount, relation.position, of: slot, in: type)
        } catch {
            throw fault(error, event.parent, in: type, of: logged)
        }
        tables[type].changeLinks(relation.position, of: slot, changes, in: transaction)
    }

    /// Throws unless the list is the one that the event was made for. Positions were checked against
    /// the event's own counts.
    private func check(
        _ changes: SlotListChanges, oldCount: Int, _ position: Int, of slot: Slot, in type: Int
    ) throws(EntityFault) {
        let relation = tables[type].definition.relations[position]
        let lists = tables[type].links[position]
        let pages = transaction.pages
        let found = lists.count(of: slot, in: pages)
        guard found == oldCount else {
            throw .listCountDiffers(relation: relation.name, found: oldCount, expected: found)
        }
        for removal in changes.removals
        where lists.target(of: slot, at: removal.position, in: pages) != removal.slot {
            throw .listMemberDiffers(relation: relation.name, position: removal.position)
        }
        let newCount = oldCount - changes.removals.count + changes.insertions.count
        guard relation.isToMany || newCount <= 1 else {
            throw .tooManyTargets(relation: relation.name)
        }
    }

    /// Sets a list, whatever it was.
    func setLinks(of slot: Slot, relation position: Int, in type: Int, to targets: [Slot]) {
        tables[type].setLinks(position, of: slot, to: targets, in: transaction)
    }

    /// The slot of an entity in a list of the relation.
    func target(
        _ entity: EntityIndex, of relation: RowLayout.RelationPlace, held parent: EntityIndex,
        by type: Int, of logged: TransactionView
    ) throws(ReplayError) -> Slot {
        let target = logged.entities[Int(entity.rawValue)]
        guard target.type == relation.target else {
            let name = tables[type].definition.relations[relation.position].name
            throw fault(.wrongTargetType(relation: name), parent, in: type, of: logged)
        }
        let targetType = try table(of: target, in: logged.id)
        return try slot(entity, in: targetType, of: logged)
    }
}
