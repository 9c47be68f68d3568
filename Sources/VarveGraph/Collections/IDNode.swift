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

    static func make(holding child: IDChild) -> IDChild {
        let node = unsafeDowncast(
            IDNode.create(minimumCapacity: width) { _ in Header() }, to: IDNode.self)
        node.withUnsafeMutablePointerToElements { $0.initialize(to: child) }
        return reference(to: node)
    }

    private static func reference(to node: IDNode) -> IDChild {
        IDChild(object: node, count: 0, prefix: IDChild.nodePrefix)
    }

    deinit {
        withUnsafeMutablePointers { header, children in
            _ = children.deinitialize(count: header.pointee.count)
        }
    }

    /// The node at `reference`, after copying it if it is shared.
    @inline(never)
    static func unique(at reference: UnsafeMutablePointer<IDChild>) -> IDNode {
        if !isKnownUniquelyReferenced(&reference.pointee.object) {
            let old = unsafeDowncast(reference.pointee.object, to: IDNode.self)
            let node = unsafeDowncast(
                IDNode.create(minimumCapacity: width) { _ in old.header }, to: IDNode.self)
            let count = old.header.count
            node.withUnsafeMutablePointerToElements { target in
                old.withUnsafeMutablePointerToElements {
                    target.initialize(from: $0, count: count)
                }
            }
            reference.pointee = self.reference(to: node)
        }
        return unsafeDowncast(reference.pointee.object, to: IDNode.self)
    }

    /// The child that an entry or a hash leads to.
    func child(for entry: UInt64, consumed: Int) -> UnsafeMutablePointer<IDChild> {
        withUnsafeMutablePointers { header, children in
            children + IDNode.position(in: header, IDNode.pathBits(entry, consumed: consumed))
        }
    }

    /// The same for a look-up: nothing is retained.
    @inline(__always)
    static func child(
        of node: UnsafeRawPointer, for hash: UInt64, consumed: Int
    ) -> IDChild.Unowned {
        Unmanaged<IDNode>.fromOpaque(node)._withUnsafeGuaranteedRef { node in
            node.withUnsafeMutablePointers { header, children in
                let path = pathBits(hash, consumed: consumed)
                return IDChild.Unowned(children[position(in: header, path)])
            }
        }
    }

    @inline(__always)
    private static func position(in header: UnsafeMutablePointer<Header>, _ path: Int) -> Int {
        Int(UnsafeRawPointer(header).load(fromByteOffset: path, as: UInt8.self))
    }

    /// Splits the full page at `reference` by its next bit; the directory entries whose bit is
    /// set move to the new page.
    func splitPage(at reference: UnsafeMutablePointer<IDChild>, consumed: Int) {
        withUnsafeMutablePointers { header, children in
            let page = reference.pointee
            let count = Int(page.count)
            let mask: UInt32 = 1 &<< UInt32(31 - page.prefix)
            let entries = IDPage.entries(
                of: UnsafeRawPointer(Unmanaged.passUnretained(page.object).toOpaque()))
            var middle = 0
            while middle < count && IDEntry.tag(entries[middle]) & mask == 0 { middle += 1 }
            let added = header.pointee.count
            (children + added).initialize(
                to: IDPage.make(entries + middle, count: count - middle, prefix: page.prefix + 1))
            reference.pointee = IDPage.make(entries, count: middle, prefix: page.prefix + 1)
            header.pointee.count = added + 1
            let bit = consumed + IDNode.bits - 1 - Int(page.prefix)
            let directory = UnsafeMutableRawPointer(header).assumingMemoryBound(to: UInt8.self)
            for path in 0..<IDNode.width
            where children + Int(directory[path]) == reference && (path >> bit) & 1 == 1 {
                directory[path] = UInt8(added)
            }
        }
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
