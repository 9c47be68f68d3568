/// A page of a ``ListTree``, which says how it is laid out.
struct ListPage: BitwiseCopyable {
    static let items = Page.headerBytes + 4

    let page: Page

    /// A new page without items.
    static func make(
        level: Int, _ capacity: Int, in transaction: PageTransaction
    ) -> (number: PageNumber, page: ListPage) {
        let size = level == 0 ? 4 : 8
        let (number, page) = transaction.allocate(
            PageKind(.listPage, level: level), items + size * capacity)
        page.store(UInt32(truncatingIfNeeded: level), at: Page.headerBytes)
        return (number, ListPage(page: page))
    }

    var level: Int { Int(page.load(Page.headerBytes, as: UInt32.self)) }
    var count: Int { page.count }

    private var itemBytes: Int { level == 0 ? 4 : 8 }
    private func offset(_ index: Int) -> Int { Self.items &+ itemBytes &* index }

    /// The slots in the page and below it.
    var total: Int { level == 0 ? count : (0..<count).reduce(0) { $0 + slotCount($1) } }

    // MARK: Leaves

    func slot(_ index: Int) -> Slot { page.load(Self.items &+ 4 &* index) }

    func insertSlot(_ slot: Slot, at index: Int) {
        makeRoom(at: index)
        page.store(slot, at: Self.items + 4 * index)
    }

    // MARK: Nodes

    func child(_ index: Int) -> PageNumber { page.load(Self.items &+ 8 &* index) }

    func slotCount(_ index: Int) -> Int {
        Int(page.load(Self.items &+ 8 &* index &+ 4, as: UInt32.self))
    }

    func setChild(_ index: Int, _ number: PageNumber, _ slotCount: Int) {
        page.store(number, at: Self.items + 8 * index)
        page.store(UInt32(truncatingIfNeeded: slotCount), at: Self.items + 8 * index + 4)
    }

    func insertChild(_ number: PageNumber, _ slotCount: Int, at index: Int) {
        makeRoom(at: index)
        setChild(index, number, slotCount)
    }

    /// The child with the slot at a position, which becomes the position within the child.
    func childPosition(of position: inout Int) -> Int {
        var index = 0
        while index < count - 1, position >= slotCount(index) {
            position -= slotCount(index)
            index += 1
        }
        return index
    }

    /// The child that takes a slot at a position, which becomes the position within the child.
    func insertionPosition(of position: inout Int) -> Int {
        var index = 0
        while index < count - 1, position > slotCount(index) {
            position -= slotCount(index)
            index += 1
        }
        return index
    }

    // MARK: Images

    /// Whether level and count of a page that was read fit it.
    static func isSound(_ page: Page) -> Bool {
        let list = ListPage(page: page)
        return page.byteCount >= list.offset(ListTree.capacityStandard)
            && list.level == page.kind.level && list.count > 0
            && list.count <= ListTree.capacityStandard
    }

    /// Calls `body` with each offset at which a node names a page.
    static func forEachReference(_ page: Page, _ body: (Int) -> Void) {
        let list = ListPage(page: page)
        guard list.level > 0 else { return }
        for index in 0..<list.count { body(list.offset(index)) }
    }

    static func clearUnused(_ page: Page) {
        let list = ListPage(page: page)
        page.clear(from: list.offset(list.count))
    }

    // MARK: Items of either kind

    private func makeRoom(at index: Int) {
        page.move(itemBytes * (count - index), from: offset(index), to: offset(index + 1))
        page.count += 1
    }

    func removeItem(at index: Int) {
        page.move(itemBytes * (count - index - 1), from: offset(index + 1), to: offset(index))
        page.count -= 1
    }

    /// Moves the items from a position on into an empty page.
    func moveItems(from first: Int, to other: ListPage) {
        other.page.write(
            page.bytes(offset(first), itemBytes * (count - first)), at: Self.items)
        other.page.count = count - first
        page.count = first
    }

    /// Copies all items behind those of a page of the same level.
    func copyItems(to other: ListPage) {
        other.page.write(page.bytes(Self.items, itemBytes * count), at: other.offset(other.count))
        other.page.count += count
    }
}
