import Foundation
import VarveLog

/// The fault-injection campaign: its parts, one after the other, and their figures.
public enum Campaign {
    /// One kind of torture.
    struct Part: Sendable {
        let name: String
        let run: @Sendable (CampaignContext) throws -> Void
    }

    static let parts = [
        Part(name: "crash", run: CrashPart.run),
        Part(name: "compound", run: CompoundPart.run),
        Part(name: "mutants", run: MutantPart.run),
        Part(name: "corruption", run: CorruptionPart.run),
        Part(name: "salvage", run: SalvagePart.run),
        Part(name: "assets", run: AssetPart.run),
        Part(name: "images", run: ImagePart.run),
        Part(name: "errors", run: ErrorPart.run),
        Part(name: "syncs", run: FailedSyncPart.run),
        Part(name: "followers", run: FollowerPart.run),
        Part(name: "kills", run: KillPart.run),
        Part(name: "threads", run: ThreadsPart.run),
        Part(name: "fuzz", run: FuzzPart.run),
        Part(name: "determinism", run: DeterminismPart.run),
    ]

    /// Prints a line now, so that a trap later does not swallow it.
    static func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    static var partNames: [String] { parts.map(\.name) }

    /// Runs what the arguments ask for. Returns the exit status.
    public static func run(_ arguments: [String]) -> Int32 {
        if arguments.count > 2, arguments[1] == KillWriter.argument {
            return KillWriter.run(Array(arguments.dropFirst(2)))
        }
        guard let options = CampaignOptions(arguments) else {
            Campaign.say(CampaignOptions.usage)
            return 2
        }
        TrapReport.install()
        Campaign.say(
            "torture \(options.size.rawValue), seed \(options.seed), \(options.threads) threads")
        let context = CampaignContext(options)
        let start = Date()
        for part in parts where options.only.isEmpty || options.only.contains(part.name) {
            let partStart = Date()
            do {
                try part.run(context)
            } catch {
                context.findings.violation(part.name, "ended by \(error)")
            }
            Campaign.say("\(part.name): \(Int(-partStart.timeIntervalSinceNow * 10) / 10) s")
        }
        return report(context, seconds: -start.timeIntervalSinceNow)
    }

    private static func report(_ context: CampaignContext, seconds: Double) -> Int32 {
        let figures = context.findings.figures
        let isFull = context.options.size == .full || context.options.size == .nightly
        let width = figures.map(\.title.count).max() ?? 0
        Campaign.say("")
        for figure in figures {
            let title = figure.title.padding(toLength: width, withPad: " ", startingAt: 0)
            let value = String(figure.value)
            let gap = String(repeating: " ", count: max(1, 12 - value.count))
            let missed = isFull && !figure.isReached ? "  MISSED" : ""
            Campaign.say("\(title)\(gap)\(value)   \(figure.target)\(missed)")
        }
        let isReached = !isFull || figures.allSatisfy(\.isReached)
        let violations = context.findings.violations
        var fields = figures.map { "\"\($0.key)\": \($0.value)" }
        fields.append("\"violations\": \(violations)")
        fields.append("\"seconds\": \(Int(seconds.rounded()))")
        fields.append("\"seed\": \(context.options.seed)")
        fields.append("\"size\": \"\(context.options.size.rawValue)\"")
        Campaign.say("violations: \(violations); \(Int(seconds.rounded())) s\n")
        Campaign.say("{\(fields.joined(separator: ", "))}")
        return violations == 0 && isReached ? 0 : 1
    }
}

/// What every part works with.
struct CampaignContext: Sendable {
    let options: CampaignOptions
    let findings = Findings()
    let queue: WorkQueue

    init(_ options: CampaignOptions) {
        self.options = options
        queue = WorkQueue(threads: options.threads)
    }

    var size: CampaignSize { options.size }
    var seed: UInt64 { options.seed }
}
