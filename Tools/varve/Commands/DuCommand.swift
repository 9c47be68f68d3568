import VarveInspection

/// `varve du`: what takes the bytes of a store.
struct DuCommand: Command {
    static let by = OptionDefinition(
        name: "by", letter: "b", valueName: "WHAT",
        help: "one table only: type, field, label or age")
    static let limit = OptionDefinition(
        name: "limit", letter: "n", valueName: "COUNT",
        help: "at most this many lines of each table (20)")

    static let definition = CommandDefinition(
        name: "du",
        summary: "bytes by type, field, label and age, live and in history",
        description: """
            Shows what takes the bytes of a store: by type and field of its entities, live
            and in the history that the log holds, by the label of transactions, and by
            age. Live bytes and history are raw, as rows and events are encoded; 'in the
            log' is the share of the compressed segments. Reads the whole log. Of a damaged
            store it counts what is sound; the status is 1 then.
            """,
        operands: [.store], options: [by, limit],
        examples: ["du Chats.varve", "du --by=field -n 5 Chats.varve", "du --json Chats.varve"])

    private let path: String
    private let parts: [DiskUsage.Part]
    private let limit: Int
    private let now: Moment

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        self.now = now
        if let value = arguments.value(of: Self.by) {
            guard let part = DiskUsage.Part(rawValue: value) else {
                throw .invalidValue(
                    option: "--by", value: value, expected: "type, field, label or age")
            }
            parts = [part]
        } else {
            parts = DiskUsage.Part.allCases
        }
        guard let value = arguments.value(of: Self.limit) else {
            limit = 20
            return
        }
        guard let count = Int(value), count > 0 else {
            throw .invalidValue(option: "--limit", value: value, expected: "a number above 0")
        }
        limit = count
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let statistics = try ToolFailure.inspecting { () throws(InspectionError) in
            try InspectedStatistics.gather(at: path, now: now)
        }
        if session.isJSON {
            try session.write(statistics.json)
        } else {
            let usage = DiskUsage(statistics: statistics, limit: limit, width: session.width)
            try session.write(usage.lines(parts))
        }
        return statistics.health.isSound ? .success : .failure
    }
}

/// The lines of `varve du`.
struct DiskUsage {
    enum Part: String, CaseIterable {
        case type, field, label, age
    }

    let statistics: InspectedStatistics
    let limit: Int
    let width: Int?

    func lines(_ parts: [Part]) -> [StyledText] {
        let tables = parts.map(table).filter { !$0.isEmpty }
        return [heading] + assets + notice + tables.flatMap { [StyledText()] + $0 }
    }

    private var heading: StyledText {
        let bytes = statistics.files.reduce(UInt64(0)) { $0 &+ $1.bytes.rawValue }
        let live = statistics.types.reduce(UInt64(0)) { $0 + $1.liveBytes.rawValue }
        return StyledText(statistics.path + ": ", .heading)
            + StyledText(
                "\(Numerals.size(ByteCount(bytes))) in \(Numerals.counted(statistics.files.count, "file")); "
                    + "\(Numerals.size(ByteCount(live))) live, "
                    + "\(Numerals.size(statistics.log.raw)) of history, raw")
    }

    private var assets: [StyledText] {
        statistics.files.filter { $0.kind == .assets }.map { file in
            StyledText("  \(Numerals.size(file.bytes)) of that are assets", .faint)
        }
    }

    /// What is not counted.
    private var notice: [StyledText] {
        let health = statistics.health
        guard !health.isSound else { return [] }
        var lines = [
            StyledText("not everything could be read; 'varve verify' checks every byte", .removed)
        ]
        if let refusal = health.refusal {
            lines.append(StyledText("  the store does not open: \(refusal)"))
        }
        if let problem = health.stateProblem {
            lines.append(StyledText("  live entities: \(problem)"))
        }
        lines += health.missing.map {
            StyledText("  missing: " + ReportPage.text(of: $0).lowercased())
        }
        lines += health.damages.prefix(limit).map { damage in
            StyledText("  \(damage.file), offset \(damage.offset): \(damage.reason)")
        }
        return lines
    }

    private func table(_ part: Part) -> [StyledText] {
        switch part {
        case .type: typeTable
        case .field: fieldTable
        case .label: labelTable
        case .age: ageTable
        }
    }

    // MARK: Tables

    private static func numbers(_ titles: String...) -> [TextTable.Column] {
        titles.map { .init(title: $0, alignsRight: true) }
    }

    private func lines(_ columns: [TextTable.Column], _ rows: [[StyledText]]) -> [StyledText] {
        guard !rows.isEmpty else { return [] }
        var table = TextTable(columns, limit: width)
        let more = rows.count - limit
        return table.lines(Array(rows.prefix(limit)))
            + (more > 0
                ? [StyledText("and \(Numerals.counted(more, "more", "more"))", .faint)] : [])
    }

    private func cell(_ bytes: ByteCount) -> StyledText { StyledText(Numerals.size(bytes)) }

    private var typeTable: [StyledText] {
        let whole = statistics.types.reduce(UInt64(0)) { $0 + $1.liveBytes.rawValue }
        let types = statistics.types.sorted {
            ($0.liveBytes.rawValue, $0.history.rawValue) > (
                $1.liveBytes.rawValue, $1.history.rawValue
            )
        }
        return lines(
            [.init(title: "TYPE", widthMin: 10)]
                + Self.numbers("LIVE", "DELETED", "LIVE BYTES", "SHARE", "HISTORY", "IN THE LOG"),
            types.map { type in
                [
                    StyledText(type.type.name, .heading), StyledText(Numerals.grouped(type.live)),
                    StyledText(Numerals.grouped(type.deleted)), cell(type.liveBytes),
                    StyledText(ReportText.share(type.liveBytes.rawValue, of: whole), .faint),
                    cell(type.history), cell(type.stored),
                ]
            })
    }

    private var fieldTable: [StyledText] {
        let whole = statistics.types.reduce(UInt64(0)) { $0 + $1.liveBytes.rawValue }
        let fields = statistics.types.flatMap { type in type.fields.map { (type.type.name, $0) } }
            .sorted {
                ($0.1.live.rawValue, $0.1.history.rawValue) > (
                    $1.1.live.rawValue, $1.1.history.rawValue
                )
            }
        return lines(
            [.init(title: "FIELD", widthMin: 16), .init(title: "FORM", widthMin: 8)]
                + Self.numbers("LIVE BYTES", "SHARE", "HISTORY"),
            fields.map { type, field in
                [
                    StyledText("\(type).\(field.name)", .heading), StyledText(field.type, .faint),
                    cell(field.live),
                    StyledText(ReportText.share(field.live.rawValue, of: whole), .faint),
                    cell(field.history),
                ]
            })
    }

    private var labelTable: [StyledText] {
        lines(
            [.init(title: "LABEL", widthMin: 16)]
                + Self.numbers("TRANSACTIONS", "EVENTS", "IN THE LOG", "SHARE", "RAW", "LAST"),
            statistics.labelPatterns.entries.map { entry in
                [
                    entry.name.map { StyledText($0, .heading) } ?? StyledText("no label", .faint),
                    StyledText(Numerals.grouped(entry.amount.transactions)),
                    StyledText(Numerals.grouped(entry.amount.events)), cell(entry.amount.stored),
                    StyledText(
                        ReportText.share(
                            entry.amount.stored.rawValue, of: statistics.log.stored.rawValue),
                        .faint),
                    cell(entry.amount.raw), StyledText("\(entry.last.id)", .identifier),
                ]
            })
    }

    private var ageTable: [StyledText] {
        lines(
            [.init(title: "LAST CHANGED")]
                + Self.numbers("ENTITIES", "LIVE BYTES", "TRANSACTIONS", "IN THE LOG"),
            statistics.ages.filter { $0.entities > 0 || $0.log.transactions > 0 }.map { age in
                [
                    StyledText(AgeText.name(age.age)), StyledText(Numerals.grouped(age.entities)),
                    cell(age.live), StyledText(Numerals.grouped(age.log.transactions)),
                    cell(age.log.stored),
                ]
            })
    }
}
