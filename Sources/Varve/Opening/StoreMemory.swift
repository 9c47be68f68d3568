internal import Synchronization
internal import VarveGraph
internal import VarveLog
internal import VarveTables

/// How the memory budget of a store is divided. One object for all contexts of the store, also of the past.
///
///     half       filled tables
///     a quarter  leaves that are decoded from pages, for the tables that do not fit; more where the tables need less
///     the rest   pages of the files, for those tables
///
/// Changed leaves of those tables, and tables that inserts have filled and that do not fit, take memory beside the budget:
/// up to a quarter of it, when tables are renewed, which releases them (``TableRenewal``), and about twice as much, when
/// writers wait for that.
final class StoreMemory: Sendable {
    let budget: ByteCount
    private let byteCount: Int
    /// What filled tables have reserved.
    private let reserved = Counter()
    private let exceeding = Counter()
    /// What blocks of a checkpoint may take, for the tables that read it.
    let pages: PageMemoryLimit
    /// Counts what leaves take.
    let leaves = LeafMemory()
    private let leafBytesKept = Atomic(0)
    private let loaded = Lock<[WeakState]>([])
    let changes: ChangeMemory

    // Sendable unchecked: the lock around the states guards the references.
    private struct WeakState: @unchecked Sendable {
        weak var state: RebuiltState?
    }

    /// - Parameter fileSystem: where pages are kept beyond the memory that they may take; nil for nowhere.
    init(_ budget: MemoryBudget, spillingTo fileSystem: (any FileSystem)? = nil) {
        self.budget = budget.bytes
        byteCount = Int(clamping: budget.bytes.rawValue)
        pages = PageMemoryLimit(byteCount / 2)
        changes = ChangeMemory(budgetBytes: byteCount)
        replay = ReplayMemory(unchangedBytesMax: byteCount / 4, changedBytesMax: byteCount / 8) {
            fileSystem?.openUnnamedFile()
        }
    }

    /// An image whose pages take less is never limited: looking for its pages costs less then. What reads a log loads as much
    /// of an image, so it evicts only pages of those that are limited.
    var limitedImageMin: Int { replay.unchangedBytesMax }

    /// What pages may take of states that are made of a log.
    let replay: ReplayMemory

    /// What the keys of an index may take while a compaction makes it: more than that is made in ranges of keys.
    var indexKeyBytesMax: Int { min(max(byteCount / 4, 1 << 20), 64 << 20) }

    // MARK: - Tables

    /// Memory for a filled table, reserved as long as anything refers to it: the table and its copies, what fills it, or
    /// ``ChangedTables``.
    final class Reservation: MemoryReservation {
        private let memory: StoreMemory
        private let bytes: Atomic<Int>
        /// What a slot takes; nil where the newest estimate holds.
        private let slotBytes: Int?
        private let isReserved: Bool

        fileprivate init(_ memory: StoreMemory, _ bytes: Int, slotBytes: Int?, isReserved: Bool) {
            self.bytes = Atomic(bytes)
            (self.memory, self.slotBytes, self.isReserved) = (memory, slotBytes, isReserved)
        }

        deinit {
            let count = isReserved ? memory.reserved : memory.exceeding
            _ = count.add(-bytes.load(ordering: .relaxed))
            memory.rebalance()
        }

        /// What exceeds the budget exceeds it further.
        func grow(toSlots count: Int) -> Bool {
            let known = bytes.load(ordering: .relaxed)
            let missing = count * (slotBytes ?? memory.changes.slotBytes) - known
            guard missing > 0 else { return true }
            if isReserved {
                guard memory.tryToReserve(missing) else { return false }
            } else {
                _ = memory.exceeding.add(missing)
            }
            bytes.wrappingAdd(missing, ordering: .relaxed)
            return true
        }
    }

    /// Reserves memory for a table that is to be filled; nil where it does not fit.
    func reserve(slots: Int, slotBytes: Int) -> Reservation? {
        let count = slots * slotBytes
        guard tryToReserve(count) else { return nil }
        return Reservation(self, count, slotBytes: slotBytes, isReserved: true)
    }

    /// For a table that inserts have filled: it reserves memory as it grows.
    func reservationToGrow() -> Reservation {
        Reservation(self, 0, slotBytes: nil, isReserved: true)
    }

    private func tryToReserve(_ count: Int) -> Bool {
        guard reserved.add(count) <= byteCount / 2 else {
            _ = reserved.add(-count)
            return false
        }
        rebalance()
        return true
    }

    /// Memory for a table that is filled and does not fit.
    func exceed(bySlots slots: Int, slotBytes: Int) -> Reservation {
        let count = slots * slotBytes
        _ = exceeding.add(count)
        return Reservation(self, count, slotBytes: slotBytes, isReserved: false)
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
        // States of one checkpoint may share its pages.
        let pages = Dictionary(
            states.compactMap { $0.cachedPages.map { ($0.cache, $0.byteCount) } },
            uniquingKeysWith: max
        ).values.reduce(0, +)
        func count(_ bytes: Int) -> ByteCount { ByteCount(UInt64(clamping: bytes)) }
        return MemoryStatistics(
            budget: budget, tables: count(reserved.value),
            pages: count(pages), entities: count(leaves.bytes), changes: count(changes.bytes),
            spilled: count(replay.spilledBytes),
            exceeding: count(exceeding.value + changes.unreleasable))
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
