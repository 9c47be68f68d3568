import VarveInspection

/// `varve schema`: the types of a store, for people and for other programs.
struct SchemaCommand: Command {
    static let dot = OptionDefinition(name: "dot", help: "write a graph for Graphviz")
    static let swift = OptionDefinition(
        name: "swift", help: "write Swift source of entities that open this store")

    static let definition = CommandDefinition(
        name: "schema",
        summary: "the types of a store: fields, relations, delete rules",
        description: """
            Shows the types of a store with their fields and relations, as the newest
            definitions have them. With --swift it writes source of entities that open the
            store, with --dot a graph of the relations, with --json everything that a store
            of the same types can be made from. Reads the definitions, not the entities.
            """,
        operands: [.store], options: [dot, swift],
        examples: [
            "schema Chats.varve", "schema --swift Chats.varve > Entities.swift",
            "schema --dot Chats.varve | dot -Tsvg > schema.svg",
        ])

    /// How it is written. Of several options the first of these counts.
    private enum Form { case json, swift, dot, text }

    private let path: String
    private let form: Form

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        let chosen: [(OptionDefinition, Form)] = [
            (CommandDefinition.json, .json), (Self.swift, .swift), (Self.dot, .dot),
        ].filter { arguments.has($0.0) }
        guard chosen.count <= 1 else {
            throw .conflictingOptions(chosen.map { "--" + $0.0.name })
        }
        form = chosen.first?.1 ?? .text
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let store = SoundStore(at: path)
        let schema = try store.inspect { inspection throws(InspectionError) in
            try inspection.schema()
        }
        switch form {
        case .json: try session.write(schema.json)
        case .text: for line in SchemaLines(schema: schema).lines { try session.writeWhole(line) }
        case .dot: for line in SchemaDot(schema: schema).lines { try session.writeLine(line) }
        case .swift:
            let lines = schema.swiftSource.split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines.dropLast() { try session.writeLine(String(line)) }
        }
        if let damage = schema.damage { throw .inspection(damage) }
        return try store.end()
    }
}
