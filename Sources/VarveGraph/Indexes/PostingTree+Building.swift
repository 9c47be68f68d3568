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

    /// Sorts by key, stably: by the highest byte that differs, then each bucket by its own. Hashes and
    /// prefixes of texts are apart after two or three of their eight bytes.
    ///
    /// The first byte deals the entries out from where they are to where they belong: no memory but the
    /// result's is touched for all of them.
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
            withUnsafeTemporaryAllocation(of: Int.self, capacity: 257) { ends in
                ends.initialize(repeating: 0)
                for part in parts {
                    for entry in part { ends[Int(entry.key &>> shift & 0xFF) + 1] += 1 }
                }
                let largest = ends.max() ?? 0
                for digit in 0..<256 { ends[digit + 1] += ends[digit] }
                // Each start moves to its bucket's end while the bucket is filled.
                for part in parts {
                    for entry in part {
                        let digit = Int(entry.key &>> shift & 0xFF)
                        entries.initializeElement(at: ends[digit], to: entry)
                        ends[digit] += 1
                    }
                }
                guard shift > 0 else { return }
                sortBuckets(of: entries, endingAt: ends, largest: largest)
            }
        }
    }

    private static func sortBuckets(
        of entries: UnsafeMutableBufferPointer<IndexEntry>,
        endingAt ends: UnsafeMutableBufferPointer<Int>, largest: Int
    ) {
        let spare = UnsafeMutableBufferPointer<IndexEntry>.allocate(capacity: largest)
        defer { spare.deallocate() }
        var start = 0
        for digit in 0..<256 {
            let bucket = UnsafeMutableBufferPointer(rebasing: entries[start..<ends[digit]])
            if bucket.count > 1 { sortByKeys(bucket, spare) }
            start = ends[digit]
        }
    }

    /// At most eight calls deep: each leaves a byte less that differs. Entries are plain values, so that the
    /// spare memory need not be initialised.
    private static func sortByKeys(
        _ entries: UnsafeMutableBufferPointer<IndexEntry>,
        _ spare: UnsafeMutableBufferPointer<IndexEntry>
    ) {
        guard entries.count > 24 else { return insertionSort(entries) }
        var differing: UInt64 = 0
        for entry in entries { differing |= entry.key ^ entries[0].key }
        guard differing != 0 else { return }
        let shift = UInt64((63 - differing.leadingZeroBitCount) & ~7)
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 257) { ends in
            ends.initialize(repeating: 0)
            for entry in entries { ends[Int(entry.key &>> shift & 0xFF) + 1] += 1 }
            for digit in 0..<256 { ends[digit + 1] += ends[digit] }
            // Each start moves to its part's end while the part is filled.
            for entry in entries {
                let digit = Int(entry.key &>> shift & 0xFF)
                spare.initializeElement(at: ends[digit], to: entry)
                ends[digit] += 1
            }
            _ = entries.update(fromContentsOf: spare[..<entries.count])
            guard shift > 0 else { return }
            var start = 0
            for digit in 0..<256 {
                let part = start..<ends[digit]
                if part.count > 1 {
                    sortByKeys(
                        UnsafeMutableBufferPointer(rebasing: entries[part]),
                        UnsafeMutableBufferPointer(rebasing: spare[part]))
                }
                start = part.upperBound
            }
        }
    }

    private static func insertionSort(_ entries: UnsafeMutableBufferPointer<IndexEntry>) {
        for index in entries.indices.dropFirst() {
            let entry = entries[index]
            var position = index
            while position > 0, entries[position - 1].key > entry.key {
                entries[position] = entries[position - 1]
                position -= 1
            }
            entries[position] = entry
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
