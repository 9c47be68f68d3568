/// The links of one relation: for each slot of the holding type, slots of the target type.
struct LinkColumn: Sendable {
    static let none = UInt32.max

    private(set) var definition: RelationDefinition
    /// Targets of a to-one relation; ``none`` where there is none. Shorter than the slots.
    private var targets: [UInt32] = []
    /// Where the list of each slot of a to-many relation stands: 0 where it is empty, a position in
    /// `flat`, or with the bit ``owned`` one in `changed`. Shorter than the slots.
    private(set) var places: [UInt64] = []
    /// Lists that were loaded, one behind the other, each behind its count: an array for each would
    /// cost an allocation, and more memory than most lists. They are not changed here.
    private(set) var flat: [UInt32] = [0]
    /// Lists that were changed, each behind its capacity and its count. One that outgrows its place
    /// moves to the end, into twice the room. An array for each was reached through three cold lines of
    /// memory instead of one.
    private(set) var changed: [UInt32] = []
    /// How many numbers of `changed` belong to no list any more.
    private var idleCount = 0
    private static let idleMin = 1 << 18

    private static let owned: UInt64 = 1 << 63

    init(_ definition: RelationDefinition) {
        self.definition = definition
    }

    /// A column that lists of at most `holderCount` slots are about to be loaded into.
    init(loading definition: RelationDefinition, holderCount: Int) {
        self.definition = definition
        if definition.isToMany {
            places = Array(repeating: 0, count: holderCount)
        } else {
            targets = Array(repeating: Self.none, count: holderCount)
        }
    }

    /// The column under a new revision of the relation, which may have become to-many.
    init(_ definition: RelationDefinition, from old: LinkColumn) {
        self = old
        self.definition = definition
        guard definition.isToMany, !old.definition.isToMany else { return }
        targets = []
        places = Array(repeating: 0, count: old.targets.count)
        for (slot, target) in old.targets.enumerated() where target != Self.none {
            loadList(of: slot, count: 1) { $0.append(target) }
        }
    }

    /// The only target of a slot, in a to-one relation.
    func target(of slot: UInt32) -> UInt32? {
        guard Int(slot) < targets.count, targets[Int(slot)] != Self.none else { return nil }
        return targets[Int(slot)]
    }

    /// All targets of a slot in their order, in either kind of relation.
    func list(of slot: UInt32) -> [UInt32] {
        guard definition.isToMany else { return target(of: slot).map { [$0] } ?? [] }
        guard Int(slot) < places.count else { return [] }
        let (owned, range) = range(at: places[Int(slot)])
        return Array((owned ? changed : flat)[range])
    }

    /// Where the elements of a list stand: in which array, and where there.
    private func range(at place: UInt64) -> (owned: Bool, range: Range<Int>) {
        let header = Int(place & ~Self.owned)
        guard place & Self.owned != 0 else {
            return (false, header + 1..<header + 1 + Int(flat[header]))
        }
        return (true, header + 2..<header + 2 + Int(changed[header + 1]))
    }

    func count(of slot: UInt32) -> Int {
        guard definition.isToMany else { return target(of: slot) == nil ? 0 : 1 }
        guard Int(slot) < places.count else { return 0 }
        return range(at: places[Int(slot)]).range.count
    }

    /// Number of slots that may have links.
    var extent: Int { definition.isToMany ? places.count : targets.count }

    /// Calls `body` with each list that is not empty, in either kind of relation, in the order of the
    /// slots. The buffers are valid during the calls only.
    func forEachList(_ body: (UInt32, UnsafeBufferPointer<UInt32>) -> Void) {
        forEachList(from: 0) { slot, list in
            body(slot, list)
            return true
        }
    }

    /// Calls `body` with each list that is not empty, from a slot on, until it returns false.
    func forEachList(
        from first: UInt32, while body: (UInt32, UnsafeBufferPointer<UInt32>) -> Bool
    ) {
        guard definition.isToMany else {
            return targets.withUnsafeBufferPointer { targets in
                for slot in targets.indices.dropFirst(Int(first))
                where targets[slot] != Self.none {
                    let list = UnsafeBufferPointer(rebasing: targets[slot...slot])
                    guard body(UInt32(truncatingIfNeeded: slot), list) else { return }
                }
            }
        }
        flat.withUnsafeBufferPointer { flat in
            changed.withUnsafeBufferPointer { changed in
                for slot in places.indices.dropFirst(Int(first)) where places[slot] != 0 {
                    let (owned, range) = range(at: places[slot])
                    let list = UnsafeBufferPointer(rebasing: (owned ? changed : flat)[range])
                    guard list.isEmpty || body(UInt32(truncatingIfNeeded: slot), list)
                    else { return }
                }
            }
        }
    }

    /// Asks for the memory of these slots' lists, as far as they were changed before, for all of it at once
    /// like ``SlotMap/touch(_:_:)``. A slot may be one that there is not.
    func touch(_ slots: ArraySlice<UInt32>) -> Int {
        guard !places.isEmpty else { return 0 }
        var touched = 0
        for slot in slots where slot < places.count {
            touched &+= Int(truncatingIfNeeded: places[Int(slot)])
        }
        for slot in slots where slot < places.count {
            let place = places[Int(slot)]
            guard place & Self.owned != 0 else { continue }
            touched &+= Int(changed[Int(place & ~Self.owned)])
        }
        return touched
    }

    // MARK: Loading

    /// Takes the list of a slot that has none yet from `read`, which appends `count` targets to what
    /// it is given. False where they are too many.
    mutating func load(
        of holder: UInt32, count: Int,
        _ read: (inout [UInt32]) throws(CodecError) -> Void
    ) throws(CodecError) -> Bool {
        guard !definition.isToMany else {
            try loadList(of: Int(holder), count: count, read)
            return true
        }
        guard count == 1 else { return false }
        var target: [UInt32] = []
        target.reserveCapacity(1)
        try read(&target)
        targets[Int(holder)] = target[0]
        return true
    }

    private mutating func loadList<Failure: Error>(
        of slot: Int, count: Int, _ read: (inout [UInt32]) throws(Failure) -> Void
    ) throws(Failure) {
        places[slot] = UInt64(flat.count)
        flat.append(UInt32(truncatingIfNeeded: count))
        try read(&flat)
    }

    // MARK: Changing

    /// Sets a list, whatever it was.
    mutating func replace(_ list: [UInt32], of slot: UInt32) {
        if definition.isToMany {
            let start = makeRoom(for: list.count, of: Int(slot))
            changed.replaceSubrange(start..<start + list.count, with: list)
            changed[start - 1] = UInt32(truncatingIfNeeded: list.count)
            if list.isEmpty { forgetEmpty(Int(slot)) }
        } else {
            setTarget(list.first ?? Self.none, of: Int(slot))
        }
    }

    private mutating func setTarget(_ target: UInt32, of slot: Int) {
        if slot >= targets.count {
            targets.append(
                contentsOf: repeatElement(Self.none, count: slot + 1 - targets.count))
        }
        targets[slot] = target
    }

    /// Where the first element of a slot's list stands in `changed`, whereto it moves if it stands
    /// elsewhere or has no room for `count` elements there. Its own count stands before it.
    private mutating func makeRoom(for count: Int, of slot: Int) -> Int {
        if slot >= places.count {
            places.append(contentsOf: repeatElement(0, count: slot + 1 - places.count))
        }
        if idleCount > Self.idleMin, idleCount > changed.count / 2 { closeGaps() }
        let (owned, range) = range(at: places[slot])
        let capacity = owned ? Int(changed[range.lowerBound - 2]) : range.count
        if owned, capacity >= count { return range.lowerBound }
        if owned { idleCount += 2 + capacity }
        places[slot] = Self.owned | UInt64(changed.count)
        let room = max(count, capacity < count ? capacity * 2 : capacity, 2)
        changed.append(UInt32(truncatingIfNeeded: room))
        changed.append(UInt32(truncatingIfNeeded: range.count))
        let start = changed.count
        for index in range { changed.append(owned ? changed[index] : flat[index]) }
        for _ in range.count..<room { changed.append(0) }
        return start
    }

    /// Puts the changed lists one behind the other again, each with as much room as it needs.
    private mutating func closeGaps() {
        var closed: [UInt32] = []
        closed.reserveCapacity(changed.count - idleCount)
        for slot in places.indices where places[slot] & Self.owned != 0 {
            let list = changed[range(at: places[slot]).range]
            places[slot] = Self.owned | UInt64(closed.count)
            closed.append(UInt32(truncatingIfNeeded: list.count))
            closed.append(UInt32(truncatingIfNeeded: list.count))
            closed += list
        }
        changed = closed
        idleCount = 0
    }

    /// Gives back the room of a list that is empty, and has room of its own.
    private mutating func forgetEmpty(_ slot: Int) {
        idleCount += 2 + Int(changed[range(at: places[slot]).range.lowerBound - 2])
        places[slot] = 0
    }

    /// Removals as (position in the old list, slot), insertions as (position in the new list,
    /// slot), both ascending; positions were checked against the event's own counts.
    mutating func apply(
        _ slot: UInt32, oldCount: Int, removals: [Change], insertions: [Change]
    ) throws(EntityFault) {
        let found = count(of: slot)
        guard found == oldCount else {
            throw .listCountDiffers(
                relation: definition.name, found: oldCount, expected: found)
        }
        guard definition.isToMany else {
            return try setTarget(slot, removals: removals, insertions: insertions)
        }
        let kept = found - removals.count
        let start = makeRoom(for: max(found, kept + insertions.count), of: Int(slot))
        for removal in removals where changed[start + removal.position] != removal.slot {
            throw .listMemberDiffers(relation: definition.name, position: removal.position)
        }
        changed.withUnsafeMutableBufferPointer { changed in
            let end = start + max(found, kept + insertions.count)
            let list = UnsafeMutableBufferPointer(rebasing: changed[start..<end])
            Self.remove(removals, from: list, count: found)
            Self.insert(insertions, into: list, count: kept)
            changed[start - 1] = UInt32(truncatingIfNeeded: kept + insertions.count)
        }
        if kept + insertions.count == 0 { forgetEmpty(Int(slot)) }
    }

    struct Change {
        let position: Int
        let slot: UInt32
    }

    private mutating func setTarget(
        _ slot: UInt32, removals: [Change], insertions: [Change]
    ) throws(EntityFault) {
        let current = target(of: slot)
        if let removal = removals.first, removal.slot != current {
            throw .listMemberDiffers(relation: definition.name, position: 0)
        }
        let kept = removals.isEmpty ? current : nil
        guard insertions.count + (kept == nil ? 0 : 1) <= 1 else {
            throw .tooManyTargets(relation: definition.name)
        }
        setTarget(insertions.first?.slot ?? kept ?? Self.none, of: Int(slot))
    }

    private static func remove(
        _ changes: [Change], from list: UnsafeMutableBufferPointer<UInt32>, count: Int
    ) {
        guard let first = changes.first else { return }
        var next = 0
        var target = first.position
        for source in first.position..<count {
            if next < changes.count, changes[next].position == source {
                next += 1
            } else {
                list[target] = list[source]
                target += 1
            }
        }
    }

    /// From the end to the front, so that each element moves once.
    private static func insert(
        _ changes: [Change], into list: UnsafeMutableBufferPointer<UInt32>, count: Int
    ) {
        var source = count
        var next = changes.count
        while next > 0 {
            let target = source + next - 1
            if changes[next - 1].position == target {
                list[target] = changes[next - 1].slot
                next -= 1
            } else {
                precondition(source > 0, "positions in the new list ascend")
                source -= 1
                list[target] = list[source]
            }
        }
    }
}
