import VarveInspection
import VarveTerminal

/// Why a command ended early.
indirect enum ToolFailure: Error {
    case usage(UsageError, command: String?)
    case inspection(InspectionError)
    case output(OutputFailure)
    case exchange(ExchangeError)
    case terminal(TerminalProblem)
    /// The store is damaged; what is sound of it was shown. `after` is what went wrong beside that.
    case incomplete(path: String, SalvageReport, after: ToolFailure?)
    /// The store is damaged, and what is sound cannot be gathered.
    case notSalvaged(InspectionError, obstacle: InspectionError)
}

/// Why a full screen cannot be shown.
enum TerminalProblem: Error, Hashable, Sendable {
    case missing
    case dumb
    case tooSmall(ScreenSize)
}

extension TerminalProblem: CustomStringConvertible {
    var description: String {
        switch self {
        case .missing: "a full screen needs a terminal; 'log', 'show' and 'cat' write to anything"
        case .dumb:
            "a full screen needs a terminal that is not 'dumb'; 'log', 'show' and 'cat' do not"
        case .tooSmall(let size):
            "the terminal has \(size) cells; a full screen needs \(ScreenSize.least)"
        }
    }
}

extension ToolFailure {
    /// Whether the store is damaged, so that a part of it may be sound.
    var isDamage: Bool {
        if case .inspection(let error) = self { return error.isDamage }
        return false
    }

    /// Runs what looks into a store.
    static func inspecting<Result>(
        _ body: () throws(InspectionError) -> Result
    ) throws(ToolFailure) -> Result {
        do throws(InspectionError) {
            return try body()
        } catch {
            throw .inspection(error)
        }
    }

    /// Runs what writes a file.
    static func outputting<Result>(
        _ body: () throws(OutputFailure) -> Result
    ) throws(ToolFailure) -> Result {
        do throws(OutputFailure) {
            return try body()
        } catch {
            throw .output(error)
        }
    }
}
