import VarveInspection

/// `varve backup`: copies a store, beside its writer.
struct BackupCommand: Command {
    static let definition = CommandDefinition(
        name: "backup",
        summary: "copy a store, which may be open for writing",
        description: """
            Copies a store with its history as it is at one moment: through the newest
            transaction that its writer has synced, or where no writer is open, through the
            last whole one. The copy is synced, read back and verified before it appears under
            its name. It is a store with an identity of its own; opening it is restoring it.
            Assets that are damaged or missing are left out and listed; the status is 1 then.
            """,
        operands: [
            .store,
            OperandDefinition(
                name: "TO", help: "the directory of the copy; it must not exist, or be empty"),
        ],
        examples: ["backup Chats.varve /media/disk/Chats.varve"])

    private let path: String
    private let target: String

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        target = arguments.operands[1]
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let report = try ToolFailure.inspecting { () throws(InspectionError) in
            try StoreBackup.backUp(from: path, to: target)
        }
        if session.isJSON {
            try session.write(report.json(path, target))
        } else {
            for line in report.lines(target) { try session.write(line) }
        }
        return report.damagedAssets.isEmpty ? .success : .failure
    }
}

extension BackupReport {
    fileprivate func lines(_ target: String) -> [StyledText] {
        let head = StyledText(target + ": ", .heading)
        let content =
            last > .none
            ? "\(Numerals.counted(transactions, "transaction")) through \(last), "
                + Numerals.size(bytes)
            : "nothing was ever written to it"
        return [head + StyledText(content), StyledText("  verified; store \(store)", .faint)]
            + (assets == 0 ? [] : [StyledText("  " + Numerals.assets(assets, assetBytes), .faint)])
            + checkpointProblems.map { StyledText("  left out: \($0)") }
            + damagedAssets.map { StyledText("  damaged, and left out: \($0)", .removed) }
    }

    fileprivate func json(_ path: String, _ target: String) -> JSON {
        [
            "path": .text(path), "to": .text(target), "store": .text("\(store)"),
            "source": .text("\(source)"), "last": .number(last.rawValue),
            "floor": .number(floor.rawValue), "transactions": .number(transactions),
            "bytes": .bytes(bytes),
            "checkpointProblems": .array(checkpointProblems.map { .text("\($0)") }),
            "assets": .number(assets), "assetBytes": .bytes(assetBytes),
            "damagedAssets": .array(damagedAssets.map { .text($0) }),
        ]
    }
}
