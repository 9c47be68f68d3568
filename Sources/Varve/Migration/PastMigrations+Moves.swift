internal import VarveEvents
internal import VarveTables

// States from before migrations that make entities, take some, or give them other ids: those are migrated as a whole.
extension PastMigrations {
    /// Whether a migration behind a transaction did more than to change rows and links.
    func movesEntities(behind transaction: TransactionID) -> Bool {
        passages.contains { passage in
            passage.transaction > transaction
                && (!passage.recorded.isEmpty
                    || passage.steps.all.contains { $0.action.movesEntities })
        }
    }

    /// The types that such migrations behind a transaction are about, and those with links to or from them.
    func movedTypes(behind transaction: TransactionID) throws(StoreError) -> Set<TypeNumber> {
        var types: Set<TypeNumber> = []
        for passage in passages where passage.transaction > transaction {
            types.formUnion(try passage.plan(catalog).affected(with: passage.recorded))
        }
        return types
    }

    /// The type whose entities got the ids of a type in a transaction; nil where it did not give any.
    func predecessor(
        of type: TypeNumber, in transaction: TransactionID
    ) throws(StoreError) -> TypeNumber? {
        guard let passage = passages.first(where: { $0.transaction == transaction }) else {
            return nil
        }
        if let recorded = passage.recorded.predecessor(of: type) { return recorded }
        return try passage.plan(catalog).successors.first { $0.value == type }?.key
    }

    /// Makes of the state behind a transaction what the migrations since make of it, one after the other.
    ///
    /// - Parameters:
    ///   - keepsRetired: whether properties that another replaced keep their value of then.
    ///   - ordinals: where entities are in the order of their type.
    func migrate(
        _ draft: StateDraft, behind transaction: TransactionID, keepsRetired: Bool,
        _ ordinals: @escaping EntityMoves.Ordinals = { $1 }
    ) throws {
        for passage in passages where passage.transaction > transaction {
            let plan = try passage.plan(catalog)
            try checkMoves(of: passage, draft)
            let moves = EntityMoves(plan, draft, as: .toCome) {
                $0.version
            } _: {
                ordinals($0, $1)
            }
            let related = RelatedRows(plan, passage.steps, DraftRows(draft))
            let narrowings = narrowings(in: passage)
            do {
                try migrateRows(in: passage, moves, related, narrowings, keepsRetired: keepsRetired)
                for narrowing in narrowings { draft.narrow(narrowing) }
                try moves.finish()
            } catch StoreError.migration(let failure) {
                throw passage.barrier(.failed(failure))
            }
        }
    }

    /// Refuses a state with entities that steps made others of, took, or gave other ids, where these are not known.
    private func checkMoves(of passage: Passage, _ draft: StateDraft) throws(StoreError) {
        if passage.recorded.hasOthers, passage.missing != nil {
            throw passage.barrier(.notGiven, passage.missing)
        }
        let types = Set(try passage.missingMoves(catalog).moves.map(\.from))
        let tables = types.compactMap { draft.tablePosition(of: $0) }
        let concerns = tables.contains { table in
            (0..<UInt32(truncatingIfNeeded: draft.slotCount(ofTable: table))).contains {
                draft.presence(of: EntityPlace(table: table, slot: $0)).hasRow
            }
        }
        if concerns { throw passage.barrier(.notGiven, passage.missing) }
    }

    private struct MigratedRow {
        let place: EntityPlace
        let bytes: [UInt8]
        let row: MigrationRow
    }

    /// Sets all rows that a transaction of migrations changes. Those that others are joined with come when these have read
    /// them, and are in memory until then.
    private func migrateRows(
        in passage: Passage, _ moves: EntityMoves, _ related: RelatedRows,
        _ narrowings: [Narrowing], keepsRetired: Bool
    ) throws {
        let joined = Set(moves.plan.joins.values.map(\.relation.target))
        var held: [MigratedRow] = []
        for type in moves.plan.before.keys.sorted() {
            let rows = try rows(
                of: type, in: passage, moves.plan, moves.draft, keepsRetired: keepsRetired)
            guard let rows else { continue }
            let table = Int(type.rawValue) - 1
            for slot in 0..<UInt32(truncatingIfNeeded: moves.draft.slotCount(ofTable: table)) {
                let place = EntityPlace(table: table, slot: slot)
                guard let row = try migrated(place, rows, passage, moves.draft, related) else {
                    continue
                }
                if joined.contains(type) {
                    held.append(row)
                } else {
                    try set(row, narrowings, moves, related)
                }
            }
        }
        for row in held { try set(row, narrowings, moves, related) }
    }

    private func migrated(
        _ place: EntityPlace, _ rows: PastRows, _ passage: Passage, _ draft: StateDraft,
        _ related: RelatedRows
    ) throws -> MigratedRow? {
        let presence = draft.presence(of: place)
        guard presence.hasRow else { return nil }
        var row = ByteWriter()
        do throws(CodecError) {
            try draft.writeRow(of: place, into: &row)
        } catch {
            let (type, id) = draft.name(of: place)
            throw passage.barrier(.noValue(type: type, id: id, error))
        }
        let migrated = try rows.migrated(
            row.copyBytes(), id: draft.encoded(place).id, isDeleted: presence == .tombstone
        ) { try related.rows(for: $0, at: place) }
        return MigratedRow(place: place, bytes: migrated.bytes, row: migrated.row)
    }

    /// What a transaction of migrations makes of the rows of a type, in the newest layouts of a state.
    private func rows(
        of type: TypeNumber, in passage: Passage, _ plan: MovePlan, _ draft: StateDraft,
        keepsRetired: Bool
    ) throws(StoreError) -> PastRows? {
        let isRemoved = catalog.definition(of: type, after: passage.transaction)?.isRetired == true
        guard !isRemoved || plan.successors[type] != nil else { return nil }
        var stage = try stage(of: type, in: passage, keepsRetired: keepsRetired)
        if stage == nil, let definition = plan.before[type],
            passage.steps.of(definition.name).contains(where: { $0.action.movesEntities })
        {
            let rows = RowMigration(
                definition, definition, passage.steps.of(definition.name, givingIDs: false),
                .newProperties(keepsRetired: keepsRetired))
            stage = PastRows.Stage(rows: rows, barrier: { passage.barrier($0) })
        }
        guard let stage else { return nil }
        let newest = { (type: TypeNumber) in draft.definition(ofTable: Int(type.rawValue) - 1) }
        return try PastRows([stage], from: newest(type), to: newest(stage.rows.target.number))
    }

    private func set(
        _ migrated: MigratedRow, _ narrowings: [Narrowing], _ moves: EntityMoves,
        _ related: RelatedRows
    ) throws {
        try write(migrated, narrowings, moves)
        moves.note(migrated.row, at: migrated.place, related)
    }

    private func write(
        _ migrated: MigratedRow, _ narrowings: [Narrowing], _ moves: EntityMoves
    ) throws {
        let (place, draft) = (migrated.place, moves.draft)
        let type = TypeNumber(UInt32(truncatingIfNeeded: place.table + 1))
        if let successor = moves.plan.successors[type] {
            return try moves.move(migrated.row, migrated.bytes, from: place, to: successor)
        }
        let stamps = draft.stamps(of: place)
        try draft.replace(
            place, with: migrated.bytes, lists: draft.keptLists(of: place, narrowings).lists,
            ordinal: stamps.ordinal, version: stamps.version)
    }
}
