import VarveInspection

/// Why a command ended early.
enum ToolFailure: Error {
    case usage(UsageError, command: String?)
    case inspection(InspectionError)
    case output(OutputFailure)
    case exchange(ExchangeError)
}

extension ToolFailure {
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
