import VarveInspection
import VarveText

/// `varve grep`: the transactions that added or removed a text.
struct GrepCommand: Command {
    static let ignoreCase = OptionDefinition(
        name: "ignore-case", letter: "i", help: "find any case of letters")
    static let regex = OptionDefinition(
        name: "regex", letter: "E", help: "TEXT is a regular expression")
    static let type = OptionDefinition(
        name: "type", letter: "t", valueName: "TYPE", help: "look in entities of TYPE only")
    static let field = OptionDefinition(
        name: "field", letter: "p", valueName: "FIELD", help: "look in the property FIELD only")
    static let ids = OptionDefinition(
        name: "ids", help: "look in the ids of entities that came or went, too")
    static let labels = OptionDefinition(
        name: "labels", letter: "l", help: "look in the labels of transactions, too")
    static let limit = OptionDefinition(
        name: "limit", letter: "n", valueName: "COUNT", help: "show so many transactions at most")
    static let full = OptionDefinition(
        name: "full", letter: "f", help: "show whole texts, not what surrounds the place")

    static let definition = CommandDefinition(
        name: "grep",
        summary: "the transactions that added or removed a text, as 'git log -S'",
        description: """
            Finds the transactions that changed how often TEXT occurs in a value, newest first,
            with the entity, the field, and the text around the place: + added, − removed. What
            only moved within a value is not shown.

            Searched are texts, and numbers and dates as they are shown; of lists, dictionaries
            and structures each member by itself; not data. WHEN is as in 'varve log'.

            The status is 1 where nothing is found.
            """,
        operands: [.store, OperandDefinition(name: "TEXT", help: "what to look for")],
        options: [
            ignoreCase, regex, type, field, ids, labels, limit, LogCommand.after,
            LogCommand.before, LogCommand.reverse, full,
        ],
        examples: [
            "grep Chats.varve password", "grep -i --type=Chat --field=title Chats.varve plan",
            "grep -E --after=2w Chats.varve 'https?://[a-z.]+'",
        ])

    private let path: String
    private let pattern: TextPattern
    private let scope: TextSearchScope
    private let filter: TransactionFilter
    private let limit: Int
    private let isReversed: Bool
    private let isFull: Bool

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        pattern = try Self.pattern(arguments)
        var scope = TextSearchScope()
        scope.type = arguments.value(of: Self.type)
        scope.field = arguments.value(of: Self.field)
        scope.includesIDs = arguments.has(Self.ids)
        scope.includesLabels = arguments.has(Self.labels)
        self.scope = scope
        filter = try LogCommand.filter(arguments, now)
        isReversed = arguments.has(LogCommand.reverse)
        isFull = arguments.has(Self.full)
        guard let text = arguments.value(of: Self.limit) else {
            limit = .max
            return
        }
        guard let count = Int(text), count >= 0 else {
            throw .invalidValue(option: "--limit", value: text, expected: "a number from 0")
        }
        limit = count
    }

    private static func pattern(_ arguments: ParsedArguments) throws(UsageError) -> TextPattern {
        let text = arguments.operands[1]
        do throws(TextPatternError) {
            return try TextPattern(
                text, as: arguments.has(regex) ? .regularExpression : .text,
                ignoresCase: arguments.has(ignoreCase))
        } catch {
            throw usageError(error, text)
        }
    }

    private static func usageError(_ error: TextPatternError, _ text: String) -> UsageError {
        let expected =
            switch error {
            case .empty: "a text that is not empty"
            case .notAnExpression(let reason): "a regular expression (\(reason))"
            }
        return .invalidOperand(name: "TEXT", value: text, expected: expected)
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        // A transaction is searched in steps, which damage that is met between them would repeat.
        let store = SoundStore(at: path, verifiesCheckpoint: true)
        try store.inspect { inspection throws(InspectionError) in try inspection.check(scope) }
        let search: TextSearch
        do throws(TextPatternError) {
            search = try TextSearch(pattern, in: scope, filter: filter)
        } catch {
            throw .usage(Self.usageError(error, pattern.text), command: "grep")
        }
        var found: [TextSearchResult] = []
        var count = 0
        while isReversed || count < limit {
            let next = try store.inspect { inspection throws(InspectionError) in
                try search.next(in: inspection) { done in
                    session.progress.count(
                        "transactions searched", done, of: inspection.lastTransaction.rawValue)
                }
            }
            guard let next else { break }
            count += 1
            if isReversed { found.append(next) } else { try write(next, in: session) }
        }
        for result in found.reversed().prefix(limit) { try write(result, in: session) }
        return try store.end(count > 0 ? .success : .failure)
    }

    private func write(_ result: TextSearchResult, in session: Session) throws(ToolFailure) {
        if session.isJSON {
            for change in result.changes {
                try session.write(result.transaction.json(of: change))
            }
            return
        }
        try session.write(result.transaction.headline(in: session))
        for change in result.changes {
            try session.write(
                TextChangeLine(change: change, width: session.width, isFull: isFull).line)
        }
    }
}

/// One change as a line: sign, place, and the text around what was found.
private struct TextChangeLine {
    private static let widthMin = 24
    /// Where no terminal sets a limit.
    private static let widthOtherwise = 120

    let change: TextChange
    let width: Int?
    let isFull: Bool

    private var isAdded: Bool { change.countAfter > change.countBefore }
    private var role: StyledText.Role { isAdded ? .added : .removed }

    var line: StyledText {
        let head = StyledText(isAdded ? "  + " : "  − ", role) + place + StyledText("  ")
        let counts = StyledText(countText, .faint)
        let room = (width ?? head.width + Self.widthOtherwise) - head.width - counts.width
        let side = isAdded ? change.after : change.before
        return head + excerpt(of: side, isFull ? nil : max(room, Self.widthMin)) + counts
    }

    private var place: StyledText {
        switch change.place {
        case .field(let entity, let name):
            StyledText(ValueText.text(of: entity), .heading) + StyledText("  " + name, .faint)
        case .id(let entity):
            StyledText(ValueText.text(of: entity), .heading) + StyledText("  id", .faint)
        case .label: StyledText("label", .faint)
        }
    }

    /// Nothing where one place came or went.
    private var countText: String {
        let counts = [change.countBefore, change.countAfter].sorted()
        return counts == [0, 1] ? "" : "  (\(change.countBefore) → \(change.countAfter))"
    }

    /// The text from a little before the first place on, cut to so many columns.
    private func excerpt(of side: TextChange.Side, _ room: Int?) -> StyledText {
        guard let first = side.matches.first else {
            return StyledText(side.text).shortened(to: room)
        }
        let text = side.text
        var start = text.startIndex
        if let room, DisplayWidth.columns(of: text.escapedForDisplay) > room {
            start = Self.start(before: first.lowerBound, in: text, columns: room / 3)
        }
        var excerpt = StyledText(start > text.startIndex ? "…" : "")
        var position = start
        for match in side.matches {
            excerpt += StyledText(String(text[position..<match.lowerBound]))
            excerpt += StyledText(String(text[match]), role)
            position = match.upperBound
            if let room, excerpt.width > room { break }
        }
        let rest = text[position...]
        // No more than may be shown is looked at: a text may be long.
        excerpt += StyledText(String(room.map { rest.prefix($0 + 1) } ?? rest))
        return excerpt.shortened(to: room)
    }

    /// The place so many columns before another, between two characters.
    private static func start(
        before place: String.Index, in text: String, columns: Int
    ) -> String.Index {
        var start = place
        var room = columns
        while start > text.startIndex {
            let previous = text.index(before: start)
            room -= DisplayWidth.columns(of: String(text[previous..<start]).escapedForDisplay)
            if room < 0 { break }
            start = previous
        }
        return start
    }
}

extension TransactionSummary {
    fileprivate func json(of change: TextChange) -> JSON {
        let (place, entity, field): (String, EntityName?, String?) =
            switch change.place {
            case .field(let entity, let name): ("field", entity, name)
            case .id(let entity): ("id", entity, nil)
            case .label: ("label", nil, nil)
            }
        return [
            "transaction": .id(id), "kind": .text(kind.name),
            "of": kind.target.map { .id($0) } ?? .null, "time": .moment(time),
            "label": .optional(label), "author": .optional(author), "place": .text(place),
            "type": .optional(entity?.type), "id": entity.map { .value($0.id) } ?? .null,
            "field": .optional(field), "countBefore": .number(change.countBefore),
            "countAfter": .number(change.countAfter),
            "old": change.before.matches.isEmpty ? .null : .text(change.before.text),
            "new": change.after.matches.isEmpty ? .null : .text(change.after.text),
        ]
    }
}
