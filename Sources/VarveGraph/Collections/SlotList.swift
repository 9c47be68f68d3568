/// An ordered list of distinct slots: one direction of one relation of one parent.
///
/// Most lists are empty or hold one slot, so those two cost no allocation; longer ones are a
/// persistent tree. Copying is O(1). The type takes eight bytes.
@usableFromInline
enum SlotList {
    case empty
    case one(UInt32)
    case many(SlotNode)

    @usableFromInline
    init(_ slots: some Collection<UInt32>) {
        switch slots.count {
        case 0: self = .empty
        case 1: self = .one(slots.first!)
        default: self = .many(SlotNode.build(ContiguousArray(slots)))
        }
    }

    @usableFromInline var count: Int {
        switch self {
        case .empty: 0
        case .one: 1
        case .many(let node): node.total
        }
    }

    @usableFromInline var first: UInt32? {
        switch self {
        case .empty: nil
        case .one(let slot): slot
        case .many(let node): node.slot(at: 0)
        }
    }

    /// The slots in order. O(n).
    @usableFromInline var slots: ContiguousArray<UInt32> {
        var result = ContiguousArray<UInt32>()
        result.reserveCapacity(count)
        append(to: &result)
        return result
    }

    /// Appends the slots in order. O(n).
    func append(to slots: inout ContiguousArray<UInt32>) {
        switch self {
        case .empty: break
        case .one(let slot): slots.append(slot)
        case .many(let node): node.forEachLeaf { slots.append(contentsOf: $0.slots) }
        }
    }

    /// The slot at `position`. O(log n).
    func slot(at position: Int) -> UInt32 {
        switch self {
        case .empty: preconditionFailure("a position in an empty list")
        case .one(let slot):
            precondition(position == 0, "a position behind the end of a list")
            return slot
        case .many(let node): return node.slot(at: position)
        }
    }

    /// The position of `slot`. O(n), at a few slots a nanosecond.
    func position(of slot: UInt32) -> Int? {
        switch self {
        case .empty: nil
        case .one(let only): only == slot ? 0 : nil
        case .many(let node): node.position(of: slot)
        }
    }

    /// The position of the first slot for which a condition holds. O(that position), without a copy of the slots.
    func firstPosition(where isFound: (UInt32) -> Bool) -> Int? {
        switch self {
        case .empty: return nil
        case .one(let slot): return isFound(slot) ? 0 : nil
        case .many(let node):
            var start = 0
            var offset: Int?
            _ = node.visitLeaves { leaf in
                offset = leaf.slots.firstIndex(where: isFound)
                if offset == nil { start += leaf.slots.count }
                return offset == nil
            }
            return offset.map { start + $0 }
        }
    }

    func contains(_ slot: UInt32) -> Bool { position(of: slot) != nil }

    /// O(log n).
    mutating func append(_ slot: UInt32) { insert(slot, at: count) }

    /// O(log n).
    mutating func insert(_ slot: UInt32, at position: Int) {
        switch self {
        case .empty:
            precondition(position == 0, "an insertion behind the end of a list")
            self = .one(slot)
        case .one(let only):
            precondition(position <= 1, "an insertion behind the end of a list")
            self = .many(SlotNode.build(position == 0 ? [slot, only] : [only, slot]))
        case .many(var node):
            // The enum gives up its reference first: with two, the node would look shared.
            self = .empty
            SlotNode.insert(slot, at: position, root: &node)
            self = .many(node)
        }
    }

    /// O(log n).
    mutating func remove(at position: Int) {
        switch self {
        case .empty: preconditionFailure("a removal from an empty list")
        case .one:
            precondition(position == 0, "a removal behind the end of a list")
            self = .empty
        case .many(var node):
            self = .empty
            SlotNode.remove(at: position, root: &node)
            self = node.total == 1 ? .one(node.slot(at: 0)) : .many(node)
        }
    }

    /// Whether the list holds exactly these slots. O(n), without allocating for short lists.
    func isEqual(to slots: ContiguousArray<UInt32>) -> Bool {
        switch self {
        case .empty: slots.isEmpty
        case .one(let slot): slots.count == 1 && slots[0] == slot
        case .many(let node): node.total == slots.count && self.slots == slots
        }
    }

    /// Where the node of a long list is, as a plain word: neither retained nor released.
    var nodeAddress: UnsafeRawPointer? {
        guard case .many(let node) = self else { return nil }
        return UnsafeRawPointer(Unmanaged.passUnretained(node).toOpaque())
    }

    /// Whether both share all their structure: equal without a comparison. O(1).
    func isIdentical(to other: SlotList) -> Bool {
        switch (self, other) {
        case (.empty, .empty): true
        case (.one(let first), .one(let second)): first == second
        case (.many(let first), .many(let second)): first === second
        default: false
        }
    }

    func checkInvariants() {
        guard case .many(let node) = self else { return }
        precondition(node.total >= 2, "a list of fewer than two slots is no tree")
        _ = node.checkedDepth(isRoot: true)
    }
}

// Nodes are mutated only while uniquely referenced, so shared ones are immutable.
extension SlotList: @unchecked Sendable {}
