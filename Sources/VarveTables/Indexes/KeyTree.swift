/// An ordered set of byte keys: a B+ tree of flat pages.
///
///     node   [    * "ka" * "m" *  ]        keys between are the shortest that divide
///               /      |      \
///     leaf  [a b f]  [ka kb]  [m n o z]
///
/// Pages are split where a key does not fit. A page of which less than a third is used is merged with
/// a neighbour where both fit into one.
///
/// Invariants: all leaves have the same depth; keys ascend without repetition; what is below a child
/// is not below its own key, the first child's aside, and below the next one's; no page is empty.
package struct KeyTree: BitwiseCopyable, Sendable {
    private let geometry: KeyPage.Geometry
    private(set) var root = PageNumber.none
    /// Levels of nodes above the leaves.
    private(set) var height = 0

    /// - Parameter pageBytes: how much of a page is used.
    package init(pageBytes: Int = 512) {
        geometry = KeyPage.Geometry(capacity: pageBytes)
    }

    /// The tree of an image.
    init(pageBytes: Int, root: PageNumber, height: Int) {
        self.init(pageBytes: pageBytes)
        self.root = root
        self.height = height
    }

    var pageBytes: Int { geometry.capacity }

    /// The least page for keys of this many bytes; nil where no page is large enough.
    static func pageBytes(forKeysOf count: Int) -> Int? {
        let bytes = KeyPage.Geometry.capacity(forKeysOf: count)
        return bytes <= KeyPage.Geometry.capacityMax
            ? max(bytes, KeyPage.Geometry.capacityMin) : nil
    }

    /// The longest key.
    package var keyBytesMax: Int { geometry.keyBytesMax }

    // MARK: Reading

    package func contains(_ key: UnsafeRawBufferPointer, in pages: PageTable) -> Bool {
        guard root != .none else { return false }
        var number = root
        for _ in 0..<height {
            let node = KeyPage(page: pages[number], isNode: true)
            number = node.child(node.childPosition(of: key))
        }
        let leaf = KeyPage(page: pages[number], isNode: false)
        return leaf.holds(key, at: leaf.position(of: key))
    }

    /// Passes over the keys from the first one on that is not below `key`.
    package func cursor(from key: UnsafeRawBufferPointer, in pages: PageTable) -> KeyCursor {
        KeyCursor(self, from: key, in: pages)
    }

    /// Passes backward over the keys below `end`, or over all where that is nil.
    package func cursor(before end: UnsafeRawBufferPointer?, in pages: PageTable) -> KeyCursor {
        KeyCursor(self, before: end, in: pages)
    }

    // MARK: Inserting

    /// What a page that was split leaves its parent to enter.
    private struct Split {
        let separator: [UInt8]
        let right: PageNumber
    }

    /// What became of a key below a page.
    private enum Insertion {
        case wasThere
        case fit
        case split(Split)

        var isNew: Bool { if case .wasThere = self { false } else { true } }
    }

    /// Adds a key of at most ``keyBytesMax`` bytes. Returns false where it was there.
    package mutating func insert(
        _ key: UnsafeRawBufferPointer, in transaction: PageTransaction
    ) -> Bool {
        precondition(key.count <= keyBytesMax, "A key fits its page")
        guard root != .none else {
            let leaf: KeyPage
            (root, leaf) = KeyPage.make(level: 0, geometry, in: transaction)
            leaf.insert(key, .none, at: 0, geometry)
            return true
        }
        var top = root
        let insertion = insert(key, below: &top, level: height, in: transaction)
        root = top
        if case .split(let split) = insertion {
            let (number, node) = KeyPage.make(level: height + 1, geometry, in: transaction)
            node.insert(UnsafeRawBufferPointer(start: nil, count: 0), root, at: 0, geometry)
            split.separator.withUnsafeBytes { node.insert($0, split.right, at: 1, geometry) }
            root = number
            height += 1
        }
        return insertion.isNew
    }

    // Recursion is as deep as the tree, which has a dozen levels at most.
    private func insert(
        _ key: UnsafeRawBufferPointer, below number: inout PageNumber, level: Int,
        in transaction: PageTransaction
    ) -> Insertion {
        let page = KeyPage(page: transaction.mutable(&number), isNode: level > 0)
        guard level > 0 else {
            let position = page.position(of: key)
            if page.holds(key, at: position) { return .wasThere }
            return put(key, .none, at: position, of: page, in: transaction)
        }
        // A node without children cannot be read.
        if page.count == 0 { return .wasThere }
        let position = page.childPosition(of: key)
        var child = page.child(position)
        let insertion = insert(key, below: &child, level: level - 1, in: transaction)
        page.setChild(position, child)
        guard case .split(let split) = insertion else { return insertion }
        return split.separator.withUnsafeBytes {
            put($0, split.right, at: position + 1, of: page, in: transaction)
        }
    }

    private func put(
        _ key: UnsafeRawBufferPointer, _ child: PageNumber, at position: Int, of page: KeyPage,
        in transaction: PageTransaction
    ) -> Insertion {
        if page.hasRoom(forKey: key.count, geometry) {
            page.insert(key, child, at: position, geometry)
            return .fit
        }
        let (number, right) = KeyPage.make(
            level: page.page.kind.level, geometry, in: transaction)
        let kept = splitPosition(of: page, inserting: position)
        right.append(page, kept..<page.count, geometry)
        page.removeLast(page.count - kept)
        if position > kept || (position == kept && right.count == 0) {
            right.insert(key, child, at: position - kept, geometry)
        } else {
            page.insert(key, child, at: position, geometry)
        }
        return .split(Split(separator: separator(page, right), right: number))
    }

    /// How many cells stay in a page that is split: half of the bytes, or all where keys come in
    /// ascending order.
    private func splitPosition(of page: KeyPage, inserting position: Int) -> Int {
        if position == page.count { return page.count }
        let half = page.usedBytes(geometry) / 2
        var bytes = 0
        var kept = 0
        while kept < page.count - 1, bytes < half {
            bytes += page.cost(ofKey: page.key(kept).count)
            kept += 1
        }
        return kept
    }

    /// The shortest key above all of the left page and not above any of the right one. Of nodes it is
    /// the first key of the right one.
    private func separator(_ left: KeyPage, _ right: KeyPage) -> [UInt8] {
        let first = right.key(0)
        guard !left.isNode else { return Array(first) }
        let last = left.key(left.count - 1)
        let shared = zip(last, first).prefix { $0 == $1 }.count
        return Array(first.prefix(shared + 1))
    }

    // MARK: Removing

    /// Removes a key. Returns false where it was not there.
    package mutating func remove(
        _ key: UnsafeRawBufferPointer, in transaction: PageTransaction
    ) -> Bool {
        guard root != .none else { return false }
        var top = root
        let isRemoved = remove(key, below: &top, level: height, in: transaction)
        root = top
        if isRemoved { shrink(in: transaction) }
        return isRemoved
    }

    /// Releases all pages: the tree is as if it were new.
    mutating func removeAll(in transaction: PageTransaction) {
        if root != .none { release(root, level: height, in: transaction) }
        root = .none
        height = 0
    }

    private func release(_ number: PageNumber, level: Int, in transaction: PageTransaction) {
        if level > 0 {
            let node = KeyPage(page: transaction.pages[number], isNode: true)
            for position in 0..<node.count {
                release(node.child(position), level: level - 1, in: transaction)
            }
        }
        transaction.release(number)
    }

    /// Takes away levels that have one page each, and a tree without keys.
    private mutating func shrink(in transaction: PageTransaction) {
        while true {
            let page = KeyPage(page: transaction.pages[root], isNode: height > 0)
            guard page.count == 0 || (height > 0 && page.count == 1) else { return }
            let child = page.count == 0 ? PageNumber.none : page.child(0)
            transaction.release(root)
            root = child
            guard root != .none else {
                height = 0
                return
            }
            height -= 1
        }
    }

    /// Leaves the page empty where the key was the last one below it. Returns whether it was there.
    private func remove(
        _ key: UnsafeRawBufferPointer, below number: inout PageNumber, level: Int,
        in transaction: PageTransaction
    ) -> Bool {
        let page = KeyPage(page: transaction.mutable(&number), isNode: level > 0)
        if page.count == 0 { return false }
        let position = level > 0 ? page.childPosition(of: key) : page.position(of: key)
        guard level > 0 else {
            guard page.holds(key, at: position) else { return false }
            page.remove(at: position)
            return true
        }
        var child = page.child(position)
        let isRemoved = remove(key, below: &child, level: level - 1, in: transaction)
        page.setChild(position, child)
        if isRemoved { tidy(position, child, of: page, level: level, in: transaction) }
        return isRemoved
    }

    /// Takes away a child that is empty, and merges one of which little is used.
    private func tidy(
        _ position: Int, _ child: PageNumber, of page: KeyPage, level: Int,
        in transaction: PageTransaction
    ) {
        let below = KeyPage(page: transaction.pages[child], isNode: level > 1)
        if below.count == 0 {
            transaction.release(child)
            return page.remove(at: position)
        }
        guard below.usedBytes(geometry) * 3 < geometry.capacity else { return }
        if position + 1 < page.count,
            merge(position, of: page, level: level, in: transaction)
        {
            return
        }
        if position > 0 { _ = merge(position - 1, of: page, level: level, in: transaction) }
    }

    /// Appends the child behind a position to the one at it, where both fit into one page.
    private func merge(
        _ position: Int, of node: KeyPage, level: Int, in transaction: PageTransaction
    ) -> Bool {
        let rightNumber = node.child(position + 1)
        let right = KeyPage(page: transaction.pages[rightNumber], isNode: level > 1)
        var leftNumber = node.child(position)
        var left = KeyPage(page: transaction.pages[leftNumber], isNode: level > 1)
        // The first key of a node is not compared. Among others it is, so it takes the separator's
        // place.
        let separator = node.key(position + 1)
        let first = left.isNode ? separator.count - right.key(0).count : 0
        guard
            left.usedBytes(geometry) + right.usedBytes(geometry) + first
                <= geometry.capacity - KeyPage.cells
        else { return false }
        left = KeyPage(page: transaction.mutable(&leftNumber), isNode: level > 1)
        if left.isNode {
            left.insert(separator, right.child(0), at: left.count, geometry)
            left.append(right, 1..<right.count, geometry)
        } else {
            left.append(right, 0..<right.count, geometry)
        }
        node.setChild(position, leftNumber)
        node.remove(at: position + 1)
        transaction.release(rightNumber)
        return true
    }
}
