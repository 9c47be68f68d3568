internal import VarveEvents
internal import VarveLog
internal import VarveTables

/// The making of the transaction that migrates a state, and of the state behind it.
struct MigrationRun {
    /// What a run has made.
    struct Outcome {
        let header: TransactionHeader
        let payload: [UInt8]
        /// What an opening replays of it: its events and the transaction.
        let replaySteps: UInt64
        /// Behind the transaction.
        let state: State
        /// What the log has defined before.
        let former: Catalog
        let merge: CatalogMerge
        /// Entities and deleted entities that were changed or removed, by the name of their type.
        let changedRows: [String: Int]
    }

    private let state: State
    private let pending: [Migration]
    private let declared: [DeclaredType]
    private let header: TransactionHeader
    private let steps: ResolvedSteps
    private let progress: (MigrationProgress) -> Void

    /// The migrations that a log does not have behind it, in their order.
    static func pending(
        _ migrations: [Migration], behind timeline: Timeline
    ) throws(StoreError) -> [Migration] {
        var ids: Set<MigrationID> = []
        for migration in migrations where !ids.insert(migration.id).inserted {
            throw .migration(MigrationFailure("\(migration.id)", MigrationError.repeatedName))
        }
        var performed: [String: UInt32] = [:]
        for id in timeline.migrations.map(\.id) {
            performed[id.name] = max(id.version, performed[id.name] ?? 0)
        }
        try checkAge(of: ids, timeline)
        return migrations.filter { $0.id.version > performed[$0.name] ?? 0 }
    }

    /// An app that knows a migration of the log, and not the ones that came behind it, is older than the log. One that
    /// lacks those from before it has dropped them.
    private static func checkAge(
        of known: Set<MigrationID>, _ timeline: Timeline
    ) throws(StoreError) {
        let performed = timeline.migrations.map(\.id)
        guard let last = performed.lastIndex(where: { known.contains($0) }) else { return }
        let newer = performed[(last + 1)...]
        guard !newer.isEmpty else { return }
        throw .migratedByNewerApp(newer.map(\.description), [])
    }

    /// - Parameters:
    ///   - state: the newest.
    ///   - pending: at least one.
    init(
        _ state: State, _ pending: [Migration], declared: [DeclaredType], time: Timestamp,
        _ progress: @escaping (MigrationProgress) -> Void = { _ in }
    ) {
        self.progress = progress
        self.state = state
        self.pending = pending
        self.declared = declared
        steps = ResolvedSteps(pending)
        header = TransactionHeader(
            id: state.nextTransaction, time: time, kind: .schema, isUndoable: false,
            label: "Migrate: " + pending.map { "\($0.id)" }.joined(separator: ", "),
            migrations: pending.map(\.id))
    }

    func perform() throws(StoreError) -> Outcome {
        var encoder = TransactionEncoder()
        encoder.begin(id: header.id, time: header.time)
        var header = header
        var merge = CatalogMerge()
        var (moves, changedRows) = (RecordedMoves(), [String: Int]())
        let migrated = try state.changed { transaction throws(StoreError) in
            // A new store has nothing to migrate.
            if state.lastTransaction > 0 {
                (merge, moves, changedRows) = try change(transaction, &encoder)
            }
            if !moves.isEmpty { header.metadata[Timeline.Key.entities] = moves.text }
            transaction.conclude(header)
        }
        var payload = ByteWriter(capacity: 4_096)
        encoder.finish(header, into: &payload)
        return Outcome(
            header: header, payload: payload.copyBytes(),
            replaySteps: UInt64(encoder.eventCount) + 1, state: migrated, former: state.catalog,
            merge: merge, changedRows: changedRows)
    }

    private func change(
        _ transaction: StateTransaction, _ encoder: inout TransactionEncoder
    ) throws(StoreError) -> (CatalogMerge, RecordedMoves, changedRows: [String: Int]) {
        let former = state.catalog
        let changes = steps.changes
        var merge = former.merging(declared: declared, changes)
        guard merge.errors.isEmpty else { throw .schema(merge.errors.map(SchemaProblem.init)) }
        let plan = try MovePlan(
            steps, before: former.definitions, after: merge.definitions(over: former),
            demands: merge.demands)
        let related = RelatedRows(plan, steps, StateRows(state))
        var works = try works(former, changes, merge, plan, related)
        for index in works.indices { try works[index].giveFills(to: &merge) }
        try define(merge.definitions, in: transaction, &encoder)
        let draft = StateDraft(transaction, running: header.id, time: header.time)
        let moves = EntityMoves(plan, draft, as: .goes) { _ in
            nil
        } _: {
            $1
        }
        var counts: [String: Int] = [:]
        var done = MigrationProgress(
            stage: .converting, done: 0, total: works.reduce(0) { $0 + $1.rowCount })
        progress(done)
        for index in works.indices {
            counts[works[index].name] = try works[index].perform(moves) {
                done.done += 1
                if done.done % MigrationProgress.interval == 0 { progress(done) }
            }
        }
        try moves.finish()
        counts.merge(moves.counts, uniquingKeysWith: +)
        done.done = done.total
        progress(done)
        for definition in merge.definitions
        where definition.isRetired && merge.successors[definition.number] == nil
            && former.definition(of: definition.number)?.isRetired == false
        {
            let number = definition.number
            let name = former.definition(of: number)?.name ?? ""
            counts[name] = try clear(number, in: draft)
        }
        do throws(CodecError) {
            try draft.encode(into: &encoder)
        } catch {
            throw .migration(MigrationFailure("\(pending[0].id)", error))
        }
        return (merge, RecordedMoves(plan), counts)
    }

    private func works(
        _ former: Catalog, _ changes: DeclaredChanges, _ merge: CatalogMerge, _ plan: MovePlan,
        _ related: RelatedRows
    ) throws(StoreError) -> [TypeMigration] {
        var works: [TypeMigration] = []
        for definition in former.definitions {
            let name = changes.renames.newType(of: definition.name)
            let number = merge.successors[definition.number] ?? definition.number
            let steps = steps.of(definition.name, givingIDs: number != definition.number)
            guard !steps.isEmpty else { continue }
            if changes.removedTypes.contains(name) {
                try checkRemoval(of: name, steps)
                continue
            }
            try checkNarrowing(of: definition, steps, merge, plan)
            works.append(
                try TypeMigration(
                    definition, steps, related, state: state,
                    target: merge.definitions.first { $0.number == number } ?? definition,
                    demands: merge.demands[definition.number] ?? CatalogMerge.Demands()))
        }
        return works
    }

    /// Refuses to remove a type whose entities a step splits: they are not looked at any more.
    private func checkRemoval(of type: String, _ steps: [ResolvedStep]) throws(StoreError) {
        for step in steps {
            if case .split = step.action {
                throw step.failure(MigrationError.splitAndRemoved(type))
            }
        }
    }

    /// Refuses to narrow both sides of one relation: which link stays on one side may be cut on the other.
    private func checkNarrowing(
        of definition: TypeDefinition, _ steps: [ResolvedStep], _ merge: CatalogMerge,
        _ plan: MovePlan
    ) throws(StoreError) {
        for step in steps {
            guard case .narrow(let name, _) = step.action, let member = step.member,
                let former = definition.relation(named: member.before)
            else { continue }
            guard merge.successors[definition.number] == nil,
                merge.successors[former.target] == nil
            else { throw step.failure(MigrationError.narrowsNewIDs(name)) }
            guard !former.isToMany || !plan.joins(by: former, of: definition.number) else {
                throw step.failure(MigrationError.narrowsJoined(name))
            }
            guard
                let number = merge.demands[definition.number]?.narrowed[former.number],
                let new = merge.definitions.first(where: { $0.number == definition.number })?
                    .relations.first(where: { $0.number == number }),
                let inverse = new.inverse,
                merge.demands[new.target]?.narrowed.values.contains(inverse) == true
            else { continue }
            throw .migration(
                MigrationFailure(
                    step.migration, type: definition.name, MigrationError.narrowsBothSides(name)))
        }
    }

    private func define(
        _ definitions: [TypeDefinition], in transaction: StateTransaction,
        _ encoder: inout TransactionEncoder
    ) throws(StoreError) {
        do {
            for definition in definitions { try encoder.define(definition) }
            try transaction.define(definitions, in: header.id)
        } catch ReplayError.definition(_, let error) {
            throw .migration(MigrationFailure("\(pending[0].id)", error))
        } catch {
            throw .migration(MigrationFailure("\(pending[0].id)", error))
        }
    }

    /// Removes every entity of a type for good.
    private func clear(_ type: TypeNumber, in draft: StateDraft) throws(StoreError) -> Int {
        let table = Int(type.rawValue) - 1
        var count = 0
        for slot in 0..<UInt32(truncatingIfNeeded: state.counts(of: type).slots) {
            let place = EntityPlace(table: table, slot: slot)
            guard draft.presence(of: place).hasRow else { continue }
            do throws(CodecError) {
                try draft.clear(place, as: .goes)
            } catch {
                throw draft.unreadableRow(at: place, error)
            }
            count += 1
        }
        return count
    }
}

extension CatalogMerge {
    /// The newest definition of each type.
    fileprivate func definitions(over former: Catalog) -> [TypeDefinition] {
        let new = Set(definitions.map(\.number))
        return former.definitions.filter { !new.contains($0.number) } + definitions
    }
}

extension MigrationRun.Outcome {
    /// Logs the transaction, makes it safe from a power cut, and visible to other processes.
    func append(to log: Log) throws(LogError) {
        try payload.withReader { reader throws(LogError) in
            try log.append(
                sequence: LogSequence(header.id.rawValue), time: header.time.microseconds,
                payload: reader.rest)
        }
        try log.sync()
        try log.seal()
    }
}
