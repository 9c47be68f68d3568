/// A sparse array of page numbers: a radix tree whose nodes have a power of two of children.
///
///     index 0b10_01_11, two bits a level
///
///     root   [ . . * . ]
///     node         [ . * . . ]
///     node             [ . . . * ]  -> the page at the index
///
/// The tree grows at its root. It never shrinks: indices are slots or prefixes of hashes, and their
/// range does not become smaller.
struct PageArray: BitwiseCopyable, Sendable {
    private let structure: PageKind.Structure
    private let childBits: UInt8
    /// Levels of nodes; with 0 there is no page.
    private(set) var height: UInt8 = 0
    private(set) var root = PageNumber.none

    init(_ structure: PageKind.Structure, childBits: Int = 6) {
        precondition((1...10).contains(childBits), "A node has 2 to 1024 children")
        self.structure = structure
        self.childBits = UInt8(childBits)
    }

    /// Where an array is: what an image keeps of it.
    struct Root: Hashable, BitwiseCopyable, Sendable {
        var page = PageNumber.none
        var height = 0
    }

    /// Of an array of an image, whose indices have 31 bits.
    static let heightMax = 6

    /// The array of an image, whose nodes have 64 children.
    init(_ structure: PageKind.Structure, _ root: Root) {
        self.init(structure)
        height = UInt8(truncatingIfNeeded: root.height)
        self.root = root.page
    }

    var position: Root { Root(page: root, height: Int(height)) }

    /// Calls `body` with each offset at which a node of an image names a page.
    static func forEachReference(_ page: Page, _ body: (Int) -> Void) {
        for index in 0..<64 {
            let offset = Page.headerBytes + 4 * index
            if page.load(offset, as: PageNumber.self) != .none { body(offset) }
        }
    }

    /// Of a node of an image.
    static let nodeBytes = Page.headerBytes + 4 * 64

    private var nodeBytes: Int { Page.headerBytes + 4 << Int(childBits) }

    /// Indices below this have a place.
    private var capacity: Int { height == 0 ? 0 : 1 << (Int(childBits) * Int(height)) }

    /// The number at an index; `none` where there is no page.
    @inline(__always)
    func number(at index: Int, in pages: PageTable) -> PageNumber {
        guard index < capacity else { return .none }
        var number = root
        var shift = Int(childBits) &* Int(height)
        while shift > 0, number != .none {
            shift &-= Int(childBits)
            number = child(of: pages[number], index &>> shift)
        }
        return number
    }

    @inline(__always)
    private func child(of page: Page, _ index: Int) -> PageNumber {
        page.load(Page.headerBytes &+ 4 &* (index & (1 &<< Int(childBits) &- 1)))
    }

    /// The entry at an index, of nodes that belong to the transaction. Valid as long as the
    /// transaction is open: nodes that it owns do not move.
    mutating func mutableEntry(
        at index: Int, in transaction: PageTransaction
    ) -> UnsafeMutablePointer<PageNumber> {
        while index >= capacity { grow(in: transaction) }
        var page = transaction.mutable(&root)
        var shift = Int(childBits) * (Int(height) - 1)
        while true {
            let position = (index >> shift) & (1 << Int(childBits) - 1)
            let entry = (page.address + Page.headerBytes + 4 * position)
                .assumingMemoryBound(to: PageNumber.self)
            if shift == 0 { return entry }
            shift -= Int(childBits)
            if entry.pointee == .none {
                (entry.pointee, page) = makeNode(level: shift / Int(childBits) + 1, in: transaction)
            } else {
                page = transaction.mutable(&entry.pointee)
            }
        }
    }

    private mutating func grow(in transaction: PageTransaction) {
        let (number, page) = makeNode(level: Int(height) + 1, in: transaction)
        page.store(root, at: Page.headerBytes)
        root = number
        height += 1
    }

    private func makeNode(
        level: Int, in transaction: PageTransaction
    ) -> (PageNumber, Page) {
        let (number, page) = transaction.allocate(PageKind(structure, level: level), nodeBytes)
        page.clear()
        return (number, page)
    }

    /// Calls `body` with each index from `first` on that has a page, in ascending order, until it
    /// returns false.
    func forEach(
        from first: Int = 0, in pages: PageTable, while body: (Int, PageNumber) -> Bool
    ) {
        guard height > 0, first < capacity else { return }
        _ = visit(root, Int(childBits) * (Int(height) - 1), 0, first, pages, body)
    }

    private func visit(
        _ number: PageNumber, _ shift: Int, _ base: Int, _ first: Int, _ pages: PageTable,
        _ body: (Int, PageNumber) -> Bool
    ) -> Bool {
        let page = pages[number]
        let start = first > base ? (first - base) >> shift : 0
        for position in start..<1 << Int(childBits) {
            let child = child(of: page, position)
            guard child != .none else { continue }
            let index = base + position << shift
            let goesOn =
                shift == 0
                ? body(index, child)
                : visit(child, shift - Int(childBits), index, first, pages, body)
            if !goesOn { return false }
        }
        return true
    }

    /// Releases all nodes. What the entries name is the caller's to release before.
    mutating func removeAll(in transaction: PageTransaction) {
        if height > 0 { release(root, levels: Int(height), in: transaction) }
        self = PageArray(structure, childBits: Int(childBits))
    }

    private func release(_ number: PageNumber, levels: Int, in transaction: PageTransaction) {
        if levels > 1 {
            let page = transaction.pages[number]
            for position in 0..<1 << Int(childBits) {
                let child = child(of: page, position)
                if child != .none { release(child, levels: levels - 1, in: transaction) }
            }
        }
        transaction.release(number)
    }
}
