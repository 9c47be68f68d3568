import VarveEvents

/// A leaf of a ``RowTree``: the entries of some neighbouring slots, in one flat page.
///
/// For R slots a leaf:
///
///     16        ends        R x UInt16   where the content of each slot ends, from the body on
///     16 + 2R   idCounts    R x UInt16   how much of the content is the id
///     16 + 4R   flags       R x UInt8    presence; the highest bit marks large content
///     ...       stamps      R x 24       ordinal, transaction, time
///     ...       revisions   R x UInt32   the definition that the row was written under
///     ...       orders      R x UInt32   where the last change was among the saves of its transaction
///     ...       body        the contents, one behind the other: the id's bytes, then the row's
///
/// The count of the page is how many of its slots, the first ones, are in use. Those behind end where the content
/// does, so that a table of an image that counts them finds them empty. Header, ends, counts
/// and flags of eight slots share the first line of memory.
///
/// Large content is stored in a page of its own, whose number is what the body then holds.
struct RowLeaf: BitwiseCopyable {
    /// Sizes of the parts of a leaf.
    struct Geometry: BitwiseCopyable, Sendable {
        let slotBits: Int
        /// Content above this is large.
        let inlineBytesMax: Int

        init(slotBits: Int, inlineBytesMax: Int) {
            precondition((0...5).contains(slotBits), "A leaf has 1 to 32 slots")
            // 32 slots of 1 KiB end below 2^16.
            precondition((4...1_024).contains(inlineBytesMax), "Inline content is 1 KiB at most")
            self.slotBits = slotBits
            self.inlineBytesMax = inlineBytesMax
        }

        /// Of tables, and so of images.
        static let standard = Geometry(slotBits: 3, inlineBytesMax: 1_024)

        var slotCount: Int { 1 &<< slotBits }
        var ends: Int { Page.headerBytes }
        var idCounts: Int { Page.headerBytes &+ 2 &<< slotBits }
        var flags: Int { Page.headerBytes &+ 4 &<< slotBits }
        var stamps: Int { (Page.headerBytes &+ 5 &<< slotBits &+ 7) & ~7 }
        var revisions: Int { stamps &+ 24 &<< slotBits }
        var orders: Int { revisions &+ 4 &<< slotBits }
        var body: Int { orders &+ 4 &<< slotBits }

        /// Whether the content of a slot has a page of its own.
        func isLarge(_ byteCount: Int) -> Bool { byteCount > inlineBytesMax }

        /// What the content of a slot takes in the body.
        func inlineCount(_ byteCount: Int) -> Int {
            isLarge(byteCount) ? MemoryLayout<PageNumber>.size : byteCount
        }
    }

    static let largeFlag: UInt8 = 0x80
    static let stampBytes = 24

    let page: Page
    let geometry: Geometry

    // MARK: Metadata

    func end(_ index: Int) -> Int { Int(page.load(geometry.ends &+ 2 &* index, as: UInt16.self)) }

    func start(_ index: Int) -> Int { index == 0 ? 0 : end(index &- 1) }

    /// The bytes of all contents.
    var bodyCount: Int { page.count == 0 ? 0 : end(page.count &- 1) }

    func idCount(_ index: Int) -> Int {
        Int(page.load(geometry.idCounts &+ 2 &* index, as: UInt16.self))
    }

    func flags(_ index: Int) -> UInt8 { page.load(geometry.flags &+ index) }

    func ordinal(_ index: Int) -> UInt64 {
        page.load(geometry.stamps &+ Self.stampBytes &* index)
    }

    func stamps(_ index: Int) -> EntityStamps {
        let offset = geometry.stamps &+ Self.stampBytes &* index
        return EntityStamps(
            ordinal: page.load(offset), transaction: page.load(offset &+ 8),
            updatedAt: page.load(offset &+ 16),
            saveOrder: page.load(geometry.orders &+ 4 &* index))
    }

    func revision(_ index: Int) -> UInt32 { page.load(geometry.revisions &+ 4 &* index) }

    func setMetadata(_ index: Int, _ metadata: RowMetadata, flags: UInt8) {
        page.store(flags, at: geometry.flags &+ index)
        let offset = geometry.stamps &+ Self.stampBytes &* index
        page.store(metadata.stamps.ordinal, at: offset)
        page.store(metadata.stamps.transaction, at: offset &+ 8)
        page.store(metadata.stamps.updatedAt, at: offset &+ 16)
        page.store(metadata.revision, at: geometry.revisions &+ 4 &* index)
        page.store(metadata.stamps.saveOrder, at: geometry.orders &+ 4 &* index)
    }

    func setIDCount(_ index: Int, _ count: Int) {
        page.store(
            UInt16(truncatingIfNeeded: count), at: geometry.idCounts &+ 2 &* index)
    }

    // MARK: Content

    /// The content of a slot as the body holds it: of large content, the number of its page.
    func inlineContent(_ index: Int) -> UnsafeRawBufferPointer {
        let start = start(index)
        return page.bytes(geometry.body &+ start, end(index) &- start)
    }

    /// The page of large content; nil where the content is in the body.
    func largePage(_ index: Int) -> PageNumber? {
        largePageOffset(index).map { page.load($0) }
    }

    /// Where the leaf names it.
    func largePageOffset(_ index: Int) -> Int? {
        flags(index) & Self.largeFlag != 0 ? geometry.body &+ start(index) : nil
    }

    /// Makes room for `count` bytes of content at a slot in use, in a page that has it.
    func resize(_ index: Int, to count: Int) {
        let change = count &- (end(index) &- start(index))
        guard change != 0 else { return }
        let tail = geometry.body &+ end(index)
        page.move(geometry.body &+ bodyCount &- tail, from: tail, to: tail &+ change)
        for later in index..<geometry.slotCount { setEnd(later, end(later) &+ change) }
    }

    /// Replaces the row and metadata of a slot where this takes no other page: the leaf is the transaction's own, has the
    /// slot in use, and has room, and neither content is large. Returns whether it did.
    func setInPlace(
        _ index: Int, row: UnsafeRawBufferPointer, _ metadata: RowMetadata,
        in transaction: PageTransaction
    ) -> Bool {
        guard transaction.owns(page), index < page.count, flags(index) & Self.largeFlag == 0
        else { return false }
        let (idCount, old) = (idCount(index), end(index) &- start(index))
        let new = idCount &+ row.count
        guard !geometry.isLarge(new), geometry.body &+ bodyCount &- old &+ new <= page.byteCount
        else { return false }
        resize(index, to: new)
        page.write(row, at: geometry.body &+ start(index) &+ idCount)
        setMetadata(index, metadata, flags: metadata.presence.rawValue)
        return true
    }

    /// Puts the next slot into use, in a page that has room for its entry.
    ///
    /// - Parameters:
    ///   - index: of the slot: as many are in use.
    ///   - large: the page of large content.
    func append(
        at index: Int, id: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer,
        _ metadata: RowMetadata, large: PageNumber?
    ) {
        assert(index == page.count && index < geometry.slotCount)
        let start = start(index)
        page.count = index &+ 1
        if let large {
            page.store(large, at: geometry.body &+ start)
        } else {
            page.write(id, at: geometry.body &+ start)
            page.write(row, at: geometry.body &+ start &+ id.count)
        }
        let end = start &+ geometry.inlineCount(id.count &+ row.count)
        for later in index..<geometry.slotCount { setEnd(later, end) }
        setIDCount(index, large == nil ? id.count : 0)
        setMetadata(
            index, metadata,
            flags: metadata.presence.rawValue | (large == nil ? 0 : Self.largeFlag))
    }

    /// Puts the next slot into use, without content.
    func appendSlot() {
        let end = bodyCount
        page.count += 1
        setEnd(page.count - 1, end)
    }

    private func setEnd(_ index: Int, _ end: Int) {
        page.store(UInt16(truncatingIfNeeded: end), at: geometry.ends &+ 2 &* index)
    }

    /// Copies metadata and contents of another leaf of the same geometry.
    func copy(from other: RowLeaf) { copy(from: other, first: other.page.count) }

    /// Copies metadata and contents of the first slots of another leaf of the same geometry. The ends of those behind
    /// are undefined.
    func copy(from other: RowLeaf, first count: Int) {
        page.count = count
        let byteCount = geometry.body &+ other.start(count) &- Page.headerBytes
        page.write(other.page.bytes(Page.headerBytes, byteCount), at: Page.headerBytes)
    }

    /// Copies metadata and contents of another leaf, but for the content of a slot in use: in its place
    /// are `byteCount` undefined bytes.
    func copy(from other: RowLeaf, replacing index: Int, by byteCount: Int) {
        page.count = other.page.count
        let (start, end) = (other.start(index), other.end(index))
        let head = geometry.body &+ start &- Page.headerBytes
        page.write(other.page.bytes(Page.headerBytes, head), at: Page.headerBytes)
        page.write(
            other.page.bytes(geometry.body &+ end, other.bodyCount &- end),
            at: geometry.body &+ start &+ byteCount)
        for later in index..<geometry.slotCount {
            setEnd(later, other.end(later) &- end &+ start &+ byteCount)
        }
    }
}
