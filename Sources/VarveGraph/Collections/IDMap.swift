/// A persistent map from a 64-bit hash to slots: extendible hashing in radix form.
///
/// It keeps the upper half of each hash (the tag) and a slot, never the key itself: the caller
/// compares candidates with the id that the slot's row holds. Inner nodes consume five bits of the
/// tag and name each distinct page once, through a directory of bytes, so that reference counts tell the
/// truth about sharing. Pages are sorted, and tags spread evenly, so that the place of a tag in
/// its page is computed: a look-up touches one or two lines of the page. Copying is O(1);
/// finding and inserting are O(log n). An entry takes about ten bytes.
///
/// It holds ids, and the values of unique indexes. A slot, once given to an id, keeps it: entries of ids are removed
/// only where the transaction that made them came to nothing.
@usableFromInline
struct IDMap {
    var root: IDChild
    /// The root as plain words, so that a look-up neither retains nor releases anything.
    @usableFromInline var rootAddress: IDChild.Unowned
    var count = 0

    @usableFromInline
    init() {
        root = IDChild(
            object: IDPage.make(capacity: IDPage.firstCapacity), count: 0, prefix: 0)
        rootAddress = IDChild.Unowned(root)
    }

    /// The first slot under `hash` that `matches` accepts. O(log n) and a comparison per candidate.
    @inlinable
    func find(_ hash: UInt64, matches: (Slot) -> Bool) -> Slot? {
        for entry in candidates(for: hash) where matches(IDEntry.slot(entry)) {
            return IDEntry.slot(entry)
        }
        return nil
    }

    /// Adds an entry. The caller has made sure that no equal key is there, or does not mind.
    ///
    /// - Returns: how many entries have its tag now, among which look-ups search.
    @discardableResult
    @usableFromInline
    mutating func insert(_ hash: UInt64, _ slot: Slot) -> Int {
        count += 1
        let entry = IDEntry.make(hash, slot)
        var equalCount = 0
        rootAddress = withUnsafeMutablePointer(to: &root) { root in
            equalCount = IDMap.insert(entry, below: root)
            return IDChild.Unowned(at: root)
        }
        return equalCount
    }

    /// Whether an entry is there.
    func contains(_ hash: UInt64, _ slot: Slot) -> Bool {
        candidates(for: hash).contains(IDEntry.make(hash, slot))
    }

    /// Removes an entry that is there. Pages get smaller, and go with the last entry.
    @usableFromInline
    mutating func remove(_ hash: UInt64, _ slot: Slot) {
        guard count > 1 else {
            precondition(contains(hash, slot), "an entry that is removed is there")
            self = IDMap()
            return
        }
        count -= 1
        let entry = IDEntry.make(hash, slot)
        rootAddress = withUnsafeMutablePointer(to: &root) { root in
            var reference = root
            var consumed = 0
            while reference.pointee.prefix == IDChild.nodePrefix {
                reference = IDNode.uniqueChild(at: reference, for: entry, consumed: consumed)
                consumed += IDNode.bits
            }
            IDPage.remove(entry, at: reference)
            return IDChild.Unowned(at: root)
        }
    }

    /// Removes an entry of a slot, whatever its hash is. O(n).
    mutating func remove(_ slot: Slot) {
        let entry = withUnsafePointer(to: root) { IDMap.entry(of: slot, below: $0) }
        if let entry { remove(entry, slot) }
    }

    private static func entry(of slot: Slot, below child: UnsafePointer<IDChild>) -> UInt64? {
        guard child.pointee.isNode else {
            let page = UnsafeRawPointer(Unmanaged.passUnretained(child.pointee.object).toOpaque())
            return UnsafeBufferPointer(
                start: IDPage.entries(of: page), count: Int(child.pointee.count)
            ).first { IDEntry.slot($0) == slot }
        }
        return unsafeDowncast(child.pointee.object, to: IDNode.self)
            .withUnsafeMutablePointers { header, children in
                for position in 0..<header.pointee.count {
                    if let entry = entry(of: slot, below: children + position) { return entry }
                }
                return nil
            }
    }

    /// Descends to the page of an entry, splitting full pages on the way.
    ///
    /// A page that is still full after all path bits are consumed grows instead: equal tags
    /// cannot be told apart by more bits.
    private static func insert(
        _ entry: UInt64, below root: UnsafeMutablePointer<IDChild>
    ) -> Int {
        var reference = root
        // Where the node stands that `reference` points into: as a place, because a second reference
        // would make the node look shared.
        var parent: UnsafeMutablePointer<IDChild>?
        var consumed = 0
        while true {
            // Fields are read one by one: a copy of the whole would be counted.
            let prefix = reference.pointee.prefix
            if prefix == IDChild.nodePrefix {
                parent = reference
                reference = IDNode.uniqueChild(at: reference, for: entry, consumed: consumed)
                consumed += IDNode.bits
            } else if reference.pointee.count < IDPage.limit || prefix >= IDNode.pathBitCount {
                return IDPage.insert(entry, at: reference)
            } else if let parent, prefix < consumed {
                reference = IDNode.splitPage(
                    at: reference, of: parent, for: entry, consumed: consumed - IDNode.bits)
            } else {
                IDNode.pushDown(at: reference, of: parent)
            }
        }
    }

    /// The entries with the tag of `hash`: mostly one or none. Valid until the map is mutated or
    /// destroyed.
    @inlinable @inline(__always)
    func candidates(for hash: UInt64) -> UnsafeBufferPointer<UInt64> {
        IDMap.candidates(for: hash, below: rootAddress)
    }

    @usableFromInline
    static func candidates(
        for hash: UInt64, below root: IDChild.Unowned
    ) -> UnsafeBufferPointer<UInt64> {
        var child = root
        var consumed = 0
        while child.prefix == IDChild.nodePrefix {
            // Its directory and the child that this leads to are waited for together.
            if consumed >= IDMap.nearBitCount { IDNode.ask(for: child.object) }
            child = IDNode.child(of: child.object, for: hash, consumed: consumed)
            consumed += IDNode.bits
        }
        let entries = IDPage.entries(of: child.object)
        let start = IDPage.lowerBound(
            IDEntry.tag(hash), in: entries, count: Int(child.count), prefix: child.prefix)
        var end = start
        while end < Int(child.count) && IDEntry.tag(entries[end]) == IDEntry.tag(hash) { end += 1 }
        return UnsafeBufferPointer(start: entries + start, count: end - start)
    }

    /// Asks the processor for the pages of these hashes, each where its entry stands or would, and behind: what
    /// insertions look at.
    @usableFromInline
    func ask(for hashes: UnsafeBufferPointer<UInt64>) {
        // The nodes of several come together as far as the processor looks ahead.
        for hash in hashes { askForPage(of: hash, from: Path(child: rootAddress)) }
    }

    /// Asks for no more of the pages than look-ups need.
    @usableFromInline
    func askToFind(_ hashes: UnsafeBufferPointer<UInt64>) {
        for hash in hashes {
            IDPage.askToFind(hash, in: page(of: hash, from: Path(child: rootAddress)))
        }
    }

    /// Asks for the page of a hash. In a large map the node above it is waited for, too: `body` may ask for other
    /// things meanwhile.
    @inlinable @inline(__always)
    func ask(for hash: UInt64, meanwhile body: () -> Void) {
        let path = askForNode(of: hash)
        body()
        askForPage(of: hash, from: path)
    }

    /// A place on the way to a page.
    @usableFromInline
    struct Path {
        fileprivate(set) var child: IDChild.Unowned
        fileprivate(set) var consumed = 0

        @inline(__always)
        fileprivate mutating func descend(by hash: UInt64) {
            child = IDNode.child(of: child.object, for: hash, consumed: consumed)
            consumed += IDNode.bits
        }
    }

    /// The nodes of two levels are few enough to be in the caches.
    private static var nearBitCount: Int { 2 * IDNode.bits }

    /// Asks for the first node on the way that is rarely in a cache, and returns how far that is.
    @usableFromInline
    func askForNode(of hash: UInt64) -> Path {
        var path = Path(child: rootAddress)
        while path.child.prefix == IDChild.nodePrefix, path.consumed < IDMap.nearBitCount {
            path.descend(by: hash)
        }
        if path.child.prefix == IDChild.nodePrefix { IDNode.ask(for: path.child.object) }
        return path
    }

    @usableFromInline
    func askForPage(of hash: UInt64, from path: Path) {
        IDPage.ask(for: hash, in: page(of: hash, from: path))
    }

    @inline(__always)
    private func page(of hash: UInt64, from path: Path) -> IDChild.Unowned {
        var path = path
        while path.child.prefix == IDChild.nodePrefix { path.descend(by: hash) }
        return path.child
    }

    // MARK: - Invariants

    /// Every page holds exactly the tags that its place in the directory says, in order. O(n).
    func checkInvariants() {
        precondition(
            root.checkedEntryCount(tag: 0, bits: 0) == count,
            "an id map's count differs from its entries")
    }

    /// The identities of all nodes and pages: what two maps share, both list.
    func nodes() -> Set<ObjectIdentifier> {
        var nodes: Set<ObjectIdentifier> = []
        root.collect(into: &nodes)
        return nodes
    }
}

// Pages and nodes are mutated only while uniquely referenced, so shared ones are immutable.
extension IDMap: @unchecked Sendable {}

/// An entry of an ``IDMap``: the upper half of a hash, the tag, above a slot.
@usableFromInline
enum IDEntry {
    @inlinable @inline(__always)
    static func make(_ hash: UInt64, _ slot: Slot) -> UInt64 {
        hash & 0xFFFF_FFFF_0000_0000 | UInt64(slot.rawValue)
    }

    @inlinable @inline(__always)
    static func slot(_ entry: UInt64) -> Slot { Slot(UInt32(truncatingIfNeeded: entry)) }

    /// Of an entry or of a hash.
    @inlinable @inline(__always)
    static func tag(_ entry: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: entry >> 32) }
}

/// A reference to a page or an inner node of an ``IDMap``. What a look-up wants to know about a page
/// stands beside the reference, so that it need not wait for the page's own header.
@usableFromInline
struct IDChild {
    var object: AnyObject
    /// Entries of a page; 0 beside a node.
    var count: Int32
    /// How many leading bits all tags of a page share; ``nodePrefix`` beside a node.
    var prefix: Int32

    static var nodePrefix: Int32 { -1 }

    /// Whether the object at `reference` is referenced from there only.
    ///
    /// A function of its own, so that no local reference is counted; and through the optional at
    /// the same address, because asked of an `AnyObject` the compiler counts the copy that it opens.
    @inline(never)
    static func isUnique(_ reference: UnsafeMutablePointer<IDChild>) -> Bool {
        let object = UnsafeMutableRawPointer(reference).assumingMemoryBound(to: AnyObject?.self)
        return isKnownUniquelyReferenced(&object.pointee)
    }

    var isNode: Bool { prefix == IDChild.nodePrefix }

    /// The map as plain words: neither retained nor released.
    @usableFromInline
    struct Unowned {
        let object: UnsafeRawPointer
        let count: Int32
        let prefix: Int32

        init(_ child: IDChild) {
            object = UnsafeRawPointer(Unmanaged.passUnretained(child.object).toOpaque())
            count = child.count
            prefix = child.prefix
        }

        /// Field by field: a copy of the whole would be counted.
        @inline(__always)
        init(at child: UnsafeMutablePointer<IDChild>) {
            object = UnsafeRawPointer(child).load(as: UnsafeRawPointer.self)
            count = child.pointee.count
            prefix = child.pointee.prefix
        }
    }

    func collect(into nodes: inout Set<ObjectIdentifier>) {
        nodes.insert(ObjectIdentifier(object))
        guard isNode else { return }
        unsafeDowncast(object, to: IDNode.self).withUnsafeMutablePointers { header, children in
            for position in 0..<header.pointee.count { children[position].collect(into: &nodes) }
        }
    }

    /// The entries below, after checking that all of their tags start with the first `bits` of `tag`.
    func checkedEntryCount(tag: UInt32, bits: Int) -> Int {
        if isNode {
            return unsafeDowncast(object, to: IDNode.self).checkedEntryCount(tag: tag, bits: bits)
        }
        let entries = IDPage.entries(
            of: UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
        let shared = bits == 0 ? 0 : UInt32.max << UInt32(32 - bits)
        precondition(bits == Int(prefix), "a page's prefix differs from its place")
        for position in 0..<Int(count) {
            precondition(
                IDEntry.tag(entries[position]) & shared == tag & shared,
                "an id map entry stands in a page that its tag does not lead to")
            precondition(
                position == 0 || entries[position - 1] <= entries[position]
                    || IDEntry.tag(entries[position - 1]) == IDEntry.tag(entries[position]),
                "the entries of a page are out of order")
        }
        return Int(count)
    }
}
