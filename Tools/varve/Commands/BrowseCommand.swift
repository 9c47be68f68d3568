import VarveInspection
import VarveTerminal

/// `varve browse`: a store on a full screen.
struct BrowseCommand: Command {
    static let definition = CommandDefinition(
        name: "browse",
        summary: "a store on a full screen: transactions, entities, types, search",
        description: """
            Shows a store on a full screen: its transactions, what each of them changed, its
            types and their entities, and of an entity its links, its versions, and the
            transaction that set each field. New transactions appear as they are written.
            '?' shows the keys, 'q' goes back and ends.

            Takes no lock and changes nothing. Of a damaged store it shows what is sound,
            and what is missing.
            """,
        operands: [.store],
        examples: ["browse Chats.varve"], isLive: true, takesJSON: false)

    private let path: String

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        // It may be in front of the command.
        guard !arguments.has(CommandDefinition.json) else {
            throw .unknownOption("--json", suggestion: nil)
        }
        path = arguments.operands[0]
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        guard session.isTerminal, Terminal.isThere else { throw .terminal(.missing) }
        guard !session.isDumb else { throw .terminal(.dumb) }
        let size = Terminal.size
        guard !size.isTooSmall else { throw .terminal(.tooSmall(size)) }
        let source = try ToolFailure.inspecting { () throws(InspectionError) in
            try BrowseSource(path)
        }
        let browse = BrowseSession(
            source, storeName: path.split(separator: "/").last.map(String.init) ?? path, size: size,
            zone: session.zone, withColors: session.hasColors)
        guard browse.run() else { throw .terminal(.missing) }
        return .success
    }
}
