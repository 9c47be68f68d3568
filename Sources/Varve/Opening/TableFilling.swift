internal import Synchronization
internal import VarveEvents
internal import VarveGraph
internal import VarveLog
internal import VarveReplay
internal import VarveTables

/// Fills a table when it is first read: what an opening leaves for later.
///
/// It keeps the state that the table is filled from, and no table: a context is released with tables that were never read.
final class TableFilling: TableSource {
    /// What a table that waits is filled from.
    private struct Source {
        var content: TableContent
        /// How often the state of the content was made again.
        var attempts = 0
        let rebuilt: RebuiltState
        var failure: StoreError?
    }

    /// Nil when the table is filled.
    private let source: Lock<Source?>
    /// How many entities were read one by one.
    private let readCount = Atomic(0)
    /// Whether the table is filled. Held while it is being filled, so that those who need it wait.
    private let isDone = Lock(false)

    /// Whether an entity may be looked up by the bytes of its id. Two ids of an app's own type may be equal with other
    /// bytes, and those of tombstones are read by what they were deleted as: the table finds both.
    private let readsByBytes: Bool

    init(_ content: TableContent, _ rebuilt: RebuiltState) {
        readsByBytes = content.tombstones == nil && content.descriptor.readsEveryID
        source = Lock(Source(content: content, rebuilt: rebuilt))
    }

    func fill(_ table: AnyTable) {
        guard let error = tryToFill(table) else { return }
        fatalError(
            "the store cannot be read any further, and what reads a context cannot throw: \(error)")
    }

    func fillAhead(_ table: AnyTable) { _ = tryToFill(table) }

    var file: String? { source.withLock { $0?.content.state.checkpointFile } }

    var failure: (any Error)? { source.withLock { $0?.failure } }

    /// Fills a table unless that was done; returns why it cannot be.
    private func tryToFill(_ table: AnyTable) -> StoreError? {
        // Unchecked: until it is filled only the thread that holds the lock uses the table.
        nonisolated(unsafe) let table = table
        return isDone.withLock { isDone in
            guard !isDone else { return nil }
            do throws(StoreError) {
                try perform(on: table)
            } catch {
                source.withLock { $0?.failure = error }
                source.withLock { $0?.rebuilt }?.noteFailure()
                return error
            }
            isDone = true
            table.didFill()
            // The last reference to the state may go here, behind the lock that guards its copy.
            let former = source.withLock { source in
                defer { source = nil }
                return source
            }
            withExtendedLifetime(former) {}
            return nil
        }
    }

    /// Where that throws, the table is empty.
    private func perform(on table: AnyTable) throws(StoreError) {
        guard var source = source.withLock({ $0 }) else { return }
        while true {
            do throws(StoreError) {
                return try source.content.fill(table)
            } catch {
                table.unload()
                source.content.state = try source.rebuilt.state(
                    behind: source.attempts, after: error)
                source.attempts += 1
                let next = source
                self.source.withLock { $0 = next }
            }
        }
    }

    func read(
        id: UnsafeRawBufferPointer, _ body: (LoadedEntity) throws(CodecError) -> Void
    ) throws(CodecError) -> StoredPresence {
        guard readsByBytes, let content = source.withLock({ $0?.content }) else { return .unknown }
        // A table that is read so often is filled: its rows are found without the state then.
        guard readCount.add(1, ordering: .relaxed).newValue <= 16 + content.slotCount / 8 else {
            return .unknown
        }
        let meetings = content.state.health?.meetingCount
        let presence = try content.read(id: id, body)
        return content.state.health?.meetingCount == meetings ? presence : .unknown
    }
}

extension TableContent {
    fileprivate func fill(_ table: AnyTable) throws(StoreError) {
        try state.reading {
            .log($0)
        } _: { () throws(StoreError) in
            _ = try Hydration.fill([TableWork(self, table)])
        }
    }

    /// Ids of the types that wait are the same only if their bytes are.
    fileprivate func read(
        id: UnsafeRawBufferPointer, _ body: (LoadedEntity) throws(CodecError) -> Void
    ) throws(CodecError) -> StoredPresence {
        guard let slot = state.slot(of: definition.number, id: id),
            var reader = state.reader(of: definition.number, as: definition)
        else { return .absent }
        let found = try reader.read(slot) { entity throws(CodecError) -> StoredPresence in
            guard !entity.isDeleted else { return .absent }
            try body(LoadedEntity(entity))
            return .present
        }
        return found ?? .absent
    }
}
