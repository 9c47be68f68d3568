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

/// Text that could not be written.
package enum OutputFailure: Error, Hashable, Sendable {
    /// The reader has gone: no reason to complain.
    case closed
    case failed(reason: String)
}
