/// The links of one relation: for each slot of the holding type, slots of the target type.
struct LinkColumn: Sendable {
    static let none = UInt32.max

    let definition: RelationDefinition
    /// Targets of a to-one relation; ``none`` where there is none. Shorter than the slots.
    private(set) var targets: [UInt32] = []
    /// Targets of a to-many relation. Shorter than the slots.
    private(set) var lists: [[UInt32]] = []

    init(_ definition: RelationDefinition) {
        self.definition = definition
    }

    /// The column under a new revision of the relation, which may have become to-many.
    init(_ definition: RelationDefinition, from old: LinkColumn) {
        self.definition = definition
        targets = old.targets
        lists = old.lists
        if definition.isToMany, !old.definition.isToMany {
            lists = targets.map { $0 == Self.none ? [] : [$0] }
            targets = []
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
        return Int(slot) < lists.count ? lists[Int(slot)] : []
    }

    func count(of slot: UInt32) -> Int {
        guard definition.isToMany else { return target(of: slot) == nil ? 0 : 1 }
        return Int(slot) < lists.count ? lists[Int(slot)].count : 0
    }

    /// Number of slots that may have links.
    var extent: Int { definition.isToMany ? lists.count : targets.count }

    // MARK: Changing

    mutating func extendTargets(to count: Int) {
        guard count > targets.count else { return }
        // Not one by one: the slots of a loaded column come in their order.
        if count > targets.capacity { targets.reserveCapacity(max(count, targets.count * 2)) }
        targets.append(contentsOf: repeatElement(Self.none, count: count - targets.count))
    }

    mutating func extendLists(to count: Int) {
        guard count > lists.count else { return }
        if count > lists.capacity { lists.reserveCapacity(max(count, lists.count * 2)) }
        lists.append(contentsOf: repeatElement([], count: count - lists.count))
    }

    mutating func setTarget(_ target: UInt32, at index: Int) { targets[index] = target }

    mutating func setList(_ list: [UInt32], at index: Int) { lists[index] = list }

    /// Removals as (position in the old list, slot), insertions as (position in the new list,
    /// slot), both ascending; positions were checked against the event's own counts.
    mutating func apply(
        _ slot: UInt32, oldCount: Int, removals: [Change], insertions: [Change]
    ) throws(EntityFault) {
        let name = definition.name
        let found = count(of: slot)
        guard found == oldCount else {
            throw .listCountDiffers(relation: name, found: oldCount, expected: found)
        }
        guard definition.isToMany else {
            return try setTarget(slot, removals: removals, insertions: insertions)
        }
        let index = Int(slot)
        if index >= lists.count {
            lists.append(contentsOf: repeatElement([], count: index + 1 - lists.count))
        }
        for removal in removals where lists[index][removal.position] != removal.slot {
            throw .listMemberDiffers(relation: name, position: removal.position)
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
        let index = Int(slot)
        if index >= targets.count {
            let missing = index + 1 - targets.count
            targets.append(contentsOf: repeatElement(Self.none, count: missing))
        }
        targets[index] = insertions.first?.slot ?? kept ?? Self.none
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
