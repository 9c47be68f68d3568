/// Takes transactions back from a state.
///
/// Either exactly, from the state behind a transaction to the state before it, to look at the past or to
/// return to it; or on the newest state, where other transactions have come since: what they
/// changed is not touched and is reported as conflicts, unless it is to be forced.
package final class Reversal<Target: ReversalTarget> {
    package enum Mode: Sendable {
        /// The state is the one behind the transaction and becomes the one before it, stamps and all.
        case past
        /// As `past`, to return to the state: what the app cannot change is a conflict.
        case rewind
        /// The state is the newest; its changes are those of a running transaction.
        case head(force: Bool)
    }

    package let target: Target
    package private(set) var conflicts: [ReversalConflict] = []
    private var knownConflicts: Set<ReversalConflict> = []
    let mode: Mode
    let catalog: Catalog
    /// What came behind the transactions; nil where there can be nothing.
    let later: LaterTransactions?
    /// The running transaction: what carries its number was changed by this reversal.
    let running: TransactionID
    /// Rows that were set and have unique values, which are checked in the end.
    var changed: [EntityPlace] = []
    /// Rows that have returned under the id that means none, which is looked at in the end.
    var returnedWithoutID: [EntityPlace] = []
    /// The entities that a restoration has brought back.
    private(set) var restored: [EntityPlace] = []
    /// What the step took away and does not return: what had made it was withdrawn since.
    var leftOut: Set<EntityPlace> = []
    private let memory: ReversalMemory

    package init(
        _ target: Target, _ mode: Mode, catalog: Catalog, running: TransactionID,
        later: LaterTransactions? = nil, memory: ReversalMemory = ReversalMemory()
    ) {
        self.target = target
        self.mode = mode
        self.catalog = catalog
        self.running = running
        self.later = later
        self.memory = memory
        memory.begin()
    }

    /// Whether the state is the one behind the transaction.
    var isExact: Bool {
        if case .head = mode { false } else { true }
    }

    /// Whether nothing is changed for good: what the app does not know may be passed over.
    var isPast: Bool {
        if case .past = mode { true } else { false }
    }

    var isForced: Bool {
        if case .head(force: true) = mode { true } else { false }
    }

    /// Takes one transaction back. Of several, the newest goes first.
    ///
    /// - Parameter selection: the entities whose deletion alone is reverted, with their links to
    ///   what is there; all for nil.
    package func takeBack(
        _ transaction: TransactionView, selection: Set<EntityIndex>? = nil
    ) throws(ReversalError) {
        var events = try ReversedEvents(transaction)
        let step = ReversalStep(
            id: transaction.id, entities: transaction.entities,
            places: try places(of: transaction), selection: selection)
        if let selection { events.keepDeletions(of: selection) }
        // Rows first, so that links find what they lead to; what vanishes last, when nothing that
        // the transaction linked leads to it any more.
        for event in events.rows { try takeBack(event, events, step) }
        for event in events.links { try takeBack(event, step) }
        if !isExact { mirrorLinks(of: events.links, step) }
        if selection != nil { relink(events, step) }
        if !isExact { prepareDetaching(events.insertions, step) }
        for event in events.insertions { try takeBack(event, events, step) }
        later?.noteTakenBack(transaction.id)
    }

    private func places(
        of transaction: TransactionView
    ) throws(ReversalError) -> [EntityPlace?] {
        var places: [EntityPlace?] = []
        places.reserveCapacity(transaction.entities.count)
        for entity in transaction.entities {
            do throws(CodecError) {
                places.append(try target.place(of: entity.type, entity.id))
            } catch {
                let definition = catalog.definition(of: entity.type)
                throw .unreadable(
                    type: definition?.name ?? "\(entity.type)",
                    id: definition?.idType.text(of: entity.id) ?? "", error)
            }
        }
        return places
    }

    func unreadable(_ place: EntityPlace, _ error: CodecError) -> ReversalError {
        let (type, id) = target.name(of: place)
        return .unreadable(type: type, id: id, error)
    }

    func report(_ reason: ReversalConflict.Reason, of place: EntityPlace) {
        let (type, id) = target.name(of: place)
        note(ReversalConflict(type: type, id: id, reason: reason))
    }

    private func note(_ conflict: ReversalConflict) {
        if knownConflicts.insert(conflict).inserted { conflicts.append(conflict) }
    }

    // MARK: - Rows

    private func takeBack(
        _ event: ReversedEvents.RowEvent, _ events: ReversedEvents, _ step: ReversalStep
    ) throws(ReversalError) {
        switch event {
        case .update(let event):
            try takeBack(
                event, events.version(event.previous, of: event.entity),
                isOfWholeRow: events.wholeRows.contains(event.entity), step)
        case .delete(let event):
            guard let place = step.place(event.entity) else {
                return reportUnknown(event.entity, step)
            }
            if event.isRowless, step.selection == nil {
                guard isCurrent(event.entity, at: place, step),
                    isExact || target.presence(of: place) == .tombstone
                else { return }
                return try setFormer(of: place, event.entity, events, step)
            }
            guard try makeWay(for: event, events, place, step) else { return }
            if isWithoutID(event.entity, at: place, step) { returnedWithoutID.append(place) }
            let layout = try layout(of: event.entity, at: place, step)
            try convert(event.row, of: place, layout)
            try setConvertedRow(
                of: place, ordinal: event.ordinal.rawValue,
                version: events.version(event.previous, of: event.entity))
            if step.selection != nil { restored.append(place) }
        case .purge(let entity):
            guard let place = step.place(entity) else { return reportUnknown(entity, step) }
            guard events.formers[entity] != nil, isCurrent(entity, at: place, step),
                target.presence(of: place) != .live
            else { return }
            try setFormer(of: place, entity, events, step)
        case .depart(let entity):
            guard let place = step.place(entity) else { return reportUnknown(entity, step) }
            guard isCurrent(entity, at: place, step), target.presence(of: place) == .gone
            else { return }
            try clear(place, as: .toCome)
        }
    }

    /// Whether the transaction wrote last whether there is such an entity, and reports it where another did.
    private func isCurrent(
        _ entity: EntityIndex, at place: EntityPlace, _ step: ReversalStep
    ) -> Bool {
        switch standing(of: entity, at: place, step) {
        case .current: return true
        case .withdrawn: return false
        case .overwritten:
            report(target.presence(of: place) == .live ? .exists : .missing, of: place)
            return isForced
        }
    }

    private func standing(
        of entity: EntityIndex, at place: EntityPlace, _ step: ReversalStep
    ) -> VersionStanding {
        guard let later = laterWrites(to: place, step) else { return .current }
        return later.standing(of: .row(EncodedEntity(step.entity(entity))), by: step.id)
    }

    /// What tells who wrote an entity last; nil where no other transaction can have.
    private func laterWrites(to place: EntityPlace, _ step: ReversalStep) -> LaterTransactions? {
        guard !isExact, step.selection == nil, let later, later.hasOthers,
            target.stamps(of: place).transaction != step.id.rawValue
        else { return nil }
        return later
    }

    /// Whether a deleted entity is one whose insertion was withdrawn since, by force: nothing brings it back.
    private func isLeftOut(
        _ entity: EntityIndex, at place: EntityPlace, _ step: ReversalStep
    ) -> Bool {
        guard !isExact, let later,
            later.isWithdrawn(.row(EncodedEntity(step.entity(entity))))
        else { return false }
        leftOut.insert(place)
        return true
    }

    /// Whether a row that was deleted may return: whether its place is free, or to be freed.
    private func makeWay(
        for event: DeleteEvent, _ events: ReversedEvents, _ place: EntityPlace, _ step: ReversalStep
    ) throws(ReversalError) -> Bool {
        let isLive = target.presence(of: place) == .live
        // What has returned already need not be restored.
        if step.selection != nil { return !isLive }
        guard isCurrent(event.entity, at: place, step) else { return false }
        if let insertion = events.replacements[event.entity] {
            guard isLive else {
                guard !isExact else {
                    throw .inconsistent("\(target.name(of: place)) was inserted and is not there")
                }
                report(.missing, of: place)
                return isForced
            }
            if !isExact { try reportChanges(of: place, since: insertion, step) }
            return true
        }
        guard isLive else { return !isLeftOut(event.entity, at: place, step) }
        guard !isExact else {
            throw .inconsistent("\(target.name(of: place)) is there and was deleted")
        }
        report(.exists, of: place)
        return isForced
    }

    private func takeBack(
        _ event: InsertEvent, _ events: ReversedEvents, _ step: ReversalStep
    ) throws(ReversalError) {
        guard let place = step.place(event.entity) else {
            return reportUnknown(event.entity, step)
        }
        let isLive = target.presence(of: place) == .live
        guard isLive || !isExact else {
            throw .inconsistent("\(target.name(of: place)) was inserted and is not there")
        }
        // What another step deleted, force finds gone.
        guard isCurrent(event.entity, at: place, step), isLive else { return }
        if !isExact {
            try reportChanges(of: place, since: event, step)
            try detach(place, step)
        }
        try setFormer(of: place, event.entity, events, step)
    }

    private func clear(
        _ place: EntityPlace, as absence: EntityAbsence
    ) throws(ReversalError) {
        do throws(CodecError) {
            try target.clear(place, as: absence)
        } catch {
            throw unreadable(place, error)
        }
    }

    /// Makes an entity what it was before the transaction, which it had no row before.
    private func setFormer(
        of place: EntityPlace, _ entity: EntityIndex, _ events: ReversedEvents, _ step: ReversalStep
    ) throws(ReversalError) {
        let former = events.formers[entity]
        guard let former, let tombstone = former.tombstone else {
            let absence: EntityAbsence =
                former?.previous.map { isExact ? .gone($0) : .goes } ?? .toCome
            return try clear(place, as: absence)
        }
        var lists: [(relation: Int, entities: [EntityPlace])] = []
        for (number, entities) in tombstone.lists {
            guard let relation = target.relation(number, ofTable: place.table) else { continue }
            lists.append((relation.index, entities.compactMap { step.place($0) }))
        }
        let layout = try layout(of: entity, at: place, step)
        try convert(tombstone.row, of: place, layout)
        do throws(CodecError) {
            try memory.converted.withBytes { row throws(CodecError) in
                try target.setTombstone(
                    of: place, row: row, ordinal: tombstone.ordinal.rawValue, lists: lists,
                    version: isExact ? events.version(former.previous, of: entity) : nil)
            }
        } catch {
            throw unreadable(place, error)
        }
    }

    private func setConvertedRow(
        of place: EntityPlace, ordinal: UInt64, version: PreviousVersion?
    ) throws(ReversalError) {
        do throws(CodecError) {
            try memory.converted.withBytes { row throws(CodecError) in
                try target.setRow(
                    of: place, to: row, ordinal: ordinal, version: isExact ? version : nil)
            }
        } catch {
            throw unreadable(place, error)
        }
        if !isPast, target.hasUniqueIndexes(inTable: place.table) { changed.append(place) }
    }

    private func convert(
        _ row: UnsafeRawBufferPointer, of place: EntityPlace, _ layout: LayoutCache.Entry
    ) throws(ReversalError) {
        memory.converted.removeAll()
        do throws(CodecError) {
            try layout.conversion.convert(row, into: &memory.converted)
        } catch {
            throw unreadable(place, error)
        }
    }

    // MARK: - Fields

    private func takeBack(
        _ event: UpdateEvent, _ version: PreviousVersion?, isOfWholeRow: Bool, _ step: ReversalStep
    ) throws(ReversalError) {
        guard let place = step.place(event.entity) else {
            return reportUnknown(event.entity, step)
        }
        guard target.presence(of: place) == .live else {
            guard !isExact else {
                throw .inconsistent("\(target.name(of: place)) was updated and is not there")
            }
            return report(.missing, of: place)
        }
        guard isCurrent(event.entity, at: place, step) else { return }
        let layout = try layout(of: event.entity, at: place, step)
        memory.row.removeAll()
        memory.converted.removeAll()
        var merge = fieldRestoring(
            layout, event.entity, at: place, reachesUnknown: isPast || isOfWholeRow, step)
        do throws(CodecError) {
            try target.writeRow(of: place, into: &memory.row)
            try memory.row.withBytes { bytes throws(CodecError) in
                try merge.run(event.changes, from: bytes, into: &memory.converted)
            }
        } catch {
            throw unreadable(place, error)
        }
        for name in merge.differing {
            guard !isExact else {
                throw .inconsistent("\(target.name(of: place)).\(name) has another value")
            }
            report(.fieldChanged(name), of: place)
        }
        for name in merge.lost { report(.longTextChanged(name), of: place) }
        for name in merge.unknown { report(.unknownToApp(name), of: place) }
        guard merge.isChanged || isExact else { return }
        try setConvertedRow(
            of: place, ordinal: target.stamps(of: place).ordinal, version: version)
    }

    private func fieldRestoring(
        _ layout: LayoutCache.Entry, _ entity: EntityIndex, at place: EntityPlace,
        reachesUnknown: Bool, _ step: ReversalStep
    ) -> FieldRestoring {
        let known = target.knownFieldCount(ofTable: place.table)
        guard let later = laterWrites(to: place, step) else {
            return FieldRestoring(
                layout, knownFields: known, reachesUnknown: reachesUnknown, isForced: isForced)
        }
        let entity = EncodedEntity(step.entity(entity))
        return FieldRestoring(
            layout, knownFields: known, reachesUnknown: reachesUnknown, isForced: isForced
        ) { later.standing(of: .field(entity, $0), by: step.id) }
    }

    /// Reports the fields of an entity that were written again behind its insertion.
    private func reportChanges(
        of place: EntityPlace, since event: InsertEvent, _ step: ReversalStep
    ) throws(ReversalError) {
        guard let later = laterWrites(to: place, step) else { return }
        let entity = EncodedEntity(step.entity(event.entity))
        for field in try layout(of: event.entity, at: place, step).target.definition.fields
        where later.standing(of: .field(entity, field.number), by: step.id) == .overwritten {
            report(.fieldChanged(field.name), of: place)
        }
    }

    /// How the rows that the transaction wrote of an entity's type become those of the target.
    private func layout(
        of entity: EntityIndex, at place: EntityPlace, _ step: ReversalStep
    ) throws(ReversalError) -> LayoutCache.Entry {
        try memory.layouts.entry(
            of: step.entity(entity).type, after: step.id, catalog,
            as: target.definition(ofTable: place.table))
    }

    /// An event of a type that the app does not hold: passed over where the past is looked at.
    func reportUnknown(_ entity: EntityIndex, _ step: ReversalStep) {
        guard !isPast else { return }
        let entity = step.entity(entity)
        let definition = catalog.definition(of: entity.type)
        let name = definition?.name ?? "\(entity.type)"
        let id = definition?.idType.text(of: entity.id) ?? ""
        note(ReversalConflict(type: name, id: id, reason: .unknownToApp(name)))
    }

    func reportUnknownRelation(_ number: RelationNumber, of place: EntityPlace) {
        guard !isPast else { return }
        report(.unknownToApp("relation \(number)"), of: place)
    }
}
