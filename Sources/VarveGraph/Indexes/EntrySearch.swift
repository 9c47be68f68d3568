/// Searches in the ordered arrays of an index's nodes, for keys that decide by themselves.
///
/// Halves are taken without a jump: which way a search goes, no processor foresees.
enum EntrySearch {
    /// How many of the first keys are below one.
    @inline(__always)
    static func lowerBound(
        of key: UInt64, in keys: UnsafePointer<UInt64>, count: Int
    ) -> Int {
        var low = 0
        var length = count
        while length > 0 {
            let half = length >> 1
            let isBefore = keys[low &+ half] < key ? 1 : 0
            low &+= isBefore &* (half &+ 1)
            length = isBefore == 0 ? half : length &- half &- 1
        }
        return low
    }

    /// How many of the first entries, given by keys and ordinals, do not come behind one.
    @inline(__always)
    static func upperBound(
        of entry: IndexEntry, _ keys: UnsafePointer<UInt64>, _ ordinals: UnsafePointer<UInt64>,
        count: Int
    ) -> Int {
        var low = 0
        var length = count
        while length > 0 {
            let half = length >> 1
            let middle = low &+ half
            let isBefore = keys[middle] < entry.key ? 1 : 0
            let isEqual = keys[middle] == entry.key ? 1 : 0
            let isBehind = isBefore | isEqual & (ordinals[middle] <= entry.ordinal ? 1 : 0)
            low &+= isBehind &* (half &+ 1)
            length = isBehind == 0 ? half : length &- half &- 1
        }
        return low
    }
}
