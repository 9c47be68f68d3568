import VarveInspection

/// `varve compact`: writes a checkpoint and drops history.
struct CompactCommand: Command {
    static let keep = OptionDefinition(
        name: "keep", letter: "k", valueName: "WHAT",
        help: "history to keep: COUNT transactions, an age such as 30d, all or none")
    static let smallest = OptionDefinition(
        name: "smallest", letter: "s",
        help: "compress thoroughly, and keep no checkpoint to fall back to")

    static let definition = CommandDefinition(
        name: "compact",
        summary: "write a checkpoint and drop history that is not to be kept",
        description: """
            Takes the store's lock, writes its newest state as a checkpoint, reads that back,
            and drops the history that is not to be kept: as the last compaction did, or the
            last 10,000 transactions, unless --keep says otherwise. What is dropped is gone for
            good. The checkpoint before and the log from there stay until the next
            compaction, in case the new one is damaged. With --smallest they go at once, and
            the new one is compressed thoroughly.
            """,
        operands: [.store], options: [keep, smallest],
        examples: [
            "compact Chats.varve", "compact --keep 30d Chats.varve",
            "compact --smallest --keep none Chats.varve",
        ])

    private let path: String
    private let retention: Retention?
    private let goal: CompactionGoal

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        goal = arguments.has(Self.smallest) ? .size : .safety
        guard let text = arguments.value(of: Self.keep) else {
            retention = nil
            return
        }
        guard let retention = Self.retention(text) else {
            throw .invalidValue(
                option: "--keep", value: text,
                expected: "a number of transactions, an age (90s, 15m, 2h, 30d), all or none")
        }
        self.retention = retention
    }

    private static func retention(_ text: String) -> Retention? {
        switch text {
        case "all": return .everything
        case "none": return Retention.newestState
        default: break
        }
        if let count = UInt64(text) { return .transactions(count) }
        let seconds: [Character: UInt64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ seconds[$0] }), let count = UInt64(text.dropLast())
        else { return nil }
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        return overflow ? nil : .age(seconds: product)
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let compaction = try ToolFailure.inspecting { () throws(InspectionError) in
            try StoreCompaction.compact(at: path, retaining: retention, for: goal)
        }
        if session.isJSON {
            try session.write(compaction.json(path))
        } else {
            for line in compaction.lines(path, for: goal) { try session.write(line) }
        }
        return compaction.damage.isEmpty ? .success : .failure
    }
}

extension StoreCompaction {
    fileprivate func lines(_ path: String, for goal: CompactionGoal) -> [StyledText] {
        let written =
            if let checkpointBytes {
                "checkpoint of transaction \(checkpoint), \(Numerals.size(checkpointBytes))"
            } else if checkpoint == 0 {
                "nothing was ever written to it"
            } else {
                "transaction \(checkpoint) had a checkpoint already"
            }
        let dropped =
            transactionsDropped == 0
            ? keepsHistory ? "no history dropped" : "no segment dropped"
            : "\(Numerals.counted(transactionsDropped, "transaction")) in "
                + "\(Numerals.counted(segmentsDropped, "segment")) dropped"
        return [
            StyledText(path + ": ", .heading) + StyledText(written),
            StyledText("  " + dropped + ", " + history, .faint),
            StyledText(
                "  \(Numerals.size(bytesBefore)) before, \(Numerals.size(bytesAfter)) after",
                .faint),
        ] + assets + growth(for: goal)
            + damage.map { StyledText("  damaged, and dropped: \($0.place)") }
    }

    private var assets: [StyledText] {
        let left = assetsLeftover.map { "assets that are not needed may be left: \($0)" }
        let leftover = left.map { [StyledText("  " + $0)] } ?? []
        guard assetsDropped > 0 else { return leftover }
        let dropped = Numerals.assets(assetsDropped, assetBytesDropped) + " dropped"
        return [StyledText("  " + dropped, .faint)] + leftover
    }

    private var history: String {
        keepsHistory ? "history begins with \(floor)" : "no history is kept"
    }

    private var keepsHistory: Bool { floor <= checkpoint }

    /// Why the store is larger, with the options that keep less and were not given.
    private func growth(for goal: CompactionGoal) -> [StyledText] {
        guard bytesAfter > bytesBefore else { return [] }
        let reason =
            keepsHistory
            ? [
                "larger, because the new checkpoint comes in addition to the history that is kept and to the",
                "checkpoint before it with the log from there",
            ]
            : [
                "larger, because the new checkpoint comes in addition to what serves where it is damaged: the",
                "checkpoint before it and the log from there, until the next compaction",
            ]
        let less = [keepsHistory ? "--keep" : nil, goal == .size ? nil : "--smallest"]
            .compactMap { $0 }
        let advice = less.joined(separator: " and ") + (less.count == 1 ? " keeps" : " keep")
        let lines = reason.dropLast() + [reason[1] + (less.isEmpty ? "" : ": \(advice) less")]
        return lines.map { StyledText("  " + $0, .faint) }
    }

    fileprivate func json(_ path: String) -> JSON {
        [
            "path": .text(path), "checkpoint": .id(checkpoint),
            "checkpointBytes": checkpointBytes.map { .bytes($0) } ?? .null,
            "bytesBefore": .bytes(bytesBefore), "bytesAfter": .bytes(bytesAfter),
            "segmentsDropped": .number(segmentsDropped),
            "transactionsDropped": .number(transactionsDropped),
            "assetsDropped": .number(assetsDropped),
            "assetBytesDropped": .bytes(assetBytesDropped),
            "assetsLeftover": assetsLeftover.map { .text($0) } ?? .null, "floor": .id(floor),
            "retention": .text("\(retention)"),
            "damage": .array(damage.map { .text($0.place) }),
        ]
    }
}
