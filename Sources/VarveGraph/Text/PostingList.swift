/// All postings of one token: a persistent list, ascending by slot, copied in O(1).
///
/// Most tokens of most texts are rare, so one posting is stored in the value itself, some in one
/// chunk, and only more of them make a tree. The type takes 16 bytes.
struct PostingList {
    /// With a node, the count below and the tree's height above; without, slot and frequency
    /// of the only posting. A list without postings is 0.
    private var bits: UInt64 = 0
    private var node: AnyObject?

    private static let heightShift: UInt64 = 56

    init() {}

    var isEmpty: Bool { node == nil && bits == 0 }

    /// How many documents have the token.
    var count: Int {
        if node == nil { return bits == 0 ? 0 : 1 }
        return Int(bits & ((1 << Self.heightShift) - 1))
    }

    private var height: Int { Int(bits >> Self.heightShift) }

    private var only: Posting {
        Posting(
            slot: UInt32(truncatingIfNeeded: bits),
            frequency: UInt32(truncatingIfNeeded: bits >> 32))
    }

    /// Inserts a posting whose slot is not there; its frequency is not 0. O(log n), and in place
    /// behind the last one.
    mutating func insert(_ posting: Posting) {
        guard node != nil else {
            if bits == 0 {
                bits = UInt64(posting.frequency) << 32 | UInt64(posting.slot)
            } else {
                let other = only
                precondition(other.slot != posting.slot, "a document that has the token already")
                node = PostingChunk.make(
                    other.slot < posting.slot ? [other, posting] : [posting, other])
                bits = 2
            }
            return
        }
        bits += 1
        let height = height
        guard
            let sibling = PostingNode.insert(posting, at: &node, level: height, isLast: true)
        else { return }
        node = PostingNode.make([PostingNode.Child(node: node, first: 0), sibling])
        bits += 1 << Self.heightShift
    }

    /// Removes a slot's posting, which is there. O(log n).
    mutating func remove(_ slot: UInt32) {
        guard node != nil else {
            precondition(bits != 0 && only.slot == slot, "a document that does not have the token")
            bits = 0
            return
        }
        let level = height
        let isEmpty = PostingNode.remove(slot, at: &node, level: level)
        precondition(!isEmpty, "a list that was shorter than its count")
        bits -= 1
        while height > 0, let root = node.map({ unsafeDowncast($0, to: PostingNode.self) }),
            root.header.count == 1
        {
            node = root.children[0].node
            bits -= 1 << Self.heightShift
        }
        if count == 1, let chunk = node {
            let last = unsafeDowncast(chunk, to: PostingChunk.self).postings[0]
            node = nil
            bits = UInt64(last.frequency) << 32 | UInt64(last.slot)
        }
    }

    /// Calls `body` with slot and frequency of each posting, ascending by slot.
    @inline(__always)
    func forEach(_ body: (UInt32, UInt32) -> Void) {
        if let node {
            PostingList.forEachChunk(below: node, height) { $0.forEach(body) }
        } else if bits != 0 {
            body(only.slot, only.frequency)
        }
    }

    private static func forEachChunk(
        below node: AnyObject, _ height: Int, _ body: (PostingChunk) -> Void
    ) {
        if height == 0 { return body(unsafeDowncast(node, to: PostingChunk.self)) }
        let node = unsafeDowncast(node, to: PostingNode.self)
        node.withUnsafeMutablePointers { header, children in
            for position in 0..<header.pointee.count {
                forEachChunk(below: children[position].node!, height - 1, body)
            }
        }
    }

    /// The slots that are both in the list and among the ascending `slots`. O(n + m).
    func intersection(with slots: ContiguousArray<UInt32>) -> ContiguousArray<UInt32> {
        var result = ContiguousArray<UInt32>()
        var next = 0
        forEach { slot, _ in
            while next < slots.count && slots[next] < slot { next += 1 }
            if next < slots.count && slots[next] == slot { result.append(slot) }
        }
        return result
    }

    // MARK: - Figures and invariants

    /// Bytes of the chunks and nodes, by what was asked of the allocator.
    var allocatedBytes: Int { node.map { Self.allocatedBytes($0, height) } ?? 0 }

    private static func allocatedBytes(_ node: AnyObject, _ height: Int) -> Int {
        if height == 0 {
            return 32 + Int(unsafeDowncast(node, to: PostingChunk.self).header.capacity)
        }
        let children = unsafeDowncast(node, to: PostingNode.self).children
        return 24 + PostingNode.width * MemoryLayout<PostingNode.Child>.stride
            + children.reduce(0) { $0 + allocatedBytes($1.node!, height - 1) }
    }

    func checkInvariants() {
        var previous: UInt32?
        var visited = 0
        forEach { slot, frequency in
            if let previous { precondition(previous < slot, "postings out of order") }
            precondition(frequency > 0, "a posting of nothing")
            previous = slot
            visited += 1
        }
        precondition(visited == count, "the count of a list is wrong")
        precondition(node == nil || count > 1, "a single posting that takes a chunk")
        if let node { Self.check(node, height, from: 0, below: nil) }
    }

    private static func check(
        _ node: AnyObject, _ height: Int, from first: UInt32, below limit: UInt32?
    ) {
        if height == 0 {
            let chunk = unsafeDowncast(node, to: PostingChunk.self)
            let postings = chunk.postings
            precondition(!postings.isEmpty, "an empty chunk")
            precondition(postings.count == chunk.header.count, "the count of a chunk is wrong")
            precondition(postings.first?.slot == chunk.header.first, "a chunk's first is wrong")
            precondition(postings.last?.slot == chunk.header.last, "a chunk's last is wrong")
            precondition(chunk.header.first >= first, "a posting left of its chunk")
            if let limit { precondition(chunk.header.last < limit, "a posting behind its chunk") }
            return
        }
        let children = unsafeDowncast(node, to: PostingNode.self).children
        precondition(!children.isEmpty && children.count <= PostingNode.width, "a node's width")
        for (index, child) in children.enumerated() {
            precondition(
                index == 0 || child.first > children[index - 1].first, "nodes out of order")
            let isLast = index == children.count - 1
            check(
                child.node!, height - 1, from: index == 0 ? min(first, child.first) : child.first,
                below: isLast ? limit : children[index + 1].first)
        }
    }
}

// Nodes and chunks are mutated only while uniquely referenced, so shared ones are immutable.
extension PostingList: @unchecked Sendable {}
