import VarveInspection

extension InspectedSchema {
    /// Everything that the log says of its types: what a store of the same schema can be made from.
    var json: JSON {
        [
            "schema": .number(1), "store": .text("\(store)"), "transaction": .id(transaction),
            "types": .array(types.map(\.schemaJSON)),
            "damage": damage.map { .text("\($0)") } ?? .null,
        ]
    }
}

extension InspectedType {
    fileprivate var schemaJSON: JSON {
        [
            "number": .number(number), "name": .text(name), "id": idForm.schemaJSON,
            "fields": .array(fields.map(\.schemaJSON)),
            "relations": .array(relations.map { $0.json.adding(["number": .number($0.number)]) }),
            "tombstoneOf": .optional(tombstoneOf), "numbersIDs": .bool(numbersIDs),
        ]
    }
}

extension InspectedType.Field {
    fileprivate var schemaJSON: JSON {
        [
            "number": .number(number), "name": .text(name), "type": form.schemaJSON,
            "swift": .text(type),
            "optional": .bool(form.isOptional), "rung": .text("\(rung)"),
            "hasDefault": .bool(fill != nil), "default": fill.map { .value($0) } ?? .null,
        ]
    }
}

extension StoredType {
    fileprivate var isOptional: Bool { if case .optional = self { true } else { false } }

    /// A text for a type that has no parts, else an object whose first key says what it is.
    fileprivate var schemaJSON: JSON {
        switch self {
        case .optional(let wrapped): ["optional": wrapped.schemaJSON]
        case .array(let element): ["array": element.schemaJSON]
        case .set(let element): ["set": element.schemaJSON]
        case .dictionary(let key, let value):
            ["dictionary": ["key": key.schemaJSON, "value": value.schemaJSON]]
        case .structure(let name, let fields):
            ["structure": .text(name), "fields": .array(fields.map(\.schemaJSON))]
        case .enumeration(let name, let cases):
            [
                "enumeration": .text(name),
                "cases": .array(
                    cases.map {
                        ["name": .text($0.name), "payload": .array($0.payload.map(\.schemaJSON))]
                    }),
            ]
        case .raw(let name, let raw): ["raw": .text(name), "type": raw.schemaJSON]
        case .text(let name): ["text": .text(name)]
        case .json(let name): ["json": .text(name)]
        default: .text("\(self)")
        }
    }
}

extension StoredType.Field {
    fileprivate var schemaJSON: JSON { ["name": .text(name), "type": type.schemaJSON] }
}
