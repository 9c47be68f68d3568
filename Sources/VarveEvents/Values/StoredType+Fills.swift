// The values of members that earlier definitions of a structure lack.

extension StoredType {
    /// The type as the definition of a new field has it: no value lacks a member.
    var withoutFills: StoredType { mappingFields(nil) }

    /// The type as a definition has it that follows one with `former`: members that this has keep their fills, and those
    /// that are new have what the app says.
    func succeeding(_ former: StoredType) -> StoredType { mappingFields(former) }

    /// - Parameter former: nil where there is nothing that has the shape of this type.
    private func mappingFields(_ former: StoredType?) -> StoredType {
        switch (former, self) {
        case (.optional(let first), .optional(let wrapped)):
            .optional(wrapped.mappingFields(first))
        case (_, .optional(let wrapped)): .optional(wrapped.mappingFields(former))
        case (.array(let first), .array(let element)): .array(element.mappingFields(first))
        case (_, .array(let element)): .array(element.withoutFills)
        case (.set(let first), .set(let element)): .set(element.mappingFields(first))
        case (_, .set(let element)): .set(element.withoutFills)
        case (.dictionary(let formerKey, let formerValue), .dictionary(let key, let value)):
            .dictionary(key.mappingFields(formerKey), value.mappingFields(formerValue))
        case (_, .dictionary(let key, let value)):
            .dictionary(key.withoutFills, value.withoutFills)
        case (.structure(_, let formerFields), .structure(let name, let fields)):
            .structure(name, fields.map { $0.succeeding(formerFields) })
        case (_, .structure(let name, let fields)):
            .structure(name, fields.map { Field($0.name, $0.type.withoutFills) })
        case (.enumeration(_, let formerCases), .enumeration(let name, let cases)):
            .enumeration(name, cases.map { $0.succeeding(formerCases) })
        case (_, .enumeration(let name, let cases)):
            .enumeration(name, cases.map { $0.succeeding([]) })
        case (_, .raw(let name, let raw)): .raw(name, raw.withoutFills)
        default: self
        }
    }
}

extension StoredType.Field {
    fileprivate func succeeding(_ formerFields: [StoredType.Field]) -> StoredType.Field {
        guard let former = formerFields.first(where: { $0.name == name }) else {
            return StoredType.Field(name, type.withoutFills, fillBytes: fill)
        }
        let newType = type.succeeding(former.type)
        let carried = former.fill.flatMap { fill in
            try? Transcoder(from: former.type, to: newType).transcode(fill)
        }
        return StoredType.Field(
            name, newType, fillBytes: former.fill == nil ? nil : carried ?? fill)
    }
}

extension StoredType.Case {
    fileprivate func succeeding(_ formerCases: [StoredType.Case]) -> StoredType.Case {
        let former = formerCases.first { $0.name == name && $0.payload.count == payload.count }
        return StoredType.Case(
            name,
            payload.enumerated().map { index, field in
                StoredType.Field(
                    field.name,
                    former.map { field.type.succeeding($0.payload[index].type) }
                        ?? field.type.withoutFills)
            })
    }
}
