import VarveInspection

/// `varve undo`: undoes the newest step.
struct UndoCommand: Command {
    static let definition = RevisionCommands.definition(
        "undo", "undo the newest step, by appending a transaction",
        """
        Takes the store's lock and appends a transaction that undoes the newest step of a
        scope. If a later transaction changed the same data, nothing is done, unless --force
        is given. The program's unique constraints are not checked.
        """)

    private let command: RevisionCommands

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        command = RevisionCommands(arguments)
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        try command.perform(.undo(scope: command.scope), in: session)
    }
}

/// `varve redo`: redoes the step that was undone last.
struct RedoCommand: Command {
    static let definition = RevisionCommands.definition(
        "redo", "redo the step that was undone last",
        """
        Takes the store's lock and appends a transaction that redoes the step of a scope that
        was undone last. If a later transaction changed the same data, nothing is done, unless
        --force is given.
        """)

    private let command: RevisionCommands

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        command = RevisionCommands(arguments)
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        try command.perform(.redo(scope: command.scope), in: session)
    }
}

/// `varve restore`: restores a deleted entity.
struct RestoreCommand: Command {
    static let alone = OptionDefinition(
        name: "alone", letter: "a", help: "without what was deleted along with it")

    static let definition = CommandDefinition(
        name: "restore",
        summary: "restore a deleted entity, with what was deleted along with it",
        description: """
            Takes the store's lock and appends a transaction that restores a deleted entity,
            with everything that delete rules deleted along with it, in their places and with
            their links. Links to what is still deleted are listed, and are visible once
            that is restored.
            """,
        operands: EntityOperands.all, options: [alone],
        examples: ["restore Chats.varve Chat 1", "restore --alone Chats.varve Chat 1"])

    private let operands: EntityOperands
    private let isWhole: Bool

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        operands = EntityOperands(arguments)
        isWhole = !arguments.has(Self.alone)
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        try RevisionCommands.perform(
            .restore(type: operands.type, id: operands.id, isWhole: isWhole),
            at: operands.path, force: false, in: session)
    }
}

/// What the commands have in common that append a transaction.
struct RevisionCommands {
    static let scopeOption = OptionDefinition(
        name: "scope", letter: "s", valueName: "NAME",
        help: "the undo stack; without it that of writes without a scope")
    static let forceOption = OptionDefinition(
        name: "force", letter: "f", help: "overwrite later changes")

    static func definition(
        _ name: String, _ summary: String, _ description: String
    ) -> CommandDefinition {
        CommandDefinition(
            name: name, summary: summary, description: description, operands: [.store],
            options: [scopeOption, forceOption],
            examples: ["\(name) Chats.varve", "\(name) --scope editor Chats.varve"])
    }

    let path: String
    let scope: String?
    let force: Bool

    init(_ arguments: ParsedArguments) {
        path = arguments.operands[0]
        scope = arguments.value(of: Self.scopeOption)
        force = arguments.has(Self.forceOption)
    }

    func perform(
        _ action: StoreRevision.Action, in session: Session
    ) throws(ToolFailure) -> ExitStatus {
        try Self.perform(action, at: path, force: force, in: session)
    }

    static func perform(
        _ action: StoreRevision.Action, at path: String, force: Bool, in session: Session
    ) throws(ToolFailure) -> ExitStatus {
        let revision = try ToolFailure.inspecting { () throws(InspectionError) in
            try StoreRevision.perform(action, at: path, force: force)
        }
        if session.isJSON {
            try session.write([
                "path": .text(path), "kind": .text(revision.action.name),
                "transaction": .id(revision.transaction),
                "takenBack": .array(revision.takenBack.map { .id($0) }),
                "label": .optional(revision.label),
                "overruled": .array(revision.overruled.map { .text($0) }),
                "unlinked": .array(revision.unlinked.map { .text($0) }),
            ])
            return .success
        }
        try session.writeWhole(
            StyledText(path + ": ", .heading)
                + StyledText("transaction \(revision.transaction) \(revision.text)"))
        for text in revision.overruled {
            try session.write(StyledText("  overwritten: " + text, .faint))
        }
        for text in revision.unlinked {
            try session.write(StyledText("  not linked yet: " + text, .faint))
        }
        return .success
    }
}

extension StoreRevision {
    /// What the transaction does: `undoes 41 “Rename”`.
    fileprivate var text: String {
        switch action {
        case .undo: "undoes \(undone(label))"
        case .redo:
            "redoes" + (label.map { " “\($0)”" } ?? "") + ", which \(transactions) undid"
        case .restore(let type, let id, _):
            "restores \(type) \(id), which \(undone(takenBackLabel)) deleted"
        }
    }

    private var transactions: String { takenBack.map { "\($0)" }.joined(separator: ", ") }

    /// `41 “Rename”`; of an undo, which has the label of its step, `42 (undo of “Rename”)`.
    private func undone(_ label: String?) -> String {
        switch takenBackKind {
        case .undo, .redo:
            let step = label.map { "“\($0)”" } ?? takenBackKind.target.map { "\($0)" } ?? ""
            return "\(transactions) (\(takenBackKind.name) of \(step))"
        case .write, .revert, .rewind, .restore, .schema, .purge:
            return transactions + (label.map { " “\($0)”" } ?? "")
        }
    }
}

extension StoreRevision.Action {
    fileprivate var name: String {
        switch self {
        case .undo: "undo"
        case .redo: "redo"
        case .restore: "restore"
        }
    }
}
