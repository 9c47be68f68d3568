internal import VarveEvents
internal import VarveTables

/// Transactions from before a migration, as if they had been made behind it: of the entities that each changed, the
/// difference between what migrations make of their state before and after.
///
/// They are made when they are asked for, from the newest to the oldest. Belongs to one thread.
final class TranslatedTransactions {
    /// The newest transaction that is translated.
    let newest: TransactionID
    private let past: PastMigrations
    private let walk: PastWalk
    /// One that cannot be translated keeps none of the others from it.
    private var payloads: [TransactionID: Result<[UInt8], StoreError>] = [:]
    /// What ended the walk: it is not where its position says.
    private var failure: (any Error)?
    /// Of migrations that did more than to change rows and links.
    private let moved: MovedTransactions?

    /// - Parameters:
    ///   - history: the log as it is.
    ///   - ordinals: where entities are that migrations have made; nil where none did more than to change rows and links.
    init(
        _ past: PastMigrations, _ catalog: Catalog, _ history: LogHistory,
        _ ordinals: MovedOrdinals?
    ) throws {
        moved = ordinals.map { MovedTransactions(past, $0) }
        self.past = past
        newest = past.newest
        walk = try PastWalk(notBefore: newest, catalog, history)
        try walk.goBack(to: newest)
    }

    /// The translated transaction; nil where one needs no translation.
    func payload(of transaction: TransactionID) throws -> [UInt8]? {
        guard transaction <= newest else { return nil }
        while walk.position >= transaction {
            if let failure { throw failure }
            do {
                try walk.goBack { payloads[$0.id] = try result($0, $1) }
            } catch {
                failure = error
                throw error
            }
        }
        return try payloads[transaction]?.get()
    }

    /// What a transaction is translated to, or why it cannot be. The walk goes back behind it either way.
    private func result(
        _ view: TransactionView, _ revert: () throws -> Void
    ) throws -> Result<[UInt8], StoreError> {
        var isReverted = false
        do {
            return .success(
                try translate(view) {
                    try revert()
                    isReverted = true
                })
        } catch let error as StoreError {
            // Rows of damaged pages are none that a step cannot convert.
            try walk.check()
            guard case .acrossMigration = error else { throw error }
            if !isReverted { try revert() }
            return .failure(error)
        }
    }

    private func translate(
        _ view: TransactionView, _ takeBack: () throws -> Void
    ) throws -> [UInt8] {
        let id = view.id
        let before = TransactionID(id.rawValue - 1)
        if let moved, try moved.concern(view) {
            return try moved.translate(view, walk, takeBack)
        }
        var subjects = MigratedSubjects(walk.draft, past.narrowings(behind: before))
        try subjects.add(view)
        let new = try subjects.content(behind: id, past, narrowed: past.narrowings(behind: id))
        try takeBack()
        let old = try subjects.content(behind: before, past, narrowed: subjects.narrowings)
        try walk.check()
        return try subjects.difference(from: old, to: new, view.header)
    }
}

/// The entities and lists that a transaction changed, in a state that is not migrated.
private struct MigratedSubjects {
    struct Content {
        struct Row {
            let presence: EntityPresence
            let stamps: EntityStamps
            let bytes: [UInt8]
            let lists: [(relation: Int, entities: [EntityPlace])]
        }

        var rows: [Row] = []
        var lists: [[UInt32]] = []
    }

    struct List: Hashable {
        let place: EntityPlace
        let relation: Int
    }

    let narrowings: [Narrowing]
    private let draft: StateDraft
    private var places: [EntityPlace] = []
    private var lists: [List] = []
    private var known: Set<List> = []

    init(_ draft: StateDraft, _ narrowings: [Narrowing]) {
        self.draft = draft
        self.narrowings = narrowings
    }

    mutating func add(_ view: TransactionView) throws {
        let places = try view.entities.map { try draft.place(of: $0.type, $0.id) }
        self.places = places.compactMap { $0 }
        var events = view.events
        while let event = try events.next() {
            guard case .link(let link) = event, let place = places[Int(link.parent.rawValue)] else {
                continue
            }
            add(link.relation, of: place)
            let removed = link.removals.compactMap { places[Int($0.entity.rawValue)] }
            addOthers(of: link.relation, at: place, removed)
        }
    }

    private mutating func add(_ relation: RelationNumber, of place: EntityPlace) {
        guard let relation = draft.relation(relation, ofTable: place.table) else { return }
        let list = List(place: place, relation: relation.index)
        if known.insert(list).inserted { lists.append(list) }
    }

    /// Which link of a list stays decides about the other sides of all of them.
    private mutating func addOthers(
        of number: RelationNumber, at place: EntityPlace, _ removed: [EntityPlace]
    ) {
        for narrowing in narrowings where narrowing.table == place.table && narrowing.from == number
        {
            add(narrowing.to, of: place)
            guard let from = draft.relation(number, ofTable: place.table),
                let to = draft.relation(narrowing.to, ofTable: place.table),
                let inverse = to.inverse
            else { continue }
            let slots = draft.list(of: from.index, at: place).slots + removed.map(\.slot)
            for slot in slots {
                let other = EntityPlace(table: to.target, slot: slot)
                add(draft.relation(at: inverse, ofTable: to.target).number, of: other)
            }
        }
    }

    /// What migrations make of the subjects, as they are behind a transaction.
    func content(
        behind transaction: TransactionID, _ past: PastMigrations, narrowed: [Narrowing]
    ) throws -> Content {
        var content = Content()
        var rows: [Int: PastRows?] = [:]
        for place in places {
            if rows[place.table] == nil {
                rows[place.table] = try past.rows(
                    of: draft.definition(ofTable: place.table), behind: transaction,
                    keepsRetired: false)
            }
            content.rows.append(try row(of: place, rows[place.table] ?? nil, narrowed))
        }
        content.lists = lists.map { slots(of: $0, narrowed) }
        return content
    }

    private func row(
        of place: EntityPlace, _ rows: PastRows?, _ narrowed: [Narrowing]
    ) throws -> Content.Row {
        // Of a type that a migration removed there is nothing.
        let isRemoved = draft.definition(ofTable: place.table).isRetired
        let presence = isRemoved ? .vacant : draft.presence(of: place)
        var bytes: [UInt8] = []
        if presence.hasRow {
            if let rows {
                bytes = try draft.migratedRow(of: place, rows)
            } else {
                var row = ByteWriter()
                try draft.writeRow(of: place, into: &row)
                bytes = row.copyBytes()
            }
        }
        return Content.Row(
            presence: presence, stamps: draft.stamps(of: place), bytes: bytes,
            lists: presence == .tombstone ? draft.keptLists(of: place, narrowed).lists : [])
    }

    /// The list as it would be if relations had become to-one before.
    private func slots(of list: List, _ narrowed: [Narrowing]) -> [UInt32] {
        let slots = draft.list(of: list.relation, at: list.place).slots
        let table = list.place.table
        for narrowing in narrowed {
            guard let from = draft.relation(narrowing.from, ofTable: narrowing.table),
                let to = draft.relation(narrowing.to, ofTable: narrowing.table)
            else { continue }
            func kept(of slot: UInt32) -> UInt32? {
                let place = EntityPlace(table: narrowing.table, slot: slot)
                return narrowing.kept(of: draft.list(of: from.index, at: place).slots)
            }
            if table == narrowing.table, list.relation == from.index { return [] }
            if table == narrowing.table, list.relation == to.index {
                return kept(of: list.place.slot).map { [$0] } ?? []
            }
            if table == to.target, list.relation == to.inverse {
                return slots.filter { kept(of: $0) == list.place.slot }
            }
        }
        return slots
    }

    /// A transaction that leads from one content to the other, in a log of nothing else.
    func difference(
        from old: Content, to new: Content, _ header: TransactionHeader
    ) throws -> [UInt8] {
        try IsolatedTransaction.payload(header, draft.catalog.definitions) {
            try set(old, in: $0)
        } to: {
            try set(new, in: $0)
        }
    }

    private func set(_ content: Content, in target: StateDraft) throws {
        func translated(_ place: EntityPlace) throws -> EntityPlace {
            let entity = draft.encoded(place)
            let found = try entity.id.withReader { try target.place(of: entity.type, $0.rest) }
            guard let found else { preconditionFailure("a type of the log is not defined") }
            return found
        }
        for (place, row) in zip(places, content.rows) {
            let place = try translated(place)
            let lists = try row.lists.map { list in
                (relation: list.relation, entities: try list.entities.map(translated))
            }
            switch row.presence {
            case .live, .tombstone:
                try target.set(
                    place, row.bytes, isLive: row.presence == .live, lists: lists,
                    ordinal: row.stamps.ordinal, version: row.stamps.version)
            case .gone: try target.clear(place, as: .gone(row.stamps.version))
            case .vacant: try target.clear(place, as: .toCome)
            }
        }
        for (list, slots) in zip(lists, content.lists) {
            let relation = draft.relation(at: list.relation, ofTable: list.place.table)
            let others = try slots.map {
                try translated(EntityPlace(table: relation.target, slot: $0)).slot
            }
            target.setList(
                SlotArray(slots: others), of: list.relation, at: try translated(list.place))
        }
    }
}
