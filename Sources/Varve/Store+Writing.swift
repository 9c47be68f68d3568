internal import Foundation
internal import VarveEvents
public import VarveGraph
internal import VarveLog

extension Store {
    // MARK: - Writing

    // Both forms are inlined: a result of unknown type is allocated, and its type looked up, at run time.

    /// Runs a transaction: what the body changes becomes durable and visible as a whole, or, when
    /// the body or the log throws, not at all.
    ///
    /// Bodies run one after the other, each on the state that the one before left. A body may run
    /// while other writers still wait for the disk; they share one sync. A transaction that changes
    /// nothing writes nothing, and waits for what its body has seen.
    ///
    /// - Parameters:
    ///   - label: what the transaction does, for people: "Rename chat".
    ///   - options: who and what else the log should say about it.
    ///   - body: changes the context that it is given, and that alone. It must not call `write`.
    /// - Returns: what the body returns.
    /// - Throws: whatever the body throws; ``StoreError/outcomeUnknown(_:_:)`` when the disk failed
    ///   behind the append; any other ``StoreError`` means that nothing happened.
    @discardableResult
    @inlinable
    public func write<Result>(
        _ label: String = "", options: WriteOptions = WriteOptions(),
        _ body: (inout Context) throws -> Result
    ) throws -> Result {
        var result: Result?
        try writeAnyResult(label, options) { result = try body(&$0) }
        guard let result else { preconditionFailure("a body that neither returned nor threw") }
        return result
    }

    // A form of its own, so that a body that is to return nothing may be a save, whose result need not be used.

    /// Runs a transaction whose body returns nothing.
    ///
    /// - Throws: as the form with a result.
    public func write(
        _ label: String = "", options: WriteOptions = WriteOptions(),
        _ body: (inout Context) throws -> Void
    ) throws {
        try writeAnyResult(label, options, body)
    }

    @usableFromInline
    func writeAnyResult(
        _ label: String, _ options: WriteOptions, _ body: (inout Context) throws -> Void
    ) throws {
        let options = try options.joined(to: StepGroup.current, of: self)
        try finish(try writing().append(label, options, body))
    }

    func finish<Result>(_ written: Writer.Written<Result>) throws -> Result {
        try finish(written.receipt)
        return written.result
    }

    /// Waits for what a write waits for.
    func finish(_ receipt: Writer.Receipt) throws {
        if let awaited = receipt.awaited { try awaited.commits.wait(for: awaited.transaction) }
        writer?.didCommit(receipt)
        startWhatIsDue()
    }

    private func startWhatIsDue() {
        writer?.renewTablesIfDue()
        compactor?.startIfDue()
    }

    /// Runs a transaction on the store's own thread, and waits for the disk on none.
    ///
    /// Cancelled before the transaction is appended, it throws `CancellationError` and nothing has
    /// happened; afterwards it completes.
    @discardableResult
    @inlinable
    public func write<Result: Sendable>(
        _ label: String = "", options: WriteOptions = WriteOptions(),
        _ body: @escaping @Sendable (inout Context) throws -> Result
    ) async throws -> Result {
        let result = WriteResult<Result>()
        try await writeAnyResult(label, options) { result.set(try body(&$0)) }
        return result.take()
    }

    /// Runs a transaction whose body returns nothing on the store's own thread.
    ///
    /// - Throws: as the form with a result.
    public func write(
        _ label: String = "", options: WriteOptions = WriteOptions(),
        _ body: @escaping @Sendable (inout Context) throws -> Void
    ) async throws {
        try await writeAnyResult(label, options, body)
    }

    @usableFromInline
    func writeAnyResult(
        _ label: String, _ options: WriteOptions,
        _ body: @escaping @Sendable (inout Context) throws -> Void
    ) async throws {
        let options = try options.joined(to: StepGroup.current, of: self)
        try await onOwnThread { writer, isCancelled in
            try writer.append(label, options, isCancelled: isCancelled, body)
        }
    }

    /// Runs a transaction that has a result beside its receipt on the store's own thread.
    func onOwnThread<Result: Sendable>(
        _ append: @escaping @Sendable (Writer, () -> Bool) throws -> Writer.Written<Result>
    ) async throws -> Result {
        let result = WriteResult<Result>()
        try await onOwnThread { writer, isCancelled in
            let written = try append(writer, isCancelled)
            result.set(written.result)
            return written.receipt
        }
        return result.take()
    }

    /// Runs what writes on the store's own thread, and waits for the disk on none.
    func onOwnThread(
        _ append: @escaping @Sendable (Writer, () -> Bool) throws -> Writer.Receipt
    ) async throws {
        let writer = try writing()
        let attempt = AsyncWrite()
        defer { startWhatIsDue() }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                guard attempt.begin(continuation) else { return }
                writer.onBodies {
                    guard attempt.start() else { return }
                    writer.run(attempt, append)
                }
            }
        } onCancel: {
            attempt.cancel()
        }
    }

    func writing() throws(StoreError) -> Writer {
        guard let writer else { throw .readOnly }
        return writer
    }

    // MARK: - Ending

    /// Makes everything that was written durable, and says so in the log at once: from here on
    /// other processes see it.
    public func flush() throws { try writer?.flush() }

    /// Makes everything durable, marks the log's end as clean and releases the store. Every later
    /// write throws; snapshots stay usable, and live results end. Waits for the writes that are under way, and gives up
    /// a compaction.
    public func close() throws {
        tablesAhead?.end()
        checkpointLook?.end()
        try stopRenewing()
        try stopCompacting()
        defer { published.watch.end() }
        try writer?.close()
    }

    /// Releases the store for a while, as an app does that goes to the background: everything is
    /// made durable, the lock is released and the files are closed. Reading goes on; a write
    /// throws ``StoreError/suspended`` until ``resume()``. A context of the past whose entities nothing has read yet keeps its
    /// checkpoint open and reads them from there, and so does a table that does not fit the ``MemoryBudget``.
    public func suspend() throws {
        // A table that is renewed behind the loop would not be filled.
        try stopRenewing()
        // What is read meanwhile must not need the files, which the system may lock.
        for table in context.tables.tables.unfilled where !table.isScanned {
            table.fillAhead()
        }
        checkpointLook?.end()
        try stopCompacting()
        try writer?.suspend()
    }

    private func stopRenewing() throws {
        // A body of a write must not wait for what waits for its turn.
        try writer?.checkCaller()
        writer?.renewal.stop()
    }

    private func stopCompacting() throws {
        do {
            try compactor?.stop()
        } catch {
            writer?.renewal.allow()
            throw error
        }
    }

    /// Takes a suspended store up again, with whatever another process has written meanwhile.
    ///
    /// - Complexity: that of reading the newest segment, or, where another process has written,
    ///   that of opening the store.
    public func resume() throws {
        let newInverses = try writer?.resume()
        compactor?.allow(behindOthers: newInverses != nil)
        fileChecker?.goOn()
        try complete(newInverses)
    }

    /// Relations that have another side since the log was written. Logged, because what follows in
    /// the log counts on what the lists hold.
    func complete(_ newInverses: NewInverses?) throws {
        guard let writer, let newInverses, newInverses.isNeeded(in: context) else { return }
        // No step: the user did nothing that an undo could reverse. Undos of older steps pass it over.
        let options = WriteOptions(metadata: [Timeline.Key.completion: "1"], undoable: false)
        let label = "Complete relations that have another side now"
        try finish(try writer.append(label, options) { newInverses.complete(&$0) })
    }
}

extension Writer {
    /// Runs an `async` write on the calling thread, except for waiting.
    fileprivate func run(
        _ attempt: AsyncWrite, _ append: (Writer, () -> Bool) throws -> Receipt
    ) {
        let receipt: Receipt
        do {
            receipt = try append(self) { attempt.isCancelled }
        } catch {
            return attempt.finish(error)
        }
        guard let awaited = receipt.awaited else {
            didCommit(receipt)
            return attempt.finish(nil)
        }
        awaited.commits.whenSafe(awaited.transaction) { [self] in
            if $0 == nil { didCommit(receipt) }
            attempt.finish($0)
        }
    }
}
