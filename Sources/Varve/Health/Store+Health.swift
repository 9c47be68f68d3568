extension Store {
    /// What is known of damage to the store's files.
    ///
    /// - Complexity: linear in the number of damaged places that are known.
    public var health: StoreHealth { opener.health.health }

    /// Compares all sealed segments and all checkpoints with their checksums, and returns what is known of damage then.
    ///
    /// Reads and writes go on meanwhile. A store that is open for writing does this by itself, slowly, a quarter of an hour
    /// behind its opening and once a day from then on; a suspension interrupts that, and the resumption goes on with it.
    /// Where the newest checkpoint is damaged, the next compaction begins with the one before it, and a store that compacts
    /// automatically begins with that at once. The segment that is being written is read by the next opening.
    ///
    /// - Throws: ``StoreError/readOnly`` in a store that is only read; ``StoreError/closed`` and
    ///   ``StoreError/suspended``. Damage is no error: it is in the result.
    /// - Complexity: linear in the size of the files.
    @discardableResult
    public func checkFiles() throws -> StoreHealth {
        guard let fileChecker else { throw StoreError.readOnly }
        return try fileChecker.run()
    }

    /// Compares all sealed segments and all checkpoints with their checksums on a thread of its own.
    ///
    /// - Throws: `CancellationError` where the task is cancelled meanwhile; else what the other form throws.
    @discardableResult
    public func checkFiles() async throws -> StoreHealth {
        guard let fileChecker else { throw StoreError.readOnly }
        return try await fileChecker.run()
    }

    /// Waits until all of the checkpoint that the store was opened from was compared with its checksums, on the calling
    /// thread.
    package func finishCheckpointLook() { checkpointLook?.finish() }
}
