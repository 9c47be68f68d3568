/// The pages of a persistent sparse array, whatever its elements are: what is done to nodes is compiled once.
///
/// The shape is a radix tree with leaves of `1 << leafShift` elements and inner nodes eight wide. There is
/// no flat root on purpose: what a commit pays after a snapshot is the nodes on one path, and each
/// copied node touches one cold line for every child reference that it retains.
@usableFromInline
struct PageTree {
    /// Leaves of rows: narrow, because copying one retains every heap string in it.
    static var rowLeafShift: Int { 3 }

    private(set) var root: AnyObject?
    /// Where leaves are looked up first, if this tree has one.
    var directory: LeafDirectory?
    /// Leaves that the tree has where it has none of its own, if it was left to load them.
    private(set) var stored: StoredLeaves?
    @usableFromInline var nodes: Nodes

    /// What a look-up needs, as plain words. Of a tree in an object these are read instead of the tree, which would
    /// be copied, and counted, for the call.
    @frozen
    @usableFromInline
    struct Nodes {
        /// The root; a leaf where there are no inner levels.
        @usableFromInline var root: UnsafeRawPointer?
        /// Inner levels above the leaves.
        @usableFromInline var height: Int
        @usableFromInline let leafShift: Int
        @usableFromInline var directory: UnsafeRawPointer?
        @usableFromInline var stored: UnsafeRawPointer?
    }

    /// Makes a leaf of so many elements: those of another one, packed or not, or absent ones.
    @usableFromInline typealias LeafMaker = (UnsafeRawPointer?, Int) -> AnyObject

    /// - Parameter hasDirectory: whether leaves are looked up by their numbers, once there are many.
    init(leafShift: Int, hasDirectory: Bool = false) {
        nodes = Nodes(
            root: nil, height: 0, leafShift: leafShift, directory: nil, stored: nil)
        if hasDirectory { use(LeafDirectory(capacity: 0)) }
    }

    var leafShift: Int { nodes.leafShift }
    var height: Int { nodes.height }

    /// One more than the greatest index that the present tree can hold.
    var capacity: Int { nodes.capacity }

    /// To be called whenever the root may be another object.
    private mutating func noteRoot() { nodes.root = PagedInner.node(at: &root) }

    // MARK: - Leaves

    /// The leaf that holds an index, for writing: makes the path to it unique, creating absent pages. A packed leaf
    /// gives way to its elements.
    @usableFromInline
    mutating func uniqueLeaf(holding index: Int, _ make: LeafMaker) -> UnsafeRawPointer {
        precondition(index >= 0, "an index into a paged array is not negative")
        grow(toHold: index)
        let count = 1 << leafShift
        let stored = nodes.stored == nil ? nil : storedNode(toReplaceAt: index)
        let (former, leaf) = withReference(toSubtreeOf: leafShift, holding: index) {
            (PagedInner.node(at: $0), PageTree.makeUnique($0, count: count, of: stored, make))
        }
        noteRoot()
        if nodes.directory != nil, leaf != former {
            noteLeaf(index >> leafShift, LeafWord(unpacked: leaf), isNew: former == nil)
        }
        return leaf
    }

    /// - Parameter stored: what is copied where there is no leaf.
    private static func makeUnique(
        _ reference: UnsafeMutablePointer<AnyObject?>, count: Int, of stored: UnsafeRawPointer?,
        _ make: LeafMaker
    ) -> UnsafeRawPointer {
        if let node = PagedInner.node(at: reference) {
            if PackedLeaf.isPacked(node) {
                PackedLeaf.unpack(at: reference, make)
            } else if !isKnownUniquelyReferenced(&reference.pointee) {
                reference.pointee = make(node, count)
            }
        } else {
            reference.pointee = make(stored, count)
        }
        guard let leaf = PagedInner.node(at: reference) else {
            preconditionFailure("a leaf that was just made is missing")
        }
        return leaf
    }

    /// Makes the leaf that holds `index` absent. One in the place of a stored leaf stays, or that would be seen again.
    @usableFromInline
    mutating func dropLeaf(holding index: Int) {
        guard nodes.stored == nil else { return }
        withReference(toSubtreeOf: leafShift, holding: index) { $0.pointee = nil }
        noteRoot()
        noteDroppedLeaf(index >> leafShift)
    }

    /// Puts a packed leaf where no leaf is.
    mutating func placeLeaf(_ leaf: PackedLeaf, at index: Int) {
        place(leaf, span: leafShift, at: index)
        guard nodes.directory != nil else { return }
        let node = UnsafeRawPointer(Unmanaged.passUnretained(leaf).toOpaque())
        noteLeaf(index >> leafShift, LeafWord(packed: node), isNew: true)
    }

    /// Puts a packed leaf in the place of one with the same elements, which is returned in `leaf`.
    mutating func replaceLeaf(at index: Int, by leaf: inout AnyObject) {
        let node = UnsafeRawPointer(Unmanaged.passUnretained(leaf).toOpaque())
        withReference(toSubtreeOf: leafShift, holding: index) { reference in
            guard let former = reference.pointee else {
                preconditionFailure("no leaf to be replaced")
            }
            reference.pointee = leaf
            leaf = former
        }
        noteRoot()
        if nodes.directory != nil {
            noteLeaf(index >> leafShift, LeafWord(packed: node), isNew: false)
        }
    }

    // MARK: - Stored leaves

    /// Leaves a tree, which has no leaf, to what is stored.
    mutating func use(_ leaves: StoredLeaves) {
        precondition(root == nil, "a tree with leaves of its own")
        stored = leaves
        nodes.stored = UnsafeRawPointer(Unmanaged.passUnretained(leaves).toOpaque())
    }

    /// Evicts the cached leaves. Each is decoded again when it is read.
    mutating func evictStoredLeaves() {
        if let leaves = stored?.withEmptyCache() { replaceStored(by: leaves) }
    }

    /// Makes the tree one for one reader: stored leaves are decoded for that reader and not cached.
    mutating func beForOneReader() {
        if let leaves = stored?.forOneReader() { replaceStored(by: leaves) }
    }

    private mutating func replaceStored(by leaves: StoredLeaves) {
        stored = leaves
        nodes.stored = UnsafeRawPointer(Unmanaged.passUnretained(leaves).toOpaque())
    }

    /// The stored leaf that holds an index, if the tree has none of its own there.
    private func storedNode(toReplaceAt index: Int) -> UnsafeRawPointer? {
        guard let stored, nodes.nodeInTree(holding: index) == nil else { return nil }
        return stored.node(index >> leafShift)
    }

    /// Puts a leaf in the place of whatever leaf is there.
    mutating func setLeaf(at index: Int, to leaf: AnyObject) {
        grow(toHold: index)
        let isNew = withReference(toSubtreeOf: leafShift, holding: index) { reference in
            defer { reference.pointee = leaf }
            return reference.pointee == nil
        }
        noteRoot()
        guard nodes.directory != nil else { return }
        let node = UnsafeRawPointer(Unmanaged.passUnretained(leaf).toOpaque())
        noteLeaf(index >> leafShift, LeafWord(node), isNew: isNew)
    }

    /// The leaf that holds an index, to be put into another tree.
    func leaf(holding index: Int) -> AnyObject? {
        nodes.nodeInTree(holding: index)
            .map { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: - Subtrees

    /// Puts a subtree of `1 << span` elements where none is.
    private mutating func place(_ subtree: AnyObject, span: Int, at index: Int) {
        grow(toHold: index + 1 << span - 1)
        withReference(toSubtreeOf: span, holding: index) {
            precondition($0.pointee == nil, "elements that are there already")
            $0.pointee = subtree
        }
        noteRoot()
    }

    /// Calls `body` with the reference to the subtree of `1 << span` elements that `index` is one of, after making
    /// the path to it unique.
    @inline(__always)
    private mutating func withReference<Result>(
        toSubtreeOf span: Int, holding index: Int,
        _ body: (UnsafeMutablePointer<AnyObject?>) -> Result
    ) -> Result {
        var shift = leafShift &+ PagedInner.shift &* height
        return withUnsafeMutablePointer(to: &root) { rootReference in
            var reference = rootReference
            while shift > span {
                shift &-= PagedInner.shift
                reference =
                    PagedInner.uniqueChildren(at: reference)
                    + ((index &>> shift) & PagedInner.mask)
            }
            return body(reference)
        }
    }

    /// Takes over the pages of other trees for the elements from `index` on, of which there are none
    /// here. Each holds `1 << span` elements at most, as a subtree does, and `index` is a multiple of that.
    mutating func attach(_ others: some Sequence<PageTree>, at index: Int, span: Int) {
        var index = index
        var leafCount = 0
        for other in others {
            attach(other, at: index, span: span)
            index += 1 << span
            leafCount += 1 << (span - leafShift)
        }
        // Once for all: a directory is made by a walk over every leaf.
        noteLeaves(leafCount)
    }

    private mutating func attach(_ other: PageTree, at index: Int, span: Int) {
        var other = other
        other.grow(toHold: 1 << span - 1)
        guard let subtree = other.root else { return }
        precondition(
            other.leafShift == leafShift && other.capacity == 1 << span
                && index & (1 << span - 1) == 0, "a subtree of another shape")
        place(subtree, span: span, at: index)
    }

    private mutating func grow(toHold index: Int) {
        precondition(index < 1 << 56, "an index beyond any paged array")
        while index >= capacity {
            if root != nil {
                let inner = PagedInner.make()
                PagedInner.children(of: inner)[0] = root
                root = inner
                noteRoot()
            }
            nodes.height += 1
        }
    }

    // MARK: - Walking

    /// Calls `body` with each leaf as it is, packed or not, and the index of its first element, until it returns false.
    ///
    /// The path is walked anew for each group of leaves: a recursion would pass, and count, the
    /// closure at every level.
    @inline(__always)
    func forEachNode(_ body: (Int, UnsafeRawPointer) throws -> Bool) rethrows {
        try withExtendedLifetime(self) {
            guard nodes.stored == nil else { return try forEachStoredNode(body) }
            guard let root = nodes.root else { return }
            guard height > 0 else {
                _ = try body(0, root)
                return
            }
            let groupShift = leafShift &+ PagedInner.shift
            var index = 0
            while index < capacity {
                guard let group = group(holding: &index, below: root) else { continue }
                for position in 0..<PagedInner.width {
                    guard let leaf = PagedInner.child(of: group, at: position) else { continue }
                    guard try body(index &+ position &<< leafShift, leaf) else { return }
                }
                index &+= 1 &<< groupShift
            }
        }
    }

    /// The node above the leaves that holds `index`, or nil where there is none: then `index` moves
    /// to where the absent subtree ends.
    private func group(holding index: inout Int, below root: UnsafeRawPointer) -> UnsafeRawPointer?
    {
        var node = root
        var shift = leafShift &+ PagedInner.shift &* height &- PagedInner.shift
        while shift > leafShift {
            guard let child = PagedInner.child(of: node, at: (index &>> shift) & PagedInner.mask)
            else {
                index = ((index &>> shift) &+ 1) &<< shift
                return nil
            }
            node = child
            shift &-= PagedInner.shift
        }
        return node
    }
}

// A page is mutated only while `isKnownUniquelyReferenced` says that one value owns it, and a value
// is owned by one thread at a time, so shared pages are immutable.
extension PageTree: @unchecked Sendable {}
