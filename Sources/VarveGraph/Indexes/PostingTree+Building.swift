extension PostingTree {
    /// A tree of entries that are in order already. O(n).
    @usableFromInline
    init(sorted postings: ContiguousArray<IndexEntry>) {
        self.init()
        guard !postings.isEmpty else { return }
        var nodes: [AnyObject] = PostingTree.leaves(of: postings)
        var height = 0
        while nodes.count > 1 {
            nodes = PostingTree.parents(of: nodes, level: height)
            height += 1
        }
        self.init(root: nodes[0], height: height, count: postings.count)
    }

    /// Leaves with a little room in each, so that the first insertions do not split all of them.
    private static func leaves(of postings: ContiguousArray<IndexEntry>) -> [AnyObject] {
        parts(of: postings.count, atMost: PostingLeaf.limit - PostingLeaf.limit / 8).map { range in
            let leaf = PostingLeaf.make(capacity: PostingLeaf.capacity(for: range.count))
            let columns = leaf.columns
            for (position, index) in range.enumerated() { columns[position] = postings[index] }
            columns.header.pointee.count = range.count
            return leaf
        }
    }

    private static func parents(of nodes: [AnyObject], level: Int) -> [AnyObject] {
        parts(of: nodes.count, atMost: PostingInner.width - PostingInner.width / 8).map { range in
            let inner = PostingInner.make()
            let parts = inner.parts
            for (position, index) in range.enumerated() {
                parts.insert(nodes[index], at: position, level: level)
            }
            return inner
        }
    }

    /// Divides a count into ranges of nearly equal length.
    private static func parts(of count: Int, atMost limit: Int) -> [Range<Int>] {
        let parts = (count + limit - 1) / limit
        return (0..<parts).map { part in
            count * part / parts..<count * (part + 1) / parts
        }
    }

    /// Entries in the order of their ordinals. O(n) by the ordinals' bytes.
    @usableFromInline
    static func inOrderOfOrdinals(
        _ parts: consuming [ContiguousArray<IndexEntry>]
    ) -> ContiguousArray<IndexEntry> {
        var entries = ContiguousArray<IndexEntry>()
        entries.reserveCapacity(parts.reduce(0) { $0 + $1.count })
        for part in parts { entries.append(contentsOf: part) }
        entries.withUnsafeMutableBufferPointer { entries in
            let spare = UnsafeMutableBufferPointer<ByOrdinal>.allocate(capacity: entries.count)
            defer { spare.deallocate() }
            entries.withMemoryRebound(to: ByOrdinal.self) { RadixSort.sort($0, spare) }
        }
        return entries
    }

    /// An entry that is sorted by its ordinal.
    private struct ByOrdinal: RadixSorted {
        let entry: IndexEntry
        var radixKey: UInt64 { entry.ordinal }
    }

    /// Entries that come in order of their ordinals, in parts, sorted by key and, where equal keys are
    /// not exact, by value. O(n) by the keys' bytes, O(n log n) comparisons of equal keys.
    ///
    /// - Parameter order: compares the rows at two slots; nil where the keys decide.
    @usableFromInline
    static func sorted(
        _ parts: consuming [ContiguousArray<IndexEntry>], isExact: (IndexEntry) -> Bool,
        order: ((UInt32, UInt32) -> Int)?
    ) -> ContiguousArray<IndexEntry> {
        var postings = sortedByKeys(parts)
        if let order { sortEqualKeys(&postings, isExact, order) }
        return postings
    }

    private static func sortEqualKeys(
        _ postings: inout ContiguousArray<IndexEntry>, _ isExact: (IndexEntry) -> Bool,
        _ order: (UInt32, UInt32) -> Int
    ) {
        var start = 0
        while start < postings.count {
            let key = postings[start].key
            var end = start + 1
            while end < postings.count && postings[end].key == key { end += 1 }
            if end - start > 1 && !isExact(postings[start]) {
                postings[start..<end].sort { first, second in
                    let order = order(first.slot, second.slot)
                    return order != 0 ? order < 0 : first.ordinal < second.ordinal
                }
            }
            start = end
        }
    }

    /// Sorts by key, stably. The first byte deals the entries out from where they are to where they belong: no
    /// memory but the result's is touched for all of them.
    private static func sortedByKeys(
        _ parts: [ContiguousArray<IndexEntry>]
    ) -> ContiguousArray<IndexEntry> {
        let count = parts.reduce(0) { $0 + $1.count }
        guard let first = parts.lazy.compactMap(\.first).first else { return [] }
        var differing: UInt64 = 0
        for part in parts { for entry in part { differing |= entry.key ^ first.key } }
        let shift = UInt64((63 - (differing | 1).leadingZeroBitCount) & ~7)
        return ContiguousArray(unsafeUninitializedCapacity: count) { entries, initialized in
            initialized = count
            RadixSort.deal(parts, by: shift, into: entries) { ends in
                guard shift > 0 else { return }
                let sizes = zip(ends, [0] + ends).lazy.map { $0 - $1 }
                let spare = UnsafeMutableBufferPointer<IndexEntry>.allocate(
                    capacity: sizes.max() ?? 0)
                defer { spare.deallocate() }
                RadixSort.sortBuckets(of: entries, endingAt: ends, spare)
            }
        }
    }

    // MARK: - Invariants

    /// Checks counts, first entries, fill and order. Traps with the rule that is broken. O(n).
    ///
    /// - Parameter order: compares the rows at two slots.
    func checkInvariants(isExact: (IndexEntry) -> Bool, order: (UInt32, UInt32) -> Int) {
        let node = UnsafeRawPointer(Unmanaged.passUnretained(root).toOpaque())
        let counted = withExtendedLifetime(root) {
            PostingTree.checkNode(node, level: height, isRoot: true)
        }
        precondition(counted == count, "an index's count differs from its entries")
        var previous: IndexEntry?
        for posting in postings {
            if let previous {
                let isOrdered = previous.precedes(posting, isExact(posting)) {
                    order(previous.slot, $0)
                }
                precondition(isOrdered, "entries of an index out of order")
            }
            previous = posting
        }
    }

    /// The identities of all nodes: what two trees share, both list.
    func nodes() -> Set<ObjectIdentifier> {
        var nodes: Set<ObjectIdentifier> = []
        PostingTree.collect(root, level: height, into: &nodes)
        return nodes
    }

    private static func collect(
        _ node: AnyObject, level: Int, into nodes: inout Set<ObjectIdentifier>
    ) {
        nodes.insert(ObjectIdentifier(node))
        guard level > 0 else { return }
        let parts = unsafeDowncast(node, to: PostingInner.self).parts
        for position in 0..<parts.count {
            collect(parts.children[position], level: level - 1, into: &nodes)
        }
    }

    private static func checkNode(_ node: UnsafeRawPointer, level: Int, isRoot: Bool) -> Int {
        if level == 0 {
            let count = PostingLeaf.columns(of: node).count
            precondition(isRoot || count > 0, "an empty leaf in an index")
            return count
        }
        let parts = PostingInner.parts(of: node)
        precondition(parts.count > (isRoot ? 1 : 0), "an inner node of an index without children")
        var total = 0
        for position in 0..<parts.count {
            let count = checkNode(parts.child(position), level: level - 1, isRoot: false)
            precondition(count == Int(parts.counts[position]), "a subtree with a wrong count")
            let first = summary(of: parts.child(position), level: level - 1).first
            precondition(first == parts.first(position), "a subtree with a wrong first entry")
            total += count
        }
        return total
    }
}
