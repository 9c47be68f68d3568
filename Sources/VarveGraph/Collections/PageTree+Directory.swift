// Where leaves come and go, the directory is notified.
extension PageTree {
    /// A leaf has come, or another one in the place of a shared one.
    mutating func noteLeaf(_ number: Int, _ leaf: LeafWord, isNew: Bool) {
        let isOwn = isKnownUniquelyReferenced(&directory)
        guard let directory else { return }
        let isWithin = number < directory.capacity
        let wasMissing = !isNew && !(isWithin && directory[number] != nil)
        let isMissing = !(isOwn && isWithin)
        if isWithin { directory[number] = isMissing ? nil : leaf }
        if isMissing != wasMissing { directory.addMissing(isMissing ? 1 : -1) }
        if directory.isRenewalDue { renewDirectory() }
    }

    mutating func noteDroppedLeaf(_ number: Int) {
        guard let directory else { return }
        if number < directory.capacity, directory[number] != nil {
            directory[number] = nil
        } else {
            directory.addMissing(-1)
        }
    }

    /// Subtrees of up to so many leaves have been attached.
    mutating func noteLeaves(_ count: Int) {
        directory?.addMissing(count)
        if directory?.isRenewalDue == true { renewDirectory() }
    }

    /// Makes a directory of all leaves, with room for more. O(n)
    ///
    /// What the former one knows is taken from there: it is right for this array too, and a look at a leaf waits
    /// for its memory.
    private mutating func renewDirectory() {
        let leaves = LeafNodes(root: nodes.root, height: height)
        let (count, end) = leaves.extent
        // A column that few slots use gets none: it would be larger than the column.
        guard count > end / 2 else { return directory?.deferRenewal(by: count) ?? () }
        let renewed = LeafDirectory(capacity: end + end / 2)
        leaves.forEach { number, leaf in
            let known = directory.flatMap { number < $0.capacity ? $0[number] : nil }
            renewed[number] = known ?? LeafWord(leaf)
        }
        use(renewed)
    }

    /// Looks leaves up in the tree from now on.
    mutating func dropDirectory() {
        directory = nil
        nodes.directory = nil
    }

    mutating func use(_ new: LeafDirectory) {
        directory = new
        nodes.directory = UnsafeRawPointer(Unmanaged.passUnretained(new).toOpaque())
    }

    // MARK: - Invariants

    /// Each word of the directory is null or the tree's leaf. O(n log n).
    func checkDirectory() {
        guard let directory else { return }
        for number in 0..<directory.capacity {
            guard let leaf = directory[number] else { continue }
            guard let node = nodes.nodeInTree(holding: number << leafShift) else {
                preconditionFailure("a directory leads to a leaf that is not in the tree")
            }
            let isMade = PackedLeaf.isPacked(node) && PackedLeaf.unpacked(of: node) == leaf.word
            precondition(
                leaf == LeafWord(node) || isMade, "a directory leads to another leaf than the tree")
        }
    }
}
