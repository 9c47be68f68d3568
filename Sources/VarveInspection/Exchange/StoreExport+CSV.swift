extension StoreExport {
    /// Writes files of comma-separated values: the schema, one for each type, one for each relation to many.
    ///
    /// - Parameter line: takes the name of a file and a line of it without its end, file after file; returns false
    ///   where no more is wanted.
    public func writeCSV(
        _ line: (_ file: String, _ line: String) -> Bool
    ) throws(InspectionError) {
        let layout = CSVLayout(schema.types)
        let mark = isSound ? "" : "\"sound\":false,"
        guard line(CSVLayout.schemaName, "{\(mark)" + schema.json.dropFirst()) else { return }
        try state.inspecting { () throws(InspectionError) in
            for (type, file) in zip(types, layout.files) {
                guard try writeRows(of: type, file, line) else { return }
                for position in file.links.indices {
                    guard let name = file.links[position] else { continue }
                    guard try writeLinks(of: type, position, { line(name, $0) }) else { return }
                }
            }
        }
    }

    private func hasStates(_ type: ExportedType) -> Bool {
        includesDeleted || !type.mentioned.isEmpty
    }

    private func writeRows(
        of type: ExportedType, _ file: CSVLayout.File, _ line: (String, String) -> Bool
    ) throws(InspectionError) -> Bool {
        let titles = file.columns.map(\.name) + (hasStates(type) ? [CSVLayout.stateColumn] : [])
        guard line(file.name, CSVText.line(titles)) else { return false }
        return try forEach(of: type) { entity throws(InspectionError) in
            var cells: [String?] = []
            for (_, role) in file.columns {
                cells.append(try cell(role, of: entity, type))
            }
            if hasStates(type) {
                cells.append(entity.state == .live ? nil : entity.state.rawValue)
            }
            return line(file.name, CSVText.line(cells))
        }
    }

    private func cell(
        _ role: CSVLayout.Role, of entity: ExportedEntity, _ type: ExportedType
    ) throws(InspectionError) -> String? {
        switch role {
        case .id: return CSVText.cell(of: entity.id)
        case .state: return entity.state.rawValue
        case .field(let position):
            guard !entity.fields.isEmpty else { return nil }
            return CSVText.cell(of: entity.fields[position])
        case .relation(let position):
            let relation = type.definition.relations[position]
            guard let slot = entity.lists[position].first, let target = target(of: relation)
            else { return nil }
            return CSVText.cell(of: try id(slot, of: types[target]))
        }
    }

    private func writeLinks(
        of type: ExportedType, _ position: Int, _ line: (String) -> Bool
    ) throws(InspectionError) -> Bool {
        let relation = type.definition.relations[position]
        let titles = CSVLayout.linkColumns + (hasStates(type) ? [CSVLayout.stateColumn] : [])
        guard let target = target(of: relation), line(CSVText.line(titles)) else { return false }
        return try forEach(of: type, linksAlone: position) { entity throws(InspectionError) in
            let holder = CSVText.cell(of: entity.id)
            for (index, slot) in entity.lists[position].enumerated() {
                var cells = [holder, "\(index)", CSVText.cell(of: try id(slot, of: types[target]))]
                if hasStates(type) {
                    cells.append(entity.state == .live ? nil : entity.state.rawValue)
                }
                guard line(CSVText.line(cells)) else { return false }
            }
            return true
        }
    }
}
