/// An inner node of an ``IDMap``: a directory of 32 bytes into its distinct children.
final class IDNode: ManagedBuffer<IDNode.Header, AnyObject> {
    struct Header {
        var directory = SIMD32<UInt8>(repeating: 0)
        var pageMask: UInt32 = 1
        var count = 1

        func isPage(_ position: Int) -> Bool { pageMask & (1 << UInt32(position)) != 0 }
    }

    static var bits: Int { 5 }
    static var width: Int { 32 }
    /// The upper half of the hash, in whole nodes.
    static var pathBitCount: Int { 30 }

    /// The five bits of the hash that select a directory entry after `consumed` bits.
    @inline(__always)
    static func pathBits(_ hash: UInt64, consumed: Int) -> Int {
        Int(truncatingIfNeeded: hash >> UInt64(59 - consumed)) & 31
    }

    static func make(holding child: AnyObject) -> IDNode {
        let node = unsafeDowncast(
            IDNode.create(minimumCapacity: width) { _ in Header() }, to: IDNode.self)
        node.withUnsafeMutablePointerToElements { $0.initialize(to: child) }
        return node
    }

    deinit {
        withUnsafeMutablePointers { header, children in
            _ = children.deinitialize(count: header.pointee.count)
        }
    }

    /// The node at `reference`, after copying it if it is shared.
    @inline(never)
    static func unique(at reference: UnsafeMutablePointer<AnyObject>) -> IDNode {
        if !isKnownUniquelyReferenced(&reference.pointee) {
            let old = unsafeDowncast(reference.pointee, to: IDNode.self)
            let node = unsafeDowncast(
                IDNode.create(minimumCapacity: width) { _ in old.header }, to: IDNode.self)
            let count = old.header.count
            node.withUnsafeMutablePointerToElements { target in
                old.withUnsafeMutablePointerToElements {
                    target.initialize(from: $0, count: count)
                }
            }
            reference.pointee = node
        }
        return unsafeDowncast(reference.pointee, to: IDNode.self)
    }

    /// Splits the full page at `position` by its next bit; the directory entries whose bit is set
    /// move to the new page.
    func splitPage(at position: Int, consumed: Int) {
        let page = withUnsafeMutablePointerToElements {
            unsafeDowncast($0[position], to: IDPage.self)
        }
        let depth = page.header.depth
        let bit = IDNode.bits - 1 - depth
        let low = IDPage.make(capacity: IDPage.splitCapacity, depth: depth + 1)
        let high = IDPage.make(capacity: IDPage.splitCapacity, depth: depth + 1)
        let capacity = Int(page.header.capacity)
        page.withUnsafeMutablePointerToElements { elements in
            for entry in 0..<Int(page.header.count) {
                let path = elements[2 * capacity + entry]
                let bits = IDNode.pathBits(UInt64(path) << 32, consumed: consumed)
                let target = (bits >> bit) & 1 == 0 ? low : high
                target.append(
                    tag: elements[entry], Slot(elements[capacity + entry]), path: path)
            }
        }
        withUnsafeMutablePointers { header, children in
            let added = header.pointee.count
            children[position] = low
            (children + added).initialize(to: high)
            header.pointee.count = added + 1
            header.pointee.pageMask |= 1 << UInt32(added)
            for entry in 0..<IDNode.width
            where Int(header.pointee.directory[entry]) == position && (entry >> bit) & 1 == 1 {
                header.pointee.directory[entry] = UInt8(added)
            }
        }
    }

    /// The entries below this node, after checking that each page holds only hashes that lead to
    /// it and that no page is above its depth.
    func checkedEntryCount(consumed: Int) -> Int {
        var total = 0
        for position in 0..<header.count {
            let child = withUnsafeMutablePointerToElements { $0[position] }
            let entries = (0..<IDNode.width).filter { Int(header.directory[$0]) == position }
            precondition(!entries.isEmpty, "a page of an id map that no directory entry names")
            guard header.isPage(position) else {
                total += unsafeDowncast(child, to: IDNode.self)
                    .checkedEntryCount(consumed: consumed + IDNode.bits)
                continue
            }
            let page = unsafeDowncast(child, to: IDPage.self)
            precondition(
                entries.count == 1 << (IDNode.bits - page.header.depth),
                "a page's depth differs from the directory entries that name it")
            let capacity = Int(page.header.capacity)
            for entry in 0..<Int(page.header.count) {
                let path = page.withUnsafeMutablePointerToElements { $0[2 * capacity + entry] }
                precondition(
                    entries.contains(IDNode.pathBits(UInt64(path) << 32, consumed: consumed)),
                    "an id map entry stands in a page that its hash does not lead to")
            }
            total += Int(page.header.count)
        }
        return total
    }
}
