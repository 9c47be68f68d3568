extension Catalog {
    /// A name of a type, or of one of its properties and relations.
    package struct FormerName: Hashable, Sendable {
        package let type: String
        package let member: String?
    }

    /// The declared names that nothing has any more, and that something had before: a migration renamed or removed it.
    package func formerNames(in declared: [DeclaredType]) -> [FormerName] {
        let formerTypes = Set(revisions.map(\.definition.name))
        return declared.flatMap { type -> [FormerName] in
            guard let known = definition(named: type.name) else {
                guard formerTypes.contains(type.name) else { return [] }
                return [FormerName(type: type.name, member: nil)]
            }
            let former = Set(revisions(of: known.number).flatMap(\.definition.memberNames))
                .subtracting(known.memberNames)
            let names = type.fields.map(\.name) + type.relations.map(\.name)
            return names.filter(former.contains).map { FormerName(type: type.name, member: $0) }
        }
    }
}

extension TypeDefinition {
    fileprivate var memberNames: [String] { fields.map(\.name) + relations.map(\.name) }
}
