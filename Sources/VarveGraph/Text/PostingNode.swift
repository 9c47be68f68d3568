/// An inner node of a long list of postings: a B+tree whose leaves are chunks.
///
/// Nodes and chunks are shared between copies of a list, and mutated in place while they are
/// referenced once. Functions take the reference to a node, not the node: a second reference would
/// make it look shared.
final class PostingNode: ManagedBuffer<PostingNode.Header, PostingNode.Child> {
    struct Header {
        var count: Int
    }

    struct Child {
        /// No posting in the child lies below; the next child's `first` lies above all of them.
        var first: UInt32
        var node: AnyObject?
    }

    /// Narrow, because copying a node retains each child.
    static let width = 16

    deinit {
        _ = withUnsafeMutablePointers { header, children in
            children.deinitialize(count: header.pointee.count)
        }
    }

    static func make(_ children: some Collection<Child>) -> PostingNode {
        let node = PostingNode.create(minimumCapacity: width) { _ in
            Header(count: children.count)
        }
        node.withUnsafeMutablePointerToElements { target in
            for (position, child) in children.enumerated() {
                (target + position).initialize(to: child)
            }
        }
        return unsafeDowncast(node, to: PostingNode.self)
    }

    var children: [Child] {
        withUnsafeMutablePointers { header, children in
            Array(UnsafeBufferPointer(start: children, count: header.pointee.count))
        }
    }

    private static func node(
        at reference: UnsafeMutablePointer<AnyObject?>
    ) -> PostingNode {
        unsafeDowncast(reference.pointee!, to: PostingNode.self)
    }

    /// The node at `reference`, after making it unique. Not to be kept beyond the caller's use.
    private static func unique(
        at reference: UnsafeMutablePointer<AnyObject?>
    ) -> PostingNode {
        if !isKnownUniquelyReferenced(&reference.pointee) {
            reference.pointee = make(node(at: reference).children)
        }
        return node(at: reference)
    }

    /// The child in which a slot's posting is or belongs.
    private static func position(
        of slot: UInt32, in children: UnsafeMutablePointer<Child>, count: Int
    ) -> Int {
        var position = count - 1
        while position > 0 && children[position].first > slot { position -= 1 }
        return position
    }

    // MARK: - Inserting

    /// Inserts a posting whose slot is not there. O(log n).
    ///
    /// - Parameter isLast: whether no posting of the list lies behind this subtree. There, full
    ///   chunks and nodes stay full, because most slots come in ascending order.
    /// - Returns: what the subtree gave up to a new sibling behind it.
    static func insert(
        _ posting: Posting, at reference: UnsafeMutablePointer<AnyObject?>, level: Int,
        isLast: Bool
    ) -> Child? {
        if level == 0 { return insert(posting, intoChunkAt: reference, isLast: isLast) }
        return unique(at: reference).withUnsafeMutablePointers { header, children in
            let count = header.pointee.count
            let position = position(of: posting.slot, in: children, count: count)
            children[position].first = min(children[position].first, posting.slot)
            let isAtEnd = isLast && position == count - 1
            let childReference = Self.reference(to: children + position)
            guard
                let added = insert(
                    posting, at: childReference, level: level - 1, isLast: isAtEnd)
            else { return nil }
            if count < width {
                insert(added, at: position + 1, in: children, count: count)
                header.pointee.count += 1
                return nil
            }
            return split(added, behind: position, header, children, isAtEnd: isAtEnd)
        }
    }

    /// The address of the reference in a child, whose first word is not it.
    private static func reference(
        to child: UnsafeMutablePointer<Child>
    ) -> UnsafeMutablePointer<AnyObject?> {
        // A child's layout is fixed: its offset is asked for, not assumed.
        let offset = MemoryLayout<Child>.offset(of: \.node)!
        return (UnsafeMutableRawPointer(child) + offset).assumingMemoryBound(to: AnyObject?.self)
    }

    private static func insert(
        _ child: Child, at position: Int, in children: UnsafeMutablePointer<Child>, count: Int
    ) {
        (children + position + 1).moveInitialize(
            from: children + position, count: count - position)
        (children + position).initialize(to: child)
    }

    private static func split(
        _ added: Child, behind position: Int, _ header: UnsafeMutablePointer<Header>,
        _ children: UnsafeMutablePointer<Child>, isAtEnd: Bool
    ) -> Child {
        var all = Array(UnsafeBufferPointer(start: children, count: width))
        all.insert(added, at: position + 1)
        let kept = isAtEnd ? width : all.count / 2
        let sibling = make(all[kept...])
        children.deinitialize(count: width)
        for index in 0..<kept { (children + index).initialize(to: all[index]) }
        header.pointee.count = kept
        return Child(first: all[kept].first, node: sibling)
    }

    private static func insert(
        _ posting: Posting, intoChunkAt reference: UnsafeMutablePointer<AnyObject?>, isLast: Bool
    ) -> Child? {
        let last = unsafeDowncast(reference.pointee!, to: PostingChunk.self).header.last
        if posting.slot > last {
            if PostingChunk.append(posting, at: reference) { return nil }
            if isLast { return Child(first: posting.slot, node: PostingChunk.make([posting])) }
        }
        var postings = unsafeDowncast(reference.pointee!, to: PostingChunk.self).postings
        let position = postings.firstIndex { $0.slot >= posting.slot } ?? postings.count
        precondition(
            position == postings.count || postings[position].slot != posting.slot,
            "a document that has the token already")
        postings.insert(posting, at: position)
        let chunks = PostingChunk.chunks(postings)
        reference.pointee = chunks.first
        return chunks.second.map { Child(first: $0.header.first, node: $0) }
    }

    // MARK: - Removing

    /// Removes a slot's posting, which is there. O(log n).
    ///
    /// - Returns: whether nothing is left; the node is then to be dropped.
    static func remove(
        _ slot: UInt32, at reference: UnsafeMutablePointer<AnyObject?>, level: Int
    ) -> Bool {
        if level == 0 { return remove(slot, fromChunkAt: reference) }
        return unique(at: reference).withUnsafeMutablePointers { header, children in
            let count = header.pointee.count
            let position = position(of: slot, in: children, count: count)
            let childReference = Self.reference(to: children + position)
            if remove(slot, at: childReference, level: level - 1) {
                drop(position, header, children)
            } else if count > 1 {
                let left = position > 0 ? position - 1 : 0
                if let joined = joined(children[left].node!, children[left + 1].node!, level) {
                    children[left].node = joined
                    drop(left + 1, header, children)
                }
            }
            return header.pointee.count == 0
        }
    }

    private static func drop(
        _ position: Int, _ header: UnsafeMutablePointer<Header>,
        _ children: UnsafeMutablePointer<Child>
    ) {
        (children + position).deinitialize(count: 1)
        (children + position).moveInitialize(
            from: children + position + 1, count: header.pointee.count - position - 1)
        header.pointee.count -= 1
    }

    /// Two neighbours in one, where they fill three quarters of it at most.
    private static func joined(
        _ left: AnyObject, _ right: AnyObject, _ level: Int
    ) -> AnyObject? {
        if level > 1 {
            let left = unsafeDowncast(left, to: PostingNode.self)
            let right = unsafeDowncast(right, to: PostingNode.self)
            guard left.header.count + right.header.count <= width * 3 / 4 else { return nil }
            return make(left.children + right.children)
        }
        let left = unsafeDowncast(left, to: PostingChunk.self)
        let right = unsafeDowncast(right, to: PostingChunk.self)
        let bytes = Int(left.header.byteCount) + Int(right.header.byteCount)
        guard bytes <= PostingChunk.bytesMax * 3 / 4 else { return nil }
        return PostingChunk.make(left.postings + right.postings)
    }

    private static func remove(
        _ slot: UInt32, fromChunkAt reference: UnsafeMutablePointer<AnyObject?>
    ) -> Bool {
        var postings = unsafeDowncast(reference.pointee!, to: PostingChunk.self).postings
        guard let position = postings.firstIndex(where: { $0.slot == slot }) else {
            preconditionFailure("a document that does not have the token")
        }
        postings.remove(at: position)
        if postings.isEmpty { return true }
        let chunks = PostingChunk.chunks(postings)
        precondition(chunks.second == nil, "a removal that lengthens a chunk")
        reference.pointee = chunks.first
        return false
    }
}
