internal import VarveEvents
internal import VarveGraph
internal import VarveTables

extension Context {
    /// Types whose ids the store gives and that have an entity with the id 0: a save could not tell it from one whose
    /// id is still to be given.
    func numberingProblems(_ schema: Schema, _ state: State) -> [SchemaProblem] {
        var problems: [SchemaProblem] = []
        for (position, table) in tables.tables.unfilled.enumerated()
        where table.descriptor.numbersIDs {
            guard let definition = schema.definition(atTable: position) else { continue }
            var id = ByteWriter()
            definition.idType.writeID(of: 0, into: &id)
            let entry = id.withBytes { state.entry(of: definition.number, id: $0) }
            guard entry?.presence == .live else { continue }
            problems.append(
                SchemaProblem(
                    type: definition.name, property: "id",
                    reason: "the store gives ids from 1 on, and there is an entity with the id 0: "
                        + "save it under another id before the type has '@AutoIncrement'"))
        }
        return problems
    }
}
