internal import VarveEvents

/// What the steps of one transaction of migrations do to entities as a whole: which get other ids, which are made, and which
/// others take the values of.
struct MovePlan {
    struct Split {
        let step: ResolvedStep
        /// Before the migration.
        let source: TypeNumber
        /// Behind the migration.
        let target: TypeNumber
        /// What later steps make of a new entity.
        let rows: RowMigration
        /// Nil where a later step removes the relation.
        let link: RelationDefinition?
        /// Whether the new entity has the relation.
        let isLinkOfPart: Bool
    }

    struct Join {
        let step: ResolvedStep
        /// Before the migration.
        let holder: TypeNumber
        let relation: RelationDefinition
        /// Whether a step removes the related entities anyway.
        let isTargetRemoved: Bool
    }

    /// Types before, with those whose entities have the new ids.
    private(set) var successors: [TypeNumber: TypeNumber] = [:]
    /// Relations to such types, by their holders' types, with those that replace them.
    private(set) var moved: [TypeNumber: [RelationNumber: RelationNumber]] = [:]
    /// The migrations that give the new ids, by the types that have them.
    private(set) var migrations: [TypeNumber: String] = [:]
    /// By the position of the step.
    private(set) var splits: [Int: Split] = [:]
    private(set) var joins: [Int: Join] = [:]
    /// The types before, by their numbers.
    let before: [TypeNumber: TypeDefinition]
    /// The types behind, by their numbers. A state of the past may have relations of later migrations too.
    let after: [TypeNumber: TypeDefinition]

    var isEmpty: Bool { successors.isEmpty && splits.isEmpty && joins.isEmpty }

    /// - Parameters:
    ///   - before: what the log has defined before the migration.
    ///   - after: what it has behind.
    ///   - demands: what entities of a type have to have a value for.
    init(
        _ steps: ResolvedSteps, before: [TypeDefinition], after: [TypeDefinition],
        demands: [TypeNumber: CatalogMerge.Demands]? = nil
    ) throws(StoreError) {
        self.before = Dictionary(before.map { ($0.number, $0) }) { first, _ in first }
        self.after = Dictionary(after.map { ($0.number, $0) }) { first, _ in first }
        guard steps.all.contains(where: { $0.action.movesEntities }) else { return }
        for step in steps.all {
            switch step.action {
            case .newIDs: noteSuccessor(step)
            case .join: try noteJoin(step, steps)
            default: break
            }
        }
        noteMovedRelations(steps)
        for step in steps.all {
            guard case .split(_, let link, _) = step.action else { continue }
            try note(step, link, steps, demands)
        }
    }

    private func type(before name: String) -> TypeDefinition? {
        before.values.first { $0.name == name && !$0.isRetired }
    }

    private func type(after name: String) -> TypeDefinition? {
        after.values.first { $0.name == name && !$0.isRetired }
    }

    private mutating func noteSuccessor(_ step: ResolvedStep) {
        guard let old = type(before: step.type.before),
            let new = type(after: step.type.after), new.number != old.number,
            after[old.number]?.isRetired == true
        else { return }
        successors[old.number] = new.number
        migrations[new.number] = step.migration
    }

    private mutating func noteMovedRelations(_ steps: ResolvedSteps) {
        for holder in before.values where !holder.isRetired && successors[holder.number] == nil {
            for relation in holder.relations {
                guard let target = successors[relation.target] else { continue }
                let name = steps.renames.new(of: relation.name, holder.name)
                guard let new = after[holder.number]?.relation(named: name),
                    new.target == target, new.number != relation.number
                else { continue }
                moved[holder.number, default: [:]][relation.number] = new.number
            }
        }
    }

    private mutating func noteJoin(_ step: ResolvedStep, _ steps: ResolvedSteps) throws(StoreError)
    {
        guard let holder = type(before: step.type.before), let member = step.member else { return }
        guard let relation = holder.relation(named: member.before) else {
            guard !steps.makeLink(step) else {
                throw step.failure(MigrationError.splitAndJoined(member.before))
            }
            return
        }
        joins[step.position] = Join(
            step: step, holder: holder.number, relation: relation,
            isTargetRemoved: before[relation.target].map { steps.remove($0.name) } ?? false)
    }

    private mutating func note(
        _ step: ResolvedStep, _ link: SplitLink, _ steps: ResolvedSteps,
        _ demands: [TypeNumber: CatalogMerge.Demands]?
    ) throws(StoreError) {
        guard let part = step.part, !steps.remove(part.before, behind: step.position),
            let source = type(before: step.type.before)
        else { return }
        guard let target = type(after: part.after) else {
            throw step.failure(MigrationError.noType(part.after))
        }
        let former = type(before: part.before)
        guard !steps.all.contains(where: { reshapes($0, part.before, former, behind: step) }) else {
            throw step.failure(MigrationError.changedAgain(part.after))
        }
        let holder = link.isOfPart ? target : after[successors[source.number] ?? source.number]
        splits[step.position] = Split(
            step: step, source: source.number, target: target.number,
            rows: RowMigration(
                former ?? target, target,
                steps.of(
                    part.before,
                    givingIDs: former.map { successors[$0.number] != nil } ?? true
                ).filter { $0.position > step.position },
                demands.map {
                    .all(former.flatMap { [demands = $0] in demands[$0.number] } ?? .init())
                } ?? .newProperties(keepsRetired: false), madeBy: step.migration),
            link: try relation(of: step, steps, holder, link.isOfPart ? source : target),
            isLinkOfPart: link.isOfPart)
    }

    /// Whether a later step makes or takes entities by those that a split makes, of which it would see none.
    private func reshapes(
        _ later: ResolvedStep, _ part: String, _ former: TypeDefinition?,
        behind split: ResolvedStep
    ) -> Bool {
        guard later.position > split.position else { return false }
        switch later.action {
        case .split: return later.type.before == part
        case .join:
            if later.type.before == part { return true }
            guard later.type.before == split.type.before, let former, let member = later.member
            else { return false }
            let relation = type(before: later.type.before)?.relation(named: member.before)
            return relation?.target == former.number
        default: return false
        }
    }

    /// The relation between the two entities of a split; nil where a step removes it.
    private func relation(
        of step: ResolvedStep, _ steps: ResolvedSteps, _ holder: TypeDefinition?,
        _ other: TypeDefinition
    ) throws(StoreError) -> RelationDefinition? {
        guard let link = step.link, let holder else { return nil }
        let target = successors[other.number] ?? other.number
        if let found = holder.relation(named: link.after), found.target == target { return found }
        let isRemoved = steps.all.contains {
            if case .remove = $0.action, $0.type.after == holder.name {
                $0.member?.after == link.after && $0.position > step.position
            } else {
                false
            }
        }
        if isRemoved { return nil }
        throw step.failure(
            MigrationError.noRelation(link.after, of: holder.name, to: other.name))
    }
}

extension MovePlan {
    /// Whether a step joins by a relation, or by the other side of it.
    func joins(by relation: RelationDefinition, of type: TypeNumber) -> Bool {
        joins.values.contains { join in
            join.holder == type && join.relation.number == relation.number
                || join.holder == relation.target && join.relation.target == type
                    && join.relation.inverse == relation.number
        }
    }

    /// The types whose entities depend on others in this migration, and those that have links to or from them.
    ///
    /// - Parameter recorded: what the log says of steps that are not known.
    func affected(with recorded: RecordedMoves) -> Set<TypeNumber> {
        let moved = RecordedMoves(self).types.union(recorded.types)
        var types = moved
        for type in Array(before.values) + after.values {
            if moved.contains(type.number) { types.formUnion(type.relations.map(\.target)) }
            if type.relations.contains(where: { moved.contains($0.target) }) {
                types.insert(type.number)
            }
        }
        return types
    }
}

extension MigrationStep.Action {
    /// Whether the step makes entities, takes some, or gives them other ids.
    var movesEntities: Bool {
        switch self {
        case .split, .join, .newIDs: true
        default: false
        }
    }
}

extension ResolvedSteps {
    /// Whether a step removes a type, by its name before, behind another step.
    fileprivate func remove(_ type: String, behind position: Int = -1) -> Bool {
        all.contains {
            if case .removeType = $0.action {
                $0.type.before == type && $0.position > position
            } else {
                false
            }
        }
    }

    /// Whether a split before a step makes the links that it joins by.
    fileprivate func makeLink(_ join: ResolvedStep) -> Bool {
        all.prefix(join.position).contains { step in
            guard case .split(_, let link, _) = step.action, !link.isOfPart else { return false }
            return step.type.before == join.type.before && step.link?.before == join.member?.before
        }
    }
}

extension ResolvedStep {
    func failure(id: String? = nil, _ error: any Error) -> StoreError {
        .migration(MigrationFailure(migration, type: type.after, id: id, error))
    }
}
