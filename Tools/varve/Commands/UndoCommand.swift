import VarveInspection

/// `varve undo`: takes the newest step back.
struct UndoCommand: Command {
    static let definition = RevisionCommands.definition(
        "undo", "take the newest step back, by a transaction that is appended",
        """
        Takes the store's lock and appends a transaction that takes the newest step of a scope
        back. Where something came since that would be lost, nothing is done, unless --force
        says otherwise. Unique constraints of the program are not looked at.
        """)

    private let command: RevisionCommands

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        command = RevisionCommands(arguments)
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        try command.perform(.undo(scope: command.scope), in: session)
    }
}

/// `varve redo`: brings the step back that was undone last.
struct RedoCommand: Command {
    static let definition = RevisionCommands.definition(
        "redo", "bring the step back that was undone last",
        """
        Takes the store's lock and appends a transaction that brings the step of a scope back
        that was undone last. Where something came since that would be lost, nothing is done,
        unless --force says otherwise.
        """)

    private let command: RevisionCommands

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        command = RevisionCommands(arguments)
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        try command.perform(.redo(scope: command.scope), in: session)
    }
}

/// `varve restore`: brings a deleted entity back.
struct RestoreCommand: Command {
    static let alone = OptionDefinition(
        name: "alone", letter: "a", help: "without what was deleted along with it")

    static let definition = CommandDefinition(
        name: "restore",
        summary: "bring a deleted entity back, with what was deleted along with it",
        description: """
            Takes the store's lock and appends a transaction that brings a deleted entity back,
            with everything that was deleted along with it by delete rules, to their places and
            with their links. Links to what is still deleted are listed, and are visible once
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
        name: "force", letter: "f", help: "overwrite what came since")

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
                "path": .text(path), "transaction": .id(revision.transaction),
                "takenBack": .array(revision.takenBack.map { .id($0) }),
                "label": .optional(revision.label),
                "overruled": .array(revision.overruled.map { .text($0) }),
                "unlinked": .array(revision.unlinked.map { .text($0) }),
            ])
            return .success
        }
        let steps = revision.takenBack.map { "\($0)" }.joined(separator: ", ")
        let label = revision.label.map { " “\($0)”" } ?? ""
        try session.write(
            StyledText(path + ": ", .heading)
                + StyledText("transaction \(revision.transaction) takes back \(steps)\(label)"))
        for text in revision.overruled {
            try session.write(StyledText("  overruled: " + text, .faint))
        }
        for text in revision.unlinked {
            try session.write(StyledText("  not linked yet: " + text, .faint))
        }
        return .success
    }
}
