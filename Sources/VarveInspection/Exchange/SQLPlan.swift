/// The tables of an export, with names that SQLite can tell apart.
struct SQLPlan {
    struct Table {
        let name: String
        /// Of the tombstones; nil where they are not exported.
        let deletedName: String?
        /// The tables of the links, by the position of the relation; nil for a relation to one, which is a column.
        let links: [String?]
        fileprivate(set) var statements: [String] = []
        /// Made when the rows are there, which is faster.
        fileprivate(set) var indexes: [String] = []
    }

    private(set) var tables: [Table] = []
    private var names = SQLNames()
    private let export: StoreExport

    init(_ export: StoreExport) {
        self.export = export
        let typeNames = export.types.map { names.name($0.definition.name) }
        for (type, name) in zip(export.types, typeNames) {
            let definition = type.definition
            tables.append(
                Table(
                    name: name,
                    deletedName: export.includesDeleted
                        ? names.name(definition.name + " (deleted)") : nil,
                    links: definition.relations.map { relation in
                        relation.isToMany
                            ? names.name(definition.name + "." + relation.name) : nil
                    }))
        }
        for (position, type) in export.types.enumerated() { describe(type, at: position) }
    }

    private mutating func describe(_ type: ExportedType, at position: Int) {
        let definition = type.definition
        var columns = SQLNames()
        var lines = [
            "  \(columns.name("id"))" + Self.suffix(definition.idType)
                + (SQLValue.isNullable(definition.idType) ? "" : " NOT NULL") + " PRIMARY KEY"
        ]
        for field in definition.fields {
            lines.append(
                "  \(columns.name(field.name))" + Self.suffix(field.type)
                    + (SQLValue.isNullable(field.type) ? "" : " NOT NULL"))
        }
        var deletedLines = lines
        var toOne: [String] = []
        for relation in definition.relations {
            let name = columns.name(relation.name)
            guard let target = export.target(of: relation) else { continue }
            let idType = export.types[target].definition.idType
            if relation.isToMany {
                deletedLines.append("  \(name) TEXT NOT NULL")
            } else {
                lines.append("  \(name)" + Self.suffix(idType) + reference(to: target))
                deletedLines.append("  \(name)" + Self.suffix(idType))
                toOne.append(name)
            }
        }
        let ordinal = "  \(columns.name("@ordinal")) INTEGER NOT NULL"
        let table = tables[position]
        tables[position].statements.append(
            Self.creation(table.name, lines + [ordinal]) + ");")
        if let name = table.deletedName {
            tables[position].statements.append(Self.creation(name, deletedLines + [ordinal]) + ");")
        }
        for name in toOne {
            tables[position].indexes.append(index(on: table.name, name))
        }
        describeLinks(of: type, at: position)
    }

    private mutating func describeLinks(of type: ExportedType, at position: Int) {
        for (relation, link) in zip(type.definition.relations, tables[position].links) {
            guard let link, let target = export.target(of: relation) else { continue }
            let idTypes = [type, export.types[target]].map { Self.suffix($0.definition.idType) }
            tables[position].statements.append(
                Self.creation(
                    link,
                    [
                        "  \"id\"\(idTypes[0]) NOT NULL" + reference(to: position),
                        "  \"position\" INTEGER NOT NULL",
                        "  \"target\"\(idTypes[1]) NOT NULL" + reference(to: target),
                        "  PRIMARY KEY (\"id\", \"position\")",
                    ]) + ") WITHOUT ROWID;")
            tables[position].indexes.append(index(on: link, "\"target\""))
        }
    }

    private static func creation(_ name: String, _ lines: [String]) -> String {
        "CREATE TABLE \(name) (\n" + lines.joined(separator: ",\n") + "\n"
    }

    private static func suffix(_ type: StoredType) -> String {
        let name = SQLValue.columnType(type)
        return name.isEmpty ? "" : " " + name
    }

    /// A foreign key, unless links lead to ids that no entity has.
    private func reference(to position: Int) -> String {
        guard export.types[position].mentioned.isEmpty else { return "" }
        return " REFERENCES \(tables[position].name) (\"id\") DEFERRABLE INITIALLY DEFERRED"
    }

    private mutating func index(on table: String, _ column: String) -> String {
        let plain = { (name: String) in
            name.dropFirst().dropLast().replacing("\"\"", with: "\"")
        }
        let name = names.name("index of " + plain(table) + "." + plain(column))
        return "CREATE INDEX \(name) ON \(table) (\(column));"
    }
}
