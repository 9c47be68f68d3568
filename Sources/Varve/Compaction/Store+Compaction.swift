public import VarveEvents
public import VarveLog

extension Store {
    /// Writes the newest state as a checkpoint, which later openings start from, and drops the
    /// history that the store's retention does not keep.
    ///
    /// Reads and writes go on meanwhile. The checkpoint is read back before anything is dropped, and
    /// the one before it stays, with the log from there, until the next compaction, unless the goal is
    /// ``CompactionGoal/size``. A failed compaction leaves the store as it was.
    ///
    /// It compresses thoroughly what compactions that start by themselves compress quickly, once for what does not change.
    /// That takes about twice the processor time. A checkpoint that holds the newest state already is written again where
    /// some of it was compressed quickly, and takes the place of that one.
    ///
    /// - Parameters:
    ///   - retention: what to keep this time, instead of what the store was opened with.
    ///   - goal: whether a checkpoint to fall back to stays, or the least on the disk.
    ///   - progress: receives how far it is, on the compacting thread. It must not close the store.
    /// - Returns: what it did, and how much history went.
    @discardableResult
    public func compact(
        retaining retention: Retention? = nil, for goal: CompactionGoal = .safety,
        progress: (CompactionProgress) -> Void = { _ in }
    ) throws -> CompactionReport {
        guard let compactor else { throw StoreError.readOnly }
        return try compactor.run(retention, goal, progress: progress)
    }

    /// Compacts on a thread of its own.
    @discardableResult
    public func compact(
        retaining retention: Retention? = nil, for goal: CompactionGoal = .safety,
        progress: @escaping @Sendable (CompactionProgress) -> Void = { _ in }
    ) async throws -> CompactionReport {
        guard let compactor else { throw StoreError.readOnly }
        return try await compactor.run(retention, goal, progress: progress)
    }

    /// The oldest transaction that can be asked for; the state before it can be asked for as well. Of a
    /// store that is only read: as of the last ``refresh()``.
    public var floor: TransactionID {
        if let writer { return writer.floor }
        return max(
            readersFloor.withLock { $0 },
            TransactionID(published.timeline.forgotten.rawValue + 1))
    }

    /// Whether compactions were told to end, because the store is being closed or suspended.
    package var isCompactionCancelled: Bool { compactor?.isCancelled ?? false }

    /// Keeps the history from a transaction on, as long as the pin lives, whatever the retention
    /// says.
    package func pin(_ transaction: TransactionID) throws -> LogPin {
        guard let writer else { throw StoreError.readOnly }
        do throws(LogError) {
            return try writer.figures.withLock({ $0.pins }).pin(LogSequence(transaction.rawValue))
        } catch {
            if case .belowFloor(_, let floor) = error {
                throw StoreError.belowFloor(transaction, floor: TransactionID(floor.rawValue))
            }
            throw StoreError.log(error)
        }
    }
}
