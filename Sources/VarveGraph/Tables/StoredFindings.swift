internal import Synchronization

/// What the store or a scan has found out about the stored rows of a table, which never change. Shared by all copies of the table.
final class StoredFindings: Sendable {
    private enum Order {
        static var unknown: Int { 0 }
        static var ascending: Int { 1 }
        static var other: Int { 2 }
    }

    private let order: Atomic<Int>
    /// By the index.
    private let keys = Mutex<[Int: StoredKeys]>([:])

    /// - Parameter isAscending: nil where that is not known.
    init(isAscending: Bool?) {
        order = Atomic(isAscending.map { $0 ? Order.ascending : Order.other } ?? Order.unknown)
    }

    /// Whether rows are in the order of their slots; nil where that is not known.
    var isAscending: Bool? {
        let found = order.load(ordering: .relaxed)
        return found == Order.unknown ? nil : found == Order.ascending
    }

    func note(isAscending: Bool) {
        order.store(isAscending ? Order.ascending : Order.other, ordering: .relaxed)
    }

    /// Rows whose values in an index have a hash, and perhaps others.
    ///
    /// - Parameter make: scans the keys of the index, once.
    func slots(
        underHash hash: UInt64, ofIndex index: Int, _ make: () -> StoredKeys
    ) -> [Slot] {
        keys.withLock { keys in
            if let known = keys[index] { return known.slots(underHash: hash) }
            let made = make()
            keys[index] = made
            return made.slots(underHash: hash)
        }
    }
}

/// Slots by a half of the hashes of their values, in a sorted array: eight bytes a row.
struct StoredKeys: Sendable {
    private var entries: ContiguousArray<UInt64> = []

    init(expecting count: Int) { entries.reserveCapacity(count) }

    private static func start(of hash: UInt64) -> UInt64 { hash & ~UInt64(UInt32.max) }

    mutating func add(_ slot: UInt32, _ hash: UInt64) {
        entries.append(StoredKeys.start(of: hash) | UInt64(slot))
    }

    /// Called after the last row.
    mutating func finish() { entries.sort() }

    func slots(underHash hash: UInt64) -> [Slot] {
        let first = StoredKeys.start(of: hash)
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle] < first { low = middle + 1 } else { high = middle }
        }
        return entries[low...].prefix { StoredKeys.start(of: $0) == first }
            .map { Slot(UInt32(truncatingIfNeeded: $0)) }
    }
}
