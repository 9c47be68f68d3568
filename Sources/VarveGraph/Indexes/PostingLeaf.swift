/// A leaf of a ``PostingTree``: keys, ordinals and slots as three arrays in one allocation of
/// plain integers, so that a copy is three `memcpy`s.
final class PostingLeaf: ManagedBuffer<PostingLeaf.Header, UInt64> {
    struct Header {
        var count: Int
        let capacity: Int
    }

    /// Wide, because copying plain integers is cheap and each leaf costs a copied parent a line.
    static var limit: Int { 64 }
    /// Two neighbours are merged where both fit into this.
    static var mergeLimit: Int { 32 }

    /// What every empty tree has; never unique, so never written, and safe to share.
    nonisolated(unsafe) static let empty = make(capacity: 0)

    static func make(capacity: Int) -> PostingLeaf {
        unsafeDowncast(
            create(minimumCapacity: capacity * 2 + (capacity + 1) / 2) { _ in
                Header(count: 0, capacity: capacity)
            }, to: PostingLeaf.self)
    }

    /// The capacity for a count: full steps, so that little is left empty.
    static func capacity(for count: Int) -> Int {
        if count <= 8 { return 8 }
        return min((count + 15) & ~15, limit)
    }

    /// The arrays of a leaf. Nothing is retained: whoever holds the tree keeps them alive.
    struct Columns {
        let header: UnsafeMutablePointer<Header>
        let keys: UnsafeMutablePointer<UInt64>
        let ordinals: UnsafeMutablePointer<UInt64>
        let slots: UnsafeMutablePointer<UInt32>

        var count: Int { header.pointee.count }

        subscript(position: Int) -> IndexEntry {
            get {
                IndexEntry(key: keys[position], ordinal: ordinals[position], slot: slots[position])
            }
            nonmutating set {
                keys[position] = newValue.key
                ordinals[position] = newValue.ordinal
                slots[position] = newValue.slot
            }
        }

        /// Copies entries of another leaf to `position`; the arrays do not overlap.
        func copy(_ range: Range<Int>, of other: Columns, to position: Int) {
            (keys + position).update(from: other.keys + range.lowerBound, count: range.count)
            (ordinals + position).update(
                from: other.ordinals + range.lowerBound, count: range.count)
            (slots + position).update(from: other.slots + range.lowerBound, count: range.count)
        }

        /// Moves the entries from `position` on by `distance`.
        func shift(from position: Int, by distance: Int) {
            let moved = count - position
            guard moved > 0 else { return }
            let target = position + distance
            (keys + target).update(from: keys + position, count: moved)
            (ordinals + target).update(from: ordinals + position, count: moved)
            (slots + target).update(from: slots + position, count: moved)
        }

        func insert(_ posting: IndexEntry, at position: Int) {
            shift(from: position, by: 1)
            self[position] = posting
            header.pointee.count += 1
        }

        func remove(at position: Int) {
            shift(from: position + 1, by: -1)
            header.pointee.count -= 1
        }

        /// Whether a run of equal keys ends there, which probably grows at that end: a leaf that is divided there
        /// leaves the run one of its own, that becomes full and moves nothing.
        func endsRun(before position: Int, of key: UInt64) -> Bool {
            // Short runs end anywhere in a leaf: where they do says nothing of where it will grow.
            position >= 16 && keys[position - 16] == key && keys[position - 1] == key
                && keys[position] != key
        }

        /// The first position whose entry comes behind the posting.
        func upperBound(of posting: IndexEntry, _ isExact: Bool, _ order: (UInt32) -> Int) -> Int {
            if isExact {
                return EntrySearch.upperBound(of: posting, keys, ordinals, count: count)
            }
            var low = 0
            var high = count
            while low < high {
                let middle = (low + high) >> 1
                if posting.precedes(self[middle], isExact, order) {
                    high = middle
                } else {
                    low = middle + 1
                }
            }
            return low
        }
    }

    /// Asks for a whole leaf, before a search waits for one line of it after the other.
    @inline(__always)
    static func prefetch(_ node: UnsafeRawPointer) {
        Prefetch.lines(at: node, byteCount: 32 + limit * 20)
    }

    /// The arrays of the leaf at an address.
    @inline(__always)
    static func columns(of node: UnsafeRawPointer) -> Columns {
        Unmanaged<PostingLeaf>.fromOpaque(node)._withUnsafeGuaranteedRef { $0.columns }
    }

    var columns: Columns {
        withUnsafeMutablePointers { header, words in
            let capacity = header.pointee.capacity
            // The last part of the words is used as pairs of slots.
            let slots = UnsafeMutableRawPointer(words + 2 * capacity)
                .assumingMemoryBound(to: UInt32.self)
            return Columns(
                header: header, keys: words, ordinals: words + capacity, slots: slots)
        }
    }

    /// A leaf with a part of this one's entries.
    func copy(_ range: Range<Int>, capacity: Int) -> PostingLeaf {
        let copy = PostingLeaf.make(capacity: capacity)
        let columns = copy.columns
        columns.copy(range, of: self.columns, to: 0)
        columns.header.pointee.count = range.count
        return copy
    }

    /// The leaf at `reference`, after making it unique and giving it room for `count` entries.
    static func unique(
        at reference: UnsafeMutablePointer<AnyObject>, roomFor count: Int
    ) -> Columns {
        let capacity = columns(of: address(of: reference)).header.pointee.capacity
        if count > capacity || !isUnique(reference) {
            replaceWithCopy(at: reference, capacity: max(capacity, self.capacity(for: count)))
        }
        return columns(of: address(of: reference))
    }

    @inline(never)
    private static func replaceWithCopy(
        at reference: UnsafeMutablePointer<AnyObject>, capacity: Int
    ) {
        let leaf = unsafeDowncast(reference.pointee, to: PostingLeaf.self)
        reference.pointee = leaf.copy(0..<leaf.header.count, capacity: capacity)
    }

    /// Whether the object at `reference` is referenced from there only.
    ///
    /// A function of its own, so that no local reference is counted; and through the optional at
    /// the same address, because asked of an `AnyObject` the compiler counts the copy that it opens.
    @inline(never)
    static func isUnique(_ reference: UnsafeMutablePointer<AnyObject>) -> Bool {
        let object = UnsafeMutableRawPointer(reference).assumingMemoryBound(to: AnyObject?.self)
        return isKnownUniquelyReferenced(&object.pointee)
    }

    // MARK: - Inserting

    /// Inserts into the leaf at `reference`. Returns a new right neighbour where it was full.
    static func insert(
        _ posting: IndexEntry, _ isExact: Bool, _ order: (UInt32) -> Int,
        at reference: UnsafeMutablePointer<AnyObject>
    ) -> PostingLeaf? {
        let columns = columns(of: address(of: reference))
        let count = columns.count
        var position = count
        // Most runs of equal keys grow at their end, which is a leaf's, too: nothing else of it is looked at.
        if count > 0, !isExact || posting.precedes(columns[count - 1], true, order) {
            prefetch(address(of: reference))
            position = columns.upperBound(of: posting, isExact, order)
        }
        if count < limit {
            unique(at: reference, roomFor: count + 1).insert(posting, at: position)
            return nil
        }
        // In the order of the tree: the full leaf stays full. So do those of a run of equal keys,
        // whose ordinals grow.
        if position == count { return single(posting) }
        let full = unsafeDowncast(reference.pointee, to: PostingLeaf.self)
        if position == 0 {
            reference.pointee = single(posting)
            return full
        }
        let middle = columns.endsRun(before: position, of: posting.key) ? position : count / 2
        let left = full.copy(0..<middle, capacity: capacity(for: middle + 1))
        let right = full.copy(middle..<count, capacity: capacity(for: count - middle + 1))
        if position <= middle {
            left.columns.insert(posting, at: position)
        } else {
            right.columns.insert(posting, at: position - middle)
        }
        reference.pointee = left
        return right
    }

    private static func single(_ posting: IndexEntry) -> PostingLeaf {
        let leaf = make(capacity: capacity(for: 1))
        leaf.columns.insert(posting, at: 0)
        return leaf
    }

    /// A node's address, as a plain word: neither retained nor released.
    @inline(__always)
    static func address(of reference: UnsafePointer<AnyObject>) -> UnsafeRawPointer {
        UnsafeRawPointer(reference).load(as: UnsafeRawPointer.self)
    }
}
