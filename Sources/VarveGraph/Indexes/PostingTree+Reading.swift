extension PostingTree {
    /// The number of entries in front of a bound. O(log n).
    ///
    /// - Parameters:
    ///   - isExact: whether equal keys mean equal values; then `order` is not called.
    ///   - isBehindEqual: whether entries equal to the bound's value stand in front of it.
    ///   - order: compares the bound's value with that of the row at a slot.
    @usableFromInline
    func rank(
        ofBound key: UInt64, isExact: Bool, isBehindEqual: Bool, order: (UInt32) -> Int
    ) -> Int {
        func isBefore(_ entryKey: UInt64, _ slot: UInt32) -> Bool {
            if entryKey != key { return entryKey < key }
            if isExact { return isBehindEqual }
            let order = order(slot)
            return order > 0 || (order == 0 && isBehindEqual)
        }
        return withExtendedLifetime(root) {
            var node = UnsafeRawPointer(Unmanaged.passUnretained(root).toOpaque())
            var rank = 0
            for _ in 0..<height {
                let parts = PostingInner.parts(of: node)
                let starting = PostingTree.partition(parts.count) {
                    isBefore(parts.keys[$0], parts.slots[$0])
                }
                // The last child that starts in front of the bound is the one that it divides.
                guard starting > 0 else { return rank }
                for position in 0..<starting - 1 { rank += Int(parts.counts[position]) }
                node = parts.child(starting - 1)
            }
            // The keys, which are half of it.
            Prefetch.lines(at: node, byteCount: 32 + PostingLeaf.limit * 8)
            let columns = PostingLeaf.columns(of: node)
            return rank
                + PostingTree.partition(columns.count) {
                    isBefore(columns.keys[$0], columns.slots[$0])
                }
        }
    }

    /// The entries with a key of an index in which equal keys are exact. O(log n).
    @usableFromInline
    func ranks(ofKey key: UInt64) -> Range<Int> {
        withExtendedLifetime(root) {
            var node = UnsafeRawPointer(Unmanaged.passUnretained(root).toOpaque())
            var rank = 0
            for _ in 0..<height {
                let parts = PostingInner.parts(of: node)
                let starting = EntrySearch.lowerBound(of: key, in: parts.keys, count: parts.count)
                guard starting > 0 else { return 0..<end(ofKey: key) }
                for position in 0..<starting - 1 { rank += Int(parts.counts[position]) }
                node = parts.child(starting - 1)
            }
            // The keys, which are half of it.
            Prefetch.lines(at: node, byteCount: 32 + PostingLeaf.limit * 8)
            let columns = PostingLeaf.columns(of: node)
            let start = EntrySearch.lowerBound(of: key, in: columns.keys, count: columns.count)
            var end = start
            while end < columns.count, columns.keys[end] == key { end += 1 }
            // Entries that reach the end of a leaf may go on in the next.
            return rank + start..<(end < columns.count ? rank + end : self.end(ofKey: key))
        }
    }

    private func end(ofKey key: UInt64) -> Int {
        rank(ofBound: key, isExact: true, isBehindEqual: true) { _ in 0 }
    }

    /// Whether any entry has the key. O(log n), in one descent that counts nothing: what a save asks
    /// of a unique index, and the answer is nearly always no.
    @usableFromInline
    func hasEntry(withKey key: UInt64) -> Bool {
        withExtendedLifetime(root) {
            var node = UnsafeRawPointer(Unmanaged.passUnretained(root).toOpaque())
            for _ in 0..<height {
                PostingInner.prefetch(node)
                let parts = PostingInner.parts(of: node)
                let starting = EntrySearch.lowerBound(of: key, in: parts.keys, count: parts.count)
                // What stands behind the last entry of a child is the first of the next.
                if starting < parts.count && parts.keys[starting] == key { return true }
                guard starting > 0 else { return false }
                node = parts.child(starting - 1)
            }
            Prefetch.lines(at: node, byteCount: 32 + PostingLeaf.limit * 8)
            let columns = PostingLeaf.columns(of: node)
            let position = EntrySearch.lowerBound(of: key, in: columns.keys, count: columns.count)
            return position < columns.count && columns.keys[position] == key
        }
    }

    /// Asks the processor for the leaves in which the first entries with these keys stand or would.
    ///
    /// All keys descend together, so that the nodes of a level come side by side.
    @usableFromInline
    func ask(for keys: UnsafeBufferPointer<UInt64>) {
        withExtendedLifetime(root) {
            let root = UnsafeRawPointer(Unmanaged.passUnretained(root).toOpaque())
            withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: keys.count) {
                nodes in
                nodes.initialize(repeating: root)
                for level in 0..<height {
                    for (position, key) in keys.enumerated() {
                        let parts = PostingInner.parts(of: nodes[position])
                        let child = parts.child(parts.position(ofKey: key))
                        if level == height - 1 {
                            PostingLeaf.prefetch(child)
                        } else {
                            PostingInner.prefetch(child)
                        }
                        nodes[position] = child
                    }
                }
            }
        }
    }

    /// How many of the first `count` positions satisfy a condition that none satisfies behind one
    /// that does not.
    @inline(__always)
    private static func partition(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) >> 1
            if isBefore(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The position of an entry, found by the order; nil where that does not lead to it.
    func rank(of posting: IndexEntry, _ isExact: Bool, _ order: (UInt32) -> Int) -> Int? {
        withExtendedLifetime(root) {
            var node = UnsafeRawPointer(Unmanaged.passUnretained(root).toOpaque())
            var rank = 0
            for _ in 0..<height {
                let parts = PostingInner.parts(of: node)
                let position = parts.position(of: posting, isExact, order)
                guard position >= 0 else { return nil }
                for before in 0..<position { rank += Int(parts.counts[before]) }
                node = parts.child(position)
            }
            PostingLeaf.prefetch(node)
            let columns = PostingLeaf.columns(of: node)
            let position = columns.upperBound(of: posting, isExact, order) - 1
            guard position >= 0, columns[position] == posting else { return nil }
            return rank + position
        }
    }

    /// The position of an entry, found by a walk over all of them.
    func searchedRank(of posting: IndexEntry) -> Int? {
        var rank = 0
        var found: Int?
        forEachSpan(in: 0..<count) { span in
            for index in 0..<span.count where span[index] == posting {
                found = rank + index
                return false
            }
            rank += span.count
            return true
        }
        return found
    }

    /// The slot of the entry at a position. O(log n).
    func slot(atRank rank: Int) -> UInt32 {
        precondition(rank >= 0 && rank < count, "a rank beyond an index")
        return withExtendedLifetime(root) {
            var node = UnsafeRawPointer(Unmanaged.passUnretained(root).toOpaque())
            var rank = rank
            for _ in 0..<height {
                let parts = PostingInner.parts(of: node)
                node = parts.child(parts.position(ofRank: &rank))
            }
            return PostingLeaf.columns(of: node).slots[rank]
        }
    }

    /// Calls `body` with the entries of a range of ranks, leaf by leaf, until it returns false.
    ///
    /// With `isReversed` the leaves come last first; the entries of each stay in order.
    @usableFromInline
    func forEachSpan(
        in range: Range<Int>, isReversed: Bool = false, _ body: (IndexEntrySpan) -> Bool
    ) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "ranks beyond an index")
        guard !range.isEmpty else { return }
        withExtendedLifetime(root) {
            let node = UnsafeRawPointer(Unmanaged.passUnretained(root).toOpaque())
            _ = PostingTree.visit(node, height, range, isReversed, body)
        }
    }

    private static func visit(
        _ node: UnsafeRawPointer, _ level: Int, _ range: Range<Int>, _ isReversed: Bool,
        _ body: (IndexEntrySpan) -> Bool
    ) -> Bool {
        if level == 0 {
            let columns = PostingLeaf.columns(of: node)
            let start = range.lowerBound
            return body(
                IndexEntrySpan(
                    keys: columns.keys + start, ordinals: columns.ordinals + start,
                    slots: columns.slots + start, count: range.count))
        }
        let parts = PostingInner.parts(of: node)
        var start = isReversed ? parts.total : 0
        for step in 0..<parts.count {
            let position = isReversed ? parts.count - 1 - step : step
            let count = Int(parts.counts[position])
            if isReversed { start -= count }
            let end = start + count
            // Most nodes are on the way to a few entries: what lies beside is passed quickly.
            if end > range.lowerBound && start < range.upperBound {
                let local =
                    max(range.lowerBound, start) - start..<min(range.upperBound, end) - start
                guard visit(parts.child(position), level - 1, local, isReversed, body) else {
                    return false
                }
            }
            if isReversed ? start <= range.lowerBound : end >= range.upperBound { return true }
            if !isReversed { start = end }
        }
        return true
    }

    /// All entries in order. O(n).
    var postings: [IndexEntry] {
        var all: [IndexEntry] = []
        all.reserveCapacity(count)
        forEachSpan(in: 0..<count) { span in
            for index in 0..<span.count { all.append(span[index]) }
            return true
        }
        return all
    }
}
