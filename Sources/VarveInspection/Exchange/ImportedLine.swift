/// A value as a file has it.
enum ImportedCell {
    /// Of a line of JSON.
    case json(JSONNode)
    /// Of comma-separated values: a text, nil where there is none, and the number of the cell from 0.
    case text(String?, Int)

    /// Where it begins in the line.
    var offset: Int {
        switch self {
        case .json(let node): node.place.lowerBound
        case .text(_, let number): number
        }
    }

    var isNull: Bool {
        switch self {
        case .json(let node): node.isNull
        case .text(let text, _): text == nil
        }
    }

    /// Appends the stored form of the value.
    func write(
        as type: StoredType, into writer: inout ByteWriter
    ) throws(ExchangeProblem) {
        switch self {
        case .json(let node): try ExchangedValue.write(node, as: type, into: &writer)
        case .text(nil, let number):
            // Other programs write an empty text as nothing.
            guard SQLValue.isNullable(type) || type == .string else {
                throw ExchangeProblem("the cell is empty, and not optional", at: number)
            }
            writer.append(0)
        case .text(let text?, let number): try Self.write(text, number, as: type, into: &writer)
        }
    }

    private static func write(
        _ text: String, _ number: Int, as type: StoredType, into writer: inout ByteWriter
    ) throws(ExchangeProblem) {
        if CSVText.isText(type), let content = content(of: text, as: type) {
            do throws(CodecError) {
                return try content.store(as: type, into: &writer)
            } catch {
                throw ExchangeProblem("'\(text.prefix(40))' is no \(type)", at: number)
            }
        }
        do throws(ExchangeProblem) {
            try ExchangedValue.write(JSONNode.parse(Array(text.utf8)), as: type, into: &writer)
        } catch {
            throw ExchangeProblem("'\(text.prefix(40))' is no \(type)", at: number)
        }
    }

    private static func content(of text: String, as type: StoredType) -> StoredContent? {
        switch type {
        case .optional(let wrapped): content(of: text, as: wrapped).map { .optional($0) }
        case .raw(_, let raw): content(of: text, as: raw)
        case .enumeration(_, let cases):
            cases.firstIndex { $0.name == text && $0.payload.isEmpty }
                .map { .enumeration(index: $0, name: text, payload: []) }
        default: StoredContent(text: text, as: type)
        }
    }
}

/// An entity, or an id, as a file has it.
struct ImportedLine {
    let type: String
    let id: ImportedCell
    let state: ExportedEntity.State
    /// Of properties and of relations to one, by name.
    let values: [(name: String, cell: ImportedCell)]
    /// Of relations, by name.
    let links: [(name: String, targets: [ImportedCell], offset: Int)]
}

extension ImportedLine {
    private static let reserved: Set<String> = ["type", "id", "state", "links"]
    /// Beside `fields`. In a flat line they are names of properties.
    private static let reservedBesideFields: Set<String> = [
        "fields", "deleted", "ordinal", "transaction", "updatedAt",
    ]

    /// A line of an export, of `varve cat`, or an object whose keys are an id and the names of properties.
    ///
    /// - Parameter type: of lines that name none.
    init(_ node: JSONNode, type: String?) throws(ExchangeProblem) {
        guard let members = node.members else {
            throw ExchangeProblem(
                "expected an object, found \(node.kind)", at: node.place.lowerBound)
        }
        guard let type = node["type"]?.text ?? type else {
            throw ExchangeProblem(
                "'type' is missing: name the type of all lines with --type=TYPE",
                at: node.place.lowerBound)
        }
        self.type = type
        id = .json(try node.required("id"))
        state = try Self.state(node)
        values = try Self.values(node, members)
        links = (node["links"]?.members ?? []).map { member in
            (member.key, Self.targets(member.value), member.value.place.lowerBound)
        }
    }

    /// Of the object `fields`; without one, of all keys that mean nothing else.
    private static func values(
        _ node: JSONNode, _ members: [JSONNode.Member]
    ) throws(ExchangeProblem) -> [(name: String, cell: ImportedCell)] {
        let others = members.filter { !reserved.contains($0.key) }
        guard let fields = node["fields"]?.members else {
            return others.map { ($0.key, .json($0.value)) }
        }
        for other in others where !reservedBesideFields.contains(other.key) {
            throw ExchangeProblem(
                "there is no key '\(other.key)' beside 'fields'", at: other.value.place.lowerBound)
        }
        return fields.map { ($0.key, .json($0.value)) }
    }

    private static func state(_ node: JSONNode) throws(ExchangeProblem) -> ExportedEntity.State {
        if node["fields"]?.members != nil, node["deleted"]?.bool == true { return .deleted }
        guard let written = node["state"] else { return .live }
        guard let state = written.text.flatMap({ ExportedEntity.State(rawValue: $0) }) else {
            throw ExchangeProblem(
                "a state is live, deleted, gone or awaited", at: written.place.lowerBound)
        }
        return state
    }

    /// The ids in a list, or the one of a relation to one.
    static func targets(_ node: JSONNode) -> [ImportedCell] {
        if let elements = node.elements { return elements.map { .json($0) } }
        return node.isNull ? [] : [.json(node)]
    }
}
