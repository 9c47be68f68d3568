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
    private enum Progress {
        case waiting
        case failed(StoreError)
        case done
    }

    /// Nil when the table is filled.
    private let content: Lock<TableContent?>
    /// How many entities were read one by one.
    private let readCount = Atomic(0)
    /// Held while the table is being filled, so that those who need it wait.
    private let progress = Lock(Progress.waiting)

    /// Whether an entity may be looked up by the bytes of its id. Two ids of an app's own type may be equal with other
    /// bytes, and those of tombstones are read by what they were deleted as: the table finds both.
    private let readsByBytes: Bool

    init(_ content: TableContent) {
        readsByBytes = content.tombstones == nil && content.descriptor.readsEveryID
        self.content = Lock(content)
    }

    func fill(_ table: AnyTable) {
        guard let error = tryToFill(table) else { return }
        fatalError(
            "the store cannot be read any further, and what reads a context cannot throw: \(error)")
    }

    func fillAhead(_ table: AnyTable) { _ = tryToFill(table) }

    /// Fills a table unless that was done; returns why it cannot be.
    private func tryToFill(_ table: AnyTable) -> StoreError? {
        // Unchecked: until it is filled only the thread that holds the lock uses the table.
        nonisolated(unsafe) let table = table
        return progress.withLock { progress in
            switch progress {
            case .done: return nil
            case .failed(let error): return error
            case .waiting: break
            }
            if let error = perform(on: table) {
                progress = .failed(error)
                return error
            }
            progress = .done
            table.didFill()
            // The last reference to the state may go here, behind the lock that guards its copy.
            let former = content.withLock { content in
                defer { content = nil }
                return content
            }
            withExtendedLifetime(former) {}
            return nil
        }
    }

    private func perform(on table: AnyTable) -> StoreError? {
        guard let content = content.withLock({ $0 }) else { return nil }
        do throws(StoreError) {
            try content.state.reading {
                .log($0)
            } _: { () throws(StoreError) in
                _ = try Hydration.fill([TableWork(content, table)])
            }
            return nil
        } catch {
            return error
        }
    }

    func read(
        id: UnsafeRawBufferPointer, _ body: (LoadedEntity) throws(CodecError) -> Void
    ) throws(CodecError) -> StoredPresence {
        guard readsByBytes, let content = content.withLock({ $0 }) else { return .unknown }
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
