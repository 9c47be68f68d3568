internal import Synchronization
internal import VarveGraph
internal import VarveLog
internal import VarveTables

/// What a store's budget of memory is shared out to. One for all contexts of the store, also of the past.
///
///     half       tables that are filled
///     a quarter  leaves that are made of pages, for the tables that do not fit; more where the tables need less
///     the rest   pages of the files, for those tables
final class StoreMemory: Sendable {
    let budget: ByteCount
    private let byteCount: Int
    /// What tables have reserved that are filled.
    private let reserved = Counter()
    private let exceeding = Counter()
    /// What the pages of one state may take.
    let pages: PageMemoryLimit
    /// Counts what leaves take.
    let leaves = LeafMemory()
    private let leafBytesKept = Atomic(0)
    private let loaded = Lock<[WeakState]>([])

    // Sendable unchecked: the lock around the states guards the references.
    private struct WeakState: @unchecked Sendable {
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

    /// Memory that a table takes which is filled, as long as anything refers to it: the table, its copies, and what fills it.
    final class Reservation: Sendable {
        private let memory: StoreMemory
        private let byteCount: Int
        private let isReserved: Bool

        fileprivate init(_ memory: StoreMemory, _ byteCount: Int, isReserved: Bool) {
            (self.memory, self.byteCount, self.isReserved) = (memory, byteCount, isReserved)
        }

        deinit {
            let count = isReserved ? memory.reserved : memory.exceeding
            _ = count.add(-byteCount)
            memory.rebalance()
        }
    }

    /// Reserves memory for a table that is to be filled; nil where it does not fit.
    func reserve(_ count: Int) -> Reservation? {
        let total = reserved.add(count)
        guard total <= byteCount / 2 else {
            _ = reserved.add(-count)
            return nil
        }
        rebalance()
        return Reservation(self, count, isReserved: true)
    }

    /// Whether tables that are made of so much of a checkpoint may not fit all.
    func isShort(of checkpoint: ByteCount) -> Bool {
        Int(clamping: checkpoint.rawValue) > byteCount / 4
    }

    /// Memory for a table that is filled and does not fit.
    func exceed(by count: Int) -> Reservation {
        _ = exceeding.add(count)
        return Reservation(self, count, isReserved: false)
    }

    private var half: Int { (byteCount - reserved.value) / 2 }

    /// Gives pages what tables and leaves do not take.
    func rebalance() { pages.set(max(half, 2 * half - leaves.bytes)) }

    // MARK: - Leaves

    /// Whether leaves take more than their share: contexts get tables without them then, which make them again.
    ///
    /// What contexts that are held keep stays all the same, so that comes next when there are some more.
    var hasManyLeaves: Bool {
        let bytes = leaves.bytes
        if bytes <= half { leafBytesKept.store(0, ordering: .relaxed) }
        return bytes > half && bytes > leafBytesKept.load(ordering: .relaxed) + half / 8
    }

    /// Of tables with fewer leaves nothing is gained.
    var evictedLeafBytesMin: Int { half / 8 }

    /// Leaves have gone, but for those that contexts keep.
    func noteEviction() { leafBytesKept.store(leaves.bytes, ordering: .relaxed) }

    // MARK: - Statistics

    func add(_ state: RebuiltState) {
        loaded.withLock { states in
            states.removeAll { $0.state == nil }
            states.append(WeakState(state: state))
        }
    }

    var statistics: MemoryStatistics {
        let states = loaded.withLock { $0.compactMap(\.state) }
        let pages = states.reduce(0) { $0 + $1.cachedBytes }
        func count(_ bytes: Int) -> ByteCount { ByteCount(UInt64(clamping: bytes)) }
        return MemoryStatistics(
            budget: budget, tables: count(reserved.value),
            pages: count(pages), entities: count(leaves.bytes),
            exceeding: count(exceeding.value))
    }
}

/// A number that threads change. It is an object, because two are kept behind one name.
private final class Counter: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .relaxed) }

    func add(_ count: Int) -> Int {
        number.wrappingAdd(count, ordering: .relaxed).newValue
    }
}
