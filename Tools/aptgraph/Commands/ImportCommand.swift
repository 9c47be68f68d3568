import AptGraphInput
import Foundation
import Varve

/// `import [FILE…]`
struct ImportCommand: Sendable {
    let storePath: String
    let paths: [String]
    let architecture: String?
    let showsProgress: Bool

    func run(
        _ screen: Screen, _ messages: Messages, wantsJSON: Bool
    ) async throws -> ExitStatus {
        // All files are looked at before anything else, so that a wrong name changes nothing.
        let files = try files(messages)
        let naming = PackageNaming(
            nativeArchitecture: architecture ?? PackageNaming.machineArchitecture)
        let importer = Importer(
            storePath: storePath, files: files, naming: naming, showsProgress: showsProgress)
        let outcome: Importer.Outcome
        do {
            outcome = try await importer.run()
        } catch ImportError.interrupted(let cause, let transactions) {
            throw Self.interruption(cause, transactions)
        } catch ImportError.nothingReadable(let problems) {
            report(problems, to: messages)
            throw Failure("no stanza could be read; nothing was imported", status: .stanzasSkipped)
        }
        if let notice = outcome.recoveryNotice { messages.say("\(storePath): \(notice)") }
        report(outcome.problems, to: messages)
        if wantsJSON {
            try screen.write(json: outcome.report)
        } else {
            var layout = TextLayout(screen)
            lay(outcome.report, of: files, out: &layout)
            try screen.write(layout.text)
        }
        return outcome.problems.isEmpty ? .success : .stanzasSkipped
    }

    private func files(_ messages: Messages) throws(PackagesError) -> [PackagesFile] {
        guard paths.isEmpty else {
            var files: [PackagesFile] = []
            for path in paths { files.append(try PackagesFile(path: path)) }
            return files
        }
        let discovery = try PackagesDiscovery()
        for path in discovery.unsupportedPaths {
            messages.say("\(path): left out: only plain text and lz4 are read")
        }
        return discovery.files
    }

    private func report(_ problems: [PackageIndex.Problem], to messages: Messages) {
        for entry in problems {
            messages.point(
                at: entry.problem.line, of: entry.path, "\(entry.problem.reason); stanza skipped")
        }
    }

    private static func interruption(_ cause: any Error, _ transactions: UInt64) -> Failure {
        let message = Failure.describe(cause)
        guard transactions > 0 else { return Failure(message) }
        return Failure(
            "\(message); \(Quantity.count(transactions, "transaction")) of the import "
                + "\(transactions == 1 ? "was" : "were") written: import again to complete it")
    }

    private func lay(
        _ report: ImportReport, of files: [PackagesFile], out layout: inout TextLayout
    ) {
        let style = layout.style
        let amount = Quantity.count(report.packages, "package")
        let links = report.dependencies == 1 ? "dependency" : "dependencies"
        layout.line(
            style.bold(amount) + " with \(Quantity.grouped(report.dependencies)) \(links), from "
                + Quantity.count(files.count, "file"))
        layout.line(
            report.transactions == 0
                ? "  nothing is new, so nothing was written"
                : "  \(Quantity.count(report.transactions, "transaction")) written")
        if report.skipped > 0 {
            layout.line("  \(Quantity.count(report.skipped, "malformed stanza")) skipped")
        }
        layout.line("  " + style.faint(Self.costs(report)))
    }

    private static func costs(_ report: ImportReport) -> String {
        "\(Quantity.tenths(report.seconds)) s, store \(Quantity.bytes(report.storeBytes)), "
            + "peak memory \(Quantity.bytes(report.peakBytes))"
    }
}
