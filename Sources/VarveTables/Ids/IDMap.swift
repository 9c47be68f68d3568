import VarveEvents

/// Finds slots by the hashes of ids: a trie of nodes over buckets, extendible within each node.
///
///     tag 0b10_11...   node   [ A A B b ]     A and B are buckets, b is a node (marked)
///                                    \
///                              node   [ C C D D ]
///
/// A node divides by the next bits of the tag. A bucket that several neighbouring entries of a node
/// name holds the tags of them all. A full bucket is split in two halves of its entries, and where
/// one entry alone names it, a node takes its place.
///
/// The tag is the upper half of the hash, and the bits that lead to a bucket are its leading ones, so
/// splitting reads no id. Ids are never removed: their slots stay with them.
///
/// A map has the random key of the process that began it, and an image keeps it. The author of an image could
/// choose ids that collide under its key. That gains nothing that lasts: a bucket that overflows, as none does by chance,
/// is noticed at once, and the map is made again under a key that no author can know.
///
/// Invariants: the entries of a node that name one bucket are neighbours, their number is a power of
/// two, and the first one's position is a multiple of it. A bucket has at most `bucketCount` items,
/// unless their tags have no bits left that could divide them.
package struct IDMap: BitwiseCopyable, Sendable {
    private static let nodeMark: UInt32 = 1 << 31
    private static let tagBits = 32
    /// As many leading bits of a tag name the group that it is loaded with.
    private static let groupBits = 11

    /// Of tables, and so of images.
    static let nodeBitsStandard = 6
    static let bucketCountStandard = 30

    let key: KeyedHash.Key
    private let nodeBits: Int
    private let bucketCount: Int
    private(set) var root = PageNumber.none

    /// - Parameters:
    ///   - nodeBits: a node has 2 to the power of this many entries.
    ///   - bucketCount: a bucket of more items is split.
    package init(
        nodeBits: Int = IDMap.nodeBitsStandard, bucketCount: Int = IDMap.bucketCountStandard
    ) {
        precondition((1...8).contains(nodeBits) && bucketCount >= 1, "The map divides its items")
        self.nodeBits = nodeBits
        self.bucketCount = bucketCount
        key = KeyedHash.key
    }

    /// The map of an image.
    init(root: PageNumber, key: KeyedHash.Key) {
        nodeBits = Self.nodeBitsStandard
        bucketCount = Self.bucketCountStandard
        self.root = root
        self.key = key
    }

    /// The hash of an id in this map.
    package func hash(_ id: UnsafeRawBufferPointer) -> UInt64 { KeyedHash.hash(id, key: key) }

    static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash &>> 32) }

    /// The position of a tag in a node, whose level is counted in bits above it.
    private func position(_ tag: UInt32, below bits: Int) -> Int {
        Int(truncatingIfNeeded: (tag &<< UInt32(bits)) &>> UInt32(Self.tagBits &- nodeBits))
    }

    private func entryOffset(_ position: Int) -> Int { Page.headerBytes &+ 4 &* position }

    // MARK: Reading

    /// The slot of an id with this hash. `matches` says whether the id is that of a slot.
    @inline(__always)
    package func find(_ hash: UInt64, in pages: PageTable, where matches: (Slot) -> Bool) -> Slot? {
        guard root != .none else { return nil }
        let tag = Self.tag(hash)
        return bucket(of: tag, in: pages).find(tag, where: matches)
    }

    /// The bucket of a tag, in a map that has a root.
    @inline(__always)
    private func bucket(of tag: UInt32, in pages: PageTable) -> IDBucket {
        var bits = 0
        var entry = root.rawValue
        repeat {
            let node = pages[PageNumber(entry & ~Self.nodeMark)]
            entry = node.load(entryOffset(position(tag, below: bits)))
            bits &+= nodeBits
        } while entry & Self.nodeMark != 0
        return IDBucket(page: pages[PageNumber(entry)])
    }

    /// The bucket that has the slot of an id with this hash, if the map has the id.
    @inline(__always)
    func bucket(ofHash hash: UInt64, in pages: PageTable) -> IDBucket? {
        root == .none ? nil : bucket(of: Self.tag(hash), in: pages)
    }

    /// The entry of an id with this hash, in the rows whose slots the map holds.
    package func entry(
        of id: UnsafeRawBufferPointer, _ hash: UInt64, in rows: RowTree, _ pages: PageTable
    ) -> StoredRow? {
        var found: StoredRow?
        _ = find(hash, in: pages) { slot in
            let entry = rows.entry(slot, in: pages)
            guard entry.id.hasSameBytes(as: id) else { return false }
            found = entry
            return true
        }
        return found
    }

    // MARK: Changing

    /// Adds the slot of an id, with this hash, that the map does not have. Returns whether its bucket is still one
    /// that chance can make.
    @discardableResult
    package mutating func insert(
        _ hash: UInt64, _ slot: Slot, in transaction: PageTransaction
    ) -> Bool {
        insert(tag: Self.tag(hash), slot, in: transaction)
    }

    /// What became of an id.
    enum Entering {
        /// The map has it.
        case known
        /// It was added. `isByChance`: its bucket is still one that chance can make.
        case added(isByChance: Bool)
    }

    /// Adds the slot of an id with this hash where the map does not have the id.
    @inline(__always)
    mutating func enter(
        _ hash: UInt64, _ slot: Slot, in transaction: PageTransaction,
        unless matches: (Slot) -> Bool
    ) -> Entering {
        let tag = Self.tag(hash)
        if root != .none {
            let bucket = bucket(of: tag, in: transaction.pages)
            if bucket.find(tag, where: matches) != nil { return .known }
            if bucket.count < bucketCount, bucket.addInPlace(tag, slot, in: transaction) {
                return .added(isByChance: true)
            }
        }
        return .added(isByChance: insert(tag: tag, slot, in: transaction))
    }

    /// Adds ids by their hashes: the first has slot 0. They are taken in an order in which neighbours share
    /// the pages that lead to them.
    /// Returns whether chance can make all buckets.
    mutating func insertAll(_ hashes: [UInt64], in transaction: PageTransaction) -> Bool {
        let shift = UInt32(Self.tagBits - Self.groupBits)
        var ends = [Int](repeating: 0, count: 1 << Self.groupBits)
        for hash in hashes { ends[Int(Self.tag(hash) >> shift)] += 1 }
        var end = 0
        for group in ends.indices {
            (ends[group], end) = (end, end + ends[group])
        }
        let items = [(tag: UInt32, slot: UInt32)](unsafeUninitializedCapacity: hashes.count) {
            items, count in
            for (slot, hash) in hashes.enumerated() {
                let tag = Self.tag(hash)
                let group = Int(tag >> shift)
                items.initializeElement(
                    at: ends[group], to: (tag, UInt32(truncatingIfNeeded: slot)))
                ends[group] += 1
            }
            count = hashes.count
        }
        var isByChance = true
        for item in items where !insert(tag: item.tag, Slot(item.slot), in: transaction) {
            isByChance = false
        }
        return isByChance
    }

    private mutating func insert(
        tag: UInt32, _ slot: Slot, in transaction: PageTransaction
    ) -> Bool {
        if root == .none { makeRoot(in: transaction) }
        var node = transaction.mutable(&root)
        var bits = 0
        while true {
            let position = position(tag, below: bits)
            let entry: UInt32 = node.load(entryOffset(position))
            if entry & Self.nodeMark != 0 {
                var child = PageNumber(entry & ~Self.nodeMark)
                let page = transaction.mutable(&child)
                node.store(child.rawValue | Self.nodeMark, at: entryOffset(position))
                node = page
                bits += nodeBits
                continue
            }
            let bucket = IDBucket(page: transaction.pages[PageNumber(entry)])
            if bucket.count < bucketCount, bucket.addInPlace(tag, slot, in: transaction) {
                return true
            }
            let range = range(of: entry, around: position, in: node)
            let isDivisible = range.count > 1 || bits + 2 * nodeBits <= Self.tagBits
            let hasRoom = bucket.count < bucketCount
            if hasRoom || !isDivisible {
                let number = bucket.append(
                    tag, slot, PageNumber(entry), in: transaction)
                if number.rawValue != entry { set(range, of: node, to: number.rawValue) }
                return hasRoom
            }
            if range.count > 1 {
                split(bucket, PageNumber(entry), range, of: node, below: bits, in: transaction)
            } else {
                let (number, page) = makeNode(of: entry, below: bits + nodeBits, in: transaction)
                node.store(number.rawValue | Self.nodeMark, at: entryOffset(position))
                node = page
                bits += nodeBits
            }
        }
    }

    /// The map of the same ids under another key, in no order. O(n).
    func renewed(of rows: RowTree, in transaction: PageTransaction) -> IDMap {
        var generator = SystemRandomNumberGenerator()
        var map = IDMap(root: .none, key: KeyedHash.Key(using: &generator))
        var cursor = rows.cursor(in: transaction.pages)
        while let entry = cursor.nextEntry() {
            let hash = map.hash(entry.id)
            // Rows of an image may repeat an id.
            if map.entry(of: entry.id, hash, in: rows, transaction.pages) == nil {
                map.insert(hash, entry.slot, in: transaction)
            }
        }
        return map
    }

    /// Releases all pages: the map is as if it were new.
    mutating func removeAll(in transaction: PageTransaction) {
        if root != .none { release(root, in: transaction) }
        root = .none
    }

    private func release(_ number: PageNumber, in transaction: PageTransaction) {
        Self.forEachReference(transaction.pages[number], count: 1 << nodeBits) { child, isNode in
            if isNode {
                release(child, in: transaction)
            } else {
                transaction.release(child)
            }
        }
        transaction.release(number)
    }

    /// Calls `body` with what a node names, each once, and whether that is a node.
    static func forEachReference(
        _ page: Page, count: Int = 1 << nodeBitsStandard, _ body: (PageNumber, Bool) -> Void
    ) {
        var last: UInt32 = 0
        for position in 0..<count {
            let entry: UInt32 = page.load(Page.headerBytes + 4 * position)
            if entry != last { body(PageNumber(entry & ~nodeMark), entry & nodeMark != 0) }
            last = entry
        }
    }

    /// Replaces what a node of an image names by what `body` returns for it, called once for each.
    static func replaceReferences(_ page: Page, _ body: (PageNumber) -> PageNumber) {
        var (last, replacement): (UInt32, UInt32) = (0, 0)
        for position in 0..<1 << nodeBitsStandard {
            let offset = Page.headerBytes + 4 * position
            let entry: UInt32 = page.load(offset)
            if entry != last {
                replacement = body(PageNumber(entry & ~nodeMark)).rawValue | entry & nodeMark
            }
            last = entry
            page.store(replacement, at: offset)
        }
    }

    /// Of a node of an image.
    static let nodeBytes = Page.headerBytes + 4 << nodeBitsStandard

    private mutating func makeRoot(in transaction: PageTransaction) {
        let bucket = IDBucket.make(for: 1, in: transaction)
        (root, _) = makeNode(of: bucket.number.rawValue, below: 0, in: transaction)
    }

    /// A node all of whose entries name one bucket.
    private func makeNode(
        of bucket: UInt32, below bits: Int, in transaction: PageTransaction
    ) -> (PageNumber, Page) {
        let (number, page) = transaction.allocate(
            PageKind(.idNode, level: bits / nodeBits), entryOffset(1 << nodeBits))
        set(0..<1 << nodeBits, of: page, to: bucket)
        return (number, page)
    }

    private func set(_ range: Range<Int>, of node: Page, to entry: UInt32) {
        for position in range { node.store(entry, at: entryOffset(position)) }
    }

    /// The positions of the entries that name one bucket.
    private func range(of entry: UInt32, around position: Int, in node: Page) -> Range<Int> {
        var width = 1
        while width < 1 << nodeBits {
            // The other half of the aligned range that is twice as wide.
            let other = (position & ~(width - 1)) ^ width
            guard node.load(entryOffset(other), as: UInt32.self) == entry,
                node.load(entryOffset(other + width - 1), as: UInt32.self) == entry
            else { break }
            width *= 2
        }
        let start = position & ~(width - 1)
        return start..<start + width
    }

    /// Gives the items of a bucket to two new ones, one for each half of its entries.
    private func split(
        _ bucket: IDBucket, _ number: PageNumber, _ range: Range<Int>, of node: Page,
        below bits: Int, in transaction: PageTransaction
    ) {
        let middle = range.lowerBound + range.count / 2
        let upperCount = (0..<bucket.count).count {
            position(bucket.tag($0), below: bits) >= middle
        }
        let lower = IDBucket.make(for: bucket.count - upperCount, in: transaction)
        let upper = IDBucket.make(for: upperCount, in: transaction)
        for index in 0..<bucket.count {
            let isUpper = position(bucket.tag(index), below: bits) >= middle
            (isUpper ? upper : lower).bucket.add(bucket.tag(index), bucket.slot(index))
        }
        set(range.lowerBound..<middle, of: node, to: lower.number.rawValue)
        set(middle..<range.upperBound, of: node, to: upper.number.rawValue)
        transaction.release(number)
    }
}
