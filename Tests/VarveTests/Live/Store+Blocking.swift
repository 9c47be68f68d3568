import Varve

/// The blocking forms, for tests that are `async` for the sake of what they wait for.
extension Store {
    @discardableResult
    func writing<Result>(
        _ label: String = "", _ body: (inout Context) throws -> Result
    ) throws -> Result {
        try write(label, body)
    }

    func writing(_ label: String = "", _ body: (inout Context) throws -> Void) throws {
        try write(label, body)
    }

    func undoing() throws {
        if canUndo { try undo() }
    }

    func dropHistory() throws { try compact(retaining: Retention.newestState) }
}
