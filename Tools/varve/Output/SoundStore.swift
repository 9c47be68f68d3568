import VarveInspection
import VarveText

/// A store that a command reads. Where it is damaged, the command sees what is sound of it, and ends by saying what
/// is missing.
final class SoundStore {
    private let path: String
    /// The sound part; nil as long as no damage was met.
    private var salvaged: SalvagedInspection?
    private var opened: Inspection?
    /// Whether a damaged checkpoint is known before anything is read from it.
    private var verifiesCheckpoint: Bool

    /// Whether no damage was met so far.
    var isSound: Bool { salvaged == nil }

    /// - Parameter verifiesCheckpoint: true where the command still reads entities when it writes, or is to say whether the
    ///   store is sound. What reads a part, and writes then, begins again where it meets damage.
    init(at path: String, verifiesCheckpoint: Bool = false) {
        self.path = path
        self.verifiesCheckpoint = verifiesCheckpoint
    }

    /// An inspection of its own, of the sound part where damage was met.
    func open() throws(InspectionError) -> Inspection {
        if let salvaged { return try salvaged.makeInspection() }
        return try Inspection(at: path, verifiesCheckpoint: verifiesCheckpoint)
    }

    /// Runs `body` with an inspection that later calls see as well, and again with the sound part where it meets damage.
    func inspect<Result>(
        _ body: (Inspection) throws(InspectionError) -> Result
    ) throws(ToolFailure) -> Result {
        try retrying { inspection throws(ToolFailure) in
            try ToolFailure.inspecting { () throws(InspectionError) in try body(inspection) }
        }
    }

    /// Runs what asks a query, in the same way.
    ///
    /// - Parameter text: the query, which an error shows the place in.
    func ask<Result>(
        _ text: String, by command: String,
        _ body: (Inspection) throws(QueryFailure) -> Result
    ) throws(ToolFailure) -> Result {
        try retrying { inspection throws(ToolFailure) in
            do throws(QueryFailure) {
                return try body(inspection)
            } catch {
                switch error {
                case .query(let error): throw .usage(.query(error, text: text), command: command)
                case .inspection(let error): throw .inspection(error)
                }
            }
        }
    }

    private func retrying<Result>(
        _ body: (Inspection) throws(ToolFailure) -> Result
    ) throws(ToolFailure) -> Result {
        do throws(ToolFailure) {
            return try body(shared())
        } catch  where !verifiesCheckpoint && error.isDamage {
            // The checkpoint before the damaged one may do.
            verifiesCheckpoint = true
            opened = nil
            return try retrying(body)
        } catch {
            try salvage(after: error)
        }
        do throws(ToolFailure) {
            return try body(shared())
        } catch {
            throw besideMissing(error)
        }
    }

    private func shared() throws(ToolFailure) -> Inspection {
        if let opened { return opened }
        let inspection = try ToolFailure.inspecting(open)
        opened = inspection
        return inspection
    }

    // MARK: Damage

    /// Turns to the sound part. Throws where the failure is no damage, or was met in the sound part.
    func salvage(after failure: ToolFailure) throws(ToolFailure) {
        guard salvaged == nil, case .inspection(let damage) = failure, damage.isDamage else {
            throw besideMissing(failure)
        }
        do throws(InspectionError) {
            salvaged = try SalvagedInspection(at: path)
        } catch {
            throw .notSalvaged(damage, obstacle: error)
        }
        opened = nil
    }

    /// Ends a command: throws what is missing of a damaged store.
    func end(_ status: ExitStatus = .success) throws(ToolFailure) -> ExitStatus {
        if let report = salvaged?.report, !report.isComplete {
            throw .incomplete(path: path, report, after: nil)
        }
        return status
    }

    /// A failure that may have to do with what is missing.
    private func besideMissing(_ failure: ToolFailure) -> ToolFailure {
        guard let report = salvaged?.report, !report.isComplete else { return failure }
        return .incomplete(path: path, report, after: failure)
    }
}

extension SalvageReport {
    /// So many lines of each kind are enough to see what happened: `salvage` lists all.
    private static let linesMax = 20

    /// Lines that list what is missing. They are safe to display.
    var missingText: String {
        var lines = lost.map { "  lost: " + Self.text(of: $0) }
        lines += folded.map { "  in the checkpoint, not in the history: " + Self.text(of: $0) }
        lines += damages.prefix(Self.linesMax).map { "  damaged: \($0)" }
        if damages.count > Self.linesMax {
            lines.append("  and " + Numerals.counted(damages.count - Self.linesMax, "more place"))
        }
        let changes = adjusted.flatMap { adjustment in
            adjustment.changes.map { "  transaction \(adjustment.transaction): " + $0 }
        }
        lines += changes.prefix(Self.linesMax).map(\.escapedForDisplay)
        if changes.count > Self.linesMax || adjustedCount > adjusted.count {
            lines.append(
                "  " + Numerals.counted(adjustedCount, "transaction") + " in all "
                    + (adjustedCount == 1 ? "was" : "were") + " made to fit")
        }
        return lines.joined(separator: "\n")
    }
}
