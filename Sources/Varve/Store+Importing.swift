internal import VarveEvents
public import VarveGraph

extension Store {
    /// Runs a transaction for each batch of an import, in their order. While the body of one runs, what the one before
    /// it has inserted is logged on another thread.
    ///
    /// Other writers come in between: a batch keeps them out, not the import. About a thousand entities are a good
    /// size. Logged behind its body, as ``write(_:options:_:)`` does, is a batch that does more than insert entities
    /// and link, a very small one, and any while results are watched.
    ///
    /// When a body throws, the batches before stay, and no further one is asked for. When the log refuses one, the body
    /// of the next may have run by then, and comes to nothing as well. ``lastTransaction`` tells what stayed.
    ///
    /// - Parameters:
    ///   - batches: asked for the next batch outside of any transaction. The latest one may not show yet in what the
    ///     store shows then; bodies see it.
    ///   - label: what each transaction does, for people. A block of ``group(_:_:)`` makes one step of
    ///     them.
    ///   - options: as of a single write. What they wait for is waited for a batch later, and at the end.
    ///   - body: saves a batch into the context that it is given, and changes that alone. It must not call `write`.
    /// - Throws: whatever a body or ``write(_:options:_:)`` throws, of the first batch that did not come to its end.
    public func write<Batches: Sequence>(
        each batches: Batches, _ label: String = "", options: WriteOptions = WriteOptions(),
        _ body: (inout Context, Batches.Element) throws -> Void
    ) throws {
        let options = try options.joined(to: StepGroup.current, of: self)
        let writer = try writing()
        let pipeline = WritePipeline()
        func end() throws {
            let end = try writer.finish(pipeline)
            try finish(end.receipt)
            if let failure = end.failure { throw failure }
        }
        do {
            for batch in batches {
                try finish(
                    try writer.append(label, options, in: pipeline) { try body(&$0, batch) })
            }
        } catch {
            throw Store.first(of: error, and: Result(catching: end))
        }
        try end()
    }

    /// Imports on the store's own thread: no thread of the caller's waits for a body or for the disk.
    ///
    /// Cancelled, it throws `CancellationError`, and the batches before stay.
    public func write<Batches: Sequence>(
        each batches: Batches, _ label: String = "", options: WriteOptions = WriteOptions(),
        _ body: @escaping @Sendable (inout Context, Batches.Element) throws -> Void
    ) async throws where Batches.Element: Sendable {
        try await importing(label, options, body) { append in
            for batch in batches { try await append(batch) }
        }
    }

    /// Imports batches that are still to come: from a file, from the network.
    public func write<Batches: AsyncSequence>(
        each batches: Batches, _ label: String = "", options: WriteOptions = WriteOptions(),
        _ body: @escaping @Sendable (inout Context, Batches.Element) throws -> Void
    ) async throws where Batches.Element: Sendable {
        try await importing(label, options, body) { append in
            for try await batch in batches { try await append(batch) }
            // Many sequences just end when the task that asks them is cancelled: then this is not all.
            try Task.checkCancellation()
        }
    }

    private func importing<Batch: Sendable>(
        _ label: String, _ options: WriteOptions,
        _ body: @escaping @Sendable (inout Context, Batch) throws -> Void,
        appending appendAll: ((Batch) async throws -> Void) async throws -> Void
    ) async throws {
        let options = try options.joined(to: StepGroup.current, of: self)
        let pipeline = WritePipeline()
        do {
            try await appendAll { try await append($0, label, options, pipeline, body) }
        } catch {
            throw Store.first(of: error, and: await end(pipeline))
        }
        try await end(pipeline).get()
    }

    private func append<Batch: Sendable>(
        _ batch: Batch, _ label: String, _ options: WriteOptions, _ pipeline: WritePipeline,
        _ body: @escaping @Sendable (inout Context, Batch) throws -> Void
    ) async throws {
        try await onOwnThread { writer, isCancelled in
            try writer.append(label, options, in: pipeline, isCancelled: isCancelled) {
                try body(&$0, batch)
            }
        }
    }

    private func end(_ pipeline: WritePipeline) async -> Result<Void, any Error> {
        // A task of its own, because one that is cancelled would not even begin.
        await Task { [self] in
            let failure = try await onOwnThread { writer, _ in
                let end = try writer.finish(pipeline)
                return Writer.Written(result: end.failure, receipt: end.receipt)
            }
            if let failure { throw failure }
        }.result
    }

    /// Of what went wrong with a batch, and with those before it that were still under way, what comes first.
    private static func first(
        of error: any Error, and end: Result<Void, any Error>
    ) -> any Error {
        // Of a sync that failed the batch is told that waited for it: none before it is under way any more.
        if case StoreError.outcomeUnknown = error { return error }
        guard case .failure(let earlier) = end else { return error }
        return earlier
    }
}
