import VarveInspection

/// `varve verify`: whether everything in a store's files is as it was written.
struct VerifyCommand: Command {
    static let definition = CommandDefinition(
        name: "verify",
        summary: "check every checksum and the chain of the segments",
        description: """
            Reads every byte of a store and checks every checksum, the chain of the segments,
            whether each transaction follows from the state before it, whether the
            checkpoints hold what the log leads to, and whether their indexes are those of
            their entities. Goes on behind damage and lists all of it, with segment and
            offset. The status is 1 when there is any. An unpromised end, which an
            interrupted writer leaves and the next one cuts off, is no damage.
            """,
        operands: [.store], examples: ["verify Chats.varve && echo sound"])

    private let path: String

    init(_ arguments: ParsedArguments, now: Moment) throws(UsageError) {
        path = arguments.operands[0]
    }

    func run(in session: Session) throws(ToolFailure) -> ExitStatus {
        let verification = try ToolFailure.inspecting { () throws(InspectionError) in
            try StoreVerification.verify(at: path)
        }
        let status: ExitStatus = verification.isSound ? .success : .failure
        do throws(ToolFailure) {
            try show(verification, in: session)
        } catch {
            // The status reports damage also where the reader of the output has gone.
            guard case .output(.closed) = error else { throw error }
        }
        return status
    }

    private func show(
        _ verification: StoreVerification, in session: Session
    ) throws(ToolFailure) {
        if session.isJSON { return try session.write(verification.json) }
        let verdict =
            verification.isSound
            ? StyledText("sound", .added)
            : StyledText(
                "damaged, \(Numerals.counted(verification.problems.count, "problem"))", .removed)
        try session.write(
            StyledText(verification.path + ": ", .heading) + verdict)
        for problem in verification.problems {
            try session.writeWhole(
                StyledText("  ") + StyledText("\(problem)"))
        }
        if let tail = verification.unpromisedTail {
            try session.writeWhole(StyledText("  " + Self.text(of: tail), .faint))
        }
        if let unused = verification.unused {
            try session.writeWhole(StyledText("  " + unused.text, .faint))
        }
        if verification.staleIndexes > 0 {
            let count = Numerals.counted(verification.staleIndexes, "index", "indexes")
            try session.writeWhole(
                StyledText("  \(count) of another version not compared", .faint))
        }
        let counts = [
            Numerals.counted(verification.segments, "segment"),
            verification.checkpoints > 0
                ? Numerals.counted(verification.checkpoints, "checkpoint") : nil,
            verification.indexes > 0
                ? Numerals.counted(verification.indexes, "index", "indexes") : nil,
            Numerals.counted(verification.frames, "frame"),
            Numerals.counted(verification.transactions, "transaction"),
            Numerals.size(verification.storedBytes) + " stored",
            Numerals.size(verification.rawBytes) + " raw",
            verification.assets > 0
                ? Numerals.assets(verification.assets, verification.assetBytes) : nil,
        ]
        try session.write(
            StyledText("  " + counts.compactMap { $0 }.joined(separator: ", "), .faint))
    }

    private static func text(of tail: RecoveryReport.DroppedTail) -> String {
        "segment \(tail.segment), offset \(tail.offset): \(Numerals.counted(tail.bytes.rawValue, "byte"))"
            + " that no promise covers (\(tail.reason.rawValue)); the next writer cuts them off"
    }
}

extension StoreVerification {
    fileprivate var json: JSON {
        [
            "path": .text(path), "sound": .bool(isSound), "segments": .number(segments),
            "checkpoints": .number(checkpoints), "indexes": .number(indexes),
            "staleIndexes": .number(staleIndexes),
            "frames": .number(frames), "transactions": .number(transactions),
            "storedBytes": .bytes(storedBytes), "rawBytes": .bytes(rawBytes),
            "assets": .number(assets), "assetBytes": .bytes(assetBytes),
            "problems": .array(problems.map(\.json)),
            "unpromisedTail": unpromisedTail?.json ?? .null, "unused": unused?.json ?? .null,
        ]
    }
}

extension InspectionError {
    fileprivate var json: JSON {
        [
            "segment": segment.map { .number($0.rawValue) } ?? .null,
            "offset": offset.map { .number($0.rawValue) } ?? .null,
            "message": .text("\(self)"),
        ]
    }
}
