// The fields of a declared type.
extension Catalog {
    func resolveFields(
        of declared: DeclaredType, known: TypeDefinition?, _ change: DeclaredChanges.OfType?,
        _ demands: inout CatalogMerge.Demands, errors: inout [CatalogError]
    ) -> [FieldDefinition] {
        let all = known.map { revisions(of: $0.number).flatMap { $0.definition.fields } } ?? []
        var next = (all.map(\.number.rawValue).max() ?? 0) + 1
        var fields: [FieldDefinition] = []
        var names: Set<String> = []
        var replaced: [FieldDefinition] = []
        for field in declared.fields {
            if !names.insert(field.name).inserted {
                errors.append(.duplicateMember(type: declared.name, property: field.name))
            }
            let isRemoved = change?.removed.contains(field.name) == true
            if isRemoved, let old = known?.field(named: field.name) {
                replaced.append(old)
                demands.removed.insert(old.number)
            } else if let old = known?.field(named: field.name) {
                guard let change, change.replaces(old, with: field) else {
                    fields.append(carry(old, to: field, of: declared.name, errors: &errors))
                    continue
                }
                replaced.append(old)
                demands.fields.insert(FieldNumber(next))
            }
            fields.append(
                add(field, as: FieldNumber(next), to: declared, known, change, &demands, &errors))
            next += 1
        }
        for old in known?.fields ?? [] where !names.contains(old.name) {
            guard change?.removed.contains(old.name) == true else {
                fields.append(keep(old, of: declared.name, errors: &errors))
                continue
            }
            replaced.append(old)
            demands.removed.insert(old.number)
        }
        for old in replaced {
            demands.retired.insert(old.number)
            let taken = Set(fields.map(\.name))
            fields.append(
                old.retired(as: Self.retiredName(of: old.name, old.number.rawValue, taken)))
        }
        return fields
    }

    /// A field that the log lacks, or that replaces another.
    private func add(
        _ field: DeclaredField, as number: FieldNumber, to declared: DeclaredType,
        _ known: TypeDefinition?, _ change: DeclaredChanges.OfType?,
        _ demands: inout CatalogMerge.Demands, _ errors: inout [CatalogError]
    ) -> FieldDefinition {
        var fill = field.fill
        let former = known?.likelyFormer(of: field, in: declared, change)
        if known != nil, change != nil, fill == nil {
            demands.fields.insert(number)
            demands.likelyFormer[number] = former
            fill = field.type.neutralBytes
            if fill == nil { demands.withoutFill.insert(number) }
            fill = fill ?? field.type.anyBytes
        } else if known != nil, fill == nil {
            errors.append(
                former.map {
                    .likelyRenamed(type: declared.name, property: field.name, former: $0)
                } ?? .newFieldNeedsDefault(type: declared.name, property: field.name))
        }
        return FieldDefinition(
            number: number, name: field.name, type: field.type.withoutFills, rung: field.rung,
            fill: fill)
    }

    /// A field that both know. The fill stays the one that older rows were given.
    private func carry(
        _ old: FieldDefinition, to declared: DeclaredField, of type: String,
        errors: inout [CatalogError]
    ) -> FieldDefinition {
        var field = old
        field.fill = old.fill ?? declared.fill
        guard old.type != declared.type || old.rung != declared.rung else { return field }
        field.type = declared.type.succeeding(old.type)
        field.rung = declared.rung
        do throws(CatalogError) {
            try Self.checkTypeChange(of: type, from: old, to: field)
            if let member = old.type.memberLosingFill(in: field.type) {
                // Rows of earlier definitions become those of this one, and not by way of the last.
                throw .fieldTypeChanged(
                    type: type, property: field.name, from: old.type, to: field.type,
                    reason: "values from before '\(member)' would lose its default value")
            }
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
}

extension TypeDefinition {
    /// The name of a field that the struct lacks, and no change removes, whose values a new field could hold.
    fileprivate func likelyFormer(
        of field: DeclaredField, in declared: DeclaredType, _ change: DeclaredChanges.OfType?
    ) -> String? {
        guard self.field(named: field.name) == nil else { return nil }
        return fields.first { old in
            !old.isRetired && !declared.fields.contains { $0.name == old.name }
                && change?.removed.contains(old.name) != true
                && old.type.mayBeRenamed(to: field.type)
        }?.name
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
        case .uuid, .url, .asset, .enumeration, .raw, .text, .json: nil
        }
    }
}
