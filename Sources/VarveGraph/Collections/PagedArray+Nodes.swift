extension PagedArray.Nodes {
    @inlinable var capacity: Int { 1 &<< (leafShift &+ PagedInner.shift &* height) }

    /// The element at an index, as an array returns it: valid as long as the array is kept alive and not mutated.
    @inlinable @inline(__always)
    func pointer(at index: Int) -> UnsafeMutablePointer<Element>? {
        guard let leaf = leaf(holding: index) else { return nil }
        return leaf + (index & ((1 &<< leafShift) &- 1))
    }

    /// The first element of the leaf that holds `index`, or nil where there is none.
    @inlinable @inline(__always)
    func leaf(holding index: Int) -> UnsafeMutablePointer<Element>? {
        guard let word = word(holding: index) else { return nil }
        if Element.mayBePacked, word.isPacked { return unpacked(word.node, holding: index) }
        return PagedLeaf<Element>.elements(of: word.node)
    }

    /// Where the element at `index` stands, or nil where there is no leaf. A packed leaf stays one.
    @inlinable @inline(__always)
    func place(at index: Int) -> ElementPlace? {
        guard let word = word(holding: index) else { return nil }
        let position = index & ((1 &<< leafShift) &- 1)
        guard Element.mayBePacked, word.isPacked else {
            return ElementPlace(element: PagedLeaf<Element>.elements(of: word.node) + position)
        }
        // Its bytes serve whether its elements were made or not. It is not looked at: it may not be in the cache.
        return ElementPlace(packedIn: word.node, at: position)
    }

    @inlinable @inline(__always)
    func word(holding index: Int) -> LeafWord? {
        // A negative index is not below a capacity either.
        let number = UInt(bitPattern: index) &>> UInt(leafShift)
        if let directory, let word = LeafDirectory.word(number, in: directory) { return word }
        guard let node = nodeInTree(holding: index) else { return nil }
        return Element.mayBePacked ? LeafWord(node) : LeafWord(unpacked: node)
    }

    /// The elements of a packed leaf. From now on the directory leads to them.
    @inlinable @inline(never)
    func unpacked(
        _ node: UnsafeRawPointer, holding index: Int
    ) -> UnsafeMutablePointer<Element> {
        let elements = PackedLeaf.elements(of: node, as: Element.self)
        if let directory {
            LeafDirectory.replace(
                node, by: PagedLeaf<Element>.leaf(of: elements), at: index &>> leafShift,
                in: directory)
        }
        return elements
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

    /// The leaf that holds `index`, packed or not, without the directory.
    @inlinable
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
