internal import VarveEvents
internal import VarveGraph
internal import VarveTables

/// Where entities are in the order of their types that migrations of past states make: where they are in the newest state,
/// and behind everything that is there otherwise. What is undone must not take the place of another.
final class MovedOrdinals {
    private let state: StoreState
    private var known: [EncodedEntity: UInt64] = [:]
    private var next: [TypeNumber: UInt64] = [:]

    init(_ state: StoreState) { self.state = state }

    func ordinal(of entity: EncodedEntity, _ free: UInt64) -> UInt64 {
        if let found = known[entity] { return found }
        guard let position = state.schema.position(of: entity.type) else { return free }
        let table = state.context.tables.tables[rows: position]
        let ordinal: UInt64
        if let current = current(of: entity, in: table) {
            ordinal = current
        } else {
            ordinal = max(table.nextOrdinal, next[entity.type] ?? 0)
            next[entity.type] = ordinal + 1
        }
        known[entity] = ordinal
        return ordinal
    }

    private func current(of entity: EncodedEntity, in table: AnyTable) -> UInt64? {
        // An id that cannot be read is that of no entity.
        let slot = entity.id.withUnsafeBytes {
            (try? table.descriptor.operations.find(table, $0)) ?? nil
        }
        guard let slot else { return nil }
        let ordinal = table.metadata(of: slot).ordinal
        return ordinal == RowMetadata.noOrdinal ? nil : ordinal
    }
}

/// Transactions from before migrations that make entities, take some, or give them other ids. The states before and behind
/// each are migrated as a whole, and compared.
///
/// Belongs to one thread.
final class MovedTransactions {
    private let past: PastMigrations
    private let ordinals: MovedOrdinals
    /// By the next transaction of migrations.
    private var affected: [TransactionID: Set<TypeNumber>] = [:]
    private var newest: (behind: TransactionID, content: MovedContent)?

    init(_ past: PastMigrations, _ ordinals: MovedOrdinals) {
        self.past = past
        self.ordinals = ordinals
    }

    /// Whether a transaction has entities that such migrations were about.
    func concern(_ view: TransactionView) throws(StoreError) -> Bool {
        let before = TransactionID(view.id.rawValue - 1)
        guard past.movesEntities(behind: before), let next = past.oldest(behind: before) else {
            return false
        }
        let types: Set<TypeNumber>
        if let known = affected[next] {
            types = known
        } else {
            types = try past.movedTypes(behind: before)
            affected[next] = types
        }
        return view.entities.contains { types.contains($0.type) }
    }

    /// The transaction as if it had been made behind the migrations.
    ///
    /// - Parameter takeBack: leads the walk to the state before the transaction.
    func translate(
        _ view: TransactionView, _ walk: PastWalk, _ takeBack: () throws -> Void
    ) throws -> [UInt8] {
        let before = TransactionID(view.id.rawValue - 1)
        var new = try content(behind: view.id, walk)
        for entity in view.entities {
            guard let place = try walk.draft.place(of: entity.type, entity.id) else { continue }
            try new.add(place, of: walk.draft, keepsKnown: true)
        }
        try takeBack()
        var old = try content(behind: before, walk)
        newest = (before, old)
        for entity in Set(new.entities.keys).union(old.entities.keys) {
            // What neither the transaction nor a migration has changed is what it was.
            guard let place = try walk.draft.place(of: entity) else { continue }
            try new.add(place, of: walk.draft, keepsKnown: true)
            try old.add(place, of: walk.draft, keepsKnown: true)
        }
        try walk.check()
        // In states of the past, what a migration takes was never there. That it is gone behind it is no change of its own,
        // which would be in the way of an undo that brings it back.
        let isMigration = past.passages.contains { $0.transaction == view.id }
        return try old.difference(
            to: new, view.header, walk.draft.catalog, ofRowsAlone: isMigration)
    }

    private func content(behind transaction: TransactionID, _ walk: PastWalk) throws -> MovedContent
    {
        if let newest, newest.behind == transaction { return newest.content }
        return try walk.trying { draft in
            try past.migrate(draft, behind: transaction, keepsRetired: false) { [ordinals] in
                ordinals.ordinal(of: $0, $1)
            }
            var content = MovedContent()
            for place in draft.record.changedPlaces {
                try content.add(place, of: draft, keepsKnown: false)
            }
            return content
        }
    }
}

/// Entities with all their links, by their names in the log.
struct MovedContent {
    struct Entity {
        let presence: EntityPresence
        let stamps: EntityStamps
        let row: [UInt8]
        /// By the position of the relation.
        let lists: [Int: [EncodedEntity]]
        /// What a tombstone keeps.
        let keptLists: [Int: [EncodedEntity]]

        /// Whether there is no difference, but for the times of changes.
        func isSame(as other: Entity) -> Bool {
            presence == other.presence && row == other.row && lists == other.lists
                && keptLists == other.keptLists
                && (!presence.hasRow || stamps.ordinal == other.stamps.ordinal)
        }
    }

    private(set) var entities: [EncodedEntity: Entity] = [:]

    /// Adds an entity as it is in a state. Of types that are gone there is nothing.
    mutating func add(
        _ place: EntityPlace, of draft: StateDraft, keepsKnown: Bool
    ) throws(StoreError) {
        let definition = draft.definition(ofTable: place.table)
        let name = draft.encoded(place)
        guard !definition.isRetired, !keepsKnown || entities[name] == nil else { return }
        func named(_ slots: [UInt32], _ relation: ReversalRelation) -> [EncodedEntity] {
            slots.map { draft.encoded(EntityPlace(table: relation.target, slot: $0)) }
        }
        var lists: [Int: [EncodedEntity]] = [:]
        var keptLists: [Int: [EncodedEntity]] = [:]
        for index in definition.relations.indices where !definition.relations[index].isRetired {
            let slots = draft.list(of: index, at: place).slots
            if !slots.isEmpty {
                lists[index] = named(slots, draft.relation(at: index, ofTable: place.table))
            }
        }
        for (number, slots) in draft.keptLists(of: place) where !slots.isEmpty {
            guard let relation = draft.relation(number, ofTable: place.table),
                !definition.relations[relation.index].isRetired
            else { continue }
            keptLists[relation.index] = named(slots, relation)
        }
        let row: [UInt8]
        do throws(CodecError) {
            row = try draft.rowOrNone(of: place)
        } catch {
            throw draft.unreadableRow(at: place, error)
        }
        entities[name] = Entity(
            presence: draft.presence(of: place), stamps: draft.stamps(of: place), row: row,
            lists: lists, keptLists: keptLists)
    }

    /// A transaction that leads from this content to another of the same entities, in a log of nothing else.
    ///
    /// - Parameter ofRowsAlone: whether entities without a row are the same, gone or still to come.
    func difference(
        to new: MovedContent, _ header: TransactionHeader, _ catalog: Catalog, ofRowsAlone: Bool
    ) throws -> [UInt8] {
        let changes = changes(to: new).filter {
            !ofRowsAlone || $0.old.presence.hasRow || $0.new.presence.hasRow
                || $0.old.lists != $0.new.lists
        }
        return try IsolatedTransaction.payload(header, catalog.definitions) { former in
            for change in changes { try Self.set(change.name, change.old, in: former) }
        } to: { draft in
            for change in changes { try Self.set(change.name, change.new, in: draft) }
        }
    }

    private struct Change {
        let name: EncodedEntity
        let old: Entity
        let new: Entity
    }

    private func changes(to content: MovedContent) -> [Change] {
        var changes: [Change] = []
        for (name, new) in content.entities {
            guard let old = entities[name], !old.isSame(as: new) else { continue }
            changes.append(Change(name: name, old: old, new: new))
        }
        return changes.sorted { one, other in
            if one.name.type != other.name.type { return one.name.type < other.name.type }
            return one.new.stamps.ordinal < other.new.stamps.ordinal
        }
    }

    private static func set(
        _ name: EncodedEntity, _ entity: Entity, in draft: StateDraft
    ) throws {
        guard let place = try draft.place(of: name) else { return }
        func slots(_ names: [EncodedEntity]) throws -> [EntityPlace] {
            try names.compactMap { try draft.place(of: $0) }
        }
        switch entity.presence {
        case .live, .tombstone:
            try draft.set(
                place, entity.row, isLive: entity.presence == .live,
                lists: try entity.keptLists.sorted { $0.key < $1.key }.map {
                    ($0.key, try slots($0.value))
                }, ordinal: entity.stamps.ordinal, version: entity.stamps.version)
        case .gone: try draft.clear(place, as: .gone(entity.stamps.version))
        case .vacant: try draft.clear(place, as: .toCome)
        }
        for index in 0..<draft.relationCount(ofTable: place.table) {
            let new = try slots(entity.lists[index] ?? []).map(\.slot)
            guard new != draft.list(of: index, at: place).slots else { continue }
            draft.setList(SlotArray(slots: new), of: index, at: place)
        }
    }
}

extension StateDraft {
    fileprivate func place(of entity: EncodedEntity) throws -> EntityPlace? {
        try entity.id.withReader { try place(of: entity.type, $0.rest) }
    }

    /// The row of an entity, or of a tombstone; empty where there is none.
    fileprivate func rowOrNone(of place: EntityPlace) throws(CodecError) -> [UInt8] {
        guard presence(of: place).hasRow else { return [] }
        var row = ByteWriter()
        try writeRow(of: place, into: &row)
        return row.copyBytes()
    }
}

extension RelationDefinition {
    /// Whether the relation is kept for the past alone.
    fileprivate var isRetired: Bool { FieldDefinition.isRetired(name, number.rawValue) }
}
