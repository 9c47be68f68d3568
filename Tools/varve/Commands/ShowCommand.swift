import VarveInspection

/// `varve show`: one transaction, event by event.
struct ShowCommand: Command {
    static let definition = CommandDefinition(
        name: "show",
        summary: "one transaction: its events, with old and new values",
        description: """
            Shows one transaction: what it says about itself, then its events in their order,
            field by field. Of an update both sides are shown, of a long text the part that
            changed.
            """,
        operands: [
            .store,
            OperandDefinition(
                name: "TXN", help: "the id of the transaction, as 'log' shows it, or 'last'"),
        ],
        options: [CommandDefinition.full],
        examples: ["show Chats.varve 41", "show --json Chats.varve last | jq '.events[]'"])

    private let path: String
    /// Nil for the newest.
    private let id: TransactionID?

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        let text = arguments.operands[1]
        guard text == "last" || UInt64(text) != nil else {
            throw .invalidOperand(name: "TXN", value: text, expected: "a number, or 'last'")
        }
        id = UInt64(text).map { TransactionID($0) }
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let store = SoundStore(at: path)
        let transaction = try store.inspect { inspection throws(InspectionError) in
            try inspection.transaction(id ?? inspection.lastTransaction)
        }
        if session.isJSON {
            try session.write(
                transaction.summary.json(isPlaced: store.isSound).adding([
                    "events": .array(transaction.events.map(\.json))
                ]))
            return try store.end()
        }
        try session.write(
            header(of: transaction.summary, isPlaced: store.isSound, in: session))
        let lines = EventLines(width: session.width)
        for event in transaction.events { try session.write(lines.lines(of: event)) }
        return try store.end()
    }

    private func header(
        of transaction: TransactionSummary, isPlaced: Bool, in session: Session
    ) -> [StyledText] {
        var title =
            StyledText("Transaction ", .heading) + StyledText("\(transaction.id)", .identifier)
            + StyledText("  " + transaction.kind.text)
        if let label = transaction.label {
            title += StyledText("  " + label, .heading)
        }
        let age = Age(of: transaction.time, at: session.now).phrase
        let location = transaction.location
        var facts = [("Time", "\(session.zone.exactly(transaction.time)) (\(age))")]
        if isPlaced {
            facts.append(("Place", "segment \(location.segment), offset \(location.offset)"))
        }
        facts += [
            (
                "Size",
                "\(Numerals.size(transaction.storedBytes)) stored, "
                    + "\(Numerals.size(transaction.rawBytes)) raw, "
                    + Numerals.counted(transaction.eventCount, "event")
            ),
            ("Scope", transaction.scope), ("Group", transaction.group),
            ("Author", transaction.author),
            ("Undo", transaction.isUndoable ? nil : "excluded"),
        ].compactMap { name, text in text.map { (name, $0) } }
        facts += transaction.migrations.map { ("Migration", $0) }
        facts += transaction.metadata.sorted { $0.key < $1.key }.map { key, value in
            ("Metadata", key + " = " + value)
        }
        let lines = facts.map { name, text in
            StyledText("  " + name + String(repeating: " ", count: 10 - name.count), .faint)
                + StyledText(text)
        }
        return [title] + lines + [StyledText()]
    }
}
