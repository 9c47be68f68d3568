/// An inner node of an ``IDMap``: a directory of 32 bytes into its distinct children.
final class IDNode: ManagedBuffer<IDNode.Header, IDChild> {
    struct Header {
        /// One byte for each value of the node's five bits. Words, because a vector type would
        /// align the object to its width.
        var directory: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        var count = 1
    }

    static var bits: Int { 5 }
    static var width: Int { 32 }
    /// The bits of a tag, in whole nodes.
    static var pathBitCount: Int32 { 30 }

    /// The five bits of the hash that select a directory entry after `consumed` bits.
    @inline(__always)
    static func pathBits(_ hash: UInt64, consumed: Int) -> Int {
        Int(truncatingIfNeeded: hash &>> UInt64(59 &- consumed)) & 31
    }

    /// Asks for a node: its directory, and as many children as most have.
    @inline(__always)
    static func ask(for node: UnsafeRawPointer) {
        Prefetch.lines(at: node, byteCount: 64 + 12 * MemoryLayout<IDChild>.stride)
    }

    /// Puts a node in the place of a full page, which becomes the node's only child.
    ///
    /// Pages beside it, to which as many bits lead, are full soon as well. Their nodes are made with it: so they stand
    /// together, in few of the memory's own pages, and look-ups find more of the addresses of those in the processor.
    @inline(never)
    static func pushDown(
        at reference: UnsafeMutablePointer<IDChild>, of parent: UnsafeMutablePointer<IDChild>?
    ) {
        guard let parent else { return pushDown(at: reference) }
        let prefix = reference.pointee.prefix
        unsafeDowncast(parent.pointee.object, to: IDNode.self)
            .withUnsafeMutablePointers { header, children in
                for position in 0..<header.pointee.count
                where (children + position).pointee.prefix == prefix {
                    pushDown(at: children + position)
                }
            }
    }

    private static func pushDown(at reference: UnsafeMutablePointer<IDChild>) {
        let node = unsafeDowncast(
            IDNode.create(minimumCapacity: width) { _ in Header() }, to: IDNode.self)
        node.withUnsafeMutablePointerToElements { $0.initialize(to: reference.pointee) }
        reference.pointee = IDChild(object: node, count: 0, prefix: IDChild.nodePrefix)
    }

    deinit {
        withUnsafeMutablePointers { header, children in
            _ = children.deinitialize(count: header.pointee.count)
        }
    }

    /// The child of the node at `reference` that an entry leads to, after copying the node if it
    /// is shared.
    static func uniqueChild(
        at reference: UnsafeMutablePointer<IDChild>, for entry: UInt64, consumed: Int
    ) -> UnsafeMutablePointer<IDChild> {
        makeUnique(at: reference)
        return child(at: reference, for: entry, consumed: consumed)
    }

    private static func child(
        at reference: UnsafeMutablePointer<IDChild>, for entry: UInt64, consumed: Int
    ) -> UnsafeMutablePointer<IDChild> {
        unsafeDowncast(reference.pointee.object, to: IDNode.self)
            .withUnsafeMutablePointers { header, children in
                children + position(in: header, pathBits(entry, consumed: consumed))
            }
    }

    /// A function of its own, so that no local reference is counted.
    @inline(never)
    private static func makeUnique(at reference: UnsafeMutablePointer<IDChild>) {
        guard !IDChild.isUnique(reference) else { return }
        let old = unsafeDowncast(reference.pointee.object, to: IDNode.self)
        let node = unsafeDowncast(
            IDNode.create(minimumCapacity: width) { _ in old.header }, to: IDNode.self)
        let count = old.header.count
        node.withUnsafeMutablePointerToElements { target in
            old.withUnsafeMutablePointerToElements { source in
                Prefetch.references(in: source, byteCount: count * MemoryLayout<IDChild>.stride)
                for position in 0..<count {
                    (target + position).initialize(to: source[position])
                }
            }
        }
        reference.pointee.object = node
    }

    /// The child for a look-up: nothing is retained.
    @inline(__always)
    static func child(
        of node: UnsafeRawPointer, for hash: UInt64, consumed: Int
    ) -> IDChild.Unowned {
        Unmanaged<IDNode>.fromOpaque(node)._withUnsafeGuaranteedRef { node in
            node.withUnsafeMutablePointers { header, children in
                let path = pathBits(hash, consumed: consumed)
                return IDChild.Unowned(at: children + position(in: header, path))
            }
        }
    }

    @inline(__always)
    private static func position(in header: UnsafeMutablePointer<Header>, _ path: Int) -> Int {
        Int(UnsafeRawPointer(header).load(fromByteOffset: path, as: UInt8.self))
    }

    /// Splits the full page at `reference` by its next bit; the directory entries whose bit is
    /// set move to the new page. Returns the half that an entry leads to.
    @inline(never)
    static func splitPage(
        at reference: UnsafeMutablePointer<IDChild>, of parent: UnsafeMutablePointer<IDChild>,
        for entry: UInt64, consumed: Int
    ) -> UnsafeMutablePointer<IDChild> {
        let node = unsafeDowncast(parent.pointee.object, to: IDNode.self)
        node.withUnsafeMutablePointers { header, children in
            let (low, high) = IDPage.split(reference.pointee)
            let bit = consumed + bits - Int(low.prefix)
            reference.pointee = low
            let added = header.pointee.count
            (children + added).initialize(to: high)
            header.pointee.count = added + 1
            let directory = UnsafeMutableRawPointer(header).assumingMemoryBound(to: UInt8.self)
            for path in 0..<width
            where children + Int(directory[path]) == reference && (path >> bit) & 1 == 1 {
                directory[path] = UInt8(added)
            }
        }
        return child(at: parent, for: entry, consumed: consumed)
    }

    /// The entries below this node, after checking that each child is named by exactly the
    /// directory entries that its prefix says.
    func checkedEntryCount(tag: UInt32, bits: Int) -> Int {
        var total = 0
        for position in 0..<header.count {
            let (child, paths) = withUnsafeMutablePointers { header, children in
                (
                    children[position],
                    (0..<IDNode.width).filter { IDNode.position(in: header, $0) == position }
                )
            }
            guard let first = paths.first else {
                preconditionFailure("a page of an id map that no directory entry names")
            }
            let depth = child.isNode ? IDNode.bits : Int(child.prefix) - bits
            precondition(
                (0...IDNode.bits).contains(depth) && paths.count == 1 << (IDNode.bits - depth)
                    && paths.last == first + paths.count - 1,
                "a page's prefix differs from the directory entries that name it")
            let path = UInt32(first) << UInt32(32 - IDNode.bits - bits)
            total += child.checkedEntryCount(tag: tag | path, bits: bits + depth)
        }
        return total
    }
}
