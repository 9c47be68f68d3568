import VarveInspection

/// `varve follow`: the transactions as they are written, one on each line.
struct FollowCommand: Command {
    static let newest = OptionDefinition(
        name: "lines", letter: "n", valueName: "COUNT",
        help: "begin with the newest COUNT transactions (10)")

    static let definition = CommandDefinition(
        name: "follow",
        summary: "the transactions as they are written, until interrupted",
        description: """
            Shows the newest transactions, oldest first, and then each that is written, by
            whatever process, until it is interrupted: id, time, kind, label, events
            (as 'varve log' shows them).

            Beside a writer a transaction is shown once the writer has synced it. Where the log
            takes another course, 'rewound to ID' says that later transactions are gone.
            Damage ends it: then it shows what is sound behind that, and what is missing.
            """,
        operands: [.store],
        options: [newest, CommandDefinition.full],
        examples: ["follow Chats.varve", "follow --json -n 0 Chats.varve"], isLive: true)

    private let path: String
    private let count: UInt64

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        guard let text = arguments.value(of: Self.newest) else {
            count = 10
            return
        }
        guard let count = UInt64(text) else {
            throw .invalidValue(option: "--lines", value: text, expected: "a number from 0")
        }
        self.count = count
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let store = SoundStore(at: path)
        var shown: TransactionID?
        do throws(ToolFailure) {
            try follow(in: session, &shown)
            return .success
        } catch {
            try store.salvage(after: error)
        }
        // A damaged log does not grow. What is sound behind the damage is there already.
        let rest = try store.inspect { inspection throws(InspectionError) in
            try Self.transactions(of: inspection, after: shown, count)
        }
        for transaction in rest { try show(.transaction(transaction), in: session) }
        return try store.end()
    }

    /// - Parameter shown: the transaction that was shown last.
    private func follow(in session: Session, _ shown: inout TransactionID?) throws(ToolFailure) {
        let follower = try ToolFailure.inspecting { () throws(InspectionError) in
            try TransactionFollower(at: path, newest: count)
        }
        repeat {
            while true {
                let events = try ToolFailure.inspecting { () throws(InspectionError) in
                    try follower.next()
                }
                if events.isEmpty { break }
                for event in events {
                    try show(event, in: session)
                    shown = event.last
                }
                try session.flush()
            }
        } while session.pause()
    }

    /// The transactions behind one, oldest first; the newest of all where none was shown.
    private static func transactions(
        of inspection: Inspection, after shown: TransactionID?, _ count: UInt64
    ) throws(InspectionError) -> [TransactionSummary] {
        var newest: [TransactionSummary] = []
        var walk = inspection.transactions(.newestFirst)
        while let transaction = try walk.next() {
            if let shown {
                guard transaction.id > shown else { break }
            } else {
                guard UInt64(newest.count) < count else { break }
            }
            newest.append(transaction)
        }
        return newest.reversed()
    }

    private func show(
        _ event: TransactionFollower.Event, in session: Session
    ) throws(ToolFailure) {
        if session.isJSON { return try session.write(Self.json(event)) }
        switch event {
        case .transaction(let transaction):
            try session.write(Self.line(transaction, session.zone))
        case .rewound(let id): try session.write(StyledText("rewound to \(id)", .removed))
        case .missed(let id): try session.write(StyledText("missed through \(id)", .removed))
        }
    }

    private static func json(_ event: TransactionFollower.Event) -> JSON {
        switch event {
        case .transaction(let transaction): transaction.json()
        case .rewound(let id): .object([("rewoundTo", .number(id.rawValue))])
        case .missed(let id): .object([("missedThrough", .number(id.rawValue))])
        }
    }

    private static func line(
        _ transaction: TransactionSummary, _ zone: ReaderZone
    ) -> StyledText {
        let label = transaction.label ?? ""
        var line = StyledText("\(transaction.id)", .identifier)
        line += StyledText("  \(zone.seconds(transaction.time))  \(transaction.kind.text)  ")
        if !label.isEmpty { line += StyledText(label + "  ") }
        return line + transaction.eventText
    }
}

extension TransactionFollower.Event {
    /// The newest transaction of the log as far as the event tells.
    fileprivate var last: TransactionID {
        switch self {
        case .transaction(let transaction): transaction.id
        case .rewound(let id), .missed(let id): id
        }
    }
}
