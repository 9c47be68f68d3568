/// A persistent map from tokens to their postings: a hash trie with buckets for leaves.
///
/// Copying is O(1); finding and changing a token's list are O(log n). Nodes are shared between
/// copies and mutated in place while referenced once; they are narrow, because a change
/// behind a copy copies one path for each of a document's tokens.
struct TokenMap {
    private var root: AnyObject?
    /// How many tokens have postings.
    private(set) var count = 0

    init() {}

    /// A bijection, so that distinct tokens part at some level; the upper bits depend on all of the
    /// token's. The factor is 2^64 divided by the golden ratio (Knuth, TAOCP volume 3, section 6.4).
    static func hash(_ token: UInt64) -> UInt64 {
        (token ^ token >> 31) &* 0x9E37_79B9_7F4A_7C15
    }

    /// The child that a hash leads to at a level.
    private static func position(_ hash: UInt64, _ level: Int) -> Int {
        Int((hash << UInt64(3 * level)) >> 61)
    }

    /// The postings of a token, or nil where no document has it. O(log n).
    func list(of token: UInt64) -> PostingList? {
        guard let root else { return nil }
        let hash = Self.hash(token)
        var (header, children) = parts(of: unsafeDowncast(root, to: TokenBranch.self))
        var level = 0
        return withExtendedLifetime(self) {
            while true {
                let position = Self.position(hash, level)
                let child = children + position
                if child.pointee == nil { return nil }
                guard header.pointee.isBranch(position) else {
                    guard let index = TokenBucket.position(of: token, at: child) else {
                        return nil
                    }
                    return child.parts(of: TokenBucket.self).elements[index].list
                }
                (header, children) = child.parts(of: TokenBranch.self)
                level += 1
            }
        }
    }

    /// Inserts a posting into a token's list. O(log n).
    mutating func insert(_ posting: Posting, of token: UInt64) {
        mutableEntry(of: token).pointee.list.insert(posting)
    }

    /// Gives a token, which has none, its whole list, which is not empty. O(log n).
    mutating func insert(_ list: PostingList, of token: UInt64) {
        let entry = mutableEntry(of: token)
        precondition(entry.pointee.list.isEmpty, "a token that has postings already")
        entry.pointee.list = list
    }

    /// Removes a slot's posting from a token's list, and the token with its last one. O(log n).
    mutating func remove(_ slot: UInt32, of token: UInt64) {
        let entry = mutableEntry(of: token)
        precondition(!entry.pointee.list.isEmpty, "a document that does not have the token")
        entry.pointee.list.remove(slot)
        guard entry.pointee.list.isEmpty else { return }
        Self.remove(token, Self.hash(token), level: 0, at: &root)
        count -= 1
        if count == 0 { root = nil }
    }

    /// The address of a token's entry, made now if the token is new; its path is unique. Valid until
    /// the map is changed.
    private mutating func mutableEntry(of token: UInt64) -> UnsafeMutablePointer<TokenEntry> {
        let hash = Self.hash(token)
        var (header, children) = TokenBranch.unique(at: &root)
        var level = 0
        while true {
            let position = Self.position(hash, level)
            let child = children + position
            if header.pointee.isBranch(position) {
                (header, children) = TokenBranch.unique(at: child)
                level += 1
                continue
            }
            if child.pointee == nil { child.pointee = TokenBucket.make(capacity: 2) }
            if let index = TokenBucket.position(of: token, at: child) {
                return TokenBucket.unique(at: child) + index
            }
            if TokenBucket.count(at: child) < TokenBucket.entriesMax {
                count += 1
                return TokenBucket.append(
                    TokenEntry(token: token, list: PostingList()), at: child)
            }
            Self.split(child, level: level + 1)
            header.pointee.setBranch(position, true)
        }
    }

    /// Replaces a full bucket by a branch over its entries.
    private static func split(_ reference: NodeReference, level: Int) {
        let branch = TokenBranch.make()
        let children = parts(of: branch).elements
        let entries = reference.parts(of: TokenBucket.self).elements
        for index in 0..<TokenBucket.entriesMax {
            let child = children + position(hash(entries[index].token), level)
            if child.pointee == nil { child.pointee = TokenBucket.make(capacity: 2) }
            TokenBucket.append(entries[index], at: child)
        }
        reference.pointee = branch
    }

    /// Removes a token's entry below the branch at `reference`. An empty child goes, and a branch
    /// with one bucket left gives way to that bucket.
    private static func remove(
        _ token: UInt64, _ hash: UInt64, level: Int, at reference: NodeReference
    ) {
        let (header, children) = TokenBranch.unique(at: reference)
        let position = position(hash, level)
        let child = children + position
        if header.pointee.isBranch(position) {
            remove(token, hash, level: level + 1, at: child)
            let isBranch = shrink(child)
            header.pointee.setBranch(position, isBranch)
        } else {
            guard let index = TokenBucket.position(of: token, at: child) else {
                preconditionFailure("no such token")
            }
            TokenBucket.remove(at: index, from: child)
            if TokenBucket.count(at: child) == 0 { child.pointee = nil }
        }
    }

    /// Whether the branch at `reference` is still one.
    private static func shrink(_ reference: NodeReference) -> Bool {
        let (header, children) = reference.parts(of: TokenBranch.self)
        let present = (0..<TokenBranch.width).filter { children[$0] != nil }
        if present.isEmpty {
            reference.pointee = nil
            return false
        }
        if present.count > 1 || header.pointee.isBranch(present[0]) { return true }
        let only = children[present[0]]
        reference.pointee = only
        return false
    }

    // MARK: - Figures and invariants

    /// Calls `body` with each token and its postings, in no order.
    func forEach(_ body: (UInt64, PostingList) -> Void) {
        if let root { Self.visit(root, isBranch: true, { _ in }, body) }
    }

    /// Bytes of all nodes, chunks and buckets, by what was asked of the allocator.
    var allocatedBytes: Int {
        var bytes = 0
        guard let root else { return 0 }
        Self.visit(root, isBranch: true) {
            bytes += $0
        } _: {
            bytes += $1.allocatedBytes
        }
        return bytes
    }

    private static func visit(
        _ node: AnyObject, isBranch: Bool, _ allocated: (Int) -> Void,
        _ body: (UInt64, PostingList) -> Void
    ) {
        if isBranch {
            let (header, children) = parts(of: unsafeDowncast(node, to: TokenBranch.self))
            allocated(24 + TokenBranch.width * MemoryLayout<AnyObject?>.stride)
            for position in 0..<TokenBranch.width {
                guard let child = children[position] else { continue }
                visit(child, isBranch: header.pointee.isBranch(position), allocated, body)
            }
        } else {
            let (header, entries) = parts(of: unsafeDowncast(node, to: TokenBucket.self))
            allocated(24 + Int(header.pointee.capacity) * MemoryLayout<TokenEntry>.stride)
            for index in 0..<Int(header.pointee.count) {
                body(entries[index].token, entries[index].list)
            }
        }
    }

    func checkInvariants() {
        var visited = 0
        forEach { token, list in
            precondition(!list.isEmpty, "a token that no document has")
            list.checkInvariants()
            precondition(self.list(of: token)?.count == list.count, "a token that is not found")
            visited += 1
        }
        precondition(visited == count, "the count of tokens is wrong")
    }
}

// Nodes are mutated only while uniquely referenced, so shared ones are immutable.
extension TokenMap: @unchecked Sendable {}
