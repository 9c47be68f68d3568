/// An index that is being made of the live rows of a table: the one way to make it, in steps of a millisecond or two.
///
/// The keys of ``LiveRowEntries`` come sorted, because ascending ones fill pages.
struct UnfinishedIndex: ~Copyable {
    private(set) var index: FieldIndex
    private var entries: LiveRowEntries

    /// - Parameters:
    ///   - empty: an index without entries, of the newest layout of the table.
    ///   - keyBytesMax: how many bytes of keys may be in memory, with 16 for each.
    init(
        _ empty: FieldIndex, ofTableAt table: Int, in transaction: StateTransaction,
        keyBytesMax: Int = IndexBuilding.usualKeyBytesMax
    ) {
        index = empty
        entries = LiveRowEntries(
            of: empty, in: transaction.tables[table], keyBytesMax: keyBytesMax)
    }

    /// Goes on; false when the index has all entries. Nothing may change the table meanwhile.
    ///
    /// - Throws: where a row has no key. What was made goes with the transaction.
    mutating func advance(in transaction: StateTransaction) throws(RowFault) -> Bool {
        guard entries.isRangeComplete else {
            try entries.collect(in: transaction.transaction.pages)
            return true
        }
        return insert(in: transaction.transaction) || entries.beginNextRange()
    }

    /// Adds the next entries; false when the range has no more.
    private mutating func insert(in transaction: PageTransaction) -> Bool {
        var filled = index
        defer { index = filled }
        return entries.forEachOfStep { filled.insertEntry($0, in: transaction) }
    }

    /// Releases what was made.
    mutating func removeAll(in transaction: StateTransaction) {
        index.removeAll(in: transaction.transaction)
    }
}
