/// Where text goes.
package protocol OutputSink: AnyObject {
    func write(_ text: String) throws(OutputFailure)
    /// Passes on what is still held back.
    func flush() throws(OutputFailure)
    /// Passes on what is held back, and returns when the reader has it. Nothing follows.
    func finish() throws(OutputFailure)
}

extension OutputSink {
    package func finish() throws(OutputFailure) { try flush() }
}

extension OutputSink {
    /// ``write(_:)``, with the failure of a command.
    func writing(_ text: String) throws(ToolFailure) {
        try ToolFailure.outputting { () throws(OutputFailure) in try write(text) }
    }

    /// ``flush()``, with the failure of a command.
    func flushing() throws(ToolFailure) {
        try ToolFailure.outputting { () throws(OutputFailure) in try flush() }
    }
}

/// Text that could not be written.
package enum OutputFailure: Error, Hashable, Sendable {
    /// The reader has gone: no reason to complain.
    case closed
    case failed(reason: String)
    /// A signal asks the process to end, which it does when what was begun is removed.
    case interrupted
}
