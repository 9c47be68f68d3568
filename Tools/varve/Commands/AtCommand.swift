import VarveInspection

/// `varve at`: the entities of a type as they were.
struct AtCommand: Command {
    static let definition = CommandDefinition(
        name: "at",
        summary: "what 'cat' would have shown behind an earlier transaction",
        description: """
            Writes the state of the entities of a type, or of the one with ID, as it was behind
            a transaction: the newest state, with later transactions rolled back.
            """,
        operands: [
            .store,
            OperandDefinition(name: "TXN", help: "a transaction; 0 is the empty store"),
            OperandDefinition(name: "cat", help: "the word 'cat'", isWord: true),
            OperandDefinition(name: "TYPE", help: "the name of the type, as 'info' shows it"),
            OperandDefinition(name: "ID", isRequired: false, help: "an id, as for 'cat'"),
        ],
        options: [CatCommand.deleted],
        examples: ["at Chats.varve 41 cat Chat", "at Chats.varve 41 cat Chat 1"])

    private let path: String
    private let transaction: UInt64?
    private let listing: EntityListing

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        transaction = try DiffCommand.transaction(arguments.operands[1], "TXN")
        listing = EntityListing(
            type: arguments.operands[3], id: arguments.operands.dropFirst(4).first,
            selection: arguments.has(CatCommand.deleted) ? .deleted : .live)
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        try listing.write(at: transaction.map { TransactionID($0) }, ofStoreAt: path, in: session)
    }
}
