/// Pins the leaves that one reader of ``StoredLeaves`` has read last. The shared cache keeps none of them: a scan of a table
/// that is larger than memory leaves nothing behind.
///
/// The leaves of the last ``aheadCount`` calls are valid. Readers prefetch some rows, so the last leaf alone would not do.
final class LeafWindow {
    /// More leaves than ``RowCursor/forEachPlace(at:_:)`` or ``RowLoader/groupCount`` prefetches.
    static var aheadCount: Int { 96 }
    private static var pinnedCount: Int { 2 * aheadCount }

    let leaves: StoredLeaves
    private var numbers: ContiguousArray<Int> = []
    private var pinned: ContiguousArray<AnyObject?> = []
    /// The position of the oldest one.
    private var oldest = 0

    init(of leaves: StoredLeaves) { self.leaves = leaves }

    /// The leaf of a number.
    func node(_ number: Int) -> UnsafeRawPointer? {
        // Mostly it is pinned already.
        if let place = numbers.lastIndex(of: number) {
            let leaf = pinned[place]
            // One of the older half would be unpinned too soon.
            if (oldest + pinned.count - 1 - place) % pinned.count >= LeafWindow.aheadCount {
                numbers[place] = -1
                pinned[place] = nil
                pin(leaf, number)
            }
            return leaf.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
        }
        var owner: AnyObject?
        let node = leaves.node(number, pinnedBy: &owner)
        // A published leaf needs no pin.
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
