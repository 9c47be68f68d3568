/// The entity types of a store, as a file describes them: what an import needs to know of a new store.
///
/// Its JSON is that of `varve schema --json`, see Docs/TOOL.md. Numbers of types, fields and relations, and earlier
/// definitions, are no part of it.
public struct StoreSchema: Sendable {
    package let types: [DeclaredType]

    package init(_ types: [DeclaredType]) { self.types = types }

    /// Reads a schema. The error names a line and a column, from 1.
    ///
    /// - Parameter path: what the error calls the text.
    public init(_ text: String, path: String) throws(ExchangeError) {
        let bytes = Array(text.utf8)
        do throws(ExchangeProblem) {
            self = try StoreSchema(JSONNode.parse(bytes))
        } catch {
            let before = bytes.prefix(error.offset)
            let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
            throw .schema(
                path: path, line: before.count { $0 == 0x0A } + 1,
                column: String(decoding: before[lineStart...], as: UTF8.self).count + 1,
                reason: error.reason)
        }
    }

    /// On one line.
    public var json: String {
        "{\"types\":[" + types.map(\.schemaJSON).joined(separator: ",") + "]}"
    }

    init(_ node: JSONNode) throws(ExchangeProblem) {
        var types: [DeclaredType] = []
        for type in try node.required("types").requiredElements() {
            types.append(try DeclaredType(schema: type))
        }
        self.types = types
    }
}

extension DeclaredType {
    fileprivate var schemaJSON: String {
        "{\"name\":\(JSONText.quoted(name)),\"id\":\(idType.schemaJSON),\"fields\":["
            + fields.map(\.schemaJSON).joined(separator: ",") + "],\"relations\":["
            + relations.map(\.schemaJSON).joined(separator: ",") + "]"
            + (tombstoneOf.map { ",\"tombstoneOf\":\(JSONText.quoted($0))" } ?? "")
            + (numbersIDs ? ",\"numbersIDs\":true" : "") + "}"
    }

    fileprivate init(schema node: JSONNode) throws(ExchangeProblem) {
        var fields: [DeclaredField] = []
        for field in try node["fields"]?.requiredElements() ?? [] {
            fields.append(try DeclaredField(schema: field))
        }
        var relations: [DeclaredRelation] = []
        for relation in try node["relations"]?.requiredElements() ?? [] {
            relations.append(try DeclaredRelation(schema: relation))
        }
        let idType = try node["id"].map { node throws(ExchangeProblem) in
            try StoredType(schema: node)
        }
        self.init(
            name: try node.required("name").requiredText("a name"), idType: idType ?? .string,
            fields: fields, relations: relations, tombstoneOf: node["tombstoneOf"]?.text,
            numbersIDs: node["numbersIDs"]?.bool == true && idType?.isInteger == true)
    }
}

extension DeclaredField {
    fileprivate var schemaJSON: String {
        "{\"name\":\(JSONText.quoted(name)),\"type\":\(type.schemaJSON),\"rung\":\"\(rung)\","
            + "\"hasDefault\":\(fill != nil),\"default\":"
            + (fill.map { ExchangedValue.json(of: $0, as: type) } ?? "null") + "}"
    }

    fileprivate init(schema node: JSONNode) throws(ExchangeProblem) {
        let type = try StoredType(schema: try node.required("type"))
        let written = node["hasDefault"]?.bool == false ? nil : node["default"]
        let fill = try written.map { value throws(ExchangeProblem) in
            try ExchangedValue.bytes(of: value, as: type)
        }
        let rung = Rung.allCases.first { "\($0)" == node["rung"]?.text }
        self.init(
            name: try node.required("name").requiredText("a name"), type: type,
            rung: rung ?? type.rung, fill: fill ?? type.absentBytes)
    }
}

extension StoredType {
    /// How an app stores a property of this type, as far as the type tells.
    fileprivate var rung: Rung {
        switch self {
        case .optional(let inner), .array(let inner), .set(let inner): inner.rung
        case .dictionary(let key, let value): max(key.rung, value.rung)
        case .raw: .rawValue
        case .text: .losslessString
        case .json: .json
        default: .storable
        }
    }

    /// What a row without such a field takes, of an optional one.
    var absentBytes: [UInt8]? {
        if case .optional = self { [0] } else { nil }
    }

    private func max(_ first: Rung, _ second: Rung) -> Rung {
        first.rawValue < second.rawValue ? second : first
    }
}

extension DeclaredRelation {
    fileprivate var schemaJSON: String {
        "{\"name\":\(JSONText.quoted(name)),\"target\":\(JSONText.quoted(target)),"
            + "\"toMany\":\(isToMany),\"inverse\":\(inverse.map(JSONText.quoted) ?? "null"),"
            + "\"deleteRule\":\"\(deleteRule.schemaName)\","
            + "\"required\":\(isRequired && !isToMany)}"
    }

    fileprivate init(schema node: JSONNode) throws(ExchangeProblem) {
        let written = node["deleteRule"]
        let rule = RelationDefinition.DeleteRule.allCases.first {
            $0.schemaName == written?.text ?? "nullify"
        }
        guard let rule else {
            throw ExchangeProblem(
                "a delete rule is nullify, cascade or deny",
                at: (written ?? node).place.lowerBound)
        }
        let isToMany = node["toMany"]?.bool ?? false
        self.init(
            name: try node.required("name").requiredText("a name"),
            target: try node.required("target").requiredText("the name of a type"),
            isToMany: isToMany, inverse: node["inverse"]?.text, deleteRule: rule,
            // The log has the mark of every to-many relation, of which it says nothing.
            isRequired: isToMany || node["required"]?.bool ?? false)
    }
}

extension RelationDefinition.DeleteRule {
    fileprivate var schemaName: String {
        switch self {
        case .nullify: "nullify"
        case .cascade: "cascade"
        case .deny: "deny"
        }
    }
}

extension StoreSchema {
    /// The newest definitions of types, with relations to one another alone.
    init(_ definitions: [TypeDefinition]) {
        let byNumber = Dictionary(definitions.map { ($0.number, $0) }) { first, _ in first }
        types = definitions.map { definition in
            DeclaredType(
                name: definition.name, idType: definition.idType,
                fields: definition.fields.map {
                    DeclaredField(
                        name: $0.name, type: $0.type, rung: $0.rung,
                        fill: $0.fill ?? $0.type.absentBytes)
                },
                relations: definition.relations.compactMap { relation in
                    byNumber[relation.target].map { target in
                        DeclaredRelation(
                            name: relation.name, target: target.name, isToMany: relation.isToMany,
                            inverse: relation.inverse.flatMap { inverse in
                                target.relations.first { $0.number == inverse }?.name
                            },
                            deleteRule: relation.deleteRule, isRequired: relation.isRequired)
                    }
                },
                tombstoneOf: definition.tombstoneOf.flatMap { byNumber[$0]?.name },
                numbersIDs: definition.numbersIDs)
        }
    }
}
