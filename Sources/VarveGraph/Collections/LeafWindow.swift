/// The last leaves that one reader has looked at of ``StoredLeaves``, which keep none that was made for it: of a table that
/// is larger than memory, passing over it must leave nothing behind.
///
/// The leaves of the last ``aheadCount`` calls are good. Readers look some rows ahead, so the last one alone would not do.
final class LeafWindow {
    /// More than ``RowCursor/forEachPlace(at:_:)`` has ahead, and than ``RowLoader/groupCount`` asks for at once.
    static var aheadCount: Int { 96 }
    private static var heldCount: Int { 2 * aheadCount }

    let leaves: StoredLeaves
    private var numbers: ContiguousArray<Int> = []
    private var held: ContiguousArray<AnyObject?> = []
    /// Where the oldest one is.
    private var oldest = 0

    init(of leaves: StoredLeaves) { self.leaves = leaves }

    /// The leaf of a number.
    func node(_ number: Int) -> UnsafeRawPointer? {
        // Mostly it is one of the last.
        if let place = numbers.lastIndex(of: number) {
            let leaf = held[place]
            // One of the older half would go too soon.
            if (oldest + held.count - 1 - place) % held.count >= LeafWindow.aheadCount {
                numbers[place] = -1
                held[place] = nil
                hold(leaf, number)
            }
            return leaf.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
        }
        var owner: AnyObject?
        let node = leaves.node(number, heldBy: &owner)
        // One that is published lives anyway.
        if owner != nil || node == nil { hold(owner, number) }
        return node
    }

    private func hold(_ leaf: AnyObject?, _ number: Int) {
        guard held.count == LeafWindow.heldCount else {
            numbers.append(number)
            held.append(leaf)
            return
        }
        numbers[oldest] = number
        held[oldest] = leaf
        oldest = (oldest + 1) % LeafWindow.heldCount
    }
}
