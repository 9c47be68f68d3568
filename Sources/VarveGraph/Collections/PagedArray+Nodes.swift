extension PagedArray.Nodes {
    @inlinable var capacity: Int { 1 &<< (leafShift &+ PagedInner.shift &* height) }

    /// The same as an array's: valid as long as the array is kept alive and not mutated.
    @inlinable @inline(__always)
    func pointer(at index: Int) -> UnsafeMutablePointer<Element>? {
        guard let leaf = leaf(holding: index) else { return nil }
        return leaf + (index & ((1 &<< leafShift) &- 1))
    }

    /// The first element of the leaf that holds `index`, or nil where there is none.
    @inlinable @inline(__always)
    func leaf(holding index: Int) -> UnsafeMutablePointer<Element>? {
        // A negative index is not below a capacity either.
        let number = UInt(bitPattern: index) &>> UInt(leafShift)
        if let directory, let leaf = LeafDirectory.leaf(number, in: directory) {
            return PagedLeaf<Element>.elements(of: leaf)
        }
        return leafInTree(holding: index)
    }

    /// The same without the directory.
    @inlinable
    func leafInTree(holding index: Int) -> UnsafeMutablePointer<Element>? {
        guard index >= 0, index < capacity, var node = root else { return nil }
        var shift = leafShift &+ PagedInner.shift &* height
        while shift != leafShift {
            shift &-= PagedInner.shift
            guard let child = PagedInner.child(of: node, at: (index &>> shift) & PagedInner.mask)
            else { return nil }
            node = child
        }
        return PagedLeaf<Element>.elements(of: node)
    }
}
