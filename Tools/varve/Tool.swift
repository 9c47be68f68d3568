import Foundation
import VarveInspection
import VarveText

/// The program `varve`: finds the command, runs it, and turns every failure into one line.
package enum Tool {
    static let name = "varve"
    static let version = "0.1.0"

    static let commands: [any Command.Type] = [
        InfoCommand.self, LogCommand.self, ShowCommand.self, CatCommand.self, VerifyCommand.self,
        SchemaCommand.self, DuCommand.self, ReportCommand.self, BrowseCommand.self,
        FollowCommand.self, QueryCommand.self, HistoryCommand.self, BlameCommand.self,
        DiffCommand.self,
        AtCommand.self, UndoCommand.self, RedoCommand.self, RestoreCommand.self,
        ExportCommand.self, ImportCommand.self,
        CompactCommand.self, BackupCommand.self, SalvageCommand.self, HexdumpCommand.self,
        GrepCommand.self, BisectCommand.self, HelpCommand.self, CompletionCommand.self,
    ]

    /// Also finds the command that is not in the list, because only scripts use it.
    static func command(named name: String) -> (any Command.Type)? {
        (commands + [CompleteCommand.self]).first { $0.definition.name == name }
    }

    /// Runs the program with its arguments, without its own name.
    package static func run(
        _ arguments: [String], in environment: ToolEnvironment
    ) -> ExitStatus {
        let request: Request
        do throws(ToolFailure) {
            request = try Request(arguments[...])
        } catch {
            return end(error, reached: .success, in: environment)
        }
        let meter = request.meter(in: environment)
        let environment = request.paged(environment, meter)
        var status = ExitStatus.success
        let failure = ReadObservation.withObserver({ meter.read($0) }) { () -> ToolFailure? in
            do throws(ToolFailure) {
                status = try request.perform(in: environment, meter)
                return nil
            } catch {
                return error
            }
        }
        meter.finish()
        if let failure { return end(failure, reached: status, in: environment) }
        do throws(OutputFailure) {
            try environment.output.finish()
        } catch {
            return end(.output(error), reached: status, in: environment)
        }
        return status
    }

    // MARK: Output and failures

    /// Says what went wrong. `status` is what the command had come to.
    private static func end(
        _ failure: ToolFailure, reached status: ExitStatus, in environment: ToolEnvironment
    ) -> ExitStatus {
        // What was read before the error comes out before it, and a pager ends before it.
        try? environment.output.finish()
        return say(failure, reached: status, in: environment)
    }

    private static func say(
        _ failure: ToolFailure, reached status: ExitStatus, in environment: ToolEnvironment
    ) -> ExitStatus {
        switch failure {
        // The signal ends the process before this is reached, unless its caller handles it.
        case .output(.closed), .output(.interrupted): return status
        case .output(.failed(let reason)):
            complain("cannot write the output: \(reason)", in: environment)
            return .failure
        case .terminal(let problem):
            complain("\(problem)", in: environment)
            return .failure
        case .inspection(let error):
            complain(text(of: error), in: environment)
            return .failure
        case .exchange(let error):
            complain(
                "\(error)" + Spelling.question(error), in: environment,
                hint: error.example.map {
                    "A schema to begin with, for a file that --schema names:\n"
                        + $0.escapedForDisplay
                })
            return .failure
        case .usage(let error, let command):
            let help = ([name] + [command].compactMap { $0 }).joined(separator: " ") + " --help"
            complain(
                "\(error)", in: environment,
                hint: error.excerpt ?? "Try '\(help)' for more information.")
            return .usage
        case .incomplete(let path, let report, let failure):
            let status = failure.map { say($0, reached: .failure, in: environment) }
            complain(
                "\(path) is damaged: only what is sound of it was read", in: environment,
                hint: report.missingText
                    + "\n  'varve salvage' brings what is sound into a new store")
            return status ?? .failure
        case .notSalvaged(let damage, let obstacle):
            complain(
                "\(damage)", in: environment,
                hint: "What is sound of the store cannot be gathered: \(obstacle)")
            return .failure
        }
    }

    /// Of a folder that is there and empty it says so.
    private static func text(of error: InspectionError) -> String {
        if case .log(.missing(let directory)) = error,
            let names = try? FileManager.default.contentsOfDirectory(atPath: directory),
            names.isEmpty
        {
            return "there is no store at \(directory): the folder is empty"
        }
        return "\(error)" + Spelling.question(error)
    }

    private static func complain(
        _ message: String, in environment: ToolEnvironment, hint: String? = nil
    ) {
        let text =
            "\(name): \(message.escapedForDisplay)\n" + (hint.map { $0 + "\n" } ?? "")
        do {
            try environment.errors.write(text)
            try environment.errors.flush()
        } catch {
            // Standard error itself fails; the exit status reports the failure.
        }
    }
}
