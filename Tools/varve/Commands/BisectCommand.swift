import VarveInspection
import VarveText

/// `varve bisect`: the first transaction after which the result of a query is another.
struct BisectCommand: Command {
    static let from = OptionDefinition(
        name: "from", valueName: "WHEN", help: "compare with the result then (at the beginning)")
    static let to = OptionDefinition(
        name: "to", valueName: "WHEN", help: "look no further than this (the newest transaction)")
    static let when = OptionDefinition(
        name: "when", letter: "w", valueName: "CONDITION",
        help: "find where CONDITION on the result turns true or false")
    static let exact = OptionDefinition(
        name: "exact", letter: "x", help: "compare the result behind every transaction")

    static let definition = CommandDefinition(
        name: "bisect",
        summary: "the first transaction after which a query's result is another",
        description: """
            Finds the first transaction after which the result of QUERY is not what it was at
            the start of the range, and writes both results. Only transactions are considered
            that touch what the query reads.

            CONDITION compares the number of rows, or a column of a result with one row, with
            a value: 'count > 5', 'sum(price) >= 100'. Then the transaction is found behind
            which it holds for the first time, or no longer.

            A short range is compared state by state. In a long one states are left out, as
            'git bisect' does; a change that was soon undone may be passed over, which the last
            line says. --exact leaves out none. WHEN is as in 'varve log'. The status is 1
            where the result is always the same.
            """,
        operands: [
            .store, OperandDefinition(name: "QUERY", help: "a query, as for 'varve query'"),
        ],
        options: [from, to, when, exact, CommandDefinition.full],
        examples: [
            "bisect Chats.varve 'Chat where title == \"Plans\"'",
            "bisect --from=2w --when='count > 99' Chats.varve 'Message where flagged'",
        ])

    private let path: String
    private let text: String
    private let bisection: QueryBisection
    private let condition: ResultCondition?
    private let oldest: TransactionFilter.Bound?
    private let newest: TransactionFilter.Bound?

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        text = arguments.operands[1]
        oldest = try LogCommand.bound(Self.from, arguments, now)
        newest = try LogCommand.bound(Self.to, arguments, now)
        condition = try arguments.value(of: Self.when).map { text throws(UsageError) in
            guard let condition = ResultCondition(text) else {
                throw .invalidValue(
                    option: "--when", value: text, expected: ResultCondition.expected)
            }
            return condition
        }
        do throws(QueryError) {
            var bisection = QueryBisection(try InspectionQuery(text))
            if arguments.has(Self.exact) { bisection.stride = 1 }
            if let condition {
                bisection.comparison = { result in ["\(condition.holds(for: result))"] }
            }
            self.bisection = bisection
        } catch {
            throw .query(error, text: text)
        }
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let store = SoundStore(at: path)
        let range = try store.inspect { inspection throws(InspectionError) in
            let oldest =
                if let oldest {
                    try inspection.transaction(behind: oldest)
                } else {
                    try inspection.oldestState()
                }
            guard let newest else { return (oldest: oldest, newest: inspection.lastTransaction) }
            return (oldest: oldest, newest: try inspection.transaction(behind: newest))
        }
        let outcome = try search(store, range.oldest, range.newest, session)
        try check(outcome)
        try write(outcome, range, in: session)
        return try store.end(outcome.change == nil ? .failure : .success)
    }

    private func search(
        _ store: SoundStore, _ oldest: TransactionID, _ newest: TransactionID, _ session: Session
    ) throws(ToolFailure) -> QueryBisection.Outcome {
        try store.ask(text, by: "bisect") { inspection throws(QueryFailure) in
            try bisection.run(in: inspection, after: oldest, through: newest) {
                session.progress.count("transactions rolled back", $0, of: $1)
            }
        }
    }

    /// A condition on a column that there is not never holds, and nothing would be found.
    private func check(_ outcome: QueryBisection.Outcome) throws(ToolFailure) {
        guard let condition, let problem = condition.problem(with: outcome.start.columns) else {
            return
        }
        throw .usage(
            .invalidValue(option: "--when", value: condition.text, expected: problem),
            command: "bisect")
    }

    // MARK: Output

    private func write(
        _ outcome: QueryBisection.Outcome, _ range: (oldest: TransactionID, newest: TransactionID),
        in session: Session
    ) throws(ToolFailure) {
        if session.isJSON {
            try session.write(outcome.json)
        } else if let change = outcome.change {
            try session.write(change.transaction.headline(in: session))
            try session.write(ResultDifference(change, isFull: session.width == nil).lines)
            try session.write(remark(on: outcome))
        } else {
            let what = condition == nil ? "the result is" : "the condition is"
            let text = "\(what) the same from transaction \(range.oldest) to \(range.newest)"
            try session.write(StyledText(text, .faint))
            try session.write(remark(on: outcome))
        }
    }

    private func remark(on outcome: QueryBisection.Outcome) -> StyledText {
        let counts =
            Numerals.counted(outcome.evaluations, "state") + " compared, "
            + Numerals.counted(outcome.candidates, "transaction") + " considered, "
            + Numerals.counted(outcome.replays, "replay")
        let exactness = outcome.isExact ? "" : "; states were left out: --exact compares all"
        return StyledText("(" + counts + exactness + ")", .faint)
    }
}

/// The rows that two results do not have in common.
private struct ResultDifference {
    /// So many rows of each kind are shown where not all are wanted.
    private static let rowsMax = 10

    private let before: QueryAnswer
    private let after: QueryAnswer
    private let isFull: Bool

    init(_ change: QueryBisection.Change, isFull: Bool) {
        (before, after) = (change.before, change.after)
        self.isFull = isFull
    }

    var lines: [StyledText] {
        let count = { (result: QueryAnswer) in Numerals.counted(result.rows.count, "row") }
        let titles = after.columns.isEmpty ? before.columns : after.columns
        let removed = rows(of: before, without: after)
        let added = rows(of: after, without: before)
        let isReordered = removed.isEmpty && added.isEmpty && before.rows.count == after.rows.count
        return [
            StyledText("  before: ", .faint) + StyledText(count(before))
                + StyledText(", after: ", .faint) + StyledText(count(after))
                + StyledText(isReordered ? ", in another order" : "", .faint)
        ] + lines(removed, titles, "− ", .removed) + lines(added, titles, "+ ", .added)
    }

    private func rows(of result: QueryAnswer, without other: QueryAnswer) -> [[QueryCell]] {
        var known: [[String]: Int] = [:]
        for row in other.rows { known[row.map(\.json), default: 0] += 1 }
        return result.rows.filter { row in
            let key = row.map(\.json)
            guard let count = known[key], count > 0 else { return true }
            known[key] = count - 1
            return false
        }
    }

    private func lines(
        _ rows: [[QueryCell]], _ titles: [String], _ sign: String, _ role: StyledText.Role
    ) -> [StyledText] {
        let shown = isFull ? rows[...] : rows.prefix(Self.rowsMax)
        var lines = shown.map { row in
            var line = StyledText("  " + sign, role)
            for (position, (title, cell)) in zip(titles, row).enumerated() {
                if position > 0 { line += StyledText("  ") }
                line += StyledText(title + " ", .faint) + StyledText(ValueText.cell(of: cell))
            }
            return line
        }
        if shown.count < rows.count {
            let rest = Numerals.grouped(rows.count - shown.count)
            lines.append(StyledText("    \(rest) more: --full shows them", .faint))
        }
        return lines
    }
}

extension QueryBisection.Outcome {
    fileprivate var json: JSON {
        let transaction = change?.transaction
        return [
            "transaction": transaction.map { .id($0.id) } ?? .null,
            "time": transaction.map { .moment($0.time) } ?? .null,
            "kind": transaction.map { .text($0.kind.name) } ?? .null,
            "label": .optional(transaction?.label), "author": .optional(transaction?.author),
            "before": (change?.before ?? start).json, "after": change.map(\.after.json) ?? .null,
            "candidates": .number(candidates), "evaluations": .number(evaluations),
            "replays": .number(replays), "exact": .bool(isExact),
        ]
    }
}

extension QueryAnswer {
    fileprivate var json: JSON {
        .array(
            rows.map { row in
                .object(zip(columns, row).map { (key: $0, value: .written($1.json)) })
            })
    }
}
