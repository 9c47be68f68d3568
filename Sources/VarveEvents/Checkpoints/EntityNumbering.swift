/// The numbers that the entities of one type have inside a checkpoint: dense, in order of slots.
/// Slots of entities that are still to come get one when a list mentions them.
struct EntityNumbering {
    static let none = UInt32.max

    /// What each slot holds. Kept, because asking the table again costs a path through its rows.
    private(set) var presences: [EntityPresence] = []
    /// The slots of tombstones, in order.
    private(set) var tombstones: [UInt32] = []
    /// Ids without a slot, which only lists of tombstones mention. Their numbers follow.
    private(set) var extras: [[UInt8]] = []
    private var extraPositions: [[UInt8]: Int] = [:]
    private(set) var hasVacant = false
    private var isNeeded: [Bool] = []
    /// Numbers by slot and slots by number; empty where every slot has its own number.
    private var numbers: [UInt32] = []
    private var slots: [UInt32] = []

    /// How many slots have a number, once numbers are given out.
    var slotCount: Int { hasVacant ? slots.count : presences.count }

    var count: Int { slotCount + extras.count }

    /// Looks at the next slots of the table, so many at most; false when it has no more.
    mutating func takePresences(of table: any CheckpointTable, atMost count: Int) -> Bool {
        if presences.isEmpty { presences.reserveCapacity(table.slotCount) }
        let end = min(presences.count + count, table.slotCount)
        for slot in UInt32(truncatingIfNeeded: presences.count)..<UInt32(truncatingIfNeeded: end) {
            let presence = table.presence(of: slot)
            presences.append(presence)
            if presence == .vacant { hasVacant = true }
            if presence == .tombstone { tombstones.append(slot) }
        }
        guard end == table.slotCount else { return true }
        if hasVacant { isNeeded = presences.map { $0 != .vacant } }
        return false
    }

    mutating func need(_ slot: UInt32) { if hasVacant { isNeeded[Int(slot)] = true } }

    mutating func need(_ target: TombstoneTarget) {
        switch target {
        case .slot(let slot): need(slot)
        case .id(let id):
            guard extraPositions[id] == nil else { return }
            extraPositions[id] = extras.count
            extras.append(id)
        }
    }

    /// Gives out the numbers.
    mutating func settle() {
        guard hasVacant else { return }
        numbers = Array(repeating: Self.none, count: presences.count)
        slots.reserveCapacity(presences.count)
        for slot in isNeeded.indices where isNeeded[slot] {
            numbers[slot] = UInt32(truncatingIfNeeded: slots.count)
            slots.append(UInt32(truncatingIfNeeded: slot))
        }
        isNeeded = []
    }

    /// The slot with a number that is below ``slotCount``.
    func slot(at number: Int) -> UInt32 {
        hasVacant ? slots[number] : UInt32(truncatingIfNeeded: number)
    }

    func number(of slot: UInt32) -> UInt32 { hasVacant ? numbers[Int(slot)] : slot }

    func number(of target: TombstoneTarget) -> UInt32 {
        switch target {
        case .slot(let slot): number(of: slot)
        case .id(let id): UInt32(truncatingIfNeeded: slotCount + (extraPositions[id] ?? 0))
        }
    }
}

extension CheckpointTable {
    /// The position of the type that a relation leads to.
    func target(of relation: RelationNumber) -> Int? {
        definition.position(of: relation).map {
            Int(definition.relations[$0].target.rawValue) - 1
        }
    }
}
