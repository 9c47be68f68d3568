// How the type of a field is written in a schema, as `varve schema --json` has it. A person may also write what Swift
// spells without names of types ("[String: Int64]?"), and a case without payload as its name.

extension StoredType {
    private static let scalars: [String: StoredType] = [
        "Bool": .bool, "Int8": .int8, "Int16": .int16, "Int32": .int32, "Int64": .int64,
        "Int": .int64, "UInt8": .uint8, "UInt16": .uint16, "UInt32": .uint32,
        "UInt64": .uint64, "UInt": .uint64, "Float": .float, "Double": .double,
        "String": .string, "Data": .data, "Date": .date, "UUID": .uuid, "URL": .url,
        "Decimal": .decimal, "Asset": .asset,
    ]

    /// The type as a schema has it: a text for a type without parts, else an object.
    var schemaJSON: String {
        switch self {
        case .optional(let inner): "{\"optional\":\(inner.schemaJSON)}"
        case .array(let inner): "{\"array\":\(inner.schemaJSON)}"
        case .set(let inner): "{\"set\":\(inner.schemaJSON)}"
        case .dictionary(let key, let value):
            "{\"dictionary\":{\"key\":\(key.schemaJSON),\"value\":\(value.schemaJSON)}}"
        case .structure(let name, let fields):
            "{\"structure\":\(JSONText.quoted(name)),\"fields\":\(Self.json(of: fields))}"
        case .enumeration(let name, let cases):
            "{\"enumeration\":\(JSONText.quoted(name)),\"cases\":["
                + cases.map {
                    "{\"name\":\(JSONText.quoted($0.name)),\"payload\":\(Self.json(of: $0.payload))}"
                }.joined(separator: ",") + "]}"
        case .raw(let name, let raw):
            "{\"raw\":\(JSONText.quoted(name)),\"type\":\(raw.schemaJSON)}"
        case .text(let name): "{\"text\":\(JSONText.quoted(name))}"
        case .json(let name): "{\"json\":\(JSONText.quoted(name))}"
        default: JSONText.quoted("\(self)")
        }
    }

    private static func json(of fields: [Field]) -> String {
        "["
            + fields.map {
                "{\"name\":\(JSONText.quoted($0.name)),\"type\":\($0.type.schemaJSON)}"
            }.joined(separator: ",") + "]"
    }

    // MARK: Reading

    init(schema node: JSONNode, depth: Int = 1) throws(ExchangeProblem) {
        guard depth < Self.nestingLimit else {
            throw ExchangeProblem(
                "nested deeper than \(Self.nestingLimit)", at: node.place.lowerBound)
        }
        if let text = node.text {
            var rest = Substring(text)
            guard let type = Self.spelled(&rest, depth: depth), rest.isEmpty else {
                throw ExchangeProblem(
                    "'\(text)' is no type: it is one such as String, Int64?, [Double] or "
                        + "[String: Date], or an object for types with a name",
                    at: node.place.lowerBound)
            }
            self = type
            return
        }
        guard let form = node.members?.first?.key, let inner = node[form] else {
            throw ExchangeProblem("expected a type, found \(node.kind)", at: node.place.lowerBound)
        }
        self = try Self.read(form, inner, of: node, depth: depth + 1)
    }

    private static func read(
        _ form: String, _ inner: JSONNode, of node: JSONNode, depth: Int
    ) throws(ExchangeProblem) -> StoredType {
        func part(_ node: JSONNode) throws(ExchangeProblem) -> StoredType {
            try StoredType(schema: node, depth: depth)
        }
        switch form {
        case "optional": return .optional(try part(inner))
        case "array": return .array(try part(inner))
        case "set": return .set(try part(inner))
        case "dictionary":
            return .dictionary(
                try part(try inner.required("key")), try part(try inner.required("value")))
        case "structure":
            return .structure(
                try inner.requiredText("the name of a type"),
                try fields(try node.required("fields"), depth: depth))
        case "enumeration":
            var cases: [Case] = []
            for element in try node.required("cases").requiredElements() {
                cases.append(try Self.case(element, depth: depth))
            }
            return .enumeration(try inner.requiredText("the name of a type"), cases)
        case "raw":
            return .raw(
                try inner.requiredText("the name of a type"), try part(try node.required("type")))
        case "text": return .text(try inner.requiredText("the name of a type"))
        case "json": return .json(try inner.requiredText("the name of a type"))
        default:
            throw ExchangeProblem(
                "'\(form)' is no kind of type: it is optional, array, set, dictionary, structure, "
                    + "enumeration, raw, text or json", at: node.place.lowerBound)
        }
    }

    private static func fields(_ node: JSONNode, depth: Int) throws(ExchangeProblem) -> [Field] {
        var fields: [Field] = []
        for member in try node.requiredElements() {
            fields.append(
                Field(
                    try member.required("name").requiredText("a name"),
                    try StoredType(schema: try member.required("type"), depth: depth)))
        }
        return fields
    }

    private static func `case`(_ node: JSONNode, depth: Int) throws(ExchangeProblem) -> Case {
        if let name = node.text { return Case(name) }
        return Case(
            try node.required("name").requiredText("a name"),
            try fields(try node.required("payload"), depth: depth))
    }

    /// A type as Swift spells it, taken from the beginning of a text.
    private static func spelled(_ text: inout Substring, depth: Int) -> StoredType? {
        guard depth < nestingLimit else { return nil }
        func takes(_ sign: String) -> Bool {
            text = text.drop { $0 == " " }
            guard text.hasPrefix(sign) else { return false }
            text = text.dropFirst(sign.count)
            return true
        }
        var type: StoredType?
        if takes("[") {
            guard let first = spelled(&text, depth: depth + 1) else { return nil }
            if takes(":") {
                guard let value = spelled(&text, depth: depth + 1) else { return nil }
                type = .dictionary(first, value)
            } else {
                type = .array(first)
            }
            guard takes("]") else { return nil }
        } else if takes("Set<") {
            type = spelled(&text, depth: depth + 1).map { .set($0) }
            guard takes(">") else { return nil }
        } else {
            let name = text.prefix { $0.isLetter || $0.isNumber }
            text = text.dropFirst(name.count)
            type = scalars[String(name)]
        }
        var optionals = 0
        while takes("?") { optionals += 1 }
        guard let type, depth + optionals < nestingLimit else { return nil }
        return (0..<optionals).reduce(type) { type, _ in .optional(type) }
    }
}

extension JSONNode {
    func required(_ key: String) throws(ExchangeProblem) -> JSONNode {
        guard let value = self[key] else {
            throw ExchangeProblem("'\(key)' is missing", at: place.lowerBound)
        }
        return value
    }

    func requiredText(_ what: String) throws(ExchangeProblem) -> String {
        guard let text else {
            throw ExchangeProblem("expected \(what), found \(kind)", at: place.lowerBound)
        }
        return text
    }

    func requiredElements() throws(ExchangeProblem) -> [JSONNode] {
        guard let elements else {
            throw ExchangeProblem("expected an array, found \(kind)", at: place.lowerBound)
        }
        return elements
    }
}
