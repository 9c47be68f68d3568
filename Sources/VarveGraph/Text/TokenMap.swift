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
    private static func hash(_ token: UInt64) -> UInt64 {
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
        var branch = unsafeDowncast(root, to: TokenBranch.self)
        var level = 0
        while true {
            let position = Self.position(hash, level)
            guard let child = branch.child(position).pointee else { return nil }
            guard branch.isBranch(position) else {
                let bucket = unsafeDowncast(child, to: TokenBucket.self)
                return bucket.position(of: token).map { bucket.entry(at: $0).pointee.list }
            }
            branch = unsafeDowncast(child, to: TokenBranch.self)
            level += 1
        }
    }

    /// Inserts a posting into a token's list. O(log n).
    mutating func insert(_ posting: Posting, of token: UInt64) {
        mutableEntry(of: token).pointee.list.insert(posting)
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
        var branch = TokenBranch.unique(at: &root)
        var level = 0
        while true {
            let position = Self.position(hash, level)
            let child = branch.child(position)
            if branch.isBranch(position) {
                branch = TokenBranch.unique(at: child)
                level += 1
                continue
            }
            if child.pointee == nil { child.pointee = TokenBucket.make(capacity: 2) }
            if let index = TokenBucket.bucket(at: child).position(of: token) {
                // A copy keeps the positions.
                return TokenBucket.makeUnique(at: child, addingOne: false).entry(at: index)
            }
            if TokenBucket.bucket(at: child).count < TokenBucket.entriesMax {
                count += 1
                return TokenBucket.makeUnique(at: child, addingOne: true)
                    .append(TokenEntry(token: token, list: PostingList()))
            }
            Self.split(child, level: level + 1)
            branch.setBranch(position, true)
        }
    }

    /// Replaces a full bucket by a branch over its entries.
    private static func split(_ reference: UnsafeMutablePointer<AnyObject?>, level: Int) {
        let bucket = TokenBucket.bucket(at: reference)
        let branch = TokenBranch.make()
        bucket.withUnsafeMutablePointerToElements { entries in
            for index in 0..<bucket.count {
                let entry = entries[index]
                let child = branch.child(position(hash(entry.token), level))
                if child.pointee == nil { child.pointee = TokenBucket.make(capacity: 2) }
                TokenBucket.makeUnique(at: child, addingOne: true).append(entry)
            }
        }
        reference.pointee = branch
    }

    /// Removes a token's entry below the branch at `reference`. An empty child goes, and a branch
    /// with one bucket left gives way to that bucket.
    private static func remove(
        _ token: UInt64, _ hash: UInt64, level: Int,
        at reference: UnsafeMutablePointer<AnyObject?>
    ) {
        let branch = TokenBranch.unique(at: reference)
        let position = position(hash, level)
        let child = branch.child(position)
        if branch.isBranch(position) {
            remove(token, hash, level: level + 1, at: child)
            shrink(child, in: branch, position)
        } else {
            let bucket = TokenBucket.makeUnique(at: child, addingOne: false)
            bucket.remove(token)
            if bucket.count == 0 { child.pointee = nil }
        }
    }

    private static func shrink(
        _ reference: UnsafeMutablePointer<AnyObject?>, in parent: TokenBranch, _ position: Int
    ) {
        let branch = unsafeDowncast(reference.pointee!, to: TokenBranch.self)
        let present = (0..<TokenBranch.width).filter { branch.child($0).pointee != nil }
        guard let only = present.first else {
            reference.pointee = nil
            return parent.setBranch(position, false)
        }
        guard present.count == 1, !branch.isBranch(only) else { return }
        reference.pointee = branch.child(only).pointee
        parent.setBranch(position, false)
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
            let branch = unsafeDowncast(node, to: TokenBranch.self)
            allocated(24 + TokenBranch.width * MemoryLayout<AnyObject?>.stride)
            for position in 0..<TokenBranch.width {
                guard let child = branch.child(position).pointee else { continue }
                visit(child, isBranch: branch.isBranch(position), allocated, body)
            }
        } else {
            let bucket = unsafeDowncast(node, to: TokenBucket.self)
            allocated(24 + Int(bucket.header.capacity) * MemoryLayout<TokenEntry>.stride)
            bucket.withUnsafeMutablePointerToElements { entries in
                for index in 0..<bucket.count { body(entries[index].token, entries[index].list) }
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
