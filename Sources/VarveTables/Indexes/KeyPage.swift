import VarveEvents

/// A page of a ``KeyTree``: keys in ascending order, in a node above the leaves each with a child.
///
///     16   heapBytes   UInt16   of the page's end, which the cells' bytes and what is freed between them take
///     18   freed       UInt16   bytes between the cells that belong to none
///     20   cells       count x (offset UInt16, key count UInt16)
///     ...  free
///     heap to the page's end    the cells' bytes: a key, in a node its child's number behind it
///
/// The first key of a node is never compared: everything below the second is the first child's.
struct KeyPage: BitwiseCopyable {
    /// Sizes of pages.
    struct Geometry: BitwiseCopyable, Sendable {
        static let capacityMin = 64
        static let capacityMax = 32_768

        /// The bytes of a page.
        let capacity: Int

        init(capacity: Int) {
            precondition(
                capacity >= Self.capacityMin && capacity <= Self.capacityMax,
                "A page holds 64 bytes to 32 KiB")
            self.capacity = FrameSize.rounded(capacity)
        }

        /// The longest key that a page takes: four cells fit, each with a child.
        var keyBytesMax: Int { Self.keyBytesMax(ofPage: capacity) }

        static func keyBytesMax(ofPage capacity: Int) -> Int {
            (capacity - KeyPage.cells) / 4 - KeyPage.cellBytes - 4
        }

        static func capacity(forKeysOf count: Int) -> Int {
            KeyPage.cells + 4 * (count + KeyPage.cellBytes + 4)
        }
    }

    static let cells = Page.headerBytes + 4
    static let cellBytes = 4

    let page: Page
    let isNode: Bool

    var childBytes: Int { isNode ? 4 : 0 }

    var heapStart: Int {
        get { page.byteCount - Int(page.load(Page.headerBytes, as: UInt16.self)) }
        nonmutating set {
            page.store(
                UInt16(truncatingIfNeeded: page.byteCount - newValue), at: Page.headerBytes)
        }
    }

    var freed: Int {
        get { Int(page.load(Page.headerBytes + 2, as: UInt16.self)) }
        nonmutating set {
            page.store(UInt16(truncatingIfNeeded: newValue), at: Page.headerBytes + 2)
        }
    }

    /// An empty page; of level 0, a leaf.
    static func make(
        level: Int, _ geometry: Geometry, in transaction: PageTransaction
    ) -> (PageNumber, KeyPage) {
        let (number, page) = transaction.allocate(
            PageKind(.keyPage, level: level), geometry.capacity)
        let keys = KeyPage(page: page, isNode: level > 0)
        keys.heapStart = geometry.capacity
        keys.freed = 0
        return (number, keys)
    }

    // MARK: Reading

    var count: Int { page.count }

    func offset(_ index: Int) -> Int {
        Int(page.load(Self.cells &+ Self.cellBytes &* index, as: UInt16.self))
    }

    func keyCount(_ index: Int) -> Int {
        Int(page.load(Self.cells &+ Self.cellBytes &* index &+ 2, as: UInt16.self))
    }

    func key(_ index: Int) -> UnsafeRawBufferPointer {
        page.bytes(offset(index), keyCount(index))
    }

    /// None where the page is empty, because it cannot be read.
    func child(_ index: Int) -> PageNumber {
        index < count ? page.load(childOffset(index)) : .none
    }

    func childOffset(_ index: Int) -> Int { offset(index) &+ keyCount(index) }

    func setChild(_ index: Int, _ number: PageNumber) { page.store(number, at: childOffset(index)) }

    /// The first position whose key is not below `key`.
    func position(of key: UnsafeRawBufferPointer) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low &+ high) &>> 1
            if self.key(middle).precedes(key) { low = middle &+ 1 } else { high = middle }
        }
        return low
    }

    /// The child of a node that a key belongs to.
    func childPosition(of key: UnsafeRawBufferPointer) -> Int {
        var low = 1
        var high = count
        while low < high {
            let middle = (low &+ high) &>> 1
            if key.precedes(self.key(middle)) { high = middle } else { low = middle &+ 1 }
        }
        return low &- 1
    }

    func holds(_ key: UnsafeRawBufferPointer, at position: Int) -> Bool {
        position < count && self.key(position).hasSameBytes(as: key)
    }

    // MARK: Changing

    /// The bytes that all cells take, with what says where they are.
    func usedBytes(_ geometry: Geometry) -> Int {
        Self.cellBytes * count + geometry.capacity - heapStart - freed
    }

    func cost(ofKey count: Int) -> Int { Self.cellBytes + count + childBytes }

    func hasRoom(forKey count: Int, _ geometry: Geometry) -> Bool {
        usedBytes(geometry) + cost(ofKey: count) <= geometry.capacity - Self.cells
    }

    /// Puts a key, with the child of a node, at a position. There is room.
    func insert(
        _ key: UnsafeRawBufferPointer, _ child: PageNumber, at position: Int, _ geometry: Geometry
    ) {
        let count = count
        let size = key.count + childBytes
        if heapStart - size < Self.cells + Self.cellBytes * (count + 1) { compact() }
        heapStart -= size
        page.write(key, at: heapStart)
        if isNode { page.store(child, at: heapStart + key.count) }
        let cell = Self.cells + Self.cellBytes * position
        page.move(Self.cellBytes * (count - position), from: cell, to: cell + Self.cellBytes)
        page.store(UInt16(truncatingIfNeeded: heapStart), at: cell)
        page.store(UInt16(truncatingIfNeeded: key.count), at: cell + 2)
        page.count = count + 1
    }

    func remove(at position: Int) {
        let size = keyCount(position) + childBytes
        if offset(position) == heapStart { heapStart += size } else { freed += size }
        let cell = Self.cells + Self.cellBytes * position
        page.move(
            Self.cellBytes * (count - position - 1), from: cell + Self.cellBytes, to: cell)
        page.count -= 1
    }

    /// Appends cells of another page. There is room.
    func append(_ other: KeyPage, _ range: Range<Int>, _ geometry: Geometry) {
        for index in range {
            insert(
                other.key(index), isNode ? other.child(index) : .none, at: count, geometry)
        }
    }

    func removeLast(_ removed: Int) {
        for _ in 0..<removed { remove(at: count - 1) }
    }

    /// Puts the cells one behind the other again.
    func compact() {
        let start = heapStart
        let capacity = page.byteCount
        withUnsafeTemporaryAllocation(byteCount: capacity - start, alignment: 1) { copy in
            copy.copyMemory(from: page.bytes(start, capacity - start))
            var end = capacity
            for index in 0..<count {
                let size = keyCount(index) + childBytes
                // The empty key of a leaf: it takes no bytes, and its offset may lie in front of the heap.
                if size == 0 { continue }
                let cell = copy[(offset(index) - start)...].prefix(size)
                end -= size
                page.write(UnsafeRawBufferPointer(rebasing: cell), at: end)
                page.store(
                    UInt16(truncatingIfNeeded: end), at: Self.cells + Self.cellBytes * index)
            }
            heapStart = end
            freed = 0
        }
    }
}
