/// A walk over all leaves of a table in small steps, without a list of all.
///
/// It lists a window of leaves at a time, and walks over these in the order in which they are stored. So it reads each block
/// of an image once for each window that has leaves in the block, which is one for almost all of them.
struct StoredLeafWalk {
    /// Leaves of half a million slots.
    static let windowCount = 65_536
    static let listedPerStep = 8_192

    private let rows: RowTree
    private let windowCount: Int
    private let listedPerStep: Int
    /// How many leaves were listed, in the order of slots.
    private(set) var listedCount = 0
    /// The leaves of a window that is not listed to its end.
    private var listed: [StoredLeaf] = []
    /// What is left of the window.
    private var window: ArraySlice<StoredLeaf> = []
    /// Where the leaves of the window are read.
    private(set) var buffers = ScanBuffers()

    init(
        _ rows: RowTree, windowCount: Int = Self.windowCount,
        listedPerStep: Int = Self.listedPerStep
    ) {
        self.rows = rows
        self.windowCount = windowCount
        self.listedPerStep = listedPerStep
    }

    /// The next leaves, at most so many: none where the step has only listed others. Nil at the end.
    mutating func next(atMost countMax: Int, in pages: PageTable) -> ArraySlice<StoredLeaf>? {
        if window.isEmpty {
            guard listedCount < rows.leafCount else { return nil }
            list(in: pages)
        }
        let step = window.prefix(countMax)
        window = window.dropFirst(step.count)
        return step
    }

    /// Goes back to the first leaf.
    mutating func restart() {
        self = Self(rows, windowCount: windowCount, listedPerStep: listedPerStep)
    }

    /// Lists the next leaves of a window, and begins to walk over it where these are its last.
    private mutating func list(in pages: PageTable) {
        let room = min(windowCount - listed.count, rows.leafCount - listedCount)
        let end = listedCount + min(room, listedPerStep)
        listed += rows.storedLeaves(listedCount..<end, in: pages)
        listedCount = end
        guard listed.count == windowCount || end == rows.leafCount else { return }
        window = RowTree.asStored(listed)[...]
        listed = []
        buffers = ScanBuffers()
    }
}
