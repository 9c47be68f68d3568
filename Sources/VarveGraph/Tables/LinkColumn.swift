/// All lists of one relation, by the slot of the parent.
package struct LinkColumn: Sendable {
    let isToMany: Bool
    /// Slot + 1 of the one child; 0 for none. Plain integers, so that a page copies as one block.
    fileprivate var single: PagedArray<UInt32>
    fileprivate var lists: PagedArray<SlotList>

    init(isToMany: Bool) {
        self.isToMany = isToMany
        single = PagedArray(
            leafShift: PagedArray<UInt32>.integerLeafShift, hasDirectory: true)
        lists = PagedArray(leafShift: PageTree.rowLeafShift, hasDirectory: true)
    }

    subscript(slot: UInt32) -> SlotList {
        get {
            if isToMany { return lists.tree.nodes.list(at: slot)?.pointee ?? .empty }
            return LinkColumn.list(of: single.tree.nodes.child(at: slot)?.pointee ?? 0)
        }
        set {
            if isToMany {
                lists[Int(slot)] = newValue
            } else {
                single[Int(slot)] = newValue.first.map { $0 + 1 } ?? 0
            }
        }
    }

    /// Asks the processor for the list of a slot.
    func ask(for slot: UInt32) {
        let place: UnsafeRawPointer? =
            isToMany
            ? lists.tree.nodes.list(at: slot).map { UnsafeRawPointer($0) }
            : single.tree.nodes.child(at: slot).map { UnsafeRawPointer($0) }
        if let place { Prefetch.lines(at: place, byteCount: 1) }
    }

    fileprivate static func list(of child: UInt32) -> SlotList {
        child == 0 ? .empty : .one(child - 1)
    }

    /// Sets lists that come in the order of their slots: the path to a page is walked once for all
    /// lists in it.
    mutating func load(_ all: ((UInt32, UnsafeBufferPointer<UInt32>) -> Void) -> Void) {
        if isToMany {
            var page = OpenPage<SlotList>(leafShift: lists.leafShift)
            all { slot, children in
                page.place(Int(slot), in: &lists).pointee = SlotList(children)
            }
        } else {
            var page = OpenPage<UInt32>(leafShift: single.leafShift)
            all { slot, children in
                page.place(Int(slot), in: &single).pointee = children.first.map { $0 + 1 } ?? 0
            }
        }
    }

    // MARK: - Stored lists

    /// How many slots' lists a leaf holds, as a power of two.
    private var leafShift: Int { isToMany ? lists.leafShift : single.leafShift }

    /// The lists that are not empty, of the slots of a range, in order.
    package typealias StoredLists =
        @Sendable (Range<UInt32>) -> [(slot: UInt32, children: [UInt32])]

    /// Leaves the lists of the first slots, so many, to be loaded when they are looked at.
    mutating func use(
        _ stored: @escaping StoredLists, forSlots slotCount: Int, countedIn memory: LeafMemory?
    ) {
        let (isToMany, shift) = (isToMany, leafShift)
        let size = memory.map { LeafSize($0, bytes: leafBytes) }
        let count = (slotCount + (1 << shift) - 1) >> shift
        let leaves = StoredLeaves(count: count, size: size) { number in
            let first = UInt32(number << shift)
            let lists = stored(first..<min(first + 1 << shift, UInt32(slotCount)))
            return LinkColumn.leaf(of: lists, isToMany: isToMany, first: first)
        }
        if isToMany { lists.tree.use(leaves) } else { single.tree.use(leaves) }
    }

    /// An estimate for the object and its reference; long lists take more.
    private static let leafHeaderBytes = 64

    /// What a leaf takes.
    private var leafBytes: Int {
        let width = isToMany ? MemoryLayout<SlotList>.stride : MemoryLayout<UInt32>.stride
        return width << leafShift + Self.leafHeaderBytes
    }

    /// What the leaves take that the column has of its own, because of changes. O(such leaves)
    var ownLeafBytes: Int {
        (isToMany ? lists.tree.ownLeafCount : single.tree.ownLeafCount) * leafBytes
    }

    var cachedBytes: Int { (isToMany ? lists.tree : single.tree).stored?.cachedBytes ?? 0 }

    mutating func evictStoredLeaves() {
        if isToMany { lists.tree.evictStoredLeaves() } else { single.tree.evictStoredLeaves() }
    }

    /// The column for one reader: stored lists are decoded for that reader and not cached.
    func forOneReader() -> LinkColumn {
        var column = self
        column.lists.tree.beForOneReader()
        column.single.tree.beForOneReader()
        return column
    }

    var storedLeaves: StoredLeaves? { lists.tree.stored ?? single.tree.stored }

    private static func leaf(
        of lists: [(slot: UInt32, children: [UInt32])], isToMany: Bool, first: UInt32
    ) -> AnyObject? {
        var column = LinkColumn(isToMany: isToMany)
        column.load { place in
            for (slot, children) in lists {
                children.withUnsafeBufferPointer { place(slot - first, $0) }
            }
        }
        return isToMany
            ? column.lists.tree.leaf(holding: 0) : column.single.tree.leaf(holding: 0)
    }

    /// The lists with those of a column that has all that are stored of this one, where this has none of its own.
    func completed(by whole: LinkColumn) -> LinkColumn {
        var column = whole
        if isToMany {
            column.lists.tree = lists.tree.completed(by: whole.lists.tree)
        } else {
            column.single.tree = single.tree.completed(by: whole.single.tree)
        }
        return column
    }

    // MARK: - Loading

    /// The page that was last written to.
    private struct OpenPage<Element: PagedElement> {
        let leafShift: Int
        private var leaf: UnsafeMutablePointer<Element>?
        private var number = -1

        init(leafShift: Int) { self.leafShift = leafShift }

        /// Where an element stands, valid until the array is changed by other means.
        @inline(__always)
        mutating func place(
            _ index: Int, in array: inout PagedArray<Element>
        ) -> UnsafeMutablePointer<Element> {
            let offset = index & ((1 << leafShift) - 1)
            if let leaf, index >> leafShift == number { return leaf + offset }
            let place = array.mutablePointer(at: index)
            number = index >> leafShift
            leaf = place - offset
            return place
        }
    }

    /// The parents that have a list, with it, in slot order.
    func forEach(_ body: (UInt32, SlotList) -> Void) {
        if isToMany {
            lists.forEachLeaf { first, elements in
                for offset in elements.indices where elements[offset].count > 0 {
                    body(UInt32(first + offset), elements[offset])
                }
                return true
            }
        } else {
            single.forEachLeaf { first, elements in
                for offset in elements.indices where elements[offset] != 0 {
                    body(UInt32(first + offset), .one(elements[offset] - 1))
                }
                return true
            }
        }
    }
}

extension PageTree.Nodes {
    /// Where the list of a slot is in a column of lists.
    @inline(__always)
    fileprivate func list(at slot: UInt32) -> UnsafeMutablePointer<SlotList>? {
        pointer(at: Int(slot), as: SlotList.self)
    }

    /// Where the child of a slot, plus one, is in a column of single children.
    @inline(__always)
    fileprivate func child(at slot: UInt32) -> UnsafeMutablePointer<UInt32>? {
        pointer(at: Int(slot), as: UInt32.self)
    }
}

extension AnyTable {
    /// The links of one relation of one parent, in order.
    ///
    /// Of the column only what is needed is read, where it stands: asked itself, it would be copied, and
    /// its references counted, for the call.
    func slotList(relation: Int, of slot: UInt32) -> SlotList {
        if links[relation].isToMany {
            return links[relation].lists.tree.nodes.list(at: slot)?.pointee ?? .empty
        }
        let child = links[relation].single.tree.nodes.child(at: slot)?.pointee
        return LinkColumn.list(of: child ?? 0)
    }

    /// Asks the processor for the lists of some parents, and for what an addition to them looks at.
    ///
    /// In place, as ``slotList(relation:of:)``; and one step of all lists before the next step of any, because
    /// each leads to the place of the next.
    func askForLinks(of slots: ContiguousArray<UInt32>, relation: Int) {
        guard links[relation].isToMany else {
            for slot in slots {
                if let place = links[relation].single.tree.nodes.child(at: slot) {
                    Prefetch.lines(at: place, byteCount: 1)
                }
            }
            return
        }
        let nodes = links[relation].lists.tree.nodes
        for slot in slots {
            nodes.askForPath(to: Int(slot), level: 2)
            if let place = nodes.list(at: slot) { Prefetch.lines(at: place, byteCount: 1) }
        }
        for slot in slots {
            nodes.askForPath(to: Int(slot), level: 1)
            if let node = nodes.list(at: slot)?.pointee.nodeAddress {
                Prefetch.lines(at: node, byteCount: SlotNode.size)
            }
        }
        for slot in slots {
            if let node = nodes.list(at: slot)?.pointee.nodeAddress {
                Prefetch.references(
                    in: node + SlotNode.headerSize, byteCount: SlotNode.size - SlotNode.headerSize)
            }
        }
    }
}
