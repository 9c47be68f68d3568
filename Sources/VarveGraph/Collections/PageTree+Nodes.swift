extension PageTree.Nodes {
    @inlinable var capacity: Int { 1 &<< (leafShift &+ PagedInner.shift &* height) }

    /// The element at an index of leaves that are not packed: valid as long as the tree is kept alive and not mutated.
    @inlinable @inline(__always)
    func pointer<Element: PagedElement>(
        at index: Int, as type: Element.Type
    ) -> UnsafeMutablePointer<Element>? {
        guard let word = word(holding: index) else { return nil }
        return PagedLeaf<Element>.elements(of: word.node) + (index & ((1 &<< leafShift) &- 1))
    }

    /// The leaf that holds an index, or nil where there is none. It is not looked at: it may not be in the cache.
    @inlinable @inline(__always)
    func word(holding index: Int) -> LeafWord? {
        // A negative index is not below a capacity either.
        let number = UInt(bitPattern: index) &>> UInt(leafShift)
        if let directory, let word = LeafDirectory.word(number, in: directory) { return word }
        return wordInTree(holding: index)
    }

    /// The leaf that holds an index, without the directory. Not inlinable: of a large tree the directory has nearly all.
    @usableFromInline
    func wordInTree(holding index: Int) -> LeafWord? {
        if let node = nodeInTree(holding: index) { return LeafWord(node) }
        return stored.flatMap { StoredLeaves.word(index >> leafShift, in: $0) }
    }

    /// Whether the leaf that holds an index is a stored one that no thread has read yet.
    func isUnread(at index: Int) -> Bool {
        guard let stored, nodeInTree(holding: index) == nil else { return false }
        return Unmanaged<StoredLeaves>.fromOpaque(stored)
            ._withUnsafeGuaranteedRef { $0.isUnread(index >> leafShift) }
    }

    /// Asks the processor for a node that a change of the element at `index` will go through. The nodes above it are
    /// waited for: few, and mostly at hand, for the two lowest levels at least if one was asked for before the other.
    ///
    /// - Parameter level: how many levels above the leaves. With 1, the beginning of the leaf that the directory
    ///   leads to is asked for as well: it says whether that is shared.
    @usableFromInline
    func askForPath(to index: Int, level: Int) {
        // Of a small array all are at hand.
        guard height > 3, index < capacity, var node = root else { return }
        var shift = leafShift &+ PagedInner.shift &* (height &- 1)
        for _ in 0..<(height &- level) {
            let position = (index &>> shift) & PagedInner.mask
            guard let child = PagedInner.child(of: node, at: position) else { return }
            node = child
            shift &-= PagedInner.shift
        }
        Prefetch.lines(at: node, byteCount: PagedInner.byteCount)
        guard level == 1, let directory,
            let leaf = LeafDirectory.word(UInt(bitPattern: index &>> leafShift), in: directory)
        else { return }
        Prefetch.lines(at: leaf.node, byteCount: 1)
    }

    /// The leaf of the tree's own that holds `index`, packed or not, without the directory.
    func nodeInTree(holding index: Int) -> UnsafeRawPointer? {
        guard index >= 0, index < capacity, var node = root else { return nil }
        var shift = leafShift &+ PagedInner.shift &* height
        while shift != leafShift {
            shift &-= PagedInner.shift
            guard let child = PagedInner.child(of: node, at: (index &>> shift) & PagedInner.mask)
            else { return nil }
            node = child
        }
        return node
    }
}
