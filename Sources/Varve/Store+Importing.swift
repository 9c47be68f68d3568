internal import VarveEvents
public import VarveGraph

extension Store {
    /// Runs a transaction for each batch of an import, in their order. While the body of one runs, what the one before
    /// it has inserted is logged on another thread.
    ///
    /// Other writers come in between: a batch keeps them out, not the import. About a thousand entities are a good
    /// size. A body that does more than insert and link is logged behind it, as ``write(_:options:_:)`` does.
    ///
    /// When a body or the log throws, the batches before stay, and no further one is asked for.
    ///
    /// - Parameters:
    ///   - batches: asked for the next batch outside of any transaction. The latest one may not show yet in what the
    ///     store shows then; bodies see it.
    ///   - label: what each transaction does, for people. A block of ``group(_:_:)-(_,()->Result)`` makes one step of
    ///     them.
    ///   - options: as of a single write. What they wait for is waited for beside the next body, and at the end.
    ///   - body: saves a batch into the context that it is given, and changes that alone. It must not call ``write``.
    /// - Throws: whatever a body or ``write(_:options:_:)`` throws.
    public func write<Batches: Sequence>(
        each batches: Batches, _ label: String = "", options: WriteOptions = WriteOptions(),
        _ body: (inout Context, Batches.Element) throws -> Void
    ) throws {
        let options = try options.joined(to: StepGroup.current, of: self)
        let writer = try writing()
        let pipeline = WritePipeline()
        do {
            for batch in batches {
                try finish(
                    try writer.append(label, options, in: pipeline) { try body(&$0, batch) })
            }
        } catch {
            // What the log says to the batch before comes first: this one was built on it.
            try finish(try writer.finish(pipeline))
            throw error
        }
        try finish(try writer.finish(pipeline))
    }

    /// The same on the store's own thread: no thread of the caller's waits for a body or for the disk.
    ///
    /// Cancelled, it throws `CancellationError`, and the batches before stay.
    public func write<Batches: Sequence>(
        each batches: Batches, _ label: String = "", options: WriteOptions = WriteOptions(),
        _ body: @escaping @Sendable (inout Context, Batches.Element) throws -> Void
    ) async throws where Batches.Element: Sendable {
        let options = try options.joined(to: StepGroup.current, of: self)
        let pipeline = WritePipeline()
        do {
            for batch in batches { try await append(batch, label, options, pipeline, body) }
        } catch {
            try await finish(pipeline)
            throw error
        }
        try await finish(pipeline)
    }

    /// The same with batches that are still to come: from a file, from the network.
    public func write<Batches: AsyncSequence>(
        each batches: Batches, _ label: String = "", options: WriteOptions = WriteOptions(),
        _ body: @escaping @Sendable (inout Context, Batches.Element) throws -> Void
    ) async throws where Batches.Element: Sendable {
        let options = try options.joined(to: StepGroup.current, of: self)
        let pipeline = WritePipeline()
        do {
            for try await batch in batches {
                try await append(batch, label, options, pipeline, body)
            }
        } catch {
            try await finish(pipeline)
            throw error
        }
        try await finish(pipeline)
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

    private func finish(_ pipeline: WritePipeline) async throws {
        // A task of its own, because one that is cancelled would not even begin.
        try await Task { [self] in
            try await onOwnThread { writer, _ in try writer.finish(pipeline) }
        }.value
    }
}
