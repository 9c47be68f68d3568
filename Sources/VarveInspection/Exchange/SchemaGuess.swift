/// A schema to begin with, made from the first entity of a file that has none.
enum SchemaGuess {
    static func example(_ name: String, columns: [String], first: [String?]) -> String {
        let fields = zip(columns, first + columns.map { _ in nil }).filter { $0.0 != "id" }
            .map { column, cell in
                DeclaredField(name: column, type: .optional(type(of: cell, column)))
            }
        let id = columns.firstIndex(of: "id").flatMap { $0 < first.count ? first[$0] : nil }
        let idType: StoredType = id.map { Int64($0) != nil } ?? false ? .int64 : .string
        return StoreSchema([DeclaredType(name: name, idType: idType, fields: fields)]).json
    }

    private static func type(of cell: String?, _ column: String) -> StoredType {
        guard let cell else { return .string }
        if Int64(cell) != nil { return .int64 }
        if Double(cell) != nil { return .double }
        if cell == "true" || cell == "false" { return .bool }
        if StoredContent(text: cell, as: .uuid) != nil { return .uuid }
        if DateText(cell) != nil { return .date }
        // What a list or an object holds may differ from entity to entity.
        let node = try? JSONNode.parse(Array(cell.utf8))
        return node?.elements == nil && node?.members == nil ? .string : .json(column)
    }

    /// The names and values of an object, as cells.
    static func cells(of node: JSONNode) -> (columns: [String], first: [String?]) {
        let members = (node["fields"] ?? node).members ?? []
        let all =
            (node["fields"] == nil ? [] : node.members?.filter { $0.key == "id" } ?? []) + members
        let shown = all.filter { !["type", "state", "links", "fields"].contains($0.key) }
        return (
            shown.map(\.key),
            shown.map { member in
                member.value.text ?? (member.value.isNull ? nil : member.value.json)
            }
        )
    }
}
