internal import VarveEvents
internal import VarveGraph

extension Context {
    /// Types whose ids the store gives and that have an entity with the id 0: a save could not tell it from one whose
    /// id is still to be given.
    func numberingProblems(_ schema: Schema) -> [SchemaProblem] {
        var problems: [SchemaProblem] = []
        for (position, table) in tables.tables.enumerated() where table.descriptor.numbersIDs {
            guard let definition = schema.definition(atTable: position) else { continue }
            var id = ByteWriter()
            definition.idType.writeID(of: 0, into: &id)
            let slot = id.withBytes { try? table.descriptor.operations.find(table, $0) }
            guard let slot, table.isLive(slot) else { continue }
            problems.append(
                SchemaProblem(
                    type: definition.name, property: "id",
                    reason: "the store gives ids from 1 on, and there is an entity with the id 0: "
                        + "save it under another id before the type has '@AutoIncrement'"))
        }
        return problems
    }
}
