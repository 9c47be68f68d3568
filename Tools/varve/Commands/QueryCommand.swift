import VarveInspection
import VarveText

/// `varve query`: asks the current entities, or those of an earlier moment, a question.
struct QueryCommand: Command {
    static let at = OptionDefinition(
        name: "at", valueName: "WHEN",
        help: "ask the state behind this transaction, or at this date")
    static let explain = OptionDefinition(
        name: "explain", help: "say how the query is answered, instead of the answer")
    static let csv = OptionDefinition(
        name: "csv", help: "write comma-separated values, with a line of titles")

    static let definition = CommandDefinition(
        name: "query",
        summary: "entities that meet a condition; sums and counts of them",
        description: """
            Writes what a query finds: a table on a terminal, else a JSON object on each line.

            QUERY is TYPE [where CONDITION] [group by VALUES] [select VALUES]
            [order by VALUES] [limit N] [offset N]. Conditions compare properties,
            members of nested values and properties behind relations (chat.title) with
            == != < <= > >= contains startsWith endsWith, in (…), is null, joined by
            and, or, not. any(RELATION, CONDITION), all(…) and count(…) look at many.
            The whole language is in Docs/TOOL.md.
            """,
        operands: [
            .store, OperandDefinition(name: "QUERY", help: "the question, as one argument"),
        ],
        options: [at, explain, csv],
        examples: [
            "query Chats.varve 'Chat where isPinned order by -title limit 5'",
            "query Chats.varve 'Message where chat.title contains \"Plan\"\n      select id, text'",
            "query Chats.varve 'Message group by chat select count()\n      order by -count() limit 5'",
            "query --at=41 Chats.varve 'Chat where count(messages) > 10'",
        ])

    private let path: String
    private let text: String
    private let query: InspectionQuery
    private let moment: TransactionFilter.Bound?
    private let explains: Bool
    private let isCSV: Bool

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        text = arguments.operands[1]
        explains = arguments.has(Self.explain)
        isCSV = arguments.has(Self.csv)
        if isCSV, arguments.has(CommandDefinition.json) {
            throw .conflictingOptions(["--json", "--csv"])
        }
        moment = try Self.moment(arguments, now)
        do throws(QueryError) {
            query = try InspectionQuery(text)
        } catch {
            throw .query(error, text: text)
        }
    }

    static func moment(
        _ arguments: ParsedArguments, _ now: Moment
    ) throws(UsageError) -> TransactionFilter.Bound? {
        guard let value = arguments.value(of: at) else { return nil }
        guard let bound = BoundArgument(now: now, zone: arguments.zone).parse(value) else {
            throw .invalidValue(option: "--at", value: value, expected: BoundArgument.expected)
        }
        return bound
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let store = SoundStore(at: path)
        if explains {
            let lines = try ask(store) { inspection throws(QueryFailure) in
                try inspection.explain(query)
            }
            if session.isJSON {
                try session.write(["steps": .array(lines.map { .text($0) })])
            } else {
                try session.write(lines.map { StyledText($0) })
            }
        } else {
            let answer = try ask(store) { inspection throws(QueryFailure) in
                try inspection.answer(query)
            }
            try write(answer, in: session)
        }
        return try store.end()
    }

    private func ask<Result>(
        _ store: SoundStore, _ body: (Inspection) throws(QueryFailure) -> Result
    ) throws(ToolFailure) -> Result {
        try store.ask(text, by: "query") { inspection throws(QueryFailure) in
            do throws(InspectionError) {
                if let moment { try inspection.goBack(to: moment) }
            } catch {
                throw .inspection(error)
            }
            return try body(inspection)
        }
    }

    private func write(_ answer: QueryAnswer, in session: Session) throws(ToolFailure) {
        if isCSV {
            try session.writeLine(CSVText.line(answer.columns))
            for row in answer.rows {
                try session.writeLine(CSVText.line(row.map { CSVText.cell(of: $0) }))
            }
        } else if session.isJSON || !session.isTerminal {
            for row in answer.rows {
                try session.write(
                    JSON.object(zip(answer.columns, row).map { ($0, .written($1.json)) }))
            }
        } else {
            var table = TextTable(Self.columns(of: answer), limit: session.width)
            try session.write(
                table.lines(answer.rows.map { row in row.map { StyledText($0.text) } }))
            let count = Numerals.counted(answer.rows.count, "row")
            try session.write(StyledText(count, .faint))
        }
    }

    /// Numbers stand to the right; texts may be cut.
    private static func columns(of answer: QueryAnswer) -> [TextTable.Column] {
        answer.columns.enumerated().map { position, title in
            let cells = answer.rows.map { $0[position] }
            let isNumeric =
                cells.allSatisfy { $0.isNumber || $0.isNull }
                && cells.contains(where: \.isNumber)
            return TextTable.Column(
                title: title.escapedForDisplay, alignsRight: isNumeric,
                widthMin: isNumeric ? nil : 8)
        }
    }
}

extension QueryCell {
    /// As a cell of a table: texts without quotation marks, null as nothing.
    fileprivate var text: String { isNull ? "" : ValueText.cell(of: self) }
}
