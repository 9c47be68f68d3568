public import VarveGraph

extension Store {
    /// Runs a transaction as ``write(_:options:_:)`` does, and returns what it wrote as well.
    ///
    /// ```swift
    /// let written = try store.writeReporting("Rename") { try chat.save(to: &$0) }
    /// for change in try written.transaction?.changes(of: Chat.self) ?? [] { … }
    /// ```
    ///
    /// The changes come from the bytes that were appended, without another look at the log, and are decoded when they
    /// are asked for. They are those of the whole transaction: what hooks, cascades and other sides of relations
    /// changed is among them.
    ///
    /// - Throws: as ``write(_:options:_:)``.
    public func writeReporting<Result>(
        _ label: String = "", options: WriteOptions = WriteOptions(),
        _ body: (inout Context) throws -> Result
    ) throws -> WriteReport<Result> {
        var result: Result?
        let transaction = try written(label, options) { result = try body(&$0) }
        guard let result else { preconditionFailure("a body that neither returned nor threw") }
        return WriteReport(result: result, transaction: transaction)
    }

    // Apart from the type of the result, which is then looked up once.
    private func written(
        _ label: String, _ options: WriteOptions, _ body: (inout Context) throws -> Void
    ) throws -> WrittenTransaction? {
        let options = try options.joined(to: StepGroup.current, of: self)
        let appended = AppendedTransaction()
        try finish(try writing().append(label, options, keptIn: appended, body))
        return appended.transaction
    }

    /// Runs a transaction on the store's own thread, waits for the disk on none, and returns what it wrote as well.
    ///
    /// - Throws: as the `async` form of ``write(_:options:_:)``.
    public func writeReporting<Result: Sendable>(
        _ label: String = "", options: WriteOptions = WriteOptions(),
        _ body: @escaping @Sendable (inout Context) throws -> Result
    ) async throws -> WriteReport<Result> {
        let options = try options.joined(to: StepGroup.current, of: self)
        return try await onOwnThread { writer, isCancelled in
            let appended = AppendedTransaction()
            var result: Result?
            let receipt = try writer.append(
                label, options, keptIn: appended, isCancelled: isCancelled
            ) { result = try body(&$0) }
            guard let result else {
                preconditionFailure("a body that neither returned nor threw")
            }
            return Writer.Written(
                result: WriteReport(result: result, transaction: appended.transaction),
                receipt: receipt)
        }
    }
}
