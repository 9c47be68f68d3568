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
        // Entities are still read when lines are written, which damage that is met between them would repeat.
        let store = SoundStore(at: path, verifiesCheckpoint: true)
        var differences = try store.inspect { inspection throws(InspectionError) in
            try inspection.differences(
                from: first.map { TransactionID($0) } ?? inspection.lastTransaction,
                to: second.map { TransactionID($0) } ?? inspection.lastTransaction)
        }
        while true {
            let next = try ToolFailure.inspecting { () throws(InspectionError) in
                try differences.next()
            }
            guard let difference = next else { return try store.end() }
            if session.isJSON {
                try session.write(difference.json)
            } else {
                try session.write(difference.lines)
            }
        }
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
        let (sign, role, _) = kind
        let values = fields.map { field in
            let parts = [field.before, field.after].compactMap { $0.map { ValueText.text(of: $0) } }
            return (field.name, StyledText(parts.joined(separator: " → ")))
        }
        return [StyledText(sign + " ", role) + StyledText(ValueText.text(of: entity), .heading)]
            + EventLines(width: nil).aligned(
                values + links.map { ($0.name, text(from: $0.before, to: $0.after)) })
    }

    /// The whole list of an entity that came or went, and of others what changed in it.
    private func text(from old: [InspectedValue], to new: [InspectedValue]) -> StyledText {
        guard before != nil, after != nil else {
            let all = (old + new).map { ValueText.text(of: $0) }
            return StyledText("[" + all.joined(separator: ", ") + "]")
        }
        let changes = InspectedEntity.Links.changes(from: old, to: new)
        let places =
            changes.removals.map { ("− ", StyledText.Role.removed, $0) }
            + changes.insertions.map { ("+ ", .added, $0) }
        var line = StyledText()
        for (sign, role, place) in places {
            if !line.isEmpty { line += StyledText(", ") }
            line += StyledText(sign + ValueText.text(of: place.target), role)
            line += StyledText(" at \(place.position)")
        }
        return line
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
