internal import VarveEvents

/// A step with the names that its type and its property have before the first step and behind the last.
struct ResolvedStep: Sendable {
    struct Names: Sendable {
        let before: String
        let after: String
    }

    let migration: String
    let action: MigrationStep.Action
    /// Among all steps that are performed together.
    let position: Int
    let type: Names
    /// Nil where the step is not about one property or relation, and where the log has none of that name.
    let member: Names?
    /// The type that entities of this one are split into.
    var part: Names?
    /// The relation that leads from one of the two types to the other.
    var link: Names?
}

/// The steps of migrations that are performed together. A rename among them changes what others call a type or a
/// property.
struct ResolvedSteps: Sendable {
    let all: [ResolvedStep]
    let renames: DeclaredChanges.Renames

    init(_ migrations: [Migration]) {
        var renames = DeclaredChanges.Renames()
        var found: [Found] = []
        for migration in migrations {
            for step in migration.steps {
                // A name that was given up before, and that the log gives to nothing else.
                guard let type = renames.formerType(of: step.type) else { continue }
                let member = step.action.member.flatMap { renames.former(of: $0, type) }
                var one = Found(
                    migration: "\(migration.id)", action: step.action, type: type, member: member)
                if case .split(let part, let link, _) = step.action {
                    // Names that the log may not have yet.
                    one.part = renames.formerType(of: part) ?? part
                    one.linkHolder = link.isOfPart ? one.part : type
                    one.link = one.linkHolder.flatMap { renames.former(of: link.name, $0) }
                }
                found.append(one)
                switch step.action {
                case .renameType(let new): renames.rename(type: type, to: new)
                case .rename(_, let new):
                    if let member { renames.rename(member, of: type, to: new) }
                default: break
                }
            }
        }
        self.renames = renames
        all = found.enumerated().map { [renames] position, step in
            ResolvedStep(
                migration: step.migration, action: step.action, position: position,
                type: renames.names(of: step.type),
                member: step.member.map { renames.names(of: $0, step.type) },
                part: step.part.map { renames.names(of: $0) },
                link: step.link.flatMap { link in
                    step.linkHolder.map { renames.names(of: link, $0) }
                })
        }
    }

    /// A step with the names before the first step.
    private struct Found {
        let migration: String
        let action: MigrationStep.Action
        let type: String
        let member: String?
        var part: String?
        var linkHolder: String?
        var link: String?
    }

    /// The steps about a type, by its name before.
    func of(_ type: String) -> [ResolvedStep] { all.filter { $0.type.before == type } }

    /// The steps about a type, by its name before.
    ///
    /// - Parameter givingIDs: false where its entities keep their ids, because the app does not name it: nothing
    ///   becomes of such steps.
    func of(_ type: String, givingIDs: Bool) -> [ResolvedStep] {
        let steps = of(type)
        guard !givingIDs else { return steps }
        return steps.filter { step in
            if case .newIDs = step.action { false } else { true }
        }
    }

    /// What the steps say about the types, by their names behind.
    var changes: DeclaredChanges {
        var changes = DeclaredChanges()
        changes.renames = renames
        for step in all {
            var type = changes.types[step.type.after] ?? DeclaredChanges.OfType()
            let members = step.member.map { [$0.after] } ?? []
            switch step.action {
            case .rows, .rename, .renameType, .removeCase, .split: break
            case .join: type.joined.formUnion(members)
            case .newIDs: type.hasNewIDs = true
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
        case .rows, .removeType, .renameType, .split, .newIDs: nil
        case .convert(let name, _), .remove(let name), .rename(let name, _), .narrow(let name, _),
            .removeCase(let name, _), .join(let name, _):
            name
        }
    }
}

extension SplitLink {
    fileprivate var name: String {
        switch self {
        case .relation(let name), .inverse(let name): name
        }
    }

    /// Whether the new entity has the relation.
    var isOfPart: Bool {
        if case .inverse = self { true } else { false }
    }
}

extension DeclaredChanges.Renames {
    fileprivate func names(of type: String) -> ResolvedStep.Names {
        ResolvedStep.Names(before: type, after: newType(of: type))
    }

    fileprivate func names(of member: String, _ type: String) -> ResolvedStep.Names {
        ResolvedStep.Names(before: member, after: new(of: member, type))
    }
}
