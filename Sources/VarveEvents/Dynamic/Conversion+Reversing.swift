extension Conversion {
    /// What ``convert(_:_:_:)`` may have made a value of the target from; nil where nothing is known that it makes
    /// one of. The caller converts it again to be sure.
    static func reverse(
        _ content: StoredContent, _ source: StoredType, _ target: StoredType
    ) -> StoredContent? {
        if haveSameBytes(source, target) { return content }
        switch (source, target, content) {
        case (.optional(let first), .optional(let second), .optional(let value)):
            guard let value else { return .optional(nil) }
            return reverse(value, first, second).map { .optional($0) }
        case (_, .optional(let wrapped), .optional(let value)):
            return value.flatMap { reverse($0, source, wrapped) }
        case (.array(let first), .array(let second), .array(let values)):
            return reverseAll(values, first, second).map { .array($0) }
        case (.set(let first), .set(let second), .set(let values)):
            return reverseAll(values, first, second).map { .set($0) }
        case (
            .dictionary(let key, let value), .dictionary(let newKey, let newValue),
            .dictionary(let entries)
        ):
            return reverseAll(entries, (key, value), (newKey, newValue)).map { .dictionary($0) }
        case (.structure(_, let fields), .structure(_, let newFields), .structure(let members)):
            return reverseFields(members, fields, newFields).map { .structure($0) }
        case (
            .enumeration(_, let cases), .enumeration(_, let newCases),
            .enumeration(let newIndex, let name, let members)
        ):
            guard let index = cases.firstIndex(where: { $0.name == name }) else { return nil }
            let (fields, newFields) = (cases[index].payload, newCases[newIndex].payload)
            guard fields.count == newFields.count else { return nil }
            var payload: [StoredContent.Member] = []
            for (member, (old, new)) in zip(members, zip(fields, newFields)) {
                guard let value = reverse(member.value, old.type, new.type) else { return nil }
                payload.append(StoredContent.Member(name: old.name, value: value))
            }
            return .enumeration(index: index, name: name, payload: payload)
        default:
            guard (try? check(target, source)) != nil else { return nil }
            return try? convert(content, target, source, FillBudget(target, source))
        }
    }

    private static func reverseAll(
        _ values: [StoredContent], _ source: StoredType, _ target: StoredType
    ) -> [StoredContent]? {
        let reversed = values.compactMap { reverse($0, source, target) }
        return reversed.count == values.count ? reversed : nil
    }

    private static func reverseAll(
        _ entries: [StoredContent.Entry], _ source: (StoredType, StoredType),
        _ target: (StoredType, StoredType)
    ) -> [StoredContent.Entry]? {
        let reversed = entries.compactMap { entry -> StoredContent.Entry? in
            guard let key = reverse(entry.key, source.0, target.0),
                let value = reverse(entry.value, source.1, target.1)
            else { return nil }
            return StoredContent.Entry(key: key, value: value)
        }
        return reversed.count == entries.count ? reversed : nil
    }

    /// Members that the source lacks are left out: whether they have the values of their fills shows the way back.
    private static func reverseFields(
        _ members: [StoredContent.Member], _ fields: [StoredType.Field],
        _ newFields: [StoredType.Field]
    ) -> [StoredContent.Member]? {
        var reversed: [StoredContent.Member] = []
        for old in fields {
            guard let index = newFields.firstIndex(where: { $0.name == old.name }),
                let value = reverse(members[index].value, old.type, newFields[index].type)
            else { return nil }
            reversed.append(StoredContent.Member(name: old.name, value: value))
        }
        return reversed
    }
}
