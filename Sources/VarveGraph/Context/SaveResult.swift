internal import VarveEvents

/// What a save did to the entity that was saved.
public struct SaveResult<Entity: EntityModelProtocol>: Sendable {
    /// The id under which the context has the entity: the one that the store gave, where it gives ids.
    public let id: Entity.ID
    @usableFromInline let outcome: SaveOutcome

    @usableFromInline
    init(id: Entity.ID, _ outcome: SaveOutcome) {
        self.id = id
        self.outcome = outcome
    }

    /// Whether the context had no entity with the id, which properties have other values now, or that nothing changed.
    public var change: SaveChange {
        switch outcome.kind {
        case .inserted: .inserted
        case .updated: .updated(properties: outcome.names)
        case .unchanged: .unchanged
        }
    }

    /// Whether the context had no entity with the id.
    public var isInsertion: Bool { outcome.kind == .inserted }

    /// The properties and relations of an entity that was there and have other values now, by their names in the log;
    /// none otherwise.
    public var changedProperties: [String] { outcome.names }

    /// A reference to the entity.
    public var ref: Ref<Entity> { Ref(id) }
}

/// How a save changed the entity that was saved.
public enum SaveChange: Hashable, Sendable {
    /// The context had no entity with the id, and has one now.
    case inserted
    /// The context had the entity. These properties and relations have other values now, by their names in the log.
    case updated(properties: [String])
    /// The context has what it had.
    case unchanged
}

/// What a save did, as far as every save finds it out: names are looked up when they are read.
@usableFromInline
struct SaveOutcome: Sendable {
    enum Kind: UInt8, Sendable { case inserted, updated, unchanged }

    fileprivate(set) var kind: Kind
    private let descriptor: EntityDescriptor
    /// The members that changed, fields before relations, as bits.
    private var members: UInt64 = 0
    /// Those behind the first 64.
    private var others: [Int] = []

    fileprivate init(_ kind: Kind, _ descriptor: EntityDescriptor) {
        self.kind = kind
        self.descriptor = descriptor
    }

    fileprivate mutating func note(field: Int) { note(member: field) }

    fileprivate mutating func note(relation: Int) {
        note(member: descriptor.fields.count + relation)
    }

    private mutating func note(member: Int) {
        kind = .updated
        if member < UInt64.bitWidth {
            members |= 1 << UInt64(member)
        } else if !others.contains(member) {
            others.append(member)
        }
    }

    var names: [String] {
        let fields = descriptor.fields
        let positions =
            (0..<UInt64.bitWidth).filter { members >> UInt64($0) & 1 == 1 } + others.sorted()
        return positions.map {
            $0 < fields.count ? fields[$0].name : descriptor.relations[$0 - fields.count].name
        }
    }
}

extension Context {
    /// What the change since `mark` made of the row at a slot. Hooks of the change count.
    ///
    /// - Complexity: linear in what has changed since the mark.
    @usableFromInline
    func saveOutcome(
        _ descriptor: EntityDescriptor, at slot: Slot, since mark: JournalMark
    ) -> SaveOutcome {
        guard let position = tables.position(of: descriptor) else {
            preconditionFailure("an entity was saved into a table that is missing")
        }
        return tables.unretained(at: position, as: AnyTable.self)._withUnsafeGuaranteedRef {
            table in
            var (rows, links) = (0, 0)
            for index in mark.count..<session.journal.count
            where Int(session.journal[index].table) == position {
                if session.journal[index].isLink { links += 1 } else { rows += 1 }
            }
            let start = table.rowJournal.count - rows
            guard let first = table.firstRowChange(of: slot, from: start) else {
                preconditionFailure("a save changes the row")
            }
            guard table.rowJournal[first].before >= 0 else {
                return SaveOutcome(table.isLive(slot) ? .inserted : .unchanged, descriptor)
            }
            var outcome = SaveOutcome(.unchanged, descriptor)
            table.noteChangedFields(at: slot, since: table.rowJournal[first].before, in: &outcome)
            if links > 0 { table.noteChangedRelations(of: slot, links, in: &outcome) }
            return outcome
        }
    }
}

extension AnyTable {
    /// The first of the row changes from one on that is about a slot.
    fileprivate func firstRowChange(of slot: Slot, from start: Int) -> Int? {
        rowJournal[start...].firstIndex { $0.slot == slot.rawValue }
    }

    /// Where a hook has deleted the entity, and where a value cannot be compared because it cannot be stored, all of
    /// them count as changed.
    fileprivate func noteChangedFields(
        at slot: Slot, since before: Int32, in outcome: inout SaveOutcome
    ) {
        guard isLive(slot) else { return noteAllFields(in: &outcome) }
        var changes = savedChanges.take() ?? FieldChanges()
        changes.removeAll()
        do throws(CodecError) {
            try compare(before, withRowAt: slot, into: &changes)
            if !changes.isEmpty { changes.forEach { field, _, _ in outcome.note(field: field) } }
        } catch {
            noteAllFields(in: &outcome)
        }
        savedChanges = consume changes
    }

    private func noteAllFields(in outcome: inout SaveOutcome) {
        for field in descriptor.fields.indices { outcome.note(field: field) }
    }

    fileprivate func noteChangedRelations(
        of slot: Slot, _ links: Int, in outcome: inout SaveOutcome
    ) {
        var seen: Set<Int> = []
        for change in linkJournal.suffix(links)
        where change.slot == slot.rawValue && seen.insert(change.relation).inserted {
            let list = linkList(relation: change.relation, of: slot.rawValue)
            let stretch = list.stretch(differingFrom: change.before)
            if stretch.old != stretch.new { outcome.note(relation: change.relation) }
        }
    }
}
