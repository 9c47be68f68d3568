internal import VarveEvents
internal import VarveTables

/// The making, taking and renumbering of entities that goes along with a migration of rows, in a state whose definitions
/// are those behind it.
///
/// Rows come first, each where it is to be; then links follow, entities are split, and others are taken over.
final class EntityMoves {
    /// What a row of the state is, or what a new one is to carry.
    typealias Versions = (EntityStamps) -> PreviousVersion?
    /// The ordinal of an entity that gets a row, of which one is free.
    typealias Ordinals = (EncodedEntity, _ free: UInt64) -> UInt64

    struct PendingPart {
        let parent: EntityPlace
        let parentID: MigrationRow.Value
        let isDeleted: Bool
        let part: MigrationRow.Part

        var formerIDText: String { parentID.text }
    }

    struct PendingJoin {
        let parent: EntityPlace
        let isDeleted: Bool
        let join: MovePlan.Join
        let others: [EntityPlace]
    }

    let plan: MovePlan
    let draft: StateDraft
    let versions: Versions
    let ordinals: Ordinals
    /// What an entity is that is taken, or has another id.
    let absence: EntityAbsence
    /// Entities with new ids, by where they were.
    private var places: [EntityPlace: EntityPlace] = [:]
    /// The ids that entities had which have got others.
    private var formerIDs: [EntityPlace: String] = [:]
    var parts: [PendingPart] = []
    var joins: [PendingJoin] = []
    /// How many entities were made or taken, by the name of their type.
    var counts: [String: Int] = [:]

    /// - Parameters:
    ///   - versions: what rows carry that are set in the place of those with some stamps; nil for the running transaction.
    ///   - ordinals: where entities are in the order of their type.
    ///   - absence: what an entity is that is taken, or has another id.
    init(
        _ plan: MovePlan, _ draft: StateDraft, as absence: EntityAbsence,
        _ versions: @escaping Versions, _ ordinals: @escaping Ordinals
    ) {
        self.absence = absence
        self.plan = plan
        self.draft = draft
        self.versions = versions
        self.ordinals = ordinals
    }

    /// Where an entity is by now.
    func place(now former: EntityPlace) -> EntityPlace { places[former] ?? former }

    /// Notes what steps have made of a row, and which others it was joined with.
    func note(_ row: MigrationRow, at place: EntityPlace, _ related: RelatedRows) {
        let now = self.place(now: place)
        for part in row.parts {
            parts.append(
                PendingPart(
                    parent: now, parentID: row.formerID, isDeleted: row.isDeleted, part: part))
        }
        let type = TypeNumber(UInt32(truncatingIfNeeded: place.table + 1))
        for join in plan.joins.values where join.holder == type {
            let slots = related.slots(of: join.relation.number, at: place)
            guard !slots.isEmpty else { continue }
            let table = Int(join.relation.target.rawValue) - 1
            joins.append(
                PendingJoin(
                    parent: now, isDeleted: row.isDeleted, join: join,
                    others: slots.map { EntityPlace(table: table, slot: $0) }))
        }
    }

    /// Gives the entity of a row its new id.
    func move(
        _ row: MigrationRow, _ bytes: [UInt8], from place: EntityPlace, to successor: TypeNumber
    ) throws(StoreError) {
        do {
            let new = try self.place(of: successor, row.id)
            guard !draft.presence(of: new).hasRow else {
                throw MigrationError.idTaken(row.idText, by: formerIDs[new] ?? "")
            }
            let stamps = draft.stamps(of: place)
            try draft.set(
                new, bytes, isLive: !row.isDeleted, lists: [],
                ordinal: ordinals(draft.encoded(new), stamps.ordinal), version: versions(stamps))
            places[place] = new
            formerIDs[new] = row.formerIDText
        } catch {
            throw .migration(
                MigrationFailure(
                    plan.migrations[successor] ?? "", type: row.type, id: row.formerIDText, error))
        }
    }

    /// The place of an entity, whose id may be one of a narrower type.
    func place(of type: TypeNumber, _ id: MigrationRow.Value) throws -> EntityPlace {
        let definition = draft.definition(ofTable: Int(type.rawValue) - 1)
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try id.bytes(as: definition.idType)
        } catch {
            throw MigrationError.wrongID(
                of: definition.name, found: id.type, expected: definition.idType)
        }
        let found = try bytes.withReader { try draft.place(of: type, $0.rest) }
        guard let found else { preconditionFailure("a type of the log is not defined") }
        return found
    }

    /// Lets links follow the rows, and does what steps have made of entities.
    func finish() throws(StoreError) {
        try moveLinks()
        try makeParts()
        try takeJoined()
    }
}

// MARK: - Links

extension EntityMoves {
    /// How a relation is followed: from a position of a table to one of the same or another.
    private struct Route {
        let from: ReversalRelation
        let to: (table: Int, relation: ReversalRelation)?
    }

    private func moveLinks() throws(StoreError) {
        let holders = plan.before.values.sorted { $0.number < $1.number }.filter {
            plan.successors[$0.number] != nil || plan.moved[$0.number] != nil
        }
        for holder in holders {
            let routes = routes(of: holder)
            let table = Int(holder.number.rawValue) - 1
            for slot in 0..<UInt32(truncatingIfNeeded: draft.slotCount(ofTable: table)) {
                let place = EntityPlace(table: table, slot: slot)
                move(listsAt: place, routes)
                if draft.presence(of: place) == .tombstone {
                    try moveKeptLists(at: place, routes)
                }
            }
        }
        for place in places.keys.sorted(by: { ($0.table, $0.slot) < ($1.table, $1.slot) }) {
            try clear(place)
        }
    }

    func clear(_ place: EntityPlace) throws(StoreError) {
        do throws(CodecError) {
            try draft.clear(place, as: absence)
        } catch {
            throw draft.unreadableRow(at: place, error)
        }
    }

    private func routes(of holder: TypeDefinition) -> [Route] {
        let table = Int(holder.number.rawValue) - 1
        return holder.relations.compactMap { relation in
            guard let from = draft.relation(relation.number, ofTable: table) else { return nil }
            if let successor = plan.successors[holder.number] {
                let other = Int(successor.rawValue) - 1
                let to = draft.relation(relation.number, ofTable: other)
                return Route(from: from, to: to.map { (other, $0) })
            }
            guard let number = plan.moved[holder.number]?[relation.number] else { return nil }
            let to = draft.relation(number, ofTable: table)
            return Route(from: from, to: to.map { (table, $0) })
        }
    }

    /// Where the targets of a relation are by now. Those without a row are cut where others have new ids.
    private func slots(_ slots: [UInt32], of relation: ReversalRelation) -> [UInt32] {
        guard plan.successors[relation.targetType] != nil else { return slots }
        return slots.compactMap { places[EntityPlace(table: relation.target, slot: $0)]?.slot }
    }

    private func move(listsAt place: EntityPlace, _ routes: [Route]) {
        let holder = plan.successors[type(of: place)] == nil ? place : places[place]
        for route in routes {
            let list = draft.list(of: route.from.index, at: place).slots
            guard !list.isEmpty else { continue }
            draft.setList(SlotArray(slots: []), of: route.from.index, at: place)
            guard let holder, let to = route.to else { continue }
            draft.setList(
                SlotArray(slots: slots(list, of: route.from)), of: to.relation.index, at: holder)
        }
    }

    private func type(of place: EntityPlace) -> TypeNumber {
        TypeNumber(UInt32(truncatingIfNeeded: place.table + 1))
    }

    private func moveKeptLists(at place: EntityPlace, _ routes: [Route]) throws(StoreError) {
        let now = self.place(now: place)
        var lists: [(relation: Int, entities: [EntityPlace])] = []
        for (number, slots) in draft.keptLists(of: place) {
            if let route = routes.first(where: { $0.from.number == number }) {
                guard let to = route.to else { continue }
                lists.append(
                    (
                        to.relation.index,
                        self.slots(slots, of: route.from).map {
                            EntityPlace(table: to.relation.target, slot: $0)
                        }
                    ))
            } else if let relation = draft.relation(number, ofTable: now.table) {
                lists.append(
                    (
                        relation.index,
                        slots.map { EntityPlace(table: relation.target, slot: $0) }
                    ))
            }
        }
        do {
            try keep(lists, at: now)
        } catch {
            let (type, id) = draft.name(of: now)
            throw .migration(
                MigrationFailure(
                    plan.migrations.values.min() ?? "", type: type, id: id, error))
        }
    }

    /// Lets a tombstone keep other lists. One that keeps these already stays as it is, with the stamps of its deletion: the
    /// log says nothing of it.
    ///
    /// Its row may be one that no step has read, of a page that cannot be.
    func keep(
        _ lists: [(relation: Int, entities: [EntityPlace])], at place: EntityPlace
    ) throws {
        let known = draft.keptLists(of: place, []).lists
        guard !known.elementsEqual(lists, by: ==) else { return }
        let stamps = draft.stamps(of: place)
        var row = ByteWriter()
        try draft.writeRow(of: place, into: &row)
        try draft.set(
            place, row.copyBytes(), isLive: false, lists: lists, ordinal: stamps.ordinal,
            version: versions(stamps))
    }
}
