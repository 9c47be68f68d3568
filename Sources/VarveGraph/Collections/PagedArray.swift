/// A persistent sparse array: O(1) copy, structure shared between copies, mutated in place while
/// a page is referenced from one copy only.
///
/// The shape is a radix tree with leaves of `1 << leafShift` elements and inner nodes eight wide; an
/// absent page reads as `Element.absent`, so columns that few slots use cost nothing elsewhere. There is
/// no flat root on purpose: what a commit pays after a snapshot is the nodes on one path, and each
/// copied node touches one cold line for every child reference that it retains.
///
/// Reading and writing an element are O(log n). An array that is mostly read here and there has a
/// ``LeafDirectory`` besides, with which reading is O(1).
@usableFromInline
struct PagedArray<Element: PagedElement> {
    /// Leaves of rows: narrow, because copying one retains every heap string in it.
    @usableFromInline static var rowLeafShift: Int { 3 }
    /// Leaves of plain integers: wide, because copying one is a `memcpy`.
    @usableFromInline static var integerLeafShift: Int { 6 }

    @usableFromInline var root: AnyObject?
    /// Where leaves are looked up first, if this array has one.
    @usableFromInline var directory: LeafDirectory?
    @usableFromInline var nodes: Nodes

    /// What a look-up needs, as plain words. Whoever has an array in an object asks these instead of the
    /// array, which would be copied, and counted, for the call.
    @usableFromInline
    struct Nodes {
        /// The root; a leaf where there are no inner levels.
        @usableFromInline var root: UnsafeRawPointer?
        /// Inner levels above the leaves.
        @usableFromInline var height: Int
        @usableFromInline let leafShift: Int
        @usableFromInline var directory: UnsafeRawPointer?

        @inlinable
        init(leafShift: Int) {
            root = nil
            height = 0
            self.leafShift = leafShift
            directory = nil
        }
    }

    /// - Parameter hasDirectory: whether leaves are looked up by their numbers, once there are many.
    @inlinable
    init(leafShift: Int, hasDirectory: Bool = false) {
        root = nil
        directory = nil
        nodes = Nodes(leafShift: leafShift)
        if hasDirectory { use(LeafDirectory(capacity: 0)) }
    }

    @inlinable var leafShift: Int { nodes.leafShift }
    @inlinable var height: Int { nodes.height }

    /// One more than the greatest index that the present tree can hold.
    @inlinable var capacity: Int { nodes.capacity }

    @inlinable
    subscript(index: Int) -> Element {
        get { withExtendedLifetime(self) { pointer(at: index)?.pointee ?? Element.absent } }
        set { mutablePointer(at: index).pointee = newValue }
    }

    /// The element's address, or nil where no page holds it.
    ///
    /// Valid until this value is mutated or destroyed: the caller keeps it alive and does not
    /// let the address escape. Children are loaded as plain words, because a retain and release
    /// at every level costs more than the descent itself.
    @inlinable @inline(__always)
    func pointer(at index: Int) -> UnsafeMutablePointer<Element>? { nodes.pointer(at: index) }

    /// To be called whenever the root may be another object.
    @inlinable
    mutating func noteRoot() {
        nodes.root = root.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
    }

    /// The element's address for writing: makes the path to it unique, creating absent pages.
    @inlinable
    mutating func mutablePointer(at index: Int) -> UnsafeMutablePointer<Element> {
        precondition(index >= 0, "an index into a paged array is not negative")
        grow(toHold: index)
        let leafCount = 1 &<< leafShift
        var shift = leafShift &+ PagedInner.shift &* height
        let last = leafShift
        let (former, elements) = withUnsafeMutablePointer(to: &root) { rootReference in
            var reference = rootReference
            while shift != last {
                shift &-= PagedInner.shift
                let children = PagedInner.uniqueChildren(at: reference)
                reference = children + ((index &>> shift) & PagedInner.mask)
            }
            let former = UnsafeRawPointer(reference).load(as: UnsafeRawPointer?.self)
            return (
                former, PagedLeaf<Element>.uniqueElements(at: reference, count: leafCount)
            )
        }
        // As a word from its place: a copy of the reference would be counted.
        nodes.root = withUnsafePointer(to: &root) {
            UnsafeRawPointer($0).load(as: UnsafeRawPointer?.self)
        }
        if nodes.directory != nil {
            let leaf = PagedLeaf<Element>.leaf(of: elements)
            if leaf != former {
                noteLeaf(index &>> leafShift, LeafWord(unpacked: leaf), isNew: former == nil)
            }
        }
        return elements + (index & (leafCount &- 1))
    }

    /// Makes an element absent again, and drops its leaf when nothing else is left in it.
    ///
    /// - Parameter isAbsent: whether an element reads as the absent one.
    @inlinable
    mutating func clear(at index: Int, isAbsent: (Element) -> Bool) {
        guard let element = pointer(at: index), !isAbsent(element.pointee) else { return }
        let place = mutablePointer(at: index)
        place.pointee = Element.absent
        let leafCount = 1 << leafShift
        let leaf = place - (index & (leafCount - 1))
        for offset in 0..<leafCount where !isAbsent(leaf[offset]) { return }
        dropLeaf(holding: index)
    }

    /// Makes the leaf that holds `index` absent. The path to it is unique.
    @usableFromInline
    mutating func dropLeaf(holding index: Int) {
        withReference(toSubtreeOf: leafShift, holding: index) { $0.pointee = nil }
        noteRoot()
        noteDroppedLeaf(index >> leafShift)
    }

    /// Puts a packed leaf where no leaf is.
    @usableFromInline
    mutating func placeLeaf(_ leaf: PackedLeaf, at index: Int) {
        place(leaf, span: leafShift, at: index)
        guard nodes.directory != nil else { return }
        let node = UnsafeRawPointer(Unmanaged.passUnretained(leaf).toOpaque())
        noteLeaf(index >> leafShift, LeafWord(packed: node), isNew: true)
    }

    /// Puts a packed leaf in the place of one with the same elements, which is answered.
    @usableFromInline
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
    private mutating func withReference(
        toSubtreeOf span: Int, holding index: Int,
        _ body: (UnsafeMutablePointer<AnyObject?>) -> Void
    ) {
        var shift = leafShift + PagedInner.shift * height
        withUnsafeMutablePointer(to: &root) { rootReference in
            var reference = rootReference
            while shift > span {
                shift -= PagedInner.shift
                reference =
                    PagedInner.uniqueChildren(at: reference)
                    + ((index >> shift) & PagedInner.mask)
            }
            body(reference)
        }
    }

    /// Takes over the pages of other arrays for the elements from `index` on, of which there are none
    /// here. Each holds `1 << span` elements at most, as a subtree does, and `index` is a multiple of that.
    @usableFromInline
    mutating func attach(_ others: some Sequence<PagedArray>, at index: Int, span: Int) {
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

    private mutating func attach(_ other: PagedArray, at index: Int, span: Int) {
        var other = other
        other.grow(toHold: 1 << span - 1)
        guard let subtree = other.root else { return }
        precondition(
            other.leafShift == leafShift && other.capacity == 1 << span
                && index & (1 << span - 1) == 0, "a subtree of another shape")
        place(subtree, span: span, at: index)
    }

    @inlinable
    mutating func grow(toHold index: Int) {
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

    /// Calls `body` with each present leaf in index order: the index of its first element and its
    /// elements. Stops when `body` returns false.
    ///
    /// The path is walked anew for each group of leaves: a recursion would pass, and count, the
    /// closure at every level.
    @inlinable
    func forEachLeaf(_ body: (Int, UnsafeMutableBufferPointer<Element>) throws -> Bool) rethrows {
        try forEachNode { first, leaf in try body(first, leafElements(of: leaf, first)) }
    }

    /// Calls `body` with each leaf as it is, packed or not.
    @inlinable @inline(__always)
    func forEachNode(_ body: (Int, UnsafeRawPointer) throws -> Bool) rethrows {
        try withExtendedLifetime(self) {
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
    @inlinable
    func group(holding index: inout Int, below root: UnsafeRawPointer) -> UnsafeRawPointer? {
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

    @inlinable @inline(__always)
    func leafElements(
        of leaf: UnsafeRawPointer, _ first: Int
    ) -> UnsafeMutableBufferPointer<Element> {
        let isPacked = Element.mayBePacked && PackedLeaf.isPacked(leaf)
        return UnsafeMutableBufferPointer(
            start: isPacked
                ? nodes.unpacked(leaf, holding: first) : PagedLeaf<Element>.elements(of: leaf),
            count: 1 &<< leafShift)
    }
}

/// An element of a ``PagedArray``, which knows what an absent one reads as.
@usableFromInline
protocol PagedElement {
    static var absent: Self { get }
    /// Whether leaves of such elements may be packed.
    static var mayBePacked: Bool { get }
    /// Initialises the elements of a packed leaf, absent ones too.
    static func unpack(_ node: UnsafeRawPointer, into elements: UnsafeMutablePointer<Self>)
}

extension PagedElement {
    @inlinable static var mayBePacked: Bool { false }

    @inlinable
    static func unpack(_ node: UnsafeRawPointer, into elements: UnsafeMutablePointer<Self>) {
        preconditionFailure("elements that have no bytes")
    }
}

extension UInt32: PagedElement {
    @inlinable static var absent: UInt32 { 0 }
}

extension Optional: PagedElement {
    @inlinable static var absent: Wrapped? { nil }
}

extension SlotList: PagedElement {
    @inlinable static var absent: SlotList { .empty }
}

// A page is mutated only while `isKnownUniquelyReferenced` says that one value owns it, and a value
// is owned by one thread at a time, so shared pages are immutable.
extension PagedArray: @unchecked Sendable where Element: Sendable {}
