import VarveInspection

/// `varve info`: what a store holds.
struct InfoCommand: Command {
    static let definition = CommandDefinition(
        name: "info",
        summary: "what a store holds: files, transactions, types, bytes",
        description: """
            Shows what a store holds: how its log ended, its transactions, its files with the
            bytes stored and raw (before compression), and its types with the numbers of
            their live and their deleted entities. Checks the newest checkpoint and the log
            after it, and reads of older segments their headers and footers; 'verify' checks
            everything.
            """,
        operands: [.store],
        examples: ["info Chats.varve", "info --json Chats.varve | jq '.types[].name'"])

    private let path: String

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let store = SoundStore(at: path, verifiesCheckpoint: true)
        let summary = try store.inspect { inspection throws(InspectionError) in
            try inspection.summary()
        }
        if session.isJSON {
            try session.write(summary.json)
        } else {
            try session.write(StoreReport(summary: summary, session: session).lines)
        }
        return try store.end()
    }
}

/// The lines of `varve info`.
private struct StoreReport {
    let summary: StoreSummary
    let session: Session

    var lines: [StyledText] {
        [StyledText(summary.path, .heading)] + facts + [StyledText()]
            + files + (summary.types.isEmpty ? [] : [StyledText()] + types)
    }

    private var facts: [StyledText] {
        var facts: [(String, String)] = [
            ("Store", "\(summary.store), format \(summary.formatVersion)"),
            ("State", state),
        ]
        if let createdAt = summary.createdAt { facts.insert(("Created", time(createdAt)), at: 1) }
        if let first = summary.first, let last = summary.last {
            facts += [
                ("Transactions", Numerals.grouped(summary.transactions)),
                ("  first", "\(first.id), \(time(first.time))"),
                ("  last", "\(last.id), \(time(last.time))"),
            ]
        } else {
            facts.append(("Transactions", "none"))
        }
        facts += history
        facts += summary.migrations.map {
            ("Migration", "\($0.name), by transaction \($0.transaction)")
        }
        facts.append(("Log", size))
        if let bytes = summary.memoryBytes {
            facts.append(
                (
                    "Memory",
                    "up to \(Numerals.size(bytes)) for all entities of the newest checkpoint"
                ))
        }
        if summary.unknownEventCount > 0 {
            let count = Numerals.counted(summary.unknownEventCount, "event")
            facts.append(("Passed over", "\(count) of a later version"))
        }
        let width = (facts.map(\.0.count).max() ?? 0) + 2
        return facts.map { name, text in
            let padding = String(repeating: " ", count: width - name.count)
            return StyledText("  " + name + padding, .faint) + StyledText(text)
        }
    }

    private var size: String {
        let ratio = Numerals.ratio(raw: summary.rawBytes, stored: summary.storedBytes)
        return Numerals.size(summary.storedBytes) + " stored, "
            + Numerals.size(summary.rawBytes) + " raw" + (ratio.map { ", ratio \($0)" } ?? "")
    }

    /// Nothing of it is said where nothing was ever compacted.
    private var history: [(String, String)] {
        guard let retention = summary.retention else { return [] }
        return summary.checkpoints.map { checkpoint in
            let problem = checkpoint.problem.map { ", unusable: " + $0 }
            return ("Checkpoint", "of transaction \(checkpoint.transaction)\(problem ?? "")")
        } + [
            (
                "History",
                (summary.transactions == 0
                    ? "none" : "from transaction \(summary.floor) on")
                    + "; kept: \(retention.text)"
            )
        ]
    }

    private var state: String {
        switch summary.state {
        case .openForWriting: "open for writing in another process"
        case nil: "damaged; types and transactions are those that are sound"
        case .closedCleanly, .notClosed: "\(summary.report)"
        }
    }

    private func time(_ moment: Moment) -> String {
        session.zone.seconds(moment) + " (" + Age(of: moment, at: session.now).phrase + ")"
    }

    private var files: [StyledText] {
        var table = TextTable(
            [
                .init(title: "FILE", widthMin: 12), .init(title: "BYTES", alignsRight: true),
                .init(title: "RAW", alignsRight: true), .init(title: "RATIO", alignsRight: true),
                .init(title: "TRANSACTIONS"),
            ], limit: session.width)
        return table.lines(
            summary.files.map { file in
                let start = [
                    StyledText(file.name),
                    StyledText(Numerals.grouped(file.bytes)),
                ]
                guard let segment = file.segment else {
                    return start + [StyledText(), StyledText(), StyledText()]
                }
                let ratio = Numerals.ratio(raw: segment.rawBytes, stored: file.bytes) ?? ""
                return start + [
                    StyledText(Numerals.grouped(segment.rawBytes)), StyledText(ratio),
                    transactions(of: segment),
                ]
            })
    }

    private func transactions(of segment: StoreSummary.Segment) -> StyledText {
        guard let first = segment.first, let last = segment.last else {
            return StyledText("none", .faint)
        }
        return StyledText(first == last ? "\(first)" : "\(first) to \(last)", .identifier)
    }

    private var types: [StyledText] {
        var table = TextTable(
            [
                .init(title: "TYPE", widthMin: 12), .init(title: "LIVE", alignsRight: true),
                .init(title: "DELETED", alignsRight: true),
                .init(title: "FIELDS", alignsRight: true),
                .init(title: "RELATIONS", alignsRight: true), .init(title: "ID", widthMin: 6),
            ], limit: session.width)
        return table.lines(
            summary.types.map { count in
                [
                    StyledText(count.type.name, .heading),
                    StyledText(Numerals.grouped(count.live)),
                    StyledText(Numerals.grouped(count.deleted)),
                    StyledText(Numerals.grouped(count.type.fields.count)),
                    StyledText(Numerals.grouped(count.type.relations.count)),
                    StyledText(count.type.idType, .faint),
                ]
            })
    }
}

extension StoreSummary {
    fileprivate var json: JSON {
        [
            "path": .text(path), "store": .text("\(store)"),
            "formatVersion": .text(formatVersion), "state": .text(state?.rawValue ?? "damaged"),
            "createdAt": createdAt.map { .moment($0) } ?? .null,
            "transactions": .number(transactions),
            "first": first?.json ?? .null, "last": last?.json ?? .null,
            "storedBytes": .bytes(storedBytes), "rawBytes": .bytes(rawBytes),
            "memoryBytes": memoryBytes.map { .bytes($0) } ?? .null,
            "ratio": Numerals.ratio(raw: rawBytes, stored: storedBytes).map { .written($0) }
                ?? .null,
            "droppedTail": report.dropped?.json ?? .null, "unused": report.unused?.json ?? .null,
            "floor": .id(floor), "retention": retention.map { .text("\($0)") } ?? .null,
            "checkpoints": .array(checkpoints.map(\.json)),
            "files": .array(files.map(\.json)), "types": .array(types.map(\.json)),
            "migrations": .array(
                migrations.map { ["name": .text($0.name), "transaction": .id($0.transaction)] }),
            "unknownEvents": .number(unknownEventCount),
        ]
    }
}

extension StoreSummary.Checkpoint {
    fileprivate var json: JSON {
        [
            "name": .text(file), "transaction": .id(transaction),
            "rawBytes": rawBytes.map { .bytes($0) } ?? .null,
            "problem": problem.map { .text($0) } ?? .null,
        ]
    }
}

extension StoreSummary.Transaction {
    fileprivate var json: JSON { ["id": .id(id), "time": .moment(time)] }
}

extension StoreSummary.File {
    fileprivate var json: JSON {
        [
            "name": .text(name), "bytes": .bytes(bytes),
            "segment": segment.map { segment in
                [
                    "number": .number(segment.id.rawValue), "sealed": .bool(segment.isSealed),
                    "transactions": .number(segment.transactions),
                    "first": segment.first.map { .id($0) } ?? .null,
                    "last": segment.last.map { .id($0) } ?? .null,
                    "rawBytes": .bytes(segment.rawBytes),
                ]
            } ?? .null,
        ]
    }
}

extension StoreSummary.TypeCount {
    fileprivate var json: JSON {
        type.json.adding(["live": .number(live), "deleted": .number(deleted)])
    }
}

extension RecoveryReport.DroppedTail {
    var json: JSON {
        [
            "segment": .number(segment.rawValue), "offset": .number(offset.rawValue),
            "bytes": .bytes(bytes), "reason": .text(reason.rawValue),
        ]
    }
}

extension RecoveryReport.UnusedSpace {
    var json: JSON {
        [
            "segment": .number(segment.rawValue), "offset": .number(offset.rawValue),
            "bytes": .bytes(bytes),
        ]
    }

    var text: String {
        "segment \(segment), offset \(offset): \(Numerals.counted(bytes.rawValue, "byte")) of zeros "
            + "behind the last frame: space that was not used, or writes that were lost"
    }
}
