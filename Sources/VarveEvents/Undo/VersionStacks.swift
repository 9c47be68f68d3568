/// Something that a transaction writes as a whole, and of which one transaction wrote last.
enum WrittenItem: Hashable {
    /// Whether an entity has a row, a tombstone, or neither, and its place in the order of its type.
    case row(EncodedEntity)
    case field(EncodedEntity, FieldNumber)
    /// Where a to-one relation leads.
    case owner(LinkScan.List)
    /// Whether and in which place a to-many list holds an entity.
    case link(LinkScan.List, target: [UInt8])

    var isRow: Bool {
        if case .row = self { true } else { false }
    }

    /// The list of a link.
    var list: LinkScan.List? {
        if case .link(let list, _) = self { list } else { nil }
    }
}

/// What became of a transaction's version of an item.
enum VersionStanding {
    /// It is the current version.
    case current
    /// It was withdrawn: the version before it is in force.
    case withdrawn
    /// Another transaction has written since.
    case overwritten
}

/// The versions of items, from some transaction on: who wrote each of them last.
///
/// A write makes a new version. An undo, a redo and a revert make none: they return to the version that
/// was in force before what they take back, and drop or bring back what lay above. So two versions are the
/// same only if one write made both, whatever their values are.
struct VersionStacks {
    private struct Version {
        /// The transaction that put it here; a redo where it brought the version back.
        var label: TransactionID
        /// The transaction that wrote it first.
        let origin: TransactionID
    }

    /// What an undo, redo or revert did to the transaction that it leads back to.
    private struct Move {
        let root: TransactionID
        let withdraws: Bool
        /// Whether all transactions of the root's step are meant.
        let isWholeStep: Bool
    }

    private typealias Versions = ContiguousArray<Version>

    /// The transactions whose items are followed.
    private let subjects: Set<TransactionID>
    private let first: TransactionID
    private let catalog: Catalog
    /// The undo or redo that asks; nil for what takes back any transaction.
    private let mover: TransactionHeader?
    /// Who has written since the first subject, oldest first. None: the version from before is in force.
    private var versions: [WrittenItem: Versions] = [:]
    /// What each move dropped.
    private var dropped: [TransactionID: [WrittenItem: Versions]] = [:]
    /// The links that each transaction wrote, and what each transaction of a group did.
    private var written: [TransactionID: [WrittenItem]] = [:]
    /// Whether the transaction that is taken in belongs to a group.
    private var isInGroup = false
    /// Whether it is on the stacks of the mover's scope. What that scope wrote behind the step was undone, so it
    /// makes no version; but by force it may have dropped those of others.
    private var isOwn = false
    /// The rows that it, an undo or redo, brings or takes. What it says of their fields is not of the fields.
    private var movedRows: Set<EntityIndex> = []
    /// The lists that it changes.
    private var touched: Set<LinkScan.List> = []
    /// Entities that a subject inserted: all their fields are followed.
    private var inserted: Set<EncodedEntity> = []
    private var followed: [UInt64: [EncodedEntity]] = [:]
    private var followedFields: [EncodedEntity: Set<FieldNumber>] = [:]
    private var timeline = Timeline()
    private var moves: [TransactionID: Move] = [:]
    /// Transactions from before the subjects that were withdrawn behind them, and whether with their step.
    private(set) var withdrawn: [TransactionID: Bool] = [:]
    /// What the subjects wrote; of rows those that they inserted.
    private(set) var given: Set<WrittenItem> = []
    /// What the subjects wrote over; of rows those that they deleted.
    private(set) var taken: Set<WrittenItem> = []

    /// - Parameters:
    ///   - subjects: none of them is older than the first transaction that is taken in.
    ///   - running: the header of the transaction that takes them back.
    init(
        of subjects: Set<TransactionID>, _ catalog: Catalog, running: TransactionHeader? = nil
    ) {
        self.subjects = subjects
        first = subjects.min() ?? 0
        self.catalog = catalog
        mover = running.flatMap { $0.isMove ? $0 : nil }
    }

    /// Takes in the next transaction.
    mutating func take(_ view: TransactionView) throws(EventError) {
        let sources = noteMove(view.header)
        isInGroup = view.header.group != nil
        touched.removeAll(keepingCapacity: true)
        timeline.note(view.header)
        let isSubject = subjects.contains(view.id)
        isOwn =
            !isSubject && view.header.isOnStack
            && mover.map { $0.scope == view.header.scope } ?? false
        if isSubject { try follow(view) }
        let entities = entities(in: view)
        if !entities.isEmpty {
            movedRows = isSubject || sources.isEmpty ? [] : try rows(in: view)
            var events = view.events
            while let event = try events.next() {
                try take(event, of: view, entities, isSubject, sources)
            }
        }
        if !isOwn { moveSilently(view.id, sources) }
    }

    /// Returns items that a move does not mention: what several transactions of a step wrote and left as it
    /// had been, and of a list those elements that it moved as seen from the others.
    private mutating func moveSilently(_ transaction: TransactionID, _ sources: [TransactionID]) {
        var counts: [WrittenItem: Int] = [:]
        for item in sources.flatMap({ written[$0] ?? [] }) { counts[item, default: 0] += 1 }
        for (item, count) in counts
        where (count > 1 || item.list.map(touched.contains) ?? false)
            && sources.contains(versions[item]?.last?.label ?? 0)
        {
            write(item, transaction, sources, isImplied: true)
        }
        for source in sources {
            for item in (dropped[source] ?? [:]).keys
            where versions[item]?.last?.label ?? 0 < source {
                write(item, transaction, sources, isImplied: true)
            }
        }
    }

    // MARK: - Moves

    /// The transactions that an undo, redo or revert takes back; none for any other.
    private mutating func noteMove(_ header: TransactionHeader) -> [TransactionID] {
        let other: TransactionID
        let isUndo: Bool
        switch header.kind {
        case .undo(let undone): (other, isUndo) = (undone, true)
        case .redo(let undone): (other, isUndo) = (undone, false)
        case .write, .schema, .purge: return []
        }
        let earlier = moves[other]
        note(
            Move(
                root: earlier?.root ?? other, withdraws: !(earlier?.withdraws ?? !isUndo),
                isWholeStep: earlier?.isWholeStep ?? !header.isUndoable),
            of: header.id)
        guard isUndo, !header.isUndoable, let step = timeline.undoStep(in: header.scope),
            step.newest == other
        else { return [other] }
        return step.transactions
    }

    private mutating func note(_ move: Move, of transaction: TransactionID) {
        // A subject is to be taken back itself.
        guard !subjects.contains(transaction) else { return }
        moves[transaction] = move
        guard move.root < first else { return }
        withdrawn[move.root] = move.withdraws ? move.isWholeStep : nil
    }

    // MARK: - What is followed

    private mutating func follow(_ view: TransactionView) throws(EventError) {
        var events = view.events
        while let event = try events.next() {
            switch event {
            case .insert(let event):
                let entity = follow(event.entity, view)
                inserted.insert(entity)
                given.insert(.row(entity))
            case .update(let event):
                let entity = follow(event.entity, view)
                for number in fields(of: event, view) {
                    follow(.field(entity, number))
                    followedFields[entity, default: []].insert(number)
                }
            case .delete(let event): taken.insert(.row(follow(event.entity, view)))
            case .purge(let event): for entity in event.entities { follow(entity, view) }
            case .withdraw(let event): follow(event.entity, view)
            case .depart(let event): follow(event.entity, view)
            case .link(let event):
                follow(event.parent, view)
                for item in items(of: event, view) { follow(item) }
            case .define, .former, .unknown: break
            }
        }
    }

    private mutating func follow(_ item: WrittenItem) {
        versions[item, default: []] += []
        given.insert(item)
        taken.insert(item)
    }

    @discardableResult
    private mutating func follow(_ index: EntityIndex, _ view: TransactionView) -> EncodedEntity {
        let entity = EncodedEntity(view.entities[Int(index.rawValue)])
        if versions.updateValue(versions[.row(entity)] ?? [], forKey: .row(entity)) == nil {
            followed[entity.id.withUnsafeBytes { KeyedHash.hash($0) }, default: []].append(entity)
        }
        return entity
    }

    /// The entities of a transaction that are followed.
    private func entities(in view: TransactionView) -> [EntityIndex: EncodedEntity] {
        var found: [EntityIndex: EncodedEntity] = [:]
        for (index, entity) in view.entities.enumerated() {
            guard
                let known = followed[KeyedHash.hash(entity.id)]?.first(where: { $0.isNamed(entity) }
                )
            else { continue }
            found[EntityIndex(UInt32(truncatingIfNeeded: index))] = known
        }
        return found
    }

    /// Whether a move brings a row back that its sources had taken, or put another in the place of.
    private func isRowMoved(
        _ index: EntityIndex, _ entity: EncodedEntity, _ sources: [TransactionID]
    ) -> Bool {
        guard !sources.isEmpty else { return false }
        let row = WrittenItem.row(entity)
        return movedRows.contains(index) || sources.contains { dropped[$0]?[row] != nil }
            || (versions[row] ?? []).contains { sources.contains($0.label) }
    }

    private func rows(in view: TransactionView) throws(EventError) -> Set<EntityIndex> {
        var rows: Set<EntityIndex> = []
        var events = view.events
        while let event = try events.next() {
            switch event {
            case .insert(let event): rows.insert(event.entity)
            case .delete(let event): rows.insert(event.entity)
            default: break
            }
        }
        return rows
    }

    private func fields(of event: UpdateEvent, _ view: TransactionView) -> [FieldNumber] {
        let type = view.entities[Int(event.entity.rawValue)].type
        guard let definition = catalog.definition(of: type, after: view.id) else { return [] }
        return event.changes.compactMap { change in
            definition.fields.indices.contains(change.position)
                ? definition.fields[change.position].number : nil
        }
    }

    private func items(of event: LinkEvent, _ view: TransactionView) -> [WrittenItem] {
        items(of: event.removals, event, view) + items(of: event.insertions, event, view)
    }

    private func items(
        of changes: ListChangeSequence, _ event: LinkEvent, _ view: TransactionView
    ) -> [WrittenItem] {
        let parent = view.entities[Int(event.parent.rawValue)]
        let list = LinkScan.List(holder: EncodedEntity(parent), relation: event.relation)
        guard catalog.isToMany(list) else { return changes.count > 0 ? [.owner(list)] : [] }
        return changes.map { change in
            .link(list, target: [UInt8](view.entities[Int(change.entity.rawValue)].id))
        }
    }

    // MARK: - Versions

    private mutating func take(
        _ event: TransactionEvent, of view: TransactionView,
        _ entities: [EntityIndex: EncodedEntity], _ isSubject: Bool, _ sources: [TransactionID]
    ) throws(EventError) {
        switch event {
        case .insert(let event):
            guard let entity = entities[event.entity] else { return }
            write(.row(entity), view.id, sources)
            // A move brings a whole row back, without a word of its fields.
            for number in followedFields[entity] ?? [] {
                write(.field(entity, number), view.id, sources, isImplied: true)
            }
        case .update(let event):
            guard let entity = entities[event.entity] else { return }
            // What a subject changes has to be there still.
            if isSubject { write(.row(entity), view.id, sources) }
            let isImplied = !isSubject && isRowMoved(event.entity, entity, sources)
            for number in fields(of: event, view) {
                let item = WrittenItem.field(entity, number)
                if inserted.contains(entity) {
                    versions[item, default: []] += []
                    followedFields[entity, default: []].insert(number)
                }
                write(item, view.id, sources, isImplied: isImplied)
            }
        case .delete(let event): write(event.entity, entities, view.id, sources)
        case .purge(let event):
            for entity in event.entities { write(entity, entities, view.id, sources) }
        case .withdraw(let event): write(event.entity, entities, view.id, sources)
        case .depart(let event): write(event.entity, entities, view.id, sources)
        case .link(let event):
            guard let holder = entities[event.parent] else { return }
            touched.insert(LinkScan.List(holder: holder, relation: event.relation))
            let inserted = Set(items(of: event.insertions, event, view))
            let removed = Set(items(of: event.removals, event, view))
            for item in inserted.union(removed) {
                // A move puts elements of a list back by moving whichever are fewer.
                let isMoved = inserted.contains(item) && removed.contains(item)
                write(
                    item, view.id, sources,
                    isImplied: isMoved && item.list != nil && !sources.isEmpty && !isSubject)
            }
        case .define, .former, .unknown: break
        }
    }

    private mutating func write(
        _ index: EntityIndex, _ entities: [EntityIndex: EncodedEntity],
        _ transaction: TransactionID, _ sources: [TransactionID]
    ) {
        guard let entity = entities[index] else { return }
        write(.row(entity), transaction, sources)
    }

    /// - Parameter isImplied: whether the transaction may have left the item alone.
    private mutating func write(
        _ item: WrittenItem, _ transaction: TransactionID, _ sources: [TransactionID],
        isImplied: Bool = false
    ) {
        // Several events of one transaction are one write.
        guard var stack = versions[item], stack.last?.label != transaction,
            dropped[transaction]?[item] == nil
        else { return }
        // The next write must find it unshared.
        versions[item] = []
        defer { versions[item] = stack }
        if let source = sources.first(where: { dropped[$0]?[item] != nil }),
            let returning = dropped[source]?.removeValue(forKey: item)
        {
            stack += returning.map { Version(label: transaction, origin: $0.origin) }
            if item.list != nil { written[transaction, default: []].append(item) }
        } else if isOwn {
            // Without force nothing lies above what a move takes back.
            guard let oldest = sources.min(), !isImplied,
                let first = stack.firstIndex(where: { $0.label > oldest }),
                !subjects.contains(stack[first].label)
            else { return }
            dropped[transaction, default: [:]][item] = Versions(stack[first...])
            stack.removeSubrange(first...)
        } else if let first = stack.firstIndex(where: { sources.contains($0.label) }) {
            dropped[transaction, default: [:]][item] = Versions(stack[first...])
            stack.removeSubrange(first...)
        } else if !isImplied {
            stack.append(Version(label: transaction, origin: transaction))
            if isInGroup || item.list != nil {
                written[transaction, default: []].append(item)
            }
        }
    }

    // MARK: - Asking

    /// What became of a subject's version.
    ///
    /// - Parameter takenBack: subjects that count as withdrawn.
    func standing(
        of item: WrittenItem, by subject: TransactionID, without takenBack: Set<TransactionID>
    ) -> VersionStanding {
        guard let all = versions[item] else { return .current }
        let stack = all.prefix { !takenBack.contains($0.label) }
        if stack.last?.origin == subject { return .current }
        guard let newest = stack.last else { return .withdrawn }
        return newest.label < subject && !stack.contains { $0.origin == subject }
            ? .withdrawn : .overwritten
    }

    /// The transaction that wrote the current version; nil where none did that was taken in.
    func writer(of item: WrittenItem) -> TransactionID? { versions[item]?.last?.origin }
}

extension EncodedEntity {
    init(_ entity: TransactionView.Entity) {
        self.init(type: entity.type, id: [UInt8](entity.id))
    }
}

extension Catalog {
    func isToMany(_ list: LinkScan.List) -> Bool {
        definition(of: list.holder.type)?.relations
            .first { $0.number == list.relation }?.isToMany ?? true
    }
}
