/// A long list of slots: a B+ tree by position.
///
///     node   [ * 3 | * 2 | * 4 ]       each child with the number of slots below it
///              /      |      \
///     leaf  [5 9 2] [7 1] [4 8 3 6]
///
///     16   level   UInt32        0 in a leaf
///     20   items   count x UInt32 in a leaf; count x (child UInt32, slots UInt32) in a node
///
/// Where the list begins is the caller's to keep. An operation takes the number of the root page and
/// leaves the one that the root then has.
///
/// Invariants: all leaves have the same depth; the count beside a child is that of the slots below it;
/// no page has more items than the capacity; a page is empty only where it is the root.
package struct ListTree: BitwiseCopyable, Sendable {
    /// Of tables, and so of images.
    package static let capacityStandard = 120

    /// The items that a page takes.
    let capacity: Int

    init(capacity: Int) {
        precondition(capacity >= 3, "A page that is split leaves two with an item each")
        self.capacity = capacity
    }

    // MARK: Reading

    /// Calls `body` with the slots from a position on, in their order, until it returns false.
    func forEach(
        _ root: PageNumber, from first: Int = 0, in pages: PageTable, while body: (Slot) -> Bool
    ) {
        _ = visit(ListPage(page: pages[root]), first, pages, body)
    }

    private func visit(
        _ page: ListPage, _ first: Int, _ pages: PageTable, _ body: (Slot) -> Bool
    ) -> Bool {
        var first = first
        if page.level == 0 {
            for index in first..<max(first, page.count) where !body(page.slot(index)) {
                return false
            }
            return true
        }
        for index in 0..<page.count {
            let below = page.slotCount(index)
            if first < below {
                let child = ListPage(page: pages[page.child(index)])
                if !visit(child, first, pages, body) { return false }
                first = 0
            } else {
                first -= below
            }
        }
        return true
    }

    func slot(_ root: PageNumber, at position: Int, in pages: PageTable) -> Slot {
        var page = ListPage(page: pages[root])
        var position = position
        while page.level > 0 {
            let index = page.childPosition(of: &position)
            page = ListPage(page: pages[page.child(index)])
        }
        guard position < page.count else {
            pages.noteContradiction()
            return Slot(.max)
        }
        return page.slot(position)
    }

    // MARK: Making

    /// A list of these slots.
    func make(_ slots: [Slot], in transaction: PageTransaction) -> PageNumber {
        let root = ListPage.make(level: 0, capacity, in: transaction).number
        var number = root
        // Appending splits off a page of one item, so that all before the last are full.
        for (position, slot) in slots.enumerated() {
            insert(slot, at: position, into: &number, in: transaction)
        }
        return number
    }

    func release(_ root: PageNumber, in transaction: PageTransaction) {
        let page = ListPage(page: transaction.pages[root])
        if page.level > 0 {
            for index in 0..<page.count { release(page.child(index), in: transaction) }
        }
        transaction.release(root)
    }

    // MARK: Inserting

    func insert(
        _ slot: Slot, at position: Int, into root: inout PageNumber,
        in transaction: PageTransaction
    ) {
        guard let split = insert(slot, at: position, below: &root, in: transaction) else { return }
        let left = ListPage(page: transaction.pages[root])
        let (number, node) = ListPage.make(level: left.level + 1, capacity, in: transaction)
        node.insertChild(root, left.total, at: 0)
        node.insertChild(split.number, split.page.total, at: 1)
        root = number
    }

    private typealias Split = (number: PageNumber, page: ListPage)

    private func insert(
        _ slot: Slot, at position: Int, below number: inout PageNumber,
        in transaction: PageTransaction
    ) -> Split? {
        let page = ListPage(page: transaction.mutable(&number))
        if page.level == 0 {
            // Counts of an image may lead behind the end.
            let position = min(position, page.count)
            return put(at: position, of: page, in: transaction) { $0.insertSlot(slot, at: $1) }
        }
        var position = position
        let index = page.insertionPosition(of: &position)
        var child = page.child(index)
        let split = insert(slot, at: position, below: &child, in: transaction)
        let left = ListPage(page: transaction.pages[child])
        page.setChild(index, child, left.total)
        guard let split else { return nil }
        return put(at: index + 1, of: page, in: transaction) {
            $0.insertChild(split.number, split.page.total, at: $1)
        }
    }

    /// Lets `insert` put an item into a page, or into one of two that it is split into.
    private func put(
        at position: Int, of page: ListPage, in transaction: PageTransaction,
        _ insert: (ListPage, Int) -> Void
    ) -> Split? {
        guard page.count == capacity else {
            insert(page, position)
            return nil
        }
        let (number, right) = ListPage.make(level: page.level, capacity, in: transaction)
        let kept = position == capacity ? capacity : capacity / 2
        page.moveItems(from: kept, to: right)
        if position > kept || right.count == 0 {
            insert(right, position - kept)
        } else {
            insert(page, position)
        }
        return (number, right)
    }

    // MARK: Removing

    func remove(
        at position: Int, from root: inout PageNumber, in transaction: PageTransaction
    ) {
        remove(at: position, below: &root, in: transaction)
        while true {
            let page = ListPage(page: transaction.pages[root])
            guard page.level > 0, page.count == 1 else { return }
            let child = page.child(0)
            transaction.release(root)
            root = child
        }
    }

    /// Leaves the page empty where the slot was the last one below it.
    private func remove(
        at position: Int, below number: inout PageNumber, in transaction: PageTransaction
    ) {
        let page = ListPage(page: transaction.mutable(&number))
        guard page.level > 0 else {
            guard position < page.count else { return transaction.pages.noteContradiction() }
            return page.removeItem(at: position)
        }
        var position = position
        let index = page.childPosition(of: &position)
        var child = page.child(index)
        remove(at: position, below: &child, in: transaction)
        let below = ListPage(page: transaction.pages[child])
        if below.count == 0 {
            transaction.release(child)
            return page.removeItem(at: index)
        }
        page.setChild(index, child, page.slotCount(index) - 1)
        guard below.count < capacity / 3 else { return }
        if index + 1 < page.count, merge(index, of: page, in: transaction) { return }
        if index > 0, merge(index - 1, of: page, in: transaction) { return }
    }

    /// Appends the child behind a position to the one at it, where both fit into one page.
    private func merge(
        _ index: Int, of node: ListPage, in transaction: PageTransaction
    ) -> Bool {
        let rightNumber = node.child(index + 1)
        let right = ListPage(page: transaction.pages[rightNumber])
        var leftNumber = node.child(index)
        let count = ListPage(page: transaction.pages[leftNumber]).count
        guard count + right.count <= capacity else { return false }
        let left = ListPage(page: transaction.mutable(&leftNumber))
        right.copyItems(to: left)
        node.setChild(
            index, leftNumber, node.slotCount(index) + node.slotCount(index + 1))
        node.removeItem(at: index + 1)
        transaction.release(rightNumber)
        return true
    }
}
