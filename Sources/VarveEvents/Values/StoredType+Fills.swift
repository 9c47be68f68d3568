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
        // What documents lack is known only when they are read: any member.
        case (.json, _): self
        case (.raw(_, let raw), _): mappingFields(raw)
        case (_, .raw(let name, let raw)): .raw(name, raw.mappingFields(former))
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
        default: self
        }
    }
}

extension StoredType.Field {
    fileprivate func succeeding(_ formerFields: [StoredType.Field]) -> StoredType.Field {
        guard let former = formerFields.first(where: { $0.name == name }) else {
            return StoredType.Field(name, type.withoutFills, fill: fill)
        }
        let newType = type.succeeding(former.type)
        return StoredType.Field(name, newType, fill: former.fill?.carried(former.type, newType))
    }
}

extension MemberFill {
    /// The value in another type; nil where that has none.
    fileprivate func carried(_ former: StoredType, _ type: StoredType) -> MemberFill? {
        guard let carried = try? Transcoder(from: former, to: type).transcode(bytes) else {
            return nil
        }
        return try? MemberFill(carried, of: type)
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

extension StoredType.Case {
    fileprivate func memberLosingFill(in target: StoredType.Case) -> String? {
        zip(payload, target.payload).lazy.compactMap { $0.type.memberLosingFill(in: $1.type) }.first
    }
}

extension StoredType {
    /// A member that values from before it have by its fill, and would lack in another type: JSON has no fills, and what
    /// the fill says may have no form there.
    func memberLosingFill(in target: StoredType) -> String? {
        switch (self, target) {
        case (.json, _): nil
        case (_, .json): filledMember
        case (.raw(_, let raw), _): raw.memberLosingFill(in: target)
        case (_, .raw(_, let raw)): memberLosingFill(in: raw)
        case (.optional(let first), .optional(let second)),
            (.array(let first), .array(let second)), (.set(let first), .set(let second)):
            first.memberLosingFill(in: second)
        case (_, .optional(let wrapped)): memberLosingFill(in: wrapped)
        case (.dictionary(let key, let value), .dictionary(let newKey, let newValue)):
            key.memberLosingFill(in: newKey) ?? value.memberLosingFill(in: newValue)
        case (.structure(_, let fields), .structure(_, let newFields)):
            fields.memberLosingFill(in: newFields)
        case (.enumeration(_, let cases), .enumeration(_, let newCases)):
            cases.lazy.compactMap { old in
                newCases.first { $0.name == old.name }
                    .flatMap { old.memberLosingFill(in: $0) }
            }.first
        default: nil
        }
    }

    fileprivate var filledMember: String? {
        switch self {
        case .optional(let type), .array(let type), .set(let type), .raw(_, let type):
            type.filledMember
        case .dictionary(let key, let value): key.filledMember ?? value.filledMember
        case .structure(_, let fields): fields.filledMember
        case .enumeration(_, let cases): cases.lazy.compactMap(\.payload.filledMember).first
        default: nil
        }
    }
}

extension [StoredType.Field] {
    fileprivate var filledMember: String? {
        lazy.compactMap { $0.fill == nil ? $0.type.filledMember : $0.name }.first
    }

    fileprivate func memberLosingFill(in newFields: [StoredType.Field]) -> String? {
        for old in self {
            guard let new = newFields.first(where: { $0.name == old.name }) else { continue }
            if old.fill != nil, new.fill == nil { return old.name }
            if let member = old.type.memberLosingFill(in: new.type) { return member }
        }
        return nil
    }
}
