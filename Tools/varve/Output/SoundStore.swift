import VarveInspection

/// A store of which the sound part is looked at where the rest is damaged, and what is missing is listed.
final class SoundStore {
    private let path: String
    /// The sound part; nil as long as no damage was met.
    private var salvaged: SalvagedInspection?
    private var opened: Inspection?

    var isSound: Bool { salvaged == nil }

    init(at path: String) { self.path = path }

    /// An inspection of its own, of the sound part where damage was met.
    func open() throws(InspectionError) -> Inspection {
        if let salvaged { return try salvaged.makeInspection() }
        return try Inspection(at: path)
    }

    /// Runs `body` with an inspection that later calls see as well, and again with the sound part where it meets damage.
    func inspect<Result>(
        _ body: (Inspection) throws(InspectionError) -> Result
    ) throws(ToolFailure) -> Result {
        try ToolFailure.inspecting { () throws(InspectionError) in
            do throws(InspectionError) {
                return try body(shared())
            } catch {
                guard salvage(after: error) else { throw error }
            }
            return try body(shared())
        }
    }

    private func shared() throws(InspectionError) -> Inspection {
        if let opened { return opened }
        let inspection = try open()
        opened = inspection
        return inspection
    }

    /// Turns to the sound part. False where the error is no damage, or nothing can be salvaged: then the error counts.
    func salvage(after error: InspectionError) -> Bool {
        guard salvaged == nil, error.isDamage else { return false }
        salvaged = try? SalvagedInspection(at: path)
        opened = nil
        return salvaged != nil
    }

    /// Lists what is missing, behind what was found.
    func writeMissing(in session: Session) throws(ToolFailure) {
        guard let missing = salvaged?.report else { return }
        if session.isJSON { return try session.write(missing.missingJSON) }
        for line in missing.missingLines { try session.writeWhole(line) }
    }
}

extension SalvageReport {
    private static let damagesMax = 20

    fileprivate var missingLines: [StyledText] {
        let title = "The store is damaged. What is sound of it was looked at."
        var lines = [StyledText(title, .removed)]
        for gap in lost { lines.append(StyledText("  lost: \(Self.text(of: gap))", .removed)) }
        for gap in folded {
            lines.append(
                StyledText("  in the checkpoint, not in the history: \(Self.text(of: gap))"))
        }
        for damage in damages.prefix(Self.damagesMax) {
            lines.append(StyledText("  damaged: \(damage)"))
        }
        if damages.count > Self.damagesMax {
            lines.append(StyledText("  \(damages.count - Self.damagesMax) more places", .faint))
        }
        return lines
    }

    fileprivate var missingJSON: JSON {
        [
            "lost": .array(lost.map(Self.json)), "folded": .array(folded.map(Self.json)),
            "damages": .array(damages.map(Self.json)),
        ]
    }
}
