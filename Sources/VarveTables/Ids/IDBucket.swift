import CVarve

/// A page of an ``IDMap``: tags and their slots, in no order. In an image they ascend by tag.
///
///     16   items   count x (tag UInt32, slot UInt32)
struct IDBucket: BitwiseCopyable {
    static let itemBytes = 8
    private static let lineBytes = 64

    let page: Page

    var count: Int { page.count }

    func tag(_ index: Int) -> UInt32 { page.load(Self.offset(index)) }

    func slot(_ index: Int) -> Slot { page.load(Self.offset(index) &+ 4) }

    private static func offset(_ index: Int) -> Int { Page.headerBytes &+ itemBytes &* index }

    @inline(__always)
    func find(_ tag: UInt32, where matches: (Slot) -> Bool) -> Slot? {
        for index in 0..<count where self.tag(index) == tag {
            let slot = slot(index)
            if matches(slot) { return slot }
        }
        return nil
    }

    /// Prefetches all that a bucket of the standard count may be.
    @inline(__always)
    func prefetch() {
        for offset in stride(
            from: 0, to: Self.offset(IDMap.bucketCountStandard), by: Self.lineBytes)
        {
            varve_prefetch(page.address + offset)
        }
    }

    /// Adds an item where there is room.
    func add(_ tag: UInt32, _ slot: Slot) {
        page.store(tag, at: Self.offset(count))
        page.store(slot, at: Self.offset(count) + 4)
        page.count += 1
    }

    /// Adds an item where the bucket is the transaction's own and has room. Returns whether it did.
    @inline(__always)
    func addInPlace(_ tag: UInt32, _ slot: Slot, in transaction: PageTransaction) -> Bool {
        guard transaction.owns(page), Self.offset(count + 1) <= page.byteCount else { return false }
        add(tag, slot)
        return true
    }

    /// Adds an item to the bucket, whose number this is, or to a copy of it. Returns the number that
    /// the bucket now has.
    func append(
        _ tag: UInt32, _ slot: Slot, _ number: PageNumber,
        in transaction: PageTransaction
    ) -> PageNumber {
        if addInPlace(tag, slot, in: transaction) { return number }
        let copy = Self.make(for: count + 1, in: transaction)
        copy.bucket.page.count = count
        copy.bucket.page.write(
            page.bytes(Page.headerBytes, Self.itemBytes * count), at: Page.headerBytes)
        copy.bucket.add(tag, slot)
        transaction.release(number)
        return copy.number
    }

    /// Whether the count of a page that was read fits it, and a map would have made it.
    static func isSound(_ page: Page) -> Bool {
        page.count <= IDMap.bucketCountStandard && offset(page.count) <= page.byteCount
    }

    /// Puts the items in the order of their tags, whose differences are small then, and fills the rest with zeros.
    static func clearUnused(_ page: Page) {
        let bucket = IDBucket(page: page)
        for index in 1..<max(page.count, 1) { bucket.moveDown(index) }
        page.clear(from: offset(page.count))
    }

    /// Puts an item in its order among those before it.
    private func moveDown(_ index: Int) {
        let (tag, slot) = (tag(index), slot(index))
        var position = index
        while position > 0, self.tag(position - 1) > tag { position -= 1 }
        page.move(
            Self.itemBytes * (index - position), from: Self.offset(position),
            to: Self.offset(position + 1))
        page.store(tag, at: Self.offset(position))
        page.store(slot, at: Self.offset(position) + 4)
    }

    /// An empty bucket with room for this many items.
    static func make(
        for count: Int, in transaction: PageTransaction
    ) -> (number: PageNumber, bucket: IDBucket) {
        let (number, page) = transaction.allocate(PageKind(.idBucket), offset(count))
        return (number, IDBucket(page: page))
    }
}
