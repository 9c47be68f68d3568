import AptGraphInput
import Foundation
import Varve

/// The program: understands its command line, runs one command, and says how it went.
struct Program: Sendable {
    static let name = "aptgraph"
    static let version = "0.1.0"

    let screen: Screen
    let messages: Messages

    func run(_ arguments: [String]) async -> ExitStatus {
        do {
            return try await perform(try Invocation(parsing: arguments))
        } catch let error as UsageError {
            messages.say(error.message)
            let command = error.command.map { " \($0.rawValue)" } ?? ""
            messages.hint("Try '\(Self.name)\(command) --help' for more information.")
            return .usage
        } catch Terminal.WriteError.closed {
            return .outputClosed
        } catch let failure as Failure {
            messages.say(failure.message)
            return failure.status
        } catch {
            messages.say(Failure.describe(error))
            return .failure
        }
    }

    private func perform(_ invocation: Invocation) async throws -> ExitStatus {
        switch invocation.request {
        case .help(nil): try screen.write(HelpText.program)
        case .help(let command?): try screen.write(HelpText.command(command))
        case .version: try screen.write(HelpText.version)
        case .run(.import, let store, let operands):
            return try await ImportCommand(
                storePath: store, paths: operands, architecture: invocation.architecture,
                showsProgress: Terminal.isTerminal(STDERR_FILENO)
            ).run(screen, messages, wantsJSON: invocation.wantsJSON)
        case .run(let name, let store, let operands):
            return try run(name, store, operands, wantsJSON: invocation.wantsJSON)
        }
        return .success
    }

    private func run(
        _ name: CommandName, _ storePath: String, _ operands: [String], wantsJSON: Bool
    ) throws -> ExitStatus {
        let command: any StoreCommand =
            switch name {
            case .import: preconditionFailure("an import opens the store in its own way")
            case .show: ShowCommand(name: operands[0])
            case .why: WhyCommand(start: operands[0], end: operands[1])
            case .rdepends: ReverseDependsCommand(name: operands[0])
            case .find: FindCommand(words: operands)
            case .remove: RemoveCommand(name: operands[0])
            case .restore: RestoreCommand(name: operands[0])
            case .stats: StatsCommand(storePath: storePath)
            }
        let store = try Store.existing(at: storePath, mode: type(of: command).mode)
        // The process ends soon: freeing the graph piece by piece would only take time.
        _ = Unmanaged.passRetained(store)
        if let notice = store.recoveryNotice { messages.say("\(storePath): \(notice)") }
        let result = try finish(store) { try command.run(store) }
        if wantsJSON {
            try result.writeJSON(to: screen)
        } else {
            var layout = TextLayout(screen)
            result.lay(out: &layout)
            try screen.write(layout.text)
        }
        return result.status
    }

    /// Closes the store whether or not the work on it succeeds.
    private func finish<Result>(_ store: Store, _ work: () throws -> Result) throws -> Result {
        let result: Result
        do {
            result = try work()
        } catch {
            // What went wrong first says more than what closing may add to it.
            try? store.close()
            throw error
        }
        try store.close()
        return result
    }
}
