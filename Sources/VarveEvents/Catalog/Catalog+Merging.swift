/// What becomes of a catalog when an app declares its types.
package struct CatalogMerge: Sendable {
    /// What must be logged before the app's rows are, in order of type numbers: new types and new
    /// revisions. Empty if the log knows all. Not to be logged when there are errors.
    package var definitions: [TypeDefinition] = []
    /// The definition of each declared type, in the order of declaration. The app's fields come
    /// first, in its order, then those it does not know; relations likewise.
    package var resolved: [TypeDefinition] = []
    package var errors: [CatalogError] = []
}

extension Catalog {
    /// Matches the app's types with the log's, by name.
    package func merging(declared: [DeclaredType]) -> CatalogMerge {
        var merge = CatalogMerge()
        let numbers = assignNumbers(to: declared, errors: &merge.errors)
        merge.resolved = declared.map { type in
            resolve(type, numbers: numbers, errors: &merge.errors)
        }
        resolveInverses(of: declared, in: &merge)
        merge.definitions =
            merge.resolved
            .filter { definition(of: $0.number) != $0 }
            .sorted { $0.number < $1.number }
        return merge
    }

    private func assignNumbers(
        to declared: [DeclaredType], errors: inout [CatalogError]
    ) -> [String: TypeNumber] {
        var numbers: [String: TypeNumber] = [:]
        for definition in definitions { numbers[definition.name] = definition.number }
        var next = UInt32(truncatingIfNeeded: numbers.count) + 1
        var declaredNames: Set<String> = []
        for type in declared {
            guard declaredNames.insert(type.name).inserted else {
                errors.append(.duplicateTypeName(type: type.name))
                continue
            }
            guard numbers[type.name] == nil else { continue }
            numbers[type.name] = TypeNumber(next)
            next += 1
        }
        return numbers
    }

    private func resolve(
        _ declared: DeclaredType, numbers: [String: TypeNumber], errors: inout [CatalogError]
    ) -> TypeDefinition {
        let known = definition(named: declared.name)
        if let known, known.idType != declared.idType {
            errors.append(
                .idTypeChanged(type: declared.name, from: known.idType, to: declared.idType))
        }
        var tombstoneOf: TypeNumber?
        if let base = declared.tombstoneOf {
            tombstoneOf = numbers[base]
            if tombstoneOf == nil {
                errors.append(
                    .targetNotDeclared(type: declared.name, property: "tombstoneOf", target: base))
            }
        }
        return TypeDefinition(
            number: numbers[declared.name] ?? TypeNumber(0), name: declared.name,
            idType: declared.idType,
            fields: resolveFields(of: declared, known: known, errors: &errors),
            relations: resolveRelations(
                of: declared, known: known, numbers: numbers, errors: &errors),
            tombstoneOf: tombstoneOf)
    }

    // MARK: Fields

    private func resolveFields(
        of declared: DeclaredType, known: TypeDefinition?, errors: inout [CatalogError]
    ) -> [FieldDefinition] {
        let all = known.map { revisions(of: $0.number).flatMap { $0.definition.fields } } ?? []
        var next = (all.map(\.number.rawValue).max() ?? 0) + 1
        var fields: [FieldDefinition] = []
        var names: Set<String> = []
        for field in declared.fields {
            if !names.insert(field.name).inserted {
                errors.append(.duplicateMember(type: declared.name, property: field.name))
            }
            if let old = known?.field(named: field.name) {
                fields.append(carry(old, to: field, of: declared.name, errors: &errors))
                continue
            }
            if let known, field.fill == nil {
                let former = known.fields.first { old in
                    !declared.fields.contains { $0.name == old.name }
                        && old.type.mayBeRenamed(to: field.type)
                }
                errors.append(
                    former.map {
                        .likelyRenamed(
                            type: declared.name, property: field.name, former: $0.name)
                    } ?? .newFieldNeedsDefault(type: declared.name, property: field.name))
            }
            fields.append(
                FieldDefinition(
                    number: FieldNumber(next), name: field.name, type: field.type,
                    rung: field.rung, fill: field.fill))
            next += 1
        }
        for old in known?.fields ?? [] where !names.contains(old.name) {
            fields.append(keep(old, of: declared.name, errors: &errors))
        }
        return fields
    }

    /// A field that both know. The fill stays the one that older rows were given.
    private func carry(
        _ old: FieldDefinition, to declared: DeclaredField, of type: String,
        errors: inout [CatalogError]
    ) -> FieldDefinition {
        var field = old
        field.fill = old.fill ?? declared.fill
        guard old.type != declared.type || old.rung != declared.rung else { return field }
        field.type = declared.type
        field.rung = declared.rung
        do throws(CatalogError) {
            try Self.checkTypeChange(of: type, from: old, to: field)
        } catch {
            errors.append(error)
            return field
        }
        if let fill = old.fill {
            do throws(CodecError) {
                field.fill = try Transcoder(from: old.type, to: field.type).transcode(fill)
            } catch {
                field.fill = declared.fill
            }
        }
        return field
    }

    /// A field that the struct lacks: kept, and filled in entities that the app inserts.
    private func keep(
        _ old: FieldDefinition, of type: String, errors: inout [CatalogError]
    ) -> FieldDefinition {
        var field = old
        guard field.fill == nil else { return field }
        field.fill = old.type.neutralBytes
        if field.fill == nil {
            errors.append(.requiredFieldMissing(type: type, property: old.name))
        }
        return field
    }

    // MARK: Relations

    private func resolveRelations(
        of declared: DeclaredType, known: TypeDefinition?, numbers: [String: TypeNumber],
        errors: inout [CatalogError]
    ) -> [RelationDefinition] {
        let all = known.map { revisions(of: $0.number).flatMap { $0.definition.relations } } ?? []
        var next = (all.map(\.number.rawValue).max() ?? 0) + 1
        var relations: [RelationDefinition] = []
        var names: Set<String> = []
        for relation in declared.relations {
            if !names.insert(relation.name).inserted {
                errors.append(.duplicateMember(type: declared.name, property: relation.name))
            }
            guard let target = numbers[relation.target] else {
                errors.append(
                    .targetNotDeclared(
                        type: declared.name, property: relation.name, target: relation.target))
                continue
            }
            let old = known?.relation(named: relation.name)
            let new = RelationDefinition(
                number: old?.number ?? RelationNumber(next), name: relation.name, target: target,
                isToMany: relation.isToMany, deleteRule: relation.deleteRule,
                isRequired: relation.isRequired)
            if old == nil { next += 1 }
            do throws(CatalogError) {
                if let old { try Self.checkChange(of: declared.name, from: old, to: new) }
            } catch {
                errors.append(error)
            }
            relations.append(new)
        }
        relations += (known?.relations ?? []).filter { !names.contains($0.name) }
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

extension StoredType {
    /// Whether a field of this type may go on under another name as one of another type.
    package func mayBeRenamed(to type: StoredType) -> Bool {
        // Any type may become JSON, and the other way around: that alone is no sign.
        if case .json = self { return Conversion.haveSameBytes(self, type) }
        if case .json = type { return false }
        return (try? Conversion.check(self, type)) != nil
    }

    /// The bytes of a value that says nothing (0, no text, nil, no elements), for types of which
    /// every such value is valid.
    var neutralBytes: [UInt8]? {
        switch self {
        case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .string,
            .data, .optional, .array, .set, .dictionary:
            [0]
        case .float: [UInt8](repeating: 0, count: 4)
        case .double, .date: [UInt8](repeating: 0, count: 8)
        case .decimal: [1, UInt8(ascii: "0")]
        case .structure(_, let fields):
            fields.reduce([]) { bytes, field in
                guard let bytes, let more = field.type.neutralBytes else { return nil }
                return bytes + more
            }
        case .uuid, .url, .enumeration, .raw, .text, .json: nil
        }
    }
}
