/// What a write came to: the result of its body, and what it has written.
public struct WriteReport<Result> {
    /// What the body returned.
    public let result: Result
    /// The transaction with its changes; nil where the body changed nothing, so that nothing was written.
    public let transaction: WrittenTransaction?
}

extension WriteReport: Sendable where Result: Sendable {}

/// Keeps what a write appends to the log, on its way to the report.
///
/// Belongs to the thread that writes.
final class AppendedTransaction {
    private(set) var transaction: WrittenTransaction?

    /// Keeps the transaction that was encoded last and is the head by now.
    func keep(_ info: TransactionInfo, _ core: Writer.Core) {
        var bytes: [UInt8] = []
        core.encoder.withBytes { bytes = [UInt8]($0) }
        transaction = WrittenTransaction(
            info: info, bytes: bytes, reading: core.sharedHead.reading)
    }
}
