import VarveInspection

/// A schema as lines for people.
struct SchemaLines {
    let schema: InspectedSchema

    var lines: [StyledText] {
        guard !schema.types.isEmpty else { return [StyledText("no types are defined", .faint)] }
        let blocks = schema.types.map(lines(of:)) + [namedTypes]
        return Array(blocks.filter { !$0.isEmpty }.joined(separator: [StyledText()]))
    }

    private func lines(of type: InspectedType) -> [StyledText] {
        let remark = type.tombstoneOf.map { "  deleted entities of \($0)" } ?? ""
        let fields = type.fields.map { field in
            (field.name, StyledText(field.type) + fill(of: field))
        }
        let relations = type.relations.map { relation in
            let remarks = relation.remarks.map { ", " + $0 }.joined()
            return (
                relation.name,
                StyledText("→ " + relation.targetText, .identifier) + StyledText(remarks, .faint)
            )
        }
        return [StyledText(type.name, .heading) + StyledText(remark, .faint)]
            + aligned([("id", id(of: type))] + fields + relations)
    }

    private func id(of type: InspectedType) -> StyledText {
        StyledText(type.idType)
            + StyledText(type.numbersIDs ? "  given by the store" : "", .faint)
    }

    /// What rows from before the field take.
    private func fill(of field: InspectedType.Field) -> StyledText {
        guard let fill = field.fill else { return StyledText() }
        return StyledText("  default " + ValueText.text(of: fill), .faint)
    }

    // MARK: Types inside values

    private var namedTypes: [StyledText] {
        var named: [(String, StyledText)] = []
        for type in schema.types {
            for form in [type.idForm] + type.fields.map(\.form) {
                for part in form.namedParts where !named.contains(where: { $0 == part }) {
                    named.append(part)
                }
            }
        }
        return named.isEmpty ? [] : [StyledText("Types of values", .heading)] + aligned(named)
    }

    private func aligned(_ members: [(name: String, text: StyledText)]) -> [StyledText] {
        let names = members.map { StyledText($0.name) }
        let width = min(names.map(\.width).max() ?? 0, 28) + 2
        return zip(names, members).map { name, member in
            let padding = String(repeating: " ", count: max(width - name.width, 2))
            return StyledText("  ") + name + StyledText(padding) + member.text
        }
    }
}

extension StoredType {
    /// The types with a name of their own in it, each with what it consists of.
    fileprivate var namedParts: [(String, StyledText)] {
        switch self {
        case .optional(let wrapped), .array(let wrapped), .set(let wrapped): wrapped.namedParts
        case .dictionary(let key, let value): key.namedParts + value.namedParts
        case .structure(let name, let fields):
            [(name, StyledText("structure of ", .faint) + StyledText(Self.list(fields)))]
                + fields.flatMap { $0.type.namedParts }
        case .enumeration(let name, let cases):
            [
                (
                    name,
                    StyledText("enumeration of ", .faint)
                        + StyledText(
                            cases.map { one in
                                one.payload.isEmpty
                                    ? one.name : "\(one.name)(\(Self.list(one.payload)))"
                            }.joined(separator: ", "))
                )
            ] + cases.flatMap(\.payload).flatMap { $0.type.namedParts }
        case .raw(let name, let raw):
            [(name, StyledText("raw value of ", .faint) + StyledText("\(raw)"))] + raw.namedParts
        case .text(let name): [(name, StyledText("written as its description", .faint))]
        case .json(let name): [(name, StyledText("written as JSON", .faint))]
        default: []
        }
    }

    private static func list(_ fields: [StoredType.Field]) -> String {
        fields.map { $0.name.isEmpty ? "\($0.type)" : "\($0.name): \($0.type)" }
            .joined(separator: ", ")
    }
}
