/// The links of one relation: for each slot of the holding type, slots of the target type.
struct LinkColumn: Sendable {
    static let none = UInt32.max

    private(set) var definition: RelationDefinition
    /// Targets of a to-one relation; ``none`` where there is none. Shorter than the slots.
    private var targets: [UInt32] = []
    /// Where the list of each slot of a to-many relation stands: 0 where it is empty, a position in
    /// `flat`, or with the bit ``owned`` one in `lists`. Shorter than the slots.
    private(set) var places: [UInt32] = []
    /// Lists that were loaded, one behind the other, each behind its count: an array for each would
    /// cost an allocation, and more memory than most lists. They are not changed here.
    private(set) var flat: [UInt32] = [0]
    /// Lists that were changed.
    private(set) var lists: [[UInt32]] = []

    private static let owned: UInt32 = 1 << 31

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
        let place = places[Int(slot)]
        guard place & Self.owned == 0 else { return lists[Int(place & ~Self.owned)] }
        let start = Int(place) + 1
        return Array(flat[start..<(start + Int(flat[Int(place)]))])
    }

    func count(of slot: UInt32) -> Int {
        guard definition.isToMany else { return target(of: slot) == nil ? 0 : 1 }
        guard Int(slot) < places.count else { return 0 }
        let place = places[Int(slot)]
        return place & Self.owned == 0
            ? Int(flat[Int(place)]) : lists[Int(place & ~Self.owned)].count
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

    /// The same from a slot on, until `body` answers false.
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
            for slot in places.indices.dropFirst(Int(first)) where places[slot] != 0 {
                let place = places[slot]
                let number = UInt32(truncatingIfNeeded: slot)
                if place & Self.owned != 0 {
                    let list = lists[Int(place & ~Self.owned)]
                    guard list.isEmpty || list.withUnsafeBufferPointer({ body(number, $0) })
                    else { return }
                } else {
                    let start = Int(place) + 1
                    let end = start + Int(flat[Int(place)])
                    guard body(number, UnsafeBufferPointer(rebasing: flat[start..<end]))
                    else { return }
                }
            }
        }
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
        if flat.count + count < Int(Self.owned) {
            places[slot] = UInt32(truncatingIfNeeded: flat.count)
            flat.append(UInt32(truncatingIfNeeded: count))
            try read(&flat)
        } else {
            try read(&lists[ownedPosition(of: slot)])
        }
    }

    // MARK: Changing

    /// Sets a list, whatever it was.
    mutating func replace(_ list: [UInt32], of slot: UInt32) {
        if definition.isToMany {
            lists[ownedPosition(of: Int(slot))] = list
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

    /// The position in `lists` of a slot's list, which moves there if it stands elsewhere.
    private mutating func ownedPosition(of slot: Int) -> Int {
        if slot >= places.count {
            places.append(contentsOf: repeatElement(0, count: slot + 1 - places.count))
        }
        let place = places[slot]
        if place & Self.owned != 0 { return Int(place & ~Self.owned) }
        lists.append(list(of: UInt32(truncatingIfNeeded: slot)))
        // A list for each slot at most, and there are fewer slots than the bit can tell.
        places[slot] = Self.owned | UInt32(truncatingIfNeeded: lists.count - 1)
        return lists.count - 1
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
        let index = ownedPosition(of: Int(slot))
        for removal in removals where lists[index][removal.position] != removal.slot {
            throw .listMemberDiffers(relation: definition.name, position: removal.position)
        }
        Self.remove(removals, from: &lists[index])
        Self.insert(insertions, into: &lists[index])
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

    private static func remove(_ changes: [Change], from list: inout [UInt32]) {
        if changes.count == list.count {
            list = []
        } else if changes.count == 1 {
            list.remove(at: changes[0].position)
        } else if !changes.isEmpty {
            var next = 0
            var target = changes[0].position
            for source in target..<list.count {
                if next < changes.count, changes[next].position == source {
                    next += 1
                } else {
                    list[target] = list[source]
                    target += 1
                }
            }
            list.removeLast(changes.count)
        }
    }

    private static func insert(_ changes: [Change], into list: inout [UInt32]) {
        guard let first = changes.first else { return }
        if first.position == list.count {
            list.reserveCapacity(list.isEmpty ? changes.count : 0)
            for change in changes { list.append(change.slot) }
            return
        }
        if changes.count == 1 {
            list.insert(first.slot, at: first.position)
            return
        }
        var merged: [UInt32] = []
        merged.reserveCapacity(list.count + changes.count)
        var old = 0
        for change in changes {
            let kept = change.position - merged.count
            merged.append(contentsOf: list[old..<(old + kept)])
            old += kept
            merged.append(change.slot)
        }
        merged.append(contentsOf: list[old...])
        list = merged
    }
}
