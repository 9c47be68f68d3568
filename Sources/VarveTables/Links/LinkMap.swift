import CVarve

/// The lists of one relation: for each slot of the holding table an ordered list of slots of the
/// target table.
///
///     holder 0b10_0110, sixteen holders a leaf
///
///     PageArray [0b10] -> leaf | counts | targets of holder 0, of holder 1, ...
///                                          a list of more than 32 targets -> ListTree
///
/// A value: a copy is the map of another version.
package struct LinkMap: BitwiseCopyable, Sendable {
    let holderBits: Int
    /// A list of more targets has pages of its own.
    private let shortCountMax: Int
    private let lists: ListTree
    var leaves: PageArray

    /// - Parameters:
    ///   - holderBits: a leaf holds the lists of 2 to the power of this many slots.
    ///   - shortCountMax: lists of more targets have pages of their own.
    ///   - pageCount: such a page holds as many.
    package init(
        holderBits: Int = LinkMap.holderBitsStandard, shortCountMax: Int = 32,
        pageCount: Int = ListTree.capacityStandard, childBits: Int = 6
    ) {
        precondition((0...6).contains(holderBits) && shortCountMax >= 1, "A leaf holds some lists")
        self.holderBits = holderBits
        self.shortCountMax = shortCountMax
        lists = ListTree(capacity: pageCount)
        leaves = PageArray(.linkNode, childBits: childBits)
    }

    /// Of tables, and so of images.
    package static let holderBitsStandard = 4

    /// The map of an image.
    init(_ root: PageArray.Root) {
        self.init()
        leaves = PageArray(.linkNode, root)
    }

    var root: PageArray.Root { leaves.position }

    private var holderCount: Int { 1 << holderBits }

    private func index(of holder: Slot) -> Int { holder.index & (holderCount &- 1) }

    private func leaf(of holder: Slot, in pages: PageTable) -> LinkLeaf? {
        let number = leaves.number(at: holder.index &>> holderBits, in: pages)
        return number == .none ? nil : LinkLeaf(page: pages[number], holderCount: holderCount)
    }

    // MARK: Reading

    /// Prefetches the leaf with the list of a slot.
    func prefetchLeaf(of holder: Slot, in pages: PageTable) {
        let number = leaves.number(at: holder.index &>> holderBits, in: pages)
        if number != .none { varve_prefetch(pages[number].address) }
    }

    func count(of holder: Slot, in pages: PageTable) -> Int {
        leaf(of: holder, in: pages)?.count(index(of: holder)) ?? 0
    }

    /// The targets of a slot, in their order.
    func targets(of holder: Slot, in pages: PageTable) -> [Slot] {
        guard let leaf = leaf(of: holder, in: pages) else { return [] }
        return targets(of: leaf, index(of: holder), in: pages)
    }

    private func targets(of leaf: LinkLeaf, _ index: Int, in pages: PageTable) -> [Slot] {
        var slots: [Slot] = []
        // The count of an image may lie.
        slots.reserveCapacity(min(leaf.count(index), 4_096))
        if leaf.isLong(index) {
            lists.forEach(leaf.root(index), in: pages) {
                slots.append($0)
                return true
            }
        } else {
            let bytes = leaf.targets(index)
            for position in 0..<leaf.count(index) {
                slots.append(bytes.loadUnaligned(fromByteOffset: 4 * position, as: Slot.self))
            }
        }
        return slots
    }

    /// The target at a position below the count.
    func target(of holder: Slot, at position: Int, in pages: PageTable) -> Slot {
        guard let leaf = leaf(of: holder, in: pages) else {
            preconditionFailure("The position is below the count")
        }
        let index = index(of: holder)
        if leaf.isLong(index) { return lists.slot(leaf.root(index), at: position, in: pages) }
        return leaf.targets(index).loadUnaligned(fromByteOffset: 4 * position, as: Slot.self)
    }

    /// Calls `body` with each list that is not empty, from a holder on, in order of holders, until it
    /// returns false.
    func forEachList(
        from first: Slot = Slot(0), in pages: PageTable, while body: (Slot, [Slot]) -> Bool
    ) {
        leaves.forEach(from: first.index >> holderBits, in: pages) { position, number in
            let leaf = LinkLeaf(page: pages[number], holderCount: holderCount)
            for index in 0..<holderCount where leaf.count(index) > 0 {
                let holder = Slot(UInt32(truncatingIfNeeded: position << holderBits + index))
                guard holder >= first else { continue }
                if !body(holder, targets(of: leaf, index, in: pages)) { return false }
            }
            return true
        }
    }

    /// Calls `body` with each list that is not empty, of a range of holders, in their order, until it
    /// returns false. The buffers are valid during the calls only: all lists are read into one memory.
    func forEachTargets(
        of holders: Range<UInt32> = 0..<UInt32.max, in pages: PageTable,
        while body: (UInt32, UnsafeBufferPointer<UInt32>) -> Bool
    ) {
        var targets: [UInt32] = []
        leaves.forEach(from: Int(holders.lowerBound) >> holderBits, in: pages) { position, number in
            // Not read where no holder of it is asked for.
            guard position << holderBits < Int(holders.upperBound) else { return false }
            let leaf = LinkLeaf(page: pages[number], holderCount: holderCount)
            for index in 0..<holderCount where leaf.count(index) > 0 {
                let holder = UInt32(truncatingIfNeeded: position << holderBits + index)
                guard holders.contains(holder) else { continue }
                targets.removeAll(keepingCapacity: true)
                read(index, of: leaf, into: &targets, in: pages)
                if !targets.withUnsafeBufferPointer({ body(holder, $0) }) { return false }
            }
            return true
        }
    }

    private func read(
        _ index: Int, of leaf: LinkLeaf, into targets: inout [UInt32], in pages: PageTable
    ) {
        guard !leaf.isLong(index) else {
            return lists.forEach(leaf.root(index), in: pages) {
                targets.append($0.rawValue)
                return true
            }
        }
        let bytes = leaf.targets(index)
        for position in 0..<leaf.count(index) {
            targets.append(bytes.loadUnaligned(fromByteOffset: 4 * position, as: UInt32.self))
        }
    }

    // MARK: Changing

    /// Replaces a list.
    mutating func replace(_ slots: [Slot], of holder: Slot, in transaction: PageTransaction) {
        let index = index(of: holder)
        if slots.isEmpty, count(of: holder, in: transaction.pages) == 0 { return }
        let (entry, leaf) = mutableEntry(of: holder, in: transaction)
        if leaf.isLong(index) { lists.release(leaf.root(index), in: transaction) }
        set(content(slots, in: transaction), index, of: leaf, entry, in: transaction)
    }

    /// Changes a list. The changes fit it: positions lie in the lists.
    ///
    /// - Complexity: O(k log n) for k changes of a list of n.
    mutating func change(
        _ changes: SlotListChanges, of holder: Slot, in transaction: PageTransaction
    ) {
        let index = index(of: holder)
        let (entry, leaf) = mutableEntry(of: holder, in: transaction)
        guard leaf.isLong(index) else {
            if let insertion = changes.loneInsertion, isShort(leaf.count(index) + 1) {
                entry.pointee = leaf.insert(
                    insertion.slot, at: insertion.position, index, entry.pointee, in: transaction)
                return
            }
            var slots = targets(of: leaf, index, in: transaction.pages)
            changes.apply(to: &slots)
            return set(content(slots, in: transaction), index, of: leaf, entry, in: transaction)
        }
        var root = leaf.root(index)
        for removal in changes.removals.reversed() {
            lists.remove(at: removal.position, from: &root, in: transaction)
        }
        for insertion in changes.insertions {
            lists.insert(insertion.slot, at: insertion.position, into: &root, in: transaction)
        }
        let count = leaf.count(index) - changes.removals.count + changes.insertions.count
        guard count <= shortCountMax / 2 else {
            return set(.long(root: root, count: count), index, of: leaf, entry, in: transaction)
        }
        // Half of what makes a list long, so that a list at the border does not go to and fro.
        var slots: [Slot] = []
        lists.forEach(root, in: transaction.pages) {
            slots.append($0)
            return true
        }
        lists.release(root, in: transaction)
        set(.short(slots), index, of: leaf, entry, in: transaction)
    }

    /// Releases all pages: the map is as if it were new.
    mutating func removeAll(in transaction: PageTransaction) {
        leaves.forEach(in: transaction.pages) { _, number in
            let leaf = LinkLeaf(page: transaction.pages[number], holderCount: holderCount)
            for index in 0..<holderCount where leaf.isLong(index) {
                lists.release(leaf.root(index), in: transaction)
            }
            transaction.release(number)
            return true
        }
        leaves.removeAll(in: transaction)
    }

    private func content(
        _ slots: [Slot], in transaction: PageTransaction
    ) -> LinkLeaf.Content {
        guard !isShort(slots.count) else { return .short(slots) }
        return .long(root: makeList(slots, in: transaction), count: slots.count)
    }

    /// Whether a list of this many targets is stored in its leaf.
    func isShort(_ count: Int) -> Bool { count <= shortCountMax }

    /// The root of the pages of a list that is not short.
    func makeList(_ slots: [Slot], in transaction: PageTransaction) -> PageNumber {
        lists.make(slots, in: transaction)
    }

    private mutating func mutableEntry(
        of holder: Slot, in transaction: PageTransaction
    ) -> (UnsafeMutablePointer<PageNumber>, LinkLeaf) {
        let entry = leaves.mutableEntry(at: holder.index >> holderBits, in: transaction)
        if entry.pointee == .none {
            let leaf: LinkLeaf
            (entry.pointee, leaf) = LinkLeaf.make(holderCount: holderCount, in: transaction)
            return (entry, leaf)
        }
        let page = transaction.pages[entry.pointee]
        return (entry, LinkLeaf(page: page, holderCount: holderCount))
    }

    private func set(
        _ content: LinkLeaf.Content, _ index: Int, of leaf: LinkLeaf,
        _ entry: UnsafeMutablePointer<PageNumber>, in transaction: PageTransaction
    ) {
        entry.pointee = leaf.replace(index, by: content, entry.pointee, in: transaction)
    }
}
