internal import VarveEvents
internal import VarveTables

/// The rows of a state from before a migration, and the links between them.
protocol FormerRows: AnyObject {
    /// What an entity is linked to, or was when it was deleted.
    func slots(of relation: RelationNumber, at place: EntityPlace) -> [UInt32]
    /// The row at a place; nil where there is none.
    func row(
        at place: EntityPlace, _ migration: RowMigration
    ) throws(CodecError) -> MigrationRow?
    func name(of place: EntityPlace) -> (type: String, id: String)
}

/// The rows that steps join with others: each as the steps before have left it.
final class RelatedRows {
    private let plan: MovePlan
    private let steps: ResolvedSteps
    private let rows: any FormerRows
    private var migrations: [Int: RowMigration] = [:]

    init(_ plan: MovePlan, _ steps: ResolvedSteps, _ rows: any FormerRows) {
        self.plan = plan
        self.steps = steps
        self.rows = rows
    }

    func slots(of relation: RelationNumber, at place: EntityPlace) -> [UInt32] {
        rows.slots(of: relation, at: place)
    }

    /// What a step joins with the entity at a place.
    func rows(for step: ResolvedStep, at place: EntityPlace) throws -> [MigrationRow] {
        guard let join = plan.joins[step.position], let migration = migration(before: join) else {
            return []
        }
        let table = Int(join.relation.target.rawValue) - 1
        var found: [MigrationRow] = []
        for slot in slots(of: join.relation.number, at: place) {
            let other = EntityPlace(table: table, slot: slot)
            guard var row = try row(at: other, migration) else { continue }
            try migration.perform(on: &row) { try self.rows(for: $0, at: other) }
            found.append(row)
        }
        return found
    }

    private func row(
        at place: EntityPlace, _ migration: RowMigration
    ) throws(StoreError) -> MigrationRow? {
        do throws(CodecError) {
            return try rows.row(at: place, migration)
        } catch {
            let (type, id) = rows.name(of: place)
            throw .unreadable(UnreadableValue(type: type, id: id, error))
        }
    }

    private func migration(before join: MovePlan.Join) -> RowMigration? {
        if let known = migrations[join.step.position] { return known }
        guard let definition = plan.before[join.relation.target] else { return nil }
        let migration = RowMigration(
            definition, definition,
            steps.of(definition.name, givingIDs: plan.successors[definition.number] != nil)
                .filter { $0.position < join.step.position },
            .newProperties(keepsRetired: true))
        migrations[join.step.position] = migration
        return migration
    }
}

/// The rows of the state that is migrated.
final class StateRows: FormerRows {
    private final class Reader {
        var reader: StateReader

        init(_ reader: consuming StateReader) { self.reader = reader }
    }

    private let state: State
    private var readers: [Int: Reader] = [:]

    init(_ state: State) { self.state = state }

    func slots(of relation: RelationNumber, at place: EntityPlace) -> [UInt32] {
        let type = TypeNumber(UInt32(truncatingIfNeeded: place.table + 1))
        guard state.entry(of: type, at: .init(place.slot))?.presence == .tombstone else {
            let slots = state.targets(of: type, at: .init(place.slot), relation: relation)
            return slots.map { $0.rawValue }
        }
        let lists = state.keptLists(of: type, at: .init(place.slot))
        return lists.first { $0.relation == relation }?.slots.map { $0.rawValue } ?? []
    }

    func row(
        at place: EntityPlace, _ migration: RowMigration
    ) throws(CodecError) -> MigrationRow? {
        let reader: Reader
        if let known = readers[place.table] {
            reader = known
        } else {
            let type = TypeNumber(UInt32(truncatingIfNeeded: place.table + 1))
            guard let new = state.reader(of: type, as: migration.definition) else { return nil }
            reader = Reader(new)
            readers[place.table] = reader
        }
        return try reader.reader.read(.init(place.slot)) { entity throws(CodecError) in
            try migration.row(entity.row, id: entity.id, isDeleted: entity.isDeleted)
        }
    }
}

extension StateRows {
    func name(of place: EntityPlace) -> (type: String, id: String) {
        let type = TypeNumber(UInt32(truncatingIfNeeded: place.table + 1))
        guard let definition = state.catalog.definition(of: type) else { return ("", "") }
        let entry = state.entry(of: type, at: .init(place.slot))
        return (definition.name, entry.map { definition.idType.text(of: $0.id) } ?? "")
    }
}

/// The rows of a state of the past.
final class DraftRows: FormerRows {
    private let draft: StateDraft
    private var projections: [Int: RowProjection] = [:]

    init(_ draft: StateDraft) { self.draft = draft }

    func slots(of relation: RelationNumber, at place: EntityPlace) -> [UInt32] {
        guard draft.presence(of: place) != .tombstone else {
            return draft.keptLists(of: place).first { $0.relation == relation }?.slots ?? []
        }
        guard let relation = draft.relation(relation, ofTable: place.table) else { return [] }
        return draft.list(of: relation.index, at: place).slots
    }

    func row(
        at place: EntityPlace, _ migration: RowMigration
    ) throws(CodecError) -> MigrationRow? {
        let presence = draft.presence(of: place)
        guard presence.hasRow else { return nil }
        let projection =
            projections[place.table]
            ?? RowProjection(from: draft.definition(ofTable: place.table), to: migration.definition)
        projections[place.table] = projection
        var row = ByteWriter()
        try draft.writeRow(of: place, into: &row)
        let former = try row.copyBytes().withReader { row throws(CodecError) in
            try projection.project(row.rest)
        }
        let id = draft.encoded(place).id
        return try former.withReader { row throws(CodecError) in
            try id.withReader { id throws(CodecError) in
                try migration.row(row.rest, id: id.rest, isDeleted: presence == .tombstone)
            }
        }
    }
}

extension DraftRows {
    func name(of place: EntityPlace) -> (type: String, id: String) { draft.name(of: place) }
}
