/// What becomes of a catalog when an app declares its types.
package struct CatalogMerge: Sendable {
    /// What must be logged before the app's rows are, in order of type numbers: new types and new
    /// revisions. Empty if the log knows all. Not to be logged when there are errors.
    package var definitions: [TypeDefinition] = []
    /// The definition of each declared type, in the order of declaration. The app's fields come
    /// first, in its order, then those it does not know; relations likewise.
    package var resolved: [TypeDefinition] = []
    package var errors: [CatalogError] = []
    /// What a migration has to give, by type.
    package var demands: [TypeNumber: Demands] = [:]
    /// Types whose entities get other ids, with those that have them from then on.
    package var successors: [TypeNumber: TypeNumber] = [:]
    /// Relations to such types, by their holders' types, with those that replace them.
    package var moved: [TypeNumber: [RelationNumber: RelationNumber]] = [:]

    package init() {}
}

extension Catalog {
    /// Matches the app's types with the log's, by name.
    ///
    /// - Parameter changes: what the app declares beside its types, for a migration.
    package func merging(
        declared: [DeclaredType], _ changes: DeclaredChanges = DeclaredChanges()
    ) -> CatalogMerge {
        guard !changes.renames.isEmpty else { return merging(declared, changes, over: self) }
        do throws(CatalogError) {
            return try renamed(changes.renames).merging(declared, changes, over: self)
        } catch {
            var merge = CatalogMerge()
            merge.errors = [error]
            return merge
        }
    }

    /// - Parameter former: the catalog as the log has it; this one may have other names.
    private func merging(
        _ declared: [DeclaredType], _ changes: DeclaredChanges, over former: Catalog
    ) -> CatalogMerge {
        var merge = CatalogMerge()
        let numbers = assignNumbers(to: declared, changes, in: &merge)
        for type in declared {
            merge.resolved.append(resolve(type, numbers: numbers, changes, in: &merge))
        }
        resolveInverses(of: declared, in: &merge)
        if !changes.types.isEmpty || !changes.removedTypes.isEmpty || !changes.renames.isEmpty {
            remove(changes, in: &merge, over: former)
            return merge
        }
        merge.definitions =
            merge.resolved
            .filter { definition(of: $0.number) != $0 }
            .sorted { $0.number < $1.number }
        return merge
    }

    private func assignNumbers(
        to declared: [DeclaredType], _ changes: DeclaredChanges, in merge: inout CatalogMerge
    ) -> [String: TypeNumber] {
        var numbers: [String: TypeNumber] = [:]
        let removed = removedNumbers(changes)
        let replaced = replacedTypes(changes, declared)
        for definition in definitions where !removed.contains(definition.number) {
            let base = definition.tombstoneOf ?? definition.number
            if !replaced.contains(base) { numbers[definition.name] = definition.number }
        }
        var next = UInt32(truncatingIfNeeded: definitions.count) + 1
        var declaredNames: Set<String> = []
        for type in declared {
            guard declaredNames.insert(type.name).inserted else {
                merge.errors.append(.duplicateTypeName(type: type.name))
                continue
            }
            guard numbers[type.name] == nil else { continue }
            numbers[type.name] = TypeNumber(next)
            if let former = definition(named: type.name)?.number, replaced.contains(former) {
                merge.successors[former] = TypeNumber(next)
            }
            next += 1
        }
        return numbers
    }

    private func resolve(
        _ declared: DeclaredType, numbers: [String: TypeNumber], _ changes: DeclaredChanges,
        in merge: inout CatalogMerge
    ) -> TypeDefinition {
        let number = numbers[declared.name] ?? TypeNumber(0)
        let known = definition(of: merge.former(of: number))
        let change = changes.types[declared.name]
        if declared.idType.holdsAssets {
            merge.errors.append(.assetInID(type: declared.name, idType: declared.idType))
        } else if let known, known.number == number, known.idType != declared.idType {
            merge.errors.append(
                .idTypeChanged(type: declared.name, from: known.idType, to: declared.idType))
        }
        var tombstoneOf: TypeNumber?
        if let base = declared.tombstoneOf {
            tombstoneOf = numbers[base]
            if tombstoneOf == nil {
                merge.errors.append(
                    .targetNotDeclared(type: declared.name, property: "tombstoneOf", target: base))
            }
        }
        var demands = CatalogMerge.Demands()
        defer { if change != nil, let known { merge.demands[known.number] = demands } }
        return TypeDefinition(
            // Ids never change: no definition of one follows another.
            number: number, name: declared.name, idType: declared.idType.withoutFills,
            fields: resolveFields(
                of: declared, known: known, change, &demands, errors: &merge.errors),
            relations: resolveRelations(
                of: declared, known: known, numbers: numbers, change, &demands, in: &merge),
            tombstoneOf: tombstoneOf,
            // Kept where the app says it no longer: the next app may say it again.
            numbersIDs: declared.numbersIDs
                || known?.number == number && known?.numbersIDs == true)
    }

    // MARK: Relations

    private func resolveRelations(
        of declared: DeclaredType, known: TypeDefinition?, numbers: [String: TypeNumber],
        _ change: DeclaredChanges.OfType?, _ demands: inout CatalogMerge.Demands,
        in merge: inout CatalogMerge
    ) -> [RelationDefinition] {
        let all = known.map { revisions(of: $0.number).flatMap { $0.definition.relations } } ?? []
        var next = (all.map(\.number.rawValue).max() ?? 0) + 1
        var relations: [RelationDefinition] = []
        var names: Set<String> = []
        for relation in declared.relations {
            if !names.insert(relation.name).inserted {
                merge.errors.append(
                    .duplicateMember(type: declared.name, property: relation.name))
            }
            guard let target = numbers[relation.target] else {
                merge.errors.append(
                    .targetNotDeclared(
                        type: declared.name, property: relation.name, target: relation.target))
                continue
            }
            var old = known?.relation(named: relation.name)
            if change?.removed.contains(relation.name) == true { old = nil }
            if let former = old, former.isToMany, !relation.isToMany,
                change?.narrowed.contains(relation.name) == true
            {
                demands.narrowed[former.number] = RelationNumber(next)
                old = nil
            }
            var new = RelationDefinition(
                number: old?.number ?? RelationNumber(next), name: relation.name, target: target,
                isToMany: relation.isToMany, deleteRule: relation.deleteRule,
                isRequired: relation.isRequired)
            do throws(CatalogError) {
                if let old { try merge.checkChange(of: declared.name, from: old, to: new) }
            } catch {
                merge.errors.append(error)
            }
            if let known, let former = old, merge.moves(former, of: known.number) {
                new.number = RelationNumber(next)
                merge.moved[known.number, default: [:]][former.number] = new.number
                old = nil
            }
            if old == nil { next += 1 }
            relations.append(new)
        }
        guard let known else { return relations }
        for old in known.relations {
            let isRemoved = change?.removed.contains(old.name) == true
            let isJoined =
                change?.joined.contains(old.name) == true
                && (isRemoved || !names.contains(old.name))
            if isJoined { demands.joined.insert(old.number) }
            let isReplaced =
                demands.narrowed[old.number] != nil
                || merge.moved[known.number]?[old.number] != nil
            if isReplaced || isJoined {
                relations.append(old.retired(among: relations))
            } else if !names.contains(old.name), !isRemoved {
                relations += merge.following(old, of: known.number, &next, among: relations)
            }
        }
        return relations
    }

    /// Inverses are looked up when all relations have their numbers.
    private func resolveInverses(of declared: [DeclaredType], in merge: inout CatalogMerge) {
        let byNumber = Dictionary(merge.resolved.map { ($0.number, $0) }) { first, _ in first }
        for (index, type) in declared.enumerated() {
            for relation in type.relations {
                guard let name = relation.inverse,
                    let position = merge.resolved[index].relations
                        .firstIndex(where: { $0.name == relation.name })
                else { continue }
                let target = merge.resolved[index].relations[position].target
                let other = byNumber[target] ?? definition(of: target)
                guard let inverse = other?.relation(named: name) else {
                    merge.errors.append(
                        .inverseNotFound(
                            type: type.name, property: relation.name, inverse: name))
                    continue
                }
                merge.resolved[index].relations[position].inverse = inverse.number
            }
        }
    }
}
