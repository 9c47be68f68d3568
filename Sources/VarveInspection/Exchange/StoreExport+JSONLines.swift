internal import VarveTables

extension StoreExport {
    /// The key of the first line, and what it says.
    static let header = (key: "varve", value: "export")

    /// Writes a line with the schema, then one for each entity. Each is a JSON object.
    ///
    /// - Parameter line: takes a line without its end; returns false where no more is wanted.
    public func writeJSONLines(_ line: (String) -> Bool) throws(InspectionError) {
        try state.inspecting { () throws(InspectionError) in
            let (key, value) = Self.header
            let mark = isSound ? "" : ",\"sound\":false"
            guard line("{\"\(key)\":\"\(value)\",\"version\":1\(mark),\"schema\":\(schema.json)}")
            else {
                return
            }
            for type in types {
                guard
                    try forEach(
                        of: type,
                        { entity throws(InspectionError) in
                            line(try json(of: entity, type))
                        })
                else { return }
            }
        }
    }

    private func json(
        of entity: ExportedEntity, _ type: ExportedType
    ) throws(InspectionError) -> String {
        let definition = type.definition
        var text = "{\"type\":"
        JSONText.append(definition.name, to: &text)
        text += ",\"id\":"
        ExchangedValue.write(entity.id, into: &text)
        if entity.state != .live { text += ",\"state\":\"\(entity.state.rawValue)\"" }
        if entity.state == .live || entity.state == .deleted {
            text += ",\"fields\":{"
            for (position, value) in entity.fields.enumerated() {
                if position > 0 { text += "," }
                JSONText.append(definition.fields[position].name, to: &text)
                text += ":"
                ExchangedValue.write(value, into: &text)
            }
            text += "}"
        }
        if !definition.relations.isEmpty {
            text += ",\"links\":{"
            for (position, relation) in definition.relations.enumerated() {
                if position > 0 { text += "," }
                JSONText.append(relation.name, to: &text)
                text += ":"
                try writeJSON(of: entity.lists[position], relation, into: &text)
            }
            text += "}"
        }
        return text + "}"
    }

    /// An array of ids, or of a to-one relation its id or null.
    private func writeJSON(
        of slots: [Slot], _ relation: RelationDefinition, into text: inout String
    ) throws(InspectionError) {
        guard let position = target(of: relation) else { return text += "null" }
        if !relation.isToMany {
            guard let slot = slots.first else { return text += "null" }
            return ExchangedValue.write(try id(slot, of: types[position]), into: &text)
        }
        text += "["
        for (index, slot) in slots.enumerated() {
            if index > 0 { text += "," }
            ExchangedValue.write(try id(slot, of: types[position]), into: &text)
        }
        text += "]"
    }
}
