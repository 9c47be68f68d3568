import VarveInspection

/// `varve history`: the versions of an entity.
struct HistoryCommand: Command {
    static let definition = CommandDefinition(
        name: "history",
        summary: "every version of an entity, newest first",
        description: """
            Writes the versions of an entity: the transaction that made each, whether that was
            an undo, a redo, a revert, a rewind or a restoration, what happened, and which
            fields got which values. A transaction that changed only the entity's links makes
            no version. Where older versions are no longer kept, the last line says so.
            """,
        operands: EntityOperands.all, options: [],
        examples: ["history Chats.varve Chat 1", "history --json Chats.varve Chat 1"])

    private let operands: EntityOperands

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        operands = EntityOperands(arguments)
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let store = SoundStore(at: operands.path)
        let history = try store.inspect { inspection throws(InspectionError) in
            try inspection.history(of: operands.type, id: operands.id)
        }
        for version in history.versions {
            if session.isJSON {
                try session.write(version.json)
            } else {
                try session.write(version.lines(at: session.now))
            }
        }
        if let dropped = history.dropped {
            if session.isJSON {
                try session.write(dropped.json)
            } else {
                try session.write(dropped.line)
            }
        }
        return try store.end()
    }
}

/// `varve blame`: which transaction gave each field its value.
struct BlameCommand: Command {
    static let definition = CommandDefinition(
        name: "blame",
        summary: "which transaction gave each field of an entity its value",
        description: """
            Writes, for each field of an entity, the transaction that gave it the value that it
            has. Where that is no longer kept, it says with which transaction history begins.
            """,
        operands: EntityOperands.all, options: [], examples: ["blame Chats.varve Chat 1"])

    private let operands: EntityOperands

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        operands = EntityOperands(arguments)
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let store = SoundStore(at: operands.path)
        let blame = try store.inspect { inspection throws(InspectionError) in
            try inspection.blame(of: operands.type, id: operands.id)
        }
        if session.isJSON {
            for field in blame.fields { try session.write(field.json(blame.dropped)) }
        } else {
            try session.write(Self.lines(of: blame, at: session.now))
        }
        return try store.end()
    }

    /// Sources, names and values, each below the others.
    private static func lines(of blame: InspectedBlame, at now: Moment) -> [StyledText] {
        let rows = blame.fields.map { field in
            [
                field.version?.headline(at: now) ?? blame.dropped?.source
                    ?? StyledText("unknown", .faint),
                StyledText(field.name, .heading), StyledText(ValueText.text(of: field.value)),
            ]
        }
        var table = TextTable(["", "", ""].map { TextTable.Column(title: $0) }, limit: nil)
        return table.lines(rows, withTitles: false)
    }
}

extension InspectedBlame.Field {
    fileprivate func json(_ dropped: DroppedVersions?) -> JSON {
        [
            "field": .text(name), "value": .value(value),
            "transaction": version.map { .id($0.transaction) } ?? .null,
            "kind": version.map { .text($0.kind.name) } ?? .null,
            "of": version?.kind.target.map { .id($0) } ?? .null,
            "time": version.map { .moment($0.time) } ?? .null,
            "label": .optional(version?.label), "author": .optional(version?.author),
            "before": version == nil ? dropped?.oldestKept.map { .id($0) } ?? .null : .null,
        ]
    }
}

extension DroppedVersions {
    fileprivate var line: StyledText {
        StyledText(description, .faint)
    }

    /// In the place of a version.
    fileprivate var source: StyledText {
        StyledText(oldestKept.map { "before \($0), not kept" } ?? "not kept", .faint)
    }

    fileprivate var json: JSON {
        ["historyBegins": oldestKept.map { .id($0) } ?? .null, "lastNotKept": .id(newest)]
    }
}

/// The operands that name one entity.
struct EntityOperands {
    static let all: [OperandDefinition] = [
        .store,
        OperandDefinition(name: "TYPE", help: "the name of the type, as 'info' shows it"),
        OperandDefinition(
            name: "ID",
            help: "an id: a text without quotation marks, a number, a UUID,\n"
                + "or any other in its JSON form"),
    ]

    let path: String
    let type: String
    let id: String

    init(_ arguments: ParsedArguments) {
        path = arguments.operands[0]
        type = arguments.operands[1]
        id = arguments.operands[2]
    }
}

extension InspectedVersion {
    fileprivate func headline(at now: Moment) -> StyledText {
        var line =
            StyledText("\(transaction)", .identifier)
            + StyledText("  " + Age(of: time, at: now).phrase, .faint)
        if kind != .write { line += StyledText("  " + kind.text, .changed) }
        if let author { line += StyledText("  " + author) }
        if let label { line += StyledText("  " + label) }
        return line
    }

    fileprivate func lines(at now: Moment) -> [StyledText] {
        let shown = change == .inserted ? fields : fields.filter { changedFields.contains($0.name) }
        let values = change == .updated || change == .inserted ? shown : []
        return [headline(at: now) + StyledText("  ") + text]
            + EventLines(width: nil).lines(of: values)
    }

    private var text: StyledText {
        switch change {
        case .inserted: StyledText("inserted", .added)
        case .updated: StyledText("updated", .changed)
        case .deleted: StyledText("deleted", .removed)
        case .deletedWith(let type, let id):
            StyledText("deleted with \(type) \(id)", .removed)
        case .replaced(let type, let id):
            StyledText("replaced by \(type) \(id)", .removed)
        case .purged: StyledText("purged", .removed)
        }
    }

    fileprivate var json: JSON {
        let (name, cause): (String, JSON) =
            switch change {
            case .inserted: ("inserted", .null)
            case .updated: ("updated", .null)
            case .deleted: ("deleted", .null)
            case .deletedWith(let type, let id):
                ("deleted", ["type": .text(type), "id": .text(id)])
            case .replaced(let type, let id):
                ("replaced", ["type": .text(type), "id": .text(id)])
            case .purged: ("purged", .null)
            }
        return [
            "transaction": .id(transaction), "kind": .text(kind.name),
            "of": kind.target.map { .id($0) } ?? .null, "time": .moment(time),
            "label": .optional(label), "author": .optional(author), "change": .text(name),
            "cause": cause,
            "changed": .array(changedFields.map { .text($0) }), "fields": fields.json,
        ]
    }
}
