/// An inner node of a ``PostingTree``: for each child its first entry, how many entries it has,
/// and the reference.
///
/// The first entries are always those that the children have now, never former ones: comparing a
/// value reads the row of an entry, and only an entry that stands in the index has one.
final class PostingInner: ManagedBuffer<Int, UInt64> {
    /// Rather narrow: copying a node touches a cold line for each child that it retains. With half as many, a copy
    /// is cheaper, but there are two levels more of a million entries: saves behind a copy take as long.
    static var width: Int { 16 }
    static var mergeLimit: Int { 8 }

    static func make() -> PostingInner {
        unsafeDowncast(create(minimumCapacity: width * 4) { _ in 0 }, to: PostingInner.self)
    }

    deinit {
        let parts = parts
        // One by one: the runtime's array routines go through value witnesses.
        for position in 0..<parts.count { (parts.children + position).deinitialize(count: 1) }
    }

    struct Parts {
        let header: UnsafeMutablePointer<Int>
        let keys: UnsafeMutablePointer<UInt64>
        let ordinals: UnsafeMutablePointer<UInt64>
        let slots: UnsafeMutablePointer<UInt32>
        let counts: UnsafeMutablePointer<UInt32>
        let children: UnsafeMutablePointer<AnyObject>

        var count: Int { header.pointee }

        func first(_ position: Int) -> IndexEntry {
            IndexEntry(key: keys[position], ordinal: ordinals[position], slot: slots[position])
        }

        func setFirst(_ posting: IndexEntry, at position: Int) {
            keys[position] = posting.key
            ordinals[position] = posting.ordinal
            slots[position] = posting.slot
        }

        /// A child as a plain word: neither retained nor released.
        @inline(__always)
        func child(_ position: Int) -> UnsafeRawPointer {
            PostingLeaf.address(of: children + position)
        }

        /// The child whose entries may hold the posting: the last that does not start behind it.
        func position(of posting: IndexEntry, _ isExact: Bool, _ order: (UInt32) -> Int) -> Int {
            if isExact {
                return EntrySearch.upperBound(of: posting, keys, ordinals, count: count) - 1
            }
            var low = 0
            var high = count
            while low < high {
                let middle = (low + high) >> 1
                if posting.precedes(first(middle), isExact, order) {
                    high = middle
                } else {
                    low = middle + 1
                }
            }
            return low - 1
        }

        /// The child that the first entry with a key stands in, or would: where none starts with it, the last that
        /// starts in front of it.
        @inline(__always)
        func position(ofKey key: UInt64) -> Int {
            let starting = EntrySearch.lowerBound(of: key, in: keys, count: count)
            if starting < count, keys[starting] == key { return starting }
            return max(starting - 1, 0)
        }

        /// The child that holds the entry of a rank, which becomes the rank inside it.
        func position(ofRank rank: inout Int) -> Int {
            var position = 0
            while position < count - 1 && rank >= Int(counts[position]) {
                rank -= Int(counts[position])
                position += 1
            }
            return position
        }

        var total: Int {
            var total = 0
            for position in 0..<count { total += Int(counts[position]) }
            return total
        }

        /// Takes over what the child at the position says now.
        func refresh(_ position: Int, level: Int) {
            let (first, count) = PostingTree.summary(of: child(position), level: level)
            setFirst(first, at: position)
            counts[position] = UInt32(truncatingIfNeeded: count)
        }

        func insert(_ child: AnyObject, at position: Int, level: Int) {
            let moved = count - position
            (keys + position + 1).update(from: keys + position, count: moved)
            (ordinals + position + 1).update(from: ordinals + position, count: moved)
            (slots + position + 1).update(from: slots + position, count: moved)
            (counts + position + 1).update(from: counts + position, count: moved)
            (children + position + 1).moveInitialize(from: children + position, count: moved)
            (children + position).initialize(to: child)
            header.pointee += 1
            refresh(position, level: level)
        }

        func remove(at position: Int) {
            (children + position).deinitialize(count: 1)
            let moved = count - position - 1
            (keys + position).update(from: keys + position + 1, count: moved)
            (ordinals + position).update(from: ordinals + position + 1, count: moved)
            (slots + position).update(from: slots + position + 1, count: moved)
            (counts + position).update(from: counts + position + 1, count: moved)
            (children + position).moveInitialize(from: children + position + 1, count: moved)
            header.pointee -= 1
        }

        /// Appends children of another node, which keeps them too.
        func append(_ range: Range<Int>, of other: Parts) {
            let start = count
            (keys + start).update(from: other.keys + range.lowerBound, count: range.count)
            (ordinals + start).update(from: other.ordinals + range.lowerBound, count: range.count)
            (slots + start).update(from: other.slots + range.lowerBound, count: range.count)
            (counts + start).update(from: other.counts + range.lowerBound, count: range.count)
            Prefetch.references(
                in: other.children + range.lowerBound,
                byteCount: range.count * MemoryLayout<AnyObject>.stride)
            for (offset, position) in range.enumerated() {
                (children + start + offset).initialize(to: other.children[position])
            }
            header.pointee += range.count
        }
    }

    @inline(__always)
    static func parts(of node: UnsafeRawPointer) -> Parts {
        Unmanaged<PostingInner>.fromOpaque(node)._withUnsafeGuaranteedRef { $0.parts }
    }

    var parts: Parts {
        withUnsafeMutablePointers { header, words in
            let width = PostingInner.width
            // The words behind keys and ordinals are slots and counts in pairs, then references.
            let pairs = UnsafeMutableRawPointer(words + 2 * width)
                .assumingMemoryBound(to: UInt32.self)
            let children = UnsafeMutableRawPointer(words + 3 * width)
                .assumingMemoryBound(to: AnyObject.self)
            return Parts(
                header: header, keys: words, ordinals: words + width, slots: pairs,
                counts: pairs + width, children: children)
        }
    }

    func copy(_ range: Range<Int>) -> PostingInner {
        let copy = PostingInner.make()
        copy.parts.append(range, of: parts)
        return copy
    }

    /// Asks for all lines of a node: its columns are wanted together, and whether it is shared as well.
    @inline(__always)
    static func prefetch(_ node: UnsafeRawPointer) {
        Prefetch.lines(at: node, byteCount: 32 + 32 * width)
    }

    /// The node at `reference`, after copying it if it is shared.
    static func unique(at reference: UnsafeMutablePointer<AnyObject>) -> Parts {
        prefetch(PostingLeaf.address(of: reference))
        if !PostingLeaf.isUnique(reference) { replaceWithCopy(at: reference) }
        return parts(of: PostingLeaf.address(of: reference))
    }

    @inline(never)
    private static func replaceWithCopy(at reference: UnsafeMutablePointer<AnyObject>) {
        let old = unsafeDowncast(reference.pointee, to: PostingInner.self)
        reference.pointee = old.copy(0..<old.parts.count)
    }

    /// Adds a child to the node at `reference`, which is unique. Returns a new right neighbour
    /// where the node was full.
    static func insert(
        _ child: AnyObject, at position: Int, childLevel: Int,
        into reference: UnsafeMutablePointer<AnyObject>
    ) -> PostingInner? {
        let parts = parts(of: PostingLeaf.address(of: reference))
        if parts.count < width {
            parts.insert(child, at: position, level: childLevel)
            return nil
        }
        let full = unsafeDowncast(reference.pointee, to: PostingInner.self)
        // Behind all others: the full node stays full.
        let middle = position == width ? width : width / 2
        let left = middle == width ? full : full.copy(0..<middle)
        let right = full.copy(middle..<width)
        if position <= middle && middle < width {
            left.parts.insert(child, at: position, level: childLevel)
        } else {
            right.parts.insert(child, at: position - middle, level: childLevel)
        }
        reference.pointee = left
        return right
    }
}
