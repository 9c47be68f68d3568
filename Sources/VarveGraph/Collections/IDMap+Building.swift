extension IDMap {
    /// Adds many entries at once; no key may be there yet. Pages are made once, nearly full, instead of being
    /// searched, moved and split for each entry. O(n) by the hashes' bytes for all that the map then holds.
    @usableFromInline
    mutating func insert(contentsOf added: consuming ContiguousArray<UInt64>) {
        guard !added.isEmpty else { return }
        var entries = added
        entries.reserveCapacity(entries.count + count)
        withUnsafeMutablePointer(to: &root) { IDMap.append($0, to: &entries) }
        IDMap.sort(&entries)
        self = IDMap(sorted: entries)
    }

    /// A map of entries in the order of their tags. O(n).
    @usableFromInline
    init(sorted entries: consuming ContiguousArray<UInt64>) {
        var entries = entries
        count = entries.count
        root = entries.withUnsafeMutableBufferPointer { IDMap.tree(of: $0, consumed: 0) }
        rootAddress = IDChild.Unowned(root)
    }

    /// All entries in the order of their tags. O(n).
    var entries: ContiguousArray<UInt64> {
        var map = self
        var entries = ContiguousArray<UInt64>()
        entries.reserveCapacity(count)
        withUnsafeMutablePointer(to: &map.root) { IDMap.append($0, to: &entries) }
        IDMap.sort(&entries)
        return entries
    }

    private static func append(
        _ child: UnsafeMutablePointer<IDChild>, to entries: inout ContiguousArray<UInt64>
    ) {
        if child.pointee.isNode {
            unsafeDowncast(child.pointee.object, to: IDNode.self)
                .withUnsafeMutablePointers { header, children in
                    for position in 0..<header.pointee.count {
                        append(children + position, to: &entries)
                    }
                }
        } else {
            let page = UnsafeRawPointer(Unmanaged.passUnretained(child.pointee.object).toOpaque())
            entries.append(
                contentsOf: UnsafeBufferPointer(
                    start: IDPage.entries(of: page), count: Int(child.pointee.count)))
        }
    }

    /// Sorts by tag, and entries of one tag by slot: dealt out by the leading byte, which is spread evenly, then each
    /// bucket by itself, with the memory of what was dealt to move about in.
    @usableFromInline
    static func sort(_ entries: inout ContiguousArray<UInt64>) {
        let sorted = ContiguousArray<UInt64>(unsafeUninitializedCapacity: entries.count) {
            sorted, initialized in
            initialized = entries.count
            entries.withUnsafeMutableBufferPointer { entries in
                RadixSort.deal(CollectionOfOne(entries), by: 56, into: sorted) { ends in
                    RadixSort.sortBuckets(of: sorted, endingAt: ends, entries)
                }
            }
        }
        entries = sorted
    }

    /// Pages are made with room, so that the first insertions do not split all of them.
    private static var builtLimit: Int { Int(IDPage.limit) * 3 / 4 }

    /// A page of sorted entries or, where they are too many for one, a node.
    private static func tree(
        of entries: UnsafeMutableBufferPointer<UInt64>, consumed: Int
    ) -> IDChild {
        guard entries.count > builtLimit, consumed < Int(IDNode.pathBitCount) else {
            return page(of: entries, prefix: consumed)
        }
        let node = IDNode.makeEmpty()
        addChildren(of: entries, to: node, path: 0, depth: 0, consumed: consumed)
        return IDChild(object: node, count: 0, prefix: IDChild.nodePrefix)
    }

    private static func page(
        of entries: UnsafeMutableBufferPointer<UInt64>, prefix: Int
    ) -> IDChild {
        guard let base = entries.baseAddress else {
            return IDChild(
                object: IDPage.make(capacity: IDPage.firstCapacity), count: 0,
                prefix: Int32(prefix))
        }
        return IDPage.make(base, count: entries.count, prefix: Int32(prefix))
    }

    /// Where the entries begin that have a bit set; all bits above it are the same in all.
    private static func firstPosition(
        in entries: UnsafeMutableBufferPointer<UInt64>, with bit: UInt64
    ) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle] & bit == 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Gives a node the children for the entries whose tags go on with the first `depth` bits of `path`:
    /// one page, as soon as they fit into one, else what each half has.
    private static func addChildren(
        of entries: UnsafeMutableBufferPointer<UInt64>, to node: IDNode, path: Int, depth: Int,
        consumed: Int
    ) {
        guard entries.count > builtLimit, depth < IDNode.bits else {
            let child =
                depth == IDNode.bits
                ? tree(of: entries, consumed: consumed + depth)
                : page(of: entries, prefix: consumed + depth)
            return node.append(child, path: path, depth: depth)
        }
        let bit: UInt64 = 1 << UInt64(63 - consumed - depth)
        let middle = IDMap.firstPosition(in: entries, with: bit)
        addChildren(
            of: UnsafeMutableBufferPointer(rebasing: entries[..<middle]), to: node, path: path,
            depth: depth + 1, consumed: consumed)
        addChildren(
            of: UnsafeMutableBufferPointer(rebasing: entries[middle...]), to: node,
            path: path | 1 << (IDNode.bits - 1 - depth), depth: depth + 1, consumed: consumed)
    }
}

extension IDNode {
    /// A node that children are to be appended to, before anything else is done with it.
    fileprivate static func makeEmpty() -> IDNode {
        unsafeDowncast(
            IDNode.create(minimumCapacity: width) { _ in
                var header = Header()
                header.count = 0
                return header
            }, to: IDNode.self)
    }

    /// Appends a child for all paths that begin with the first `depth` bits of `path`.
    fileprivate func append(_ child: IDChild, path: Int, depth: Int) {
        withUnsafeMutablePointers { header, children in
            let position = header.pointee.count
            (children + position).initialize(to: child)
            header.pointee.count = position + 1
            let directory = UnsafeMutableRawPointer(header).assumingMemoryBound(to: UInt8.self)
            for path in path..<(path + (1 << (IDNode.bits - depth))) {
                directory[path] = UInt8(position)
            }
        }
    }
}
