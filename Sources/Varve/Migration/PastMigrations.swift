internal import VarveEvents

/// The migrations that a log has behind it, to read through them what was written before.
///
/// What a row of then shows: a property that there was already has its value of then, and one that a migration has
/// made since has the value that its steps make of that row.
struct PastMigrations: Sendable {
    /// One transaction of migrations.
    struct Passage: Sendable {
        let transaction: TransactionID
        let steps: ResolvedSteps
        let names: [String]
        /// The first of its migrations that the store was opened without.
        let missing: String?
        /// What the log says of what it did to entities as a whole, where steps are not known.
        var recorded = RecordedMoves()

        /// What it did to entities as a whole.
        func plan(_ catalog: Catalog) throws(StoreError) -> MovePlan {
            let before = TransactionID(transaction.rawValue - 1)
            func all(after transaction: TransactionID) -> [TypeDefinition] {
                catalog.definitions.compactMap {
                    catalog.definition(of: $0.number, after: transaction)
                }
            }
            do throws(StoreError) {
                return try MovePlan(
                    steps, before: all(after: before), after: all(after: transaction))
            } catch {
                guard case .migration(let failure) = error else { throw error }
                throw barrier(.failed(failure))
            }
        }

        /// What it did to entities by steps that are not known.
        func missingMoves(_ catalog: Catalog) throws(StoreError) -> RecordedMoves {
            guard !recorded.isEmpty else { return recorded }
            return recorded.subtracting(RecordedMoves(try plan(catalog)))
        }

        /// A step that lacks something, where another migration of the transaction is not known, may lack what that one
        /// would have made: then this is what to give. Whatever else a step throws is its own.
        func barrier(_ reason: MigrationBarrier.Reason, _ name: String? = nil) -> StoreError {
            if case .failed(let failure) = reason, let missing,
                (failure.error as? MigrationError)?.lacksSomething == true
            {
                return barrier(.notGiven, missing)
            }
            return .acrossMigration(
                MigrationBarrier(
                    migration: name ?? names.joined(separator: ", "), transaction: transaction,
                    reason: reason))
        }
    }

    /// Oldest first.
    private(set) var passages: [Passage]
    let catalog: Catalog

    /// - Parameter given: what the store was opened with.
    init(_ given: [Migration], behind timeline: Timeline, _ catalog: Catalog) {
        let byID = Dictionary(given.map { ($0.id, $0) }) { first, _ in first }
        var ids: [TransactionID: [MigrationID]] = [:]
        // What the first transaction of a log says was not needed.
        for performed in timeline.migrations where performed.transaction > 1 {
            ids[performed.transaction, default: []].append(performed.id)
        }
        self.catalog = catalog
        passages = ids.sorted { $0.key < $1.key }.map { transaction, ids in
            Passage(
                transaction: transaction, steps: ResolvedSteps(ids.compactMap { byID[$0] }),
                names: ids.map(\.description),
                missing: ids.first { byID[$0] == nil }?.description)
        }
    }

    /// Reads what the log says of migrations whose steps are not known.
    ///
    /// - Parameter record: what a transaction says of entities; nil where it says nothing, or is not in the log any more.
    mutating func readMoves(_ record: (TransactionID) throws -> String?) rethrows {
        for index in passages.indices where passages[index].missing != nil {
            guard let text = try record(passages[index].transaction) else { continue }
            passages[index].recorded = RecordedMoves(text)
        }
    }

    /// The newest transaction of migrations; 0 for none.
    var newest: TransactionID { passages.last?.transaction ?? 0 }

    /// The oldest transaction of migrations behind another; nil where there is none. What was written before it, and
    /// behind the one before, goes through the same migrations.
    func oldest(behind transaction: TransactionID) -> TransactionID? {
        passages.first { $0.transaction > transaction }?.transaction
    }

    /// The error for a transaction of migrations that was to be reverted; nil for any other transaction.
    func refusal(of transaction: TransactionID) -> StoreError? {
        passages.first { $0.transaction == transaction }?.barrier(.isMigration)
    }

    /// The types that migrations behind a transaction have defined anew, of those that there were.
    func types(behind transaction: TransactionID) -> [TypeNumber] {
        catalog.definitions.map(\.number).filter { type in
            passages.contains { passage in
                passage.transaction > transaction && changes(of: type, in: passage) != nil
            } && catalog.definition(of: type, after: transaction) != nil
        }
    }

    /// The definitions of a type before and behind a transaction of migrations, where they differ.
    func changes(
        of type: TypeNumber, in passage: Passage
    ) -> (before: TypeDefinition, after: TypeDefinition)? {
        guard let after = catalog.definition(of: type, after: passage.transaction),
            let before = catalog.definition(
                of: type, after: TransactionID(passage.transaction.rawValue - 1)),
            before != after
        else { return nil }
        return (before, after)
    }

    /// What makes rows of a type, as they were behind a transaction, rows of now; nil where no migration has changed
    /// the type since.
    ///
    /// - Parameters:
    ///   - definition: that of the rows.
    ///   - keepsRetired: whether properties that another replaced keep their value of then.
    func rows(
        of definition: TypeDefinition, behind transaction: TransactionID, keepsRetired: Bool
    ) throws(StoreError) -> PastRows? {
        var stages: [PastRows.Stage] = []
        var newest = definition
        for passage in passages where passage.transaction > transaction {
            if let stage = try stage(of: newest.number, in: passage, keepsRetired: keepsRetired) {
                stages.append(stage)
                newest = catalog.definition(of: stage.rows.target.number) ?? newest
            }
        }
        return try stages.isEmpty ? nil : PastRows(stages, from: definition, to: newest)
    }

    /// What one transaction of migrations makes of the rows of a type, which may be rows of the one whose ids its entities
    /// get; nil where it does not change the type.
    func stage(
        of type: TypeNumber, in passage: Passage, keepsRetired: Bool
    ) throws(StoreError) -> PastRows.Stage? {
        guard let (before, after) = changes(of: type, in: passage) else { return nil }
        try check(passage, before, after)
        var target = after
        if after.isRetired, let successor = try passage.plan(catalog).successors[type] {
            target = catalog.definition(of: successor, after: passage.transaction) ?? after
        }
        let rows = RowMigration(
            before, target,
            passage.steps.of(before.name, givingIDs: target.number != before.number),
            .newProperties(keepsRetired: keepsRetired))
        return PastRows.Stage(rows: rows, barrier: { reason in passage.barrier(reason) })
    }

    /// The relations that became to-one behind a transaction, in the order in which they did.
    func narrowings(behind transaction: TransactionID) -> [Narrowing] {
        passages.filter { $0.transaction > transaction }.flatMap { narrowings(in: $0) }
    }

    func narrowings(in passage: Passage) -> [Narrowing] {
        passage.steps.all.compactMap { step in
            guard case .narrow(_, let choice) = step.action, let member = step.member,
                let type = catalog.revisions.last(where: {
                    $0.since < passage.transaction && $0.definition.name == step.type.before
                })?.definition.number,
                let (before, after) = changes(of: type, in: passage),
                let from = before.relation(named: member.before), from.isToMany,
                let to = after.relation(named: member.after), to.number != from.number
            else { return nil }
            return Narrowing(
                type: type, from: from.number, to: to.number, inverse: to.inverse, choice: choice)
        }
    }

    /// Refuses a way through migrations whose steps are not known, where their values are needed.
    private func check(
        _ passage: Passage, _ before: TypeDefinition, _ after: TypeDefinition
    ) throws(StoreError) {
        guard let missing = passage.missing else { return }
        let fields = Set(before.fields.map(\.number))
        let relations = Set(before.relations.map(\.number))
        let needsSteps =
            after.fields.contains { !fields.contains($0.number) }
            || after.relations.contains {
                !relations.contains($0.number) && (!$0.isToMany || isNew($0.target, in: passage))
            }
            || after.relations.contains { isKeptForThePast($0, since: before) }
            || after.isRetired
                && (!after.relations.isEmpty || passage.recorded.givesIDs(to: before.number))
        if needsSteps { throw passage.barrier(.notGiven, missing) }
    }

    private func isNew(_ type: TypeNumber, in passage: Passage) -> Bool {
        catalog.revisions(of: type).first?.since == passage.transaction
    }

    private func isKeptForThePast(
        _ relation: RelationDefinition, since before: TypeDefinition
    ) -> Bool {
        FieldDefinition.isRetired(relation.name, relation.number.rawValue)
            && before.relations.contains {
                $0.number == relation.number
                    && !FieldDefinition.isRetired($0.name, $0.number.rawValue)
            }
    }
}

extension MigrationError {
    /// Whether something is not there that another step can make.
    fileprivate var lacksSomething: Bool {
        switch self {
        case .noProperty, .missingValue, .noType, .noRelation: true
        default: false
        }
    }
}
