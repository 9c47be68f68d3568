/// The rules behind ``Transcoder``, once for types and once for values.
enum Conversion {
    /// Whether every value has the same bytes under both types: they differ in names only.
    static func haveSameBytes(_ source: StoredType, _ target: StoredType) -> Bool {
        switch (source, target) {
        case _ where source == target: true
        case (.raw(_, let raw), _): haveSameBytes(raw, target)
        case (_, .raw(_, let raw)): haveSameBytes(source, raw)
        case (.text, .text), (.text, .string), (.string, .text), (.json, .json): true
        case (.optional(let first), .optional(let second)),
            (.array(let first), .array(let second)), (.set(let first), .set(let second)):
            haveSameBytes(first, second)
        case (.dictionary(let key, let value), .dictionary(let newKey, let newValue)):
            haveSameBytes(key, newKey) && haveSameBytes(value, newValue)
        case (.structure(_, let fields), .structure(_, let newFields)):
            fields.count == newFields.count
                && zip(fields, newFields).allSatisfy {
                    $0.name == $1.name && haveSameBytes($0.type, $1.type)
                }
        default: false
        }
    }

    // MARK: Types

    static func check(_ source: StoredType, _ target: StoredType) throws(CodecError) {
        func refuse(_ reason: String) -> CodecError {
            .notTranscodable(from: source, to: target, reason: reason)
        }
        if source == target || haveSameBytes(source, target) { return }
        if integerWidening(source, target) || (source == .float && target == .double) { return }
        switch (source, target) {
        case (.json, _) where target.holdsAssets, (_, .json) where source.holdsAssets:
            throw refuse("a value that is stored as JSON holds no asset")
        // A change of rung: what the documents hold is known only when they are read.
        case (.json, _), (_, .json): return
        case (.enumeration(_, let cases), .raw(_, .string)):
            if cases.contains(where: { !$0.payload.isEmpty }) {
                throw refuse("a case has a payload")
            }
        case (.raw(_, .string), .enumeration): return
        case (.raw(_, let raw), _): try check(raw, target)
        case (_, .raw(_, let raw)): try check(source, raw)
        case (.optional(let first), .optional(let second)),
            (.array(let first), .array(let second)), (.set(let first), .set(let second)):
            try check(first, second)
        case (_, .optional(let wrapped)): try check(source, wrapped)
        case (.dictionary(let key, let value), .dictionary(let newKey, let newValue)):
            try check(key, newKey)
            try check(value, newValue)
        case (.structure(_, let fields), .structure(_, let newFields)):
            try checkFields(fields, newFields, refuse)
        case (.enumeration(_, let cases), .enumeration(_, let newCases)):
            try checkCases(cases, newCases, refuse)
        case (.optional, _): throw refuse("a value may be nil")
        default: throw refuse("the types differ")
        }
    }

    private static func checkFields(
        _ fields: [StoredType.Field], _ newFields: [StoredType.Field],
        _ refuse: (String) -> CodecError
    ) throws(CodecError) {
        for new in newFields {
            if let old = fields.first(where: { $0.name == new.name }) {
                try check(old.type, new.type)
            } else if new.fill != nil {
                continue
            } else if case .optional = new.type {
                continue
            } else {
                throw refuse("'\(new.name)' is new, not optional and without a default value")
            }
        }
        for old in fields where !newFields.contains(where: { $0.name == old.name }) {
            throw refuse("'\(old.name)' would be lost")
        }
    }

    private static func checkCases(
        _ cases: [StoredType.Case], _ newCases: [StoredType.Case],
        _ refuse: (String) -> CodecError
    ) throws(CodecError) {
        for old in cases {
            guard let new = newCases.first(where: { $0.name == old.name }) else {
                throw refuse("case '\(old.name)' is gone")
            }
            guard new.payload.count == old.payload.count else {
                throw refuse("the payload of case '\(old.name)' changed")
            }
            for (first, second) in zip(old.payload, new.payload) {
                try check(first.type, second.type)
            }
        }
    }

    private static func integerWidening(_ source: StoredType, _ target: StoredType) -> Bool {
        guard let from = source.integerShape, let to = target.integerShape else { return false }
        if from.isSigned == to.isSigned { return from.bits <= to.bits }
        return to.isSigned && from.bits < to.bits
    }

    // MARK: Values

    static func convert(
        _ content: StoredContent, _ source: StoredType, _ target: StoredType, _ budget: FillBudget
    ) throws(CodecError) -> StoredContent {
        if haveSameBytes(source, target) { return content }
        switch (source, target, content) {
        case (.json, .json, _): return content
        case (.json, .optional(let wrapped), .json(let document)):
            if document.elementsEqual("null".utf8) { return .optional(nil) }
            return .optional(try convert(content, source, wrapped, budget))
        case (.json, _, .json(let document)):
            return try JSONConversion.decode(document, as: target, budget)
        case (_, .json, _):
            return .json([UInt8](try JSONForm.encode(JSONConversion.Value(content))))
        case (.enumeration, .raw(_, .string), .enumeration(_, let name, _)):
            return .string(name)
        case (.raw(_, .string), .enumeration(_, let cases), .string(let name)):
            guard let index = cases.firstIndex(where: { $0.name == name && $0.payload.isEmpty })
            else {
                throw .notTranscodable(from: source, to: target, reason: "no case '\(name)'")
            }
            return .enumeration(index: index, name: name, payload: [])
        case (.raw(_, let raw), _, _): return try convert(content, raw, target, budget)
        case (_, .raw(_, let raw), _): return try convert(content, source, raw, budget)
        case (_, _, .signed(let value)) where target.integerShape?.isSigned == true:
            return .signed(value)
        case (_, _, .unsigned(let value)) where target.integerShape?.isSigned == false:
            return .unsigned(value)
        case (_, _, .unsigned(let value)) where target.integerShape?.isSigned == true:
            return .signed(Int64(truncatingIfNeeded: value))
        case (.float, .double, .float(let value)): return .double(Double(value))
        default: return try convertComposite(content, source, target, budget)
        }
    }

    private static func convertComposite(
        _ content: StoredContent, _ source: StoredType, _ target: StoredType, _ budget: FillBudget
    ) throws(CodecError) -> StoredContent {
        switch (source, target, content) {
        case (.optional(let first), .optional(let second), .optional(let value)):
            guard let value else { return .optional(nil) }
            return .optional(try convert(value, first, second, budget))
        case (_, .optional(let wrapped), _):
            return .optional(try convert(content, source, wrapped, budget))
        case (.array(let first), .array(let second), .array(let values)):
            return .array(try convertAll(values, first, second, budget))
        case (.set(let first), .set(let second), .set(let values)):
            return .set(try convertAll(values, first, second, budget))
        case (
            .dictionary(let key, let value), .dictionary(let newKey, let newValue),
            .dictionary(let entries)
        ):
            var converted: [StoredContent.Entry] = []
            for entry in entries {
                converted.append(
                    StoredContent.Entry(
                        key: try convert(entry.key, key, newKey, budget),
                        value: try convert(entry.value, value, newValue, budget)))
            }
            return .dictionary(converted)
        case (.structure(_, let fields), .structure(_, let newFields), .structure(let members)):
            return .structure(try convertFields(members, fields, newFields, budget))
        case (
            .enumeration(_, let cases), .enumeration(_, let newCases),
            .enumeration(let index, let name, let members)
        ):
            guard let newIndex = newCases.firstIndex(where: { $0.name == name }) else { break }
            var payload: [StoredContent.Member] = []
            let pairs = zip(cases[index].payload, newCases[newIndex].payload)
            for (member, (old, new)) in zip(members, pairs) {
                payload.append(
                    StoredContent.Member(
                        name: new.name,
                        value: try convert(member.value, old.type, new.type, budget)))
            }
            return .enumeration(index: newIndex, name: name, payload: payload)
        default: break
        }
        throw .notTranscodable(from: source, to: target, reason: "the value has another shape")
    }

    private static func convertAll(
        _ values: [StoredContent], _ source: StoredType, _ target: StoredType, _ budget: FillBudget
    ) throws(CodecError) -> [StoredContent] {
        var converted: [StoredContent] = []
        for value in values {
            converted.append(try convert(value, source, target, budget))
        }
        return converted
    }

    private static func convertFields(
        _ members: [StoredContent.Member], _ fields: [StoredType.Field],
        _ newFields: [StoredType.Field], _ budget: FillBudget
    ) throws(CodecError) -> [StoredContent.Member] {
        var converted: [StoredContent.Member] = []
        for new in newFields {
            var value = StoredContent.optional(nil)
            if let index = fields.firstIndex(where: { $0.name == new.name }) {
                value = try convert(
                    members[index].value, fields[index].type, new.type, budget)
            } else if let fill = new.fill {
                value = try budget.value(of: fill)
            }
            converted.append(StoredContent.Member(name: new.name, value: value))
        }
        return converted
    }
}

extension StoredType {
    fileprivate var integerShape: (isSigned: Bool, bits: Int)? {
        switch self {
        case .int8: (true, 8)
        case .int16: (true, 16)
        case .int32: (true, 32)
        case .int64: (true, 64)
        case .uint8: (false, 8)
        case .uint16: (false, 16)
        case .uint32: (false, 32)
        case .uint64: (false, 64)
        case .raw(_, let raw): raw.integerShape
        default: nil
        }
    }
}
