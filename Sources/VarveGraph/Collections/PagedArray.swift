/// A persistent sparse array: O(1) copy, structure shared between copies, mutated in place while
/// a page is referenced from one copy only.
///
/// The pages are those of a ``PageTree``; an absent one reads as `Element.absent`, so columns that few slots use cost
/// nothing elsewhere. Reading and writing an element are O(log n). An array that is mostly read here and there has a
/// ``LeafDirectory`` besides, with which reading is O(1).
struct PagedArray<Element: PagedElement> {
    /// Leaves of plain integers: wide, because copying one is a `memcpy`.
    static var integerLeafShift: Int { 6 }

    var tree: PageTree

    /// - Parameter hasDirectory: whether leaves are looked up by their numbers, once there are many.
    init(leafShift: Int, hasDirectory: Bool = false) {
        tree = PageTree(leafShift: leafShift, hasDirectory: hasDirectory)
    }

    var leafShift: Int { tree.nodes.leafShift }

    subscript(index: Int) -> Element {
        get { withExtendedLifetime(self) { pointer(at: index)?.pointee ?? Element.absent } }
        set { mutablePointer(at: index).pointee = newValue }
    }

    /// The element's address, or nil where no page holds it.
    ///
    /// Valid until this value is mutated or destroyed: the caller keeps it alive and does not
    /// let the address escape.
    @inline(__always)
    func pointer(at index: Int) -> UnsafeMutablePointer<Element>? {
        tree.nodes.pointer(at: index, as: Element.self)
    }

    /// The element's address for writing: makes the path to it unique, creating absent pages.
    mutating func mutablePointer(at index: Int) -> UnsafeMutablePointer<Element> {
        let leaf = tree.uniqueLeaf(holding: index) { PagedLeaf<Element>.make(of: $0, count: $1) }
        return PagedLeaf<Element>.elements(of: leaf) + (index & (1 << leafShift - 1))
    }

    /// Calls `body` with each present leaf in index order: the index of its first element and its
    /// elements. Stops when `body` returns false.
    func forEachLeaf(_ body: (Int, UnsafeMutableBufferPointer<Element>) throws -> Bool) rethrows {
        func visit(_ first: Int, _ leaf: UnsafeRawPointer) throws -> Bool {
            try body(
                first,
                UnsafeMutableBufferPointer(
                    start: PagedLeaf<Element>.elements(of: leaf), count: 1 << leafShift))
        }
        if tree.stored != nil { return try tree.forEachScannedNode { try visit($0, $1) } }
        try tree.forEachNode { try visit($0, $1) }
    }
}

/// An element of the leaves of a ``PageTree``, which knows what an absent one reads as.
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

extension PagedArray: Sendable where Element: Sendable {}
