// Types whose entities get other ids: another type takes the name, and relations lead to that.
extension Catalog {
    /// The types that a migration gives other ids. It takes one that the app declares: the others have no new type of ids.
    func replacedTypes(_ changes: DeclaredChanges, _ declared: [DeclaredType]) -> Set<TypeNumber> {
        let names = declared.map(\.name).filter {
            changes.types[$0]?.hasNewIDs == true && !changes.removedTypes.contains($0)
        }
        return Set(names.compactMap { definition(named: $0)?.number })
    }

    /// The types of tombstones of types that have successors.
    func replacedTombstones(_ successors: [TypeNumber: TypeNumber]) -> Set<TypeNumber> {
        Set(
            definitions.filter { $0.tombstoneOf.map { successors[$0] != nil } ?? false }
                .map(\.number))
    }

    /// Lets relations of types that the app does not declare follow, and all that name relations as their other sides.
    func follow(_ newest: inout [TypeNumber: TypeDefinition], _ merge: inout CatalogMerge) {
        guard !merge.successors.isEmpty else { return }
        let resolved = Set(merge.resolved.map(\.number))
        for (number, definition) in newest
        where !resolved.contains(number) && merge.successors[number] == nil {
            newest[number] = following(definition, &merge)
        }
        for (number, definition) in newest {
            var changed = definition
            for index in changed.relations.indices {
                let relation = changed.relations[index]
                guard let inverse = relation.inverse else { continue }
                let target = merge.former(of: relation.target)
                changed.relations[index].inverse = merge.moved[target]?[inverse] ?? inverse
            }
            newest[number] = changed
        }
    }

    private func following(
        _ definition: TypeDefinition, _ merge: inout CatalogMerge
    ) -> TypeDefinition {
        let all = revisions(of: definition.number).flatMap { $0.definition.relations }
        var next = (all.map(\.number.rawValue).max() ?? 0) + 1
        var changed = definition
        changed.relations = []
        for old in definition.relations {
            changed.relations += merge.following(
                old, of: definition.number, &next, among: definition.relations)
        }
        return changed
    }
}

extension CatalogMerge {
    /// The type that a successor takes the name of; any other type itself.
    func former(of type: TypeNumber) -> TypeNumber {
        successors.first { $0.value == type }?.key ?? type
    }

    /// Whether another relation replaces this one because its targets get other ids. A holder that gets some itself is
    /// another type, whose relations begin anew.
    func moves(_ relation: RelationDefinition, of holder: TypeNumber) -> Bool {
        successors[relation.target] != nil && successors[holder] == nil
            && !FieldDefinition.isRetired(relation.name, relation.number.rawValue)
    }

    /// What becomes of a relation that the app does not declare: it may be replaced, and a successor has it anew.
    ///
    /// - Parameter holder: the type that the log has it of.
    mutating func following(
        _ old: RelationDefinition, of holder: TypeNumber, _ next: inout UInt32,
        among others: [RelationDefinition]
    ) -> [RelationDefinition] {
        var new = old
        new.target = successors[old.target] ?? old.target
        guard successors[holder] == nil else {
            return FieldDefinition.isRetired(old.name, old.number.rawValue) ? [] : [new]
        }
        guard moves(old, of: holder) else { return [old] }
        new.number = RelationNumber(next)
        next += 1
        moved[holder, default: [:]][old.number] = new.number
        return [new, old.retired(among: others)]
    }

    func checkChange(
        of type: String, from old: RelationDefinition, to new: RelationDefinition
    ) throws(CatalogError) {
        var old = old
        old.target = successors[old.target] ?? old.target
        try Catalog.checkChange(of: type, from: old, to: new)
    }
}

extension RelationDefinition {
    /// The relation as one that another replaces, or that is kept for the past alone.
    func retired(among others: [RelationDefinition]) -> RelationDefinition {
        var retired = self
        retired.name = Catalog.retiredName(of: name, number.rawValue, Set(others.map(\.name)))
        (retired.inverse, retired.deleteRule) = (nil, .nullify)
        return retired
    }
}

extension TypeDefinition {
    /// Another type takes the name. Rows and links stay for the past.
    mutating func retire() {
        name = "\(name)#\(number)"
        for index in relations.indices {
            (relations[index].inverse, relations[index].deleteRule) = (nil, .nullify)
        }
    }
}
