/// An inner node of a long list of postings: a B+tree whose leaves are chunks.
///
/// Nodes and chunks are shared between copies of a list, and mutated in place while they are
/// referenced once.
final class PostingNode: ManagedBuffer<PostingNode.Header, PostingNode.Child> {
    struct Header {
        var count: Int
    }

    struct Child {
        var node: AnyObject?
        /// No posting in the child lies below; the next child's `first` lies above all of them.
        var first: UInt32
    }

    /// Narrow, because copying a node retains each child.
    static let width = 16

    deinit {
        _ = withUnsafeMutablePointers { header, children in
            children.deinitialize(count: header.pointee.count)
        }
    }

    static func make(_ children: some Collection<Child>) -> PostingNode {
        precondition(children.count <= width, "a node of postings that is too wide")
        let node = PostingNode.create(minimumCapacity: width) { _ in
            Header(count: children.count)
        }
        node.withUnsafeMutablePointerToElements { target in
            var position = 0
            for child in children {
                (target + position).initialize(to: child)
                position += 1
            }
        }
        return unsafeDowncast(node, to: PostingNode.self)
    }

    var children: [Child] {
        withUnsafeMutablePointers { header, children in
            Array(UnsafeBufferPointer(start: children, count: header.pointee.count))
        }
    }

    /// The parts of the node at `reference`, after making it unique.
    @inline(__always)
    private static func unique(
        at reference: NodeReference
    ) -> (header: UnsafeMutablePointer<Header>, elements: UnsafeMutablePointer<Child>) {
        if !isKnownUniquelyReferenced(&reference.pointee) { copy(at: reference) }
        return reference.parts(of: PostingNode.self)
    }

    @inline(never)
    private static func copy(at reference: NodeReference) {
        let (header, children) = reference.parts(of: PostingNode.self)
        Prefetch.references(
            in: children, byteCount: header.pointee.count * MemoryLayout<Child>.stride)
        reference.pointee = make(
            UnsafeBufferPointer(start: children, count: header.pointee.count))
    }

    /// The child in which a slot's posting is or belongs.
    @inline(__always)
    private static func position(
        of slot: UInt32, in children: UnsafeMutablePointer<Child>, count: Int
    ) -> Int {
        var position = count - 1
        while position > 0 && children[position].first > slot { position -= 1 }
        return position
    }

    /// The address of a child's reference, the first field of the child.
    @inline(__always)
    private static func reference(to child: UnsafeMutablePointer<Child>) -> NodeReference {
        UnsafeMutableRawPointer(child).assumingMemoryBound(to: AnyObject?.self)
    }
}

// MARK: - Inserting

extension PostingNode {
    /// Inserts a posting whose slot is not there. O(log n).
    ///
    /// - Parameter isLast: whether no posting of the list lies behind this subtree. There, full
    ///   chunks and nodes stay full, because most slots come in ascending order.
    /// - Returns: what the subtree gave up to a new sibling behind it.
    static func insert(
        _ posting: Posting, at reference: NodeReference, level: Int, isLast: Bool
    ) -> Child? {
        if level == 0 {
            return PostingChunk.insert(posting, at: reference, isLast: isLast)
                .map { Child(node: $0, first: $0.header.first) }
        }
        let (header, children) = unique(at: reference)
        let count = header.pointee.count
        let position = position(of: posting.slot, in: children, count: count)
        children[position].first = min(children[position].first, posting.slot)
        let isAtEnd = isLast && position == count - 1
        guard
            let added = insert(
                posting, at: Self.reference(to: children + position), level: level - 1,
                isLast: isAtEnd)
        else { return nil }
        if count == width { return split(at: reference, adding: added, position + 1, isAtEnd) }
        (children + position + 2).moveInitialize(
            from: children + position + 1, count: count - position - 1)
        (children + position + 1).initialize(to: added)
        header.pointee.count += 1
        return nil
    }

    private static func split(
        at reference: NodeReference, adding added: Child, _ position: Int, _ isAtEnd: Bool
    ) -> Child {
        var all = unsafeDowncast(reference.pointee!, to: PostingNode.self).children
        all.insert(added, at: position)
        let kept = isAtEnd ? width : all.count / 2
        reference.pointee = make(all[..<kept])
        return Child(node: make(all[kept...]), first: all[kept].first)
    }
}

// MARK: - Removing

extension PostingNode {
    /// Removes a slot's posting, which is there. O(log n).
    ///
    /// - Returns: whether nothing is left; the node is then to be dropped.
    static func remove(_ slot: UInt32, at reference: NodeReference, level: Int) -> Bool {
        if level == 0 { return PostingChunk.remove(slot, at: reference) }
        let (header, children) = unique(at: reference)
        let position = position(of: slot, in: children, count: header.pointee.count)
        let child = Self.reference(to: children + position)
        if remove(slot, at: child, level: level - 1) {
            drop(position, header, children)
        } else if header.pointee.count > 1 && isSmall(child, level - 1) {
            let left = max(position - 1, 0)
            if let joined = joined(children[left].node!, children[left + 1].node!, level) {
                children[left].node = joined
                drop(left + 1, header, children)
            }
        }
        return header.pointee.count == 0
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

    /// Whether a node or chunk is less than a third full, and may join a neighbour.
    private static func isSmall(_ reference: NodeReference, _ level: Int) -> Bool {
        if level > 0 {
            return reference.parts(of: PostingNode.self).header.pointee.count < width / 3
        }
        let bytes = reference.parts(of: PostingChunk.self).header.pointee.byteCount
        return Int(bytes) < PostingChunk.bytesMax / 3
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
}
