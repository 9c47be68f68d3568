import VarveInspection

/// `varve salvage`: rescues what a damaged store still holds.
struct SalvageCommand: Command {
    static let target = OptionDefinition(
        name: "to", letter: "t", valueName: "NEW",
        help: "the directory of the new store; it must not exist, or be empty")

    static let definition = CommandDefinition(
        name: "salvage",
        summary: "rescue what a damaged store still holds into a new one",
        description: """
            Writes a new store with every undamaged transaction of a damaged one, and lists
            what is lost: file, offset, bytes, and the numbers of the transactions. It also
            works without manifest, headers, footers or checkpoints, and with segments
            missing. The damaged store is only read. Transactions keep their numbers; where
            some are lost, empty ones take their place, and what depends on them is adjusted
            and listed. The new store is verified, and has an identity of its own. The status is 1
            when anything is lost.
            """,
        operands: [.store], options: [target],
        examples: ["salvage Chats.varve --to Rescued.varve"])

    private let path: String
    private let target: String

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
        guard let target = arguments.value(of: Self.target), !target.isEmpty else {
            throw .missingOption("--to=NEW")
        }
        self.target = target
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let report = try ToolFailure.inspecting { () throws(InspectionError) in
            try StoreSalvage.salvage(from: path, to: target)
        }
        let status: ExitStatus = report.isComplete ? .success : .failure
        do throws(ToolFailure) {
            if session.isJSON {
                try session.write(report.json(path, target))
            } else {
                for line in report.lines(path, target) { try session.writeWhole(line) }
            }
        } catch {
            // The status reports losses also where the reader of the output has gone.
            guard case .output(.closed) = error else { throw error }
        }
        return status
    }
}

extension SalvageReport {
    fileprivate func lines(_ path: String, _ target: String) -> [StyledText] {
        let range =
            first < last
            ? "transactions \(first) to \(last)"
            : first == last ? "transaction \(first)" : "no transactions"
        let base = checkpoint > .none ? ", checkpoint of \(checkpoint)" : ""
        let verdict =
            isComplete ? StyledText("nothing lost", .added) : StyledText("losses", .removed)
        var lines = [
            StyledText(path + ": ", .heading) + verdict,
            StyledText("  " + target + ": " + range + base),
            StyledText(
                "  \(Numerals.counted(transactions, "transaction")) brought over, "
                    + "\(Numerals.size(bytesRead)) read, \(Numerals.size(bytesWritten)) written",
                .faint),
        ]
        if assets > 0 {
            lines.append(StyledText("  " + Numerals.assets(assets, assetBytes), .faint))
        }
        for gap in lost { lines.append(StyledText("  lost: \(Self.text(of: gap))", .removed)) }
        for gap in folded {
            lines.append(
                StyledText("  in the checkpoint, not in the history: \(Self.text(of: gap))"))
        }
        for damage in damages {
            lines.append(StyledText("  damaged: \(damage)"))
        }
        for adjustment in adjusted {
            for change in adjustment.changes {
                lines.append(
                    StyledText("  transaction \(adjustment.transaction): \(change)"))
            }
            if adjustment.count > adjustment.changes.count {
                lines.append(
                    StyledText(
                        "  transaction \(adjustment.transaction): "
                            + "\(adjustment.count - adjustment.changes.count) more", .faint))
            }
        }
        if adjustedCount > adjusted.count {
            lines.append(
                StyledText(
                    "  " + Numerals.counted(adjustedCount - adjusted.count, "more transaction")
                        + " adjusted", .faint))
        }
        if let tail = unpromisedTail {
            lines.append(
                StyledText(
                    "  segment \(tail.segment), offset \(tail.offset): "
                        + "\(Numerals.counted(tail.bytes.rawValue, "byte")) that no promise covers "
                        + "(\(tail.reason.rawValue)); left out", .faint))
        }
        if let unused {
            lines.append(StyledText("  " + unused.text, .faint))
        }
        return lines
    }

    static func text(of gap: Gap) -> String {
        gap.count == 1 ? "transaction \(gap)" : "transactions \(gap)"
    }

    fileprivate func json(_ path: String, _ target: String) -> JSON {
        [
            "path": .text(path), "to": .text(target), "complete": .bool(isComplete),
            "store": .text("\(store)"), "source": source.map { .text("\($0)") } ?? .null,
            "transactions": .number(transactions), "first": .number(first.rawValue),
            "last": .number(last.rawValue),
            "checkpoint": checkpoint > .none ? .number(checkpoint.rawValue) : .null,
            "bytesRead": .bytes(bytesRead), "bytesWritten": .bytes(bytesWritten),
            "assets": .number(assets), "assetBytes": .bytes(assetBytes),
            "lost": .array(lost.map(Self.json)), "folded": .array(folded.map(Self.json)),
            "damages": .array(damages.map(Self.json)),
            "adjusted": .array(adjusted.map(Self.json)), "adjustedCount": .number(adjustedCount),
            "unpromisedTail": unpromisedTail?.json ?? .null,
            "unused": unused?.json ?? .null,
        ]
    }

    static func json(_ gap: Gap) -> JSON {
        ["first": .number(gap.first.rawValue), "last": .number(gap.last.rawValue)]
    }

    static func json(_ damage: Damage) -> JSON {
        [
            "file": .text(damage.file), "offset": .number(damage.offset.rawValue),
            "bytes": .bytes(damage.bytes),
            "transaction": damage.transaction.map { .number($0.rawValue) } ?? .null,
            "reason": .text(damage.reason),
        ]
    }

    private static func json(_ adjustment: Adjustment) -> JSON {
        [
            "transaction": .number(adjustment.transaction.rawValue),
            "changes": .array(adjustment.changes.map { .text($0) }),
            "count": .number(adjustment.count),
        ]
    }
}
