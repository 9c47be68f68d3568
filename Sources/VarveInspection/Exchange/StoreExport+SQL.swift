internal import VarveTables

extension StoreExport {
    /// How many rows one statement inserts.
    private static let rowsMax = 100

    /// Writes SQL that makes a new SQLite database: a table for each type, one for each relation to many, with keys,
    /// foreign keys and indexes, all in one transaction.
    ///
    /// - Parameters:
    ///   - isTerminal: whether a person sees the text as it is written, so that it must not command a terminal.
    ///   - line: takes a line without its end; returns false where no more is wanted.
    public func writeSQL(isTerminal: Bool = false, _ line: (String) -> Bool) throws(InspectionError)
    {
        try state.inspecting { () throws(InspectionError) in
            let plan = SQLPlan(self)
            guard
                isSound || line("-- The store is damaged: these are the entities that are sound."),
                line("BEGIN;")
            else { return }
            for table in plan.tables {
                for statement in table.statements where !line(statement) { return }
            }
            for (type, table) in zip(types, plan.tables) {
                guard try writeRows(of: type, table, isTerminal, line) else { return }
            }
            for table in plan.tables {
                for statement in table.indexes where !line(statement) { return }
            }
            _ = line("COMMIT;")
        }
    }

    private func writeRows(
        of type: ExportedType, _ table: SQLPlan.Table, _ isTerminal: Bool,
        _ line: (String) -> Bool
    ) throws(InspectionError) -> Bool {
        var rows: [String: SQLRows] = [:]
        func add(_ row: String, to table: String) -> Bool {
            rows[table, default: SQLRows()].rows.append(row)
            guard let full = rows[table], full.rows.count == Self.rowsMax else { return true }
            rows[table] = nil
            return line(full.statement(table))
        }
        let isWhole = try forEach(of: type) { entity throws(InspectionError) in
            let row = try row(of: entity, type, table, isTerminal)
            guard entity.state != .deleted else { return add(row, to: table.deletedName ?? "") }
            if entity.state == .live, !add(row, to: table.name) { return false }
            for (position, link) in table.links.enumerated() {
                guard let link else { continue }
                let relation = type.definition.relations[position]
                for row in try linkRows(of: entity, position, relation, isTerminal)
                where !add(row, to: link) {
                    return false
                }
            }
            return true
        }
        guard isWhole else { return false }
        for (table, rest) in rows.sorted(by: { $0.key < $1.key })
        where !line(rest.statement(table)) { return false }
        return true
    }

    private func row(
        of entity: ExportedEntity, _ type: ExportedType, _ table: SQLPlan.Table,
        _ isTerminal: Bool
    ) throws(InspectionError) -> String {
        var text = "("
        SQLValue.write(entity.id.content, into: &text, isTerminal: isTerminal)
        for field in entity.fields {
            text += ","
            SQLValue.write(field.content, into: &text, isTerminal: isTerminal)
        }
        for (position, relation) in type.definition.relations.enumerated() {
            let slots = entity.lists[position]
            if !relation.isToMany {
                text += ","
                if let slot = slots.first {
                    try write(slot, relation, into: &text, isTerminal)
                } else {
                    text += "NULL"
                }
            } else if entity.state == .deleted {
                // The lists of a tombstone are no links.
                text += ","
                SQLValue.write(
                    .array(try ids(slots, relation)), into: &text, isTerminal: isTerminal)
            }
        }
        return text + ",\(entity.ordinal))"
    }

    private func ids(
        _ slots: [Slot], _ relation: RelationDefinition
    ) throws(InspectionError) -> [StoredContent] {
        guard let position = target(of: relation) else { return [] }
        var ids: [StoredContent] = []
        for slot in slots { ids.append(try id(slot, of: types[position]).content) }
        return ids
    }

    private func linkRows(
        of entity: ExportedEntity, _ position: Int, _ relation: RelationDefinition,
        _ isTerminal: Bool
    ) throws(InspectionError) -> [String] {
        var rows: [String] = []
        for (index, slot) in entity.lists[position].enumerated() {
            var text = "("
            SQLValue.write(entity.id.content, into: &text, isTerminal: isTerminal)
            text += ",\(index),"
            try write(slot, relation, into: &text, isTerminal)
            rows.append(text + ")")
        }
        return rows
    }

    /// The id of what a relation leads to.
    private func write(
        _ slot: Slot, _ relation: RelationDefinition, into text: inout String,
        _ isTerminal: Bool
    ) throws(InspectionError) {
        guard let position = target(of: relation) else { return text += "NULL" }
        let content = try id(slot, of: types[position]).content
        SQLValue.write(content, into: &text, isTerminal: isTerminal)
    }
}

/// Rows that wait for their statement.
private struct SQLRows {
    var rows: [String] = []

    func statement(_ table: String) -> String {
        "INSERT INTO \(table) VALUES\n" + rows.joined(separator: ",\n") + ";"
    }
}
