/// A leaf of a ``LinkMap``: the lists of some neighbouring slots.
///
///     16        counts   H x UInt32   of each holder's list; the highest bit marks a long one
///     16 + 4H   lists    the targets of one holder behind those of the other; of a long list the
///                        number of its root page
struct LinkLeaf: BitwiseCopyable {
    private static let longMark: UInt32 = 1 << 31

    let page: Page
    let holderCount: Int

    /// Where the first list begins.
    var lists: Int { Page.headerBytes &+ 4 &* holderCount }

    private func word(_ index: Int) -> UInt32 { page.load(Page.headerBytes &+ 4 &* index) }

    func count(_ index: Int) -> Int { Int(word(index) & ~Self.longMark) }

    func isLong(_ index: Int) -> Bool { word(index) & Self.longMark != 0 }

    /// How many words the list takes in the leaf.
    private func width(_ index: Int) -> Int { isLong(index) ? 1 : count(index) }

    private func offset(_ index: Int) -> Int {
        var words = 0
        for before in 0..<index { words &+= width(before) }
        return lists &+ 4 &* words
    }

    /// Where the last list ends, of one that begins at `offset` and those behind it.
    private func end(from index: Int, at offset: Int) -> Int {
        var words = 0
        for later in index..<holderCount { words &+= width(later) }
        return offset &+ 4 &* words
    }

    /// The root of a long list.
    func root(_ index: Int) -> PageNumber { page.load(offset(index)) }

    /// The targets of a list that is not long.
    func targets(_ index: Int) -> UnsafeRawBufferPointer {
        page.bytes(offset(index), 4 &* count(index))
    }

    // MARK: Images

    static func standard(_ page: Page) -> LinkLeaf {
        LinkLeaf(page: page, holderCount: 1 << LinkMap.holderBitsStandard)
    }

    /// How many words all lists take.
    var wordCount: Int { (offset(holderCount) - lists) / 4 }

    /// Whether the counts of a page that was read fit it.
    static func isSound(_ page: Page) -> Bool {
        let leaf = standard(page)
        guard leaf.lists <= page.byteCount else { return false }
        return leaf.offset(leaf.holderCount) <= page.byteCount
    }

    /// Calls `body` with each offset at which a leaf names the root of a long list.
    static func forEachReference(_ page: Page, _ body: (Int) -> Void) {
        let leaf = standard(page)
        for index in 0..<leaf.holderCount where leaf.isLong(index) { body(leaf.offset(index)) }
    }

    static func clearUnused(_ page: Page) {
        let leaf = standard(page)
        page.clear(from: leaf.offset(leaf.holderCount))
    }

    /// What a list becomes.
    enum Content {
        case short([Slot])
        case long(root: PageNumber, count: Int)

        fileprivate var width: Int {
            switch self {
            case .short(let slots): slots.count
            case .long: 1
            }
        }

        fileprivate var word: UInt32 {
            switch self {
            case .short(let slots): UInt32(truncatingIfNeeded: slots.count)
            case .long(_, let count): UInt32(truncatingIfNeeded: count) | LinkLeaf.longMark
            }
        }
    }

    /// An empty leaf with room for so many words of lists.
    static func make(
        holderCount: Int, words: Int = 0, in transaction: PageTransaction
    ) -> (PageNumber, LinkLeaf) {
        let (number, page) = transaction.allocate(
            PageKind(.linkLeaf), Page.headerBytes + 4 * (holderCount + words))
        let leaf = LinkLeaf(page: page, holderCount: holderCount)
        page.clear(Page.headerBytes..<leaf.lists)
        return (number, leaf)
    }

    /// Says what a list is whose words the caller writes.
    func setCount(_ index: Int, _ count: Int, isLong: Bool) {
        let mark = isLong ? Self.longMark : 0
        page.store(
            UInt32(truncatingIfNeeded: count) | mark, at: Page.headerBytes &+ 4 &* index)
    }

    /// Replaces a list in this leaf, whose number this is, or in a copy of it. Returns the number that
    /// the leaf then has.
    func replace(
        _ index: Int, by content: Content, _ number: PageNumber, in transaction: PageTransaction
    ) -> PageNumber {
        let (start, tail) = (offset(index), offset(index + 1))
        let end = offset(holderCount)
        let size = 4 * content.width
        let needed = end - (tail - start) + size
        if transaction.owns(page), needed <= page.byteCount {
            page.move(end - tail, from: tail, to: start + size)
            write(content, index, at: start)
            return number
        }
        let (copyNumber, copyPage) = transaction.allocate(PageKind(.linkLeaf), needed)
        let copy = LinkLeaf(page: copyPage, holderCount: holderCount)
        copyPage.write(page.bytes(Page.headerBytes, start - Page.headerBytes), at: Page.headerBytes)
        copyPage.write(page.bytes(tail, end - tail), at: start + size)
        copy.write(content, index, at: start)
        transaction.release(number)
        return copyNumber
    }

    /// Inserts a target into a list that stays short, in this leaf, whose number this is, or in a copy of it. Returns
    /// the number that the leaf then has.
    func insert(
        _ target: Slot, at position: Int, _ index: Int, _ number: PageNumber,
        in transaction: PageTransaction
    ) -> PageNumber {
        let list = offset(index)
        let (start, end) = (list &+ 4 &* position, self.end(from: index, at: list))
        var leaf = self
        var newNumber = number
        if !transaction.owns(page) || end + 4 > page.byteCount {
            let (copyNumber, copy) = transaction.allocate(PageKind(.linkLeaf), end + 4)
            copy.write(page.bytes(Page.headerBytes, start - Page.headerBytes), at: Page.headerBytes)
            copy.write(page.bytes(start, end - start), at: start + 4)
            transaction.release(number)
            (newNumber, leaf) = (copyNumber, LinkLeaf(page: copy, holderCount: holderCount))
        } else {
            page.move(end - start, from: start, to: start + 4)
        }
        leaf.page.store(target, at: start)
        leaf.setCount(index, leaf.count(index) + 1, isLong: false)
        return newNumber
    }

    private func write(_ content: Content, _ index: Int, at offset: Int) {
        page.store(content.word, at: Page.headerBytes + 4 * index)
        switch content {
        case .short(let slots): slots.withUnsafeBytes { page.write($0, at: offset) }
        case .long(let root, _): page.store(root, at: offset)
        }
    }
}
