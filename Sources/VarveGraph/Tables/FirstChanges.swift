/// Finds the first change of a slot in a row journal: what the slot was before the transaction.
///
/// Short journals are searched. For a long one a dictionary is made as far as the journal goes and
/// extended when it has grown: a search for each of n rows deleted at once would be O(n²).
struct FirstChanges {
    private var positions: [UInt32: Int] = [:]
    /// How many entries of the journal the dictionary knows.
    private var covered = 0
    private static var searchedCount: Int { 16 }

    /// Amortized O(1).
    mutating func position(of slot: UInt32, in journal: ContiguousArray<RowChange>) -> Int? {
        guard journal.count > FirstChanges.searchedCount else {
            return journal.firstIndex { $0.slot == slot }
        }
        for position in covered..<journal.count {
            let slot = journal[position].slot
            if positions[slot] == nil { positions[slot] = position }
        }
        covered = journal.count
        return positions[slot]
    }

    /// Follows a journal that has lost entries at its end.
    mutating func truncate(to count: Int) {
        guard count < covered else { return }
        positions.removeAll()
        covered = 0
    }
}
