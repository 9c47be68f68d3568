import VarveInspection

/// `varve log`: the transactions, one on each line.
struct LogCommand: Command {
    static let limit = OptionDefinition(
        name: "limit", letter: "n", valueName: "COUNT", help: "show so many transactions at most")
    static let after = OptionDefinition(
        name: "after", letter: "a", valueName: "WHEN", help: "show only what is later than WHEN")
    static let before = OptionDefinition(
        name: "before", letter: "b", valueName: "WHEN",
        help: "show only what is earlier than WHEN")
    static let reverse = OptionDefinition(
        name: "reverse", letter: "r", help: "show the oldest first")

    static let definition = CommandDefinition(
        name: "log",
        summary: "the transactions, newest first",
        description: """
            Lists the transactions, newest first: id, time, age, kind, label, and for
            each type its events:

              + inserted   ~ updated   − deleted   = links changed   x purged   * defined

            WHEN is a transaction (41), a date (2026-08-03, 2026-08-03T14:05Z; in your zone
            unless an offset follows) or a distance from now (90s, 5m, 2h, 3d, 1w).
            """,
        operands: [.store],
        options: [limit, after, before, reverse, CommandDefinition.full],
        examples: [
            "log -n 20 Chats.varve", "log --after=2d Chats.varve",
            "log --json --after=41 --reverse Chats.varve",
        ])

    private let path: String
    private let limit: UInt64
    private let order: TransactionWalk.Order
    private let filter: TransactionFilter

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        order = arguments.has(Self.reverse) ? .oldestFirst : .newestFirst
        filter = try Self.filter(arguments, now)
        guard let text = arguments.value(of: Self.limit) else {
            limit = .max
            return
        }
        guard let count = UInt64(text) else {
            throw .invalidValue(option: "--limit", value: text, expected: "a number from 0")
        }
        limit = count
    }

    /// What `--after` and `--before` say.
    static func filter(
        _ arguments: ParsedArguments, _ now: Moment
    ) throws(UsageError) -> TransactionFilter {
        TransactionFilter(
            after: try bound(after, arguments, now), before: try bound(before, arguments, now))
    }

    static func bound(
        _ option: OptionDefinition, _ arguments: ParsedArguments, _ now: Moment
    ) throws(UsageError) -> TransactionFilter.Bound? {
        guard let text = arguments.value(of: option) else { return nil }
        guard let bound = BoundArgument(now: now, zone: arguments.zone).parse(text) else {
            throw .invalidValue(
                option: "--" + option.name, value: text, expected: BoundArgument.expected)
        }
        return bound
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let store = SoundStore(at: path)
        var walk = try SoundWalk(of: store, order, filter)
        var report = LogReport(session: session)
        var count: UInt64 = 0
        while count < limit {
            let next: TransactionSummary?
            do throws(ToolFailure) {
                next = try walk.next()
            } catch {
                try report.finish(isComplete: false)
                throw error
            }
            guard let next else { break }
            try report.add(next, isPlaced: store.isSound)
            count += 1
        }
        try report.finish(isComplete: true)
        return try store.end()
    }
}

/// A walk through the transactions that goes on in the sound part of a store where it meets damage.
private struct SoundWalk: ~Copyable {
    private let store: SoundStore
    private let order: TransactionWalk.Order
    private let filter: TransactionFilter
    private var walk: TransactionWalk
    private var last: TransactionID?

    init(
        of store: SoundStore, _ order: TransactionWalk.Order, _ filter: TransactionFilter
    ) throws(ToolFailure) {
        self.store = store
        self.order = order
        self.filter = filter
        walk = try store.inspect { $0 }.transactions(order, filter: filter)
    }

    mutating func next() throws(ToolFailure) -> TransactionSummary? {
        while true {
            do throws(InspectionError) {
                guard let next = try walk.next() else { return nil }
                guard isNew(next.id) else { continue }
                last = next.id
                return next
            } catch {
                try store.salvage(after: .inspection(error))
            }
            walk = try store.inspect { $0 }.transactions(order, filter: filter)
        }
    }

    private func isNew(_ id: TransactionID) -> Bool {
        guard let last else { return true }
        return order == .newestFirst ? id < last : id > last
    }
}

/// Shows transactions as they come: rows are laid out together as far as that costs little memory.
private struct LogReport {
    private static let batchCount = 256

    let session: Session
    private var table: TextTable
    private var rows: [[StyledText]] = []
    private var hasTitles = false

    init(session: Session) {
        self.session = session
        table = TextTable(
            [
                .init(title: "ID", alignsRight: true), .init(title: "TIME"),
                .init(title: "AGE", alignsRight: true), .init(title: "KIND"),
                .init(title: "LABEL", widthMin: 8), .init(title: "EVENTS", widthMin: 12),
            ], limit: session.width)
    }

    mutating func add(
        _ transaction: TransactionSummary, isPlaced: Bool
    ) throws(ToolFailure) {
        if session.isJSON { return try session.write(transaction.json(isPlaced: isPlaced)) }
        rows.append([
            StyledText("\(transaction.id)", .identifier),
            StyledText(session.zone.seconds(transaction.time)),
            StyledText(Age(of: transaction.time, at: session.now).abbreviation, .faint),
            StyledText(transaction.kind.text),
            StyledText(transaction.label ?? ""),
            transaction.eventText,
        ])
        if rows.count == Self.batchCount { try writeRows() }
    }

    mutating func finish(isComplete: Bool) throws(ToolFailure) {
        guard !session.isJSON else { return }
        if !rows.isEmpty {
            try writeRows()
        } else if isComplete, !hasTitles {
            try session.write(StyledText("no transactions", .faint))
        }
    }

    private mutating func writeRows() throws(ToolFailure) {
        try session.write(table.lines(rows, withTitles: !hasTitles))
        hasTitles = true
        rows.removeAll(keepingCapacity: true)
    }
}
