/// The last leaves that one reader has looked at of ``StoredLeaves``, which keep none that was made for it: of a table that
/// is larger than memory, passing over it must leave nothing behind.
///
/// The leaves of the last ``aheadCount`` calls are good. Readers look some rows ahead, so the last one alone would not do.
final class LeafWindow {
    /// More than ``RowCursor/forEachPlace(at:_:)`` has ahead, and than ``RowLoader/groupCount`` asks for at once.
    static var aheadCount: Int { 96 }
    private static var pinnedCount: Int { 2 * aheadCount }

    let leaves: StoredLeaves
    private var numbers: ContiguousArray<Int> = []
    private var pinned: ContiguousArray<AnyObject?> = []
    /// Where the oldest one is.
    private var oldest = 0

    init(of leaves: StoredLeaves) { self.leaves = leaves }

    /// The leaf of a number.
    func node(_ number: Int) -> UnsafeRawPointer? {
        // Mostly it is one of the last.
        if let place = numbers.lastIndex(of: number) {
            let leaf = pinned[place]
            // One of the older half would go too soon.
            if (oldest + pinned.count - 1 - place) % pinned.count >= LeafWindow.aheadCount {
                numbers[place] = -1
                pinned[place] = nil
                pin(leaf, number)
            }
            return leaf.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
        }
        var owner: AnyObject?
        let node = leaves.node(number, pinnedBy: &owner)
        // One that is published lives anyway.
        if owner != nil || node == nil { pin(owner, number) }
        return node
    }

    private func pin(_ leaf: AnyObject?, _ number: Int) {
        guard pinned.count == LeafWindow.pinnedCount else {
            numbers.append(number)
            pinned.append(leaf)
            return
        }
        numbers[oldest] = number
        pinned[oldest] = leaf
        oldest = (oldest + 1) % LeafWindow.pinnedCount
    }
}
