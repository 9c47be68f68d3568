internal import Synchronization
internal import VarveGraph
internal import VarveLog
internal import VarveTables

/// What a store's budget of memory is shared out to. One for all contexts of the store, also of the past.
///
///     half       tables that are held whole
///     a quarter  leaves that are made of pages, for the tables that do not fit; more where the tables need less
///     the rest   pages of the files, for those tables
final class StoreMemory: Sendable {
    let budget: ByteCount
    private let byteCount: Int
    /// What tables have reserved that are held whole.
    private let reserved = Atomic(0)
    private let exceeding = Atomic(0)
    /// What the pages of one state may take.
    let pages: PageMemoryLimit
    /// Counts what leaves take.
    let leaves = LeafMemory()
    private let loaded = Lock<[WeakState]>([])

    private struct WeakState: @unchecked Sendable {
        // Sendable unchecked: the lock around the states guards the references.
        weak var state: RebuiltState?
    }

    init(_ budget: MemoryBudget) {
        self.budget = budget.bytes
        byteCount = Int(clamping: budget.bytes.rawValue)
        pages = PageMemoryLimit(byteCount / 2)
    }

    /// An image whose pages take less is never limited: looking for its pages costs less then.
    var limitedImageMin: Int { byteCount / 4 }

    // MARK: - Tables

    /// Reserves memory for a table that is to be held whole; false where it does not fit.
    func reserve(_ count: Int) -> Bool {
        let total = reserved.wrappingAdd(count, ordering: .relaxed).newValue
        if total > byteCount / 2 {
            release(count)
            return false
        }
        share()
        return true
    }

    func release(_ count: Int) {
        reserved.wrappingSubtract(count, ordering: .relaxed)
        share()
    }

    /// Whether tables that are made of so much of a checkpoint may not fit all.
    func isShort(of checkpoint: ByteCount) -> Bool {
        Int(clamping: checkpoint.rawValue) > byteCount / 4
    }

    /// Notes that a table is held whole that does not fit.
    func exceed(by count: Int) { exceeding.wrappingAdd(count, ordering: .relaxed) }

    func releaseExcess(_ count: Int) { exceeding.wrappingSubtract(count, ordering: .relaxed) }

    private var half: Int { (byteCount - reserved.load(ordering: .relaxed)) / 2 }

    /// Gives pages what tables and leaves do not take.
    func share() { pages.set(max(half, 2 * half - leaves.bytes)) }

    // MARK: - Leaves

    /// Whether leaves take more than their share: contexts get tables without them then, which make them again.
    var hasManyLeaves: Bool { leaves.bytes > half }

    /// Of tables with fewer leaves nothing is gained: contexts that are held may have most of all.
    var renewedLeafBytesMin: Int { half / 8 }

    // MARK: - Statistics

    func add(_ state: RebuiltState) {
        loaded.withLock { states in
            states.removeAll { $0.state == nil }
            states.append(WeakState(state: state))
        }
    }

    var statistics: MemoryStatistics {
        let states = loaded.withLock { $0.compactMap(\.state) }
        let pages = states.reduce(0) { $0 + $1.loadedBytes }
        func count(_ bytes: Int) -> ByteCount { ByteCount(UInt64(clamping: bytes)) }
        return MemoryStatistics(
            budget: budget, tables: count(reserved.load(ordering: .relaxed)),
            pages: count(pages), entities: count(leaves.bytes),
            exceeding: count(exceeding.load(ordering: .relaxed)))
    }
}
