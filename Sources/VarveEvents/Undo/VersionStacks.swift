/// The versions of items, from some transaction on: who wrote each of them last.
///
/// A write makes a new version. An undo, a redo and a revert make none: they return to the version that
/// was in force before what they revert, and drop or bring back what lay above. So two versions are the
/// same only if one write made both, whatever their values are.
struct VersionStacks {
    private struct Version {
        /// The transaction that put it here; a redo where it brought the version back.
        var label: TransactionID
        /// The transaction that wrote it first.
        let origin: TransactionID
    }

    private struct Survey {
        let steps: [TransactionID: TransactionID]
        let items: Set<WrittenItem>
        let entities: Set<EncodedEntity>
    }

    private typealias Versions = ContiguousArray<Version>

    /// The transactions whose items are followed.
    private let subjects: Set<TransactionID>
    private let catalog: Catalog
    /// The undo or redo that asks; nil for what reverts any transaction.
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
    private var moves: StepMoves
    /// The steps whose versions are asked for as those of steps, and the only items that are followed then.
    private let survey: Survey?
    /// Which steps wrote an item; of rows those that inserted them.
    private var givers: [WrittenItem: Set<TransactionID>] = [:]
    /// What the subjects wrote over; of rows those that they deleted.
    private(set) var taken: Set<WrittenItem> = []

    /// - Parameters:
    ///   - subjects: none of them is older than the first transaction that is taken in.
    ///   - running: the header of the transaction that takes them back.
    init(of subjects: Set<TransactionID>, _ catalog: Catalog, running: TransactionHeader) {
        self.subjects = subjects
        moves = StepMoves(before: subjects)
        self.catalog = catalog
        mover = running.isMove ? running : nil
        survey = nil
    }

    /// Follows some items through many steps at once.
    ///
    /// - Parameter steps: the newest transaction of the step that each transaction belongs to. None is older than the
    ///   first transaction that is taken in.
    init(
        ofSteps steps: [TransactionID: TransactionID], items: Set<WrittenItem>, _ catalog: Catalog
    ) {
        subjects = Set(steps.keys)
        moves = StepMoves(before: subjects)
        self.catalog = catalog
        mover = nil
        survey = Survey(steps: steps, items: items, entities: Set(items.map(\.entity)))
    }

    /// Transactions from before the subjects that were withdrawn behind them, and whether with their step.
    var withdrawn: [TransactionID: Bool] { moves.withdrawn }

    /// Takes in the next transaction.
    mutating func take(_ view: TransactionView) throws(EventError) {
        let sources = moves.take(view.header)
        // Unless it is to be reverted itself.
        if view.header.isCompletion, !subjects.contains(view.id) { return }
        isInGroup = view.header.group != nil
        touched.removeAll(keepingCapacity: true)
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

    // MARK: - What is followed

    private mutating func follow(_ view: TransactionView) throws(EventError) {
        var events = view.events
        while let event = try events.next() {
            switch event {
            case .insert(let event):
                guard let entity = follow(event.entity, view) else { continue }
                inserted.insert(entity)
                noteGiver(view.id, of: .row(entity))
            case .update(let event):
                guard let entity = follow(event.entity, view) else { continue }
                for number in fields(of: event, view) {
                    follow(.field(entity, number), view.id)
                    followedFields[entity, default: []].insert(number)
                }
            case .delete(let event):
                if let entity = follow(event.entity, view) { taken.insert(.row(entity)) }
            case .purge(let event): for entity in event.entities { follow(entity, view) }
            case .withdraw(let event): follow(event.entity, view)
            case .depart(let event): follow(event.entity, view)
            case .link(let event):
                guard follow(event.parent, view) != nil else { continue }
                for item in items(of: event, view) { follow(item, view.id) }
            case .define, .former, .saveOrder, .unknown: break
            }
        }
    }

    private mutating func follow(_ item: WrittenItem, _ subject: TransactionID) {
        guard survey?.items.contains(item) ?? true else { return }
        versions[item, default: []] += []
        noteGiver(subject, of: item)
        taken.insert(item)
    }

    private mutating func noteGiver(_ subject: TransactionID, of item: WrittenItem) {
        if let step = survey?.steps[subject] { givers[item, default: []].insert(step) }
    }

    /// The entity, if it is one that is followed.
    @discardableResult
    private mutating func follow(_ index: EntityIndex, _ view: TransactionView) -> EncodedEntity? {
        let entity = EncodedEntity(view.entities[Int(index.rawValue)])
        guard survey?.entities.contains(entity) ?? true else { return nil }
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
            if isSubject, needsRow(entity, view.id) { write(.row(entity), view.id, sources) }
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
        case .define, .former, .saveOrder, .unknown: break
        }
    }

    /// Whether an update counts as a write of the row. What a subject changes has to be there still; of a step among
    /// many, the row is its own only if it inserted it.
    private func needsRow(_ entity: EncodedEntity, _ subject: TransactionID) -> Bool {
        guard let step = survey?.steps[subject] else { return true }
        return givers[.row(entity)]?.contains(step) ?? false
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
            // Without force nothing lies above what a move reverts.
            guard let oldest = sources.min(), !isImplied,
                let first = stack.firstIndex(where: { $0.label > oldest }),
                !subjects.contains(stack[first].label)
            else { return }
            dropped[transaction, default: [:]][item] = Versions(stack[first...])
            stack.removeSubrange(first...)
        } else if let first = stack.firstIndex(where: { sources.contains($0.label) }) {
            dropped[transaction, default: [:]][item] = Versions(stack[first...])
            stack.removeSubrange(first...)
            // What a surveyed step returned an item to is the step's.
            if !isImplied, survey?.steps[transaction] != nil {
                stack.append(Version(label: transaction, origin: transaction))
            }
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

    /// The surveyed items whose current version is that of one of the steps.
    var itemsOfSteps: Set<WrittenItem> {
        guard let survey else { return [] }
        return survey.items.filter { item in
            guard let givers = givers[item], let newest = versions[item]?.last else { return false }
            return [newest.label, newest.origin].contains { transaction in
                survey.steps[transaction].map(givers.contains) ?? false
            }
        }
    }
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
