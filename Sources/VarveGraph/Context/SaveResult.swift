internal import VarveEvents

/// What a save did to the entity that was saved.
public enum SaveResult: Hashable, Sendable {
    /// The context had no entity with the id, and has one now.
    case inserted
    /// The context had the entity. These properties and relations have other values now, by their names in the log.
    case updated(properties: [String])
    /// The context has what it had.
    case unchanged

    /// Whether the context had no entity with the id.
    public var isInsertion: Bool { self == .inserted }

    /// The properties and relations of an entity that was there and have other values now; none otherwise.
    public var changedProperties: [String] {
        if case .updated(let properties) = self { properties } else { [] }
    }
}

extension Context {
    /// What the change since `mark` made of the row at a slot. Hooks of the change count.
    ///
    /// - Complexity: linear in what has changed since the mark.
    @usableFromInline
    func saveResult(
        _ descriptor: EntityDescriptor, at slot: Slot, since mark: JournalMark
    ) -> SaveResult {
        guard let position = tables.position(of: descriptor) else {
            preconditionFailure("an entity was saved into a table that is missing")
        }
        let table = tables.tables[position]
        let entries = session.journal[mark.count...].lazy.filter { Int($0.table) == position }
        let rows = table.rowJournal.suffix(entries.count { !$0.isLink })
        guard let first = rows.first(where: { $0.slot == slot.rawValue }) else {
            preconditionFailure("a save changes the row")
        }
        let isThere = table.isLive(slot)
        guard first.before >= 0 else { return isThere ? .inserted : .unchanged }
        let changed =
            changedFields(of: table, at: slot, since: first)
            + changedRelations(of: table, at: slot, links: entries.count { $0.isLink })
        return changed.isEmpty ? .unchanged : .updated(properties: changed)
    }

    /// Where a hook has deleted the entity, and where a value cannot be compared because it cannot be stored, all of
    /// them count as changed.
    private func changedFields(
        of table: AnyTable, at slot: Slot, since change: RowChange
    ) -> [String] {
        let fields = table.descriptor.fields
        guard table.isLive(slot) else { return fields.map(\.name) }
        var changes = FieldChanges()
        do throws(CodecError) {
            try table.descriptor.operations.compare(table, change.before, slot, &changes)
        } catch {
            return fields.map(\.name)
        }
        var names: [String] = []
        changes.forEach { index, _, _ in names.append(fields[index].name) }
        return names
    }

    private func changedRelations(of table: AnyTable, at slot: Slot, links: Int) -> [String] {
        var seen: Set<Int> = []
        var changed: Set<Int> = []
        for change in table.linkJournal.suffix(links)
        where change.slot == slot.rawValue && seen.insert(change.relation).inserted {
            let list = table.linkList(relation: change.relation, of: slot.rawValue)
            let stretch = list.stretch(differingFrom: change.before)
            if stretch.old != stretch.new { changed.insert(change.relation) }
        }
        return changed.sorted().map { table.descriptor.relations[$0].name }
    }
}
