import VarveInspection

/// `varve diff`: what lies between two transactions.
struct DiffCommand: Command {
    static let definition = CommandDefinition(
        name: "diff",
        summary: "the entities that differ between two transactions",
        description: """
            Writes the entities that differ between the states behind two transactions: which
            came (+), which went (-), and which fields and links of others (~) are not the same.
            """,
        operands: [
            .store,
            OperandDefinition(name: "A", help: "a transaction; 0 is the empty store"),
            OperandDefinition(name: "B", help: "a transaction, or 'last'"),
        ],
        options: [], examples: ["diff Chats.varve 41 50", "diff Chats.varve 41 last"])

    private let path: String
    private let first: UInt64?
    private let second: UInt64?

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        first = try Self.transaction(arguments.operands[1], "A")
        second = try Self.transaction(arguments.operands[2], "B")
    }

    static func transaction(_ text: String, _ name: String) throws(UsageError) -> UInt64? {
        guard text == "last" || UInt64(text) != nil else {
            throw .invalidOperand(name: name, value: text, expected: "a number, or 'last'")
        }
        return UInt64(text)
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let store = SoundStore(at: path)
        let differences = try store.inspect { inspection throws(InspectionError) in
            try inspection.difference(
                from: first.map { TransactionID($0) } ?? inspection.lastTransaction,
                to: second.map { TransactionID($0) } ?? inspection.lastTransaction)
        }
        for difference in differences {
            if session.isJSON {
                try session.write(difference.json)
            } else {
                try session.write(difference.lines)
            }
        }
        return try store.end()
    }
}

extension InspectedDifference {
    private var kind: (sign: String, role: StyledText.Role, name: String) {
        before == nil
            ? ("+", .added, "inserted")
            : after == nil ? ("−", .removed, "deleted") : ("~", .changed, "updated")
    }

    /// Names of fields and relations with what they were and are, where that is not the same.
    private var fields: [(name: String, before: InspectedValue?, after: InspectedValue?)] {
        (before ?? after)?.fields.enumerated().compactMap { position, field in
            let old = before?.fields[position].value
            let new = after?.fields[position].value
            return old == new ? nil : (field.name, old, new)
        } ?? []
    }

    private var links: [(name: String, before: [InspectedValue], after: [InspectedValue])] {
        (before ?? after)?.links.enumerated().compactMap { position, links in
            let old = before?.links[position].targets ?? []
            let new = after?.links[position].targets ?? []
            return old == new ? nil : (links.relation, old, new)
        } ?? []
    }

    fileprivate var lines: [StyledText] {
        func text(_ value: InspectedValue?) -> String { value.map { ValueText.text(of: $0) } ?? "" }
        func text(_ values: [InspectedValue]) -> String {
            "[" + values.map { ValueText.text(of: $0) }.joined(separator: ", ") + "]"
        }
        func line(_ name: String, _ old: String?, _ new: String?) -> StyledText {
            let start = StyledText("    " + name + "  ", .faint)
            let parts = [old, new].compactMap { $0 }
            return start + StyledText(parts.joined(separator: " → "))
        }
        let (sign, role, _) = kind
        return [StyledText(sign + " ", role) + StyledText(ValueText.text(of: entity), .heading)]
            + fields.map { field in
                line(field.name, field.before.map(text), field.after.map(text))
            }
            + links.map { line($0.name, text($0.before), text($0.after)) }
    }

    fileprivate var json: JSON {
        [
            "type": .text(entity.type), "id": .value(entity.id), "change": .text(kind.name),
            "fields": .object(
                fields.map { field in
                    (
                        key: field.name,
                        value: [
                            "old": field.before.map { .value($0) } ?? .null,
                            "new": field.after.map { .value($0) } ?? .null,
                        ]
                    )
                }),
            "links": .object(
                links.map { links in
                    (
                        key: links.name,
                        value: [
                            "old": .array(links.before.map { .value($0) }),
                            "new": .array(links.after.map { .value($0) }),
                        ]
                    )
                }),
        ]
    }
}
