internal import Synchronization

/// Whether the rows that a table's source has are in the order of their slots: found once, by whoever needs to know.
final class StoredOrder: Sendable {
    private enum Finding {
        static var unknown: Int { 0 }
        static var ascending: Int { 1 }
        static var other: Int { 2 }
    }

    private let finding = Atomic(Finding.unknown)

    /// Nil where nothing has looked yet.
    var isAscending: Bool? {
        let found = finding.load(ordering: .relaxed)
        return found == Finding.unknown ? nil : found == Finding.ascending
    }

    func note(isAscending: Bool) {
        finding.store(isAscending ? Finding.ascending : Finding.other, ordering: .relaxed)
    }
}
