internal import VarveEvents
internal import VarveTables

/// The migration of the rows and links of one type in a state.
struct TypeMigration {
    private let definition: TypeDefinition
    private var target: TypeDefinition
    private let steps: [ResolvedStep]
    private let demands: CatalogMerge.Demands
    /// Before the migration.
    private let state: State
    private let rows: RowMigration
    private let related: RelatedRows
    /// A row that was migrated before the others, and its slot: its values fill fields that have no neutral value.
    private var first: (slot: UInt32, row: MigrationRow)?

    /// The name of the type in the log.
    var name: String { definition.name }

    /// - Parameters:
    ///   - definition: what the log says of the type before.
    ///   - target: what it says behind: of the type, or of the one whose ids its entities get.
    init(
        _ definition: TypeDefinition, _ steps: [ResolvedStep], _ related: RelatedRows,
        state: State, target: TypeDefinition, demands: CatalogMerge.Demands
    ) throws(StoreError) {
        self.related = related
        self.definition = definition
        self.target = target
        self.steps = steps
        self.demands = demands
        self.state = state
        rows = RowMigration(definition, target, steps, .all(demands))
        for step in steps {
            guard case .narrow(let relation, _) = step.action, let member = step.member,
                let known = definition.relation(named: member.before),
                known.isToMany, demands.narrowed[known.number] == nil
            else { continue }
            throw .migration(
                MigrationFailure(step.migration, type: name, MigrationError.staysToMany(relation)))
        }
    }

    /// How many entities and deleted entities there are.
    var rowCount: Int {
        let counts = state.counts(of: definition.number)
        return counts.live + counts.tombstones
    }

    private var slots: Range<UInt32> {
        0..<UInt32(truncatingIfNeeded: state.counts(of: definition.number).slots)
    }

    // MARK: Fills

    /// Gives new fields for which no value of the past is known the one of the first row, which the type can read.
    mutating func giveFills(to merge: inout CatalogMerge) throws(StoreError) {
        guard !demands.withoutFill.isEmpty,
            var reader = state.reader(of: definition.number, as: definition)
        else { return }
        for slot in slots {
            guard let row = try migrated(slot, &reader) else { continue }
            first = (slot, row)
            break
        }
        guard let first else { return }
        for index in target.fields.indices
        where demands.withoutFill.contains(target.fields[index].number) {
            target.fields[index].fill = try rows.value(of: target.fields[index], in: first.row)
        }
        for index in merge.definitions.indices
        where merge.definitions[index].number == target.number {
            merge.definitions[index] = target
        }
    }

    // MARK: Rows

    /// Sets the new rows and links. Returns how many entities and deleted entities have another row.
    ///
    /// - Parameter progress: called behind each entity and deleted entity.
    mutating func perform(
        _ moves: EntityMoves, _ progress: () -> Void
    ) throws(StoreError) -> Int {
        let draft = moves.draft
        guard var reader = state.reader(of: definition.number, as: definition) else { return 0 }
        let narrowings = narrowings
        var count = 0
        for slot in slots {
            let row: MigrationRow
            if let first, first.slot == slot {
                row = first.row
            } else {
                guard let found = try migrated(slot, &reader) else { continue }
                row = found
            }
            if try set(row, at: slot, narrowings, moves) { count += 1 }
            moves.note(row, at: place(slot), related)
            progress()
        }
        for narrowing in narrowings { draft.narrow(narrowing) }
        return count
    }

    private var narrowings: [Narrowing] {
        steps.compactMap { step in
            guard case .narrow(_, let choice) = step.action, let member = step.member,
                let old = definition.relation(named: member.before),
                let new = demands.narrowed[old.number]
            else { return nil }
            return Narrowing(
                type: definition.number, from: old.number, to: new,
                inverse: target.relations.first { $0.number == new }?.inverse, choice: choice)
        }
    }

    /// The row of an entity or deleted entity behind all steps; nil where there is none.
    private func migrated(
        _ slot: UInt32, _ reader: inout StateReader
    ) throws(StoreError) -> MigrationRow? {
        let found: MigrationRow?
        do throws(CodecError) {
            found = try reader.read(.init(slot)) { entity throws(CodecError) in
                try rows.row(entity.row, id: entity.id, isDeleted: entity.isDeleted)
            }
        } catch {
            throw .unreadable(UnreadableValue(type: name, id: idText(of: slot), error))
        }
        guard var row = found else { return nil }
        try rows.perform(on: &row) { [related, place = place(slot)] in
            try related.rows(for: $0, at: place)
        }
        return row
    }

    private func place(_ slot: UInt32) -> EntityPlace {
        EntityPlace(table: Int(definition.number.rawValue) - 1, slot: slot)
    }

    private func idText(of slot: UInt32) -> String {
        state.entry(of: definition.number, at: .init(slot))
            .map { definition.idType.text(of: $0.id) } ?? ""
    }

    /// Returns whether the row is another one now.
    private func set(
        _ row: MigrationRow, at slot: UInt32, _ narrowings: [Narrowing], _ moves: EntityMoves
    ) throws(StoreError) -> Bool {
        let (place, draft) = (place(slot), moves.draft)
        try rows.checkNames(of: row)
        do {
            var old = ByteWriter()
            try draft.writeRow(of: place, into: &old)
            let before = old.copyBytes()
            if moves.plan.successors[definition.number] != nil {
                let taken = try inTarget(before, draft.definition(ofTable: place.table))
                let bytes = try taken.withReader { try rows.bytes(of: $0.rest, row) }
                try moves.move(row, bytes, from: place, to: target.number)
                return true
            }
            let after = try before.withReader { try rows.bytes(of: $0.rest, row) }
            let lists = draft.keptLists(of: place, narrowings)
            guard after != before || row.isDeleted && lists.isChanged else { return false }
            let ordinal = draft.stamps(of: place).ordinal
            try draft.replace(
                place, with: after, lists: lists.lists, ordinal: ordinal, version: nil)
            return true
        } catch let error as StoreError {
            throw error
        } catch {
            throw rows.failure(row, error)
        }
    }

    /// A row in the layout of the type whose ids the entities get.
    private func inTarget(_ row: [UInt8], _ known: TypeDefinition) throws -> [UInt8] {
        let conversion = try RowConversion(from: RowLayout(known), to: target)
        var writer = ByteWriter(capacity: row.count)
        try row.withReader { try conversion.convert($0.rest, into: &writer) }
        return writer.copyBytes()
    }
}
