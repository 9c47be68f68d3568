internal import VarveEvents

/// A step with the names that its type and its property have before the first step and behind the last.
struct ResolvedStep: Sendable {
    struct Names: Sendable {
        let before: String
        let after: String
    }

    let migration: String
    let action: MigrationStep.Action
    let type: Names
    /// Nil where the step is not about one property or relation, and where the log has none of that name.
    let member: Names?
}

/// The steps of migrations that are performed together. A rename among them changes what others call a type or a
/// property.
struct ResolvedSteps: Sendable {
    let all: [ResolvedStep]
    let renames: DeclaredChanges.Renames

    init(_ migrations: [Migration]) {
        var renames = DeclaredChanges.Renames()
        var found:
            [(migration: String, action: MigrationStep.Action, type: String, member: String?)] = []
        for migration in migrations {
            for step in migration.steps {
                // A name that was given up before, and that the log gives to nothing else.
                guard let type = renames.formerType(of: step.type) else { continue }
                let member = step.action.member.flatMap { renames.former(of: $0, type) }
                found.append(("\(migration.id)", step.action, type, member))
                switch step.action {
                case .renameType(let new): renames.rename(type: type, to: new)
                case .rename(_, let new):
                    if let member { renames.rename(member, of: type, to: new) }
                default: break
                }
            }
        }
        self.renames = renames
        all = found.map { [renames] step in
            ResolvedStep(
                migration: step.migration, action: step.action,
                type: ResolvedStep.Names(before: step.type, after: renames.newType(of: step.type)),
                member: step.member.map {
                    ResolvedStep.Names(before: $0, after: renames.new(of: $0, step.type))
                })
        }
    }

    /// The steps about a type, by its name before.
    func of(_ type: String) -> [ResolvedStep] { all.filter { $0.type.before == type } }

    /// What the steps say about the types, by their names behind.
    var changes: DeclaredChanges {
        var changes = DeclaredChanges()
        changes.renames = renames
        for step in all {
            var type = changes.types[step.type.after] ?? DeclaredChanges.OfType()
            let members = step.member.map { [$0.after] } ?? []
            switch step.action {
            case .rows, .rename, .renameType, .removeCase: break
            case .convert: type.converted.formUnion(members)
            case .remove: type.removed.formUnion(members)
            case .narrow: type.narrowed.formUnion(members)
            case .removeType:
                changes.removedTypes.insert(step.type.after)
                continue
            }
            changes.types[step.type.after] = type
        }
        return changes
    }
}

extension MigrationStep.Action {
    /// The property or relation that it is about, as the step calls it.
    fileprivate var member: String? {
        switch self {
        case .rows, .removeType, .renameType: nil
        case .convert(let name, _), .remove(let name), .rename(let name, _), .narrow(let name, _),
            .removeCase(let name, _):
            name
        }
    }
}
