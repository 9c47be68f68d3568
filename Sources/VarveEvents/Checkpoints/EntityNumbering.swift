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

    init(_ table: (any CheckpointTable)?) {
        guard let table else { return }
        presences.reserveCapacity(table.slotCount)
        var pace = BackgroundPace()
        for slot in 0..<UInt32(truncatingIfNeeded: table.slotCount) {
            let presence = table.presence(of: slot)
            presences.append(presence)
            pace.step()
            if presence == .vacant { hasVacant = true }
            if presence == .tombstone { tombstones.append(slot) }
        }
        if hasVacant { isNeeded = presences.map { $0 != .vacant } }
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

extension CheckpointSource {
    /// The numbers of all types' entities.
    func numberEntities() throws(CodecError) -> [EntityNumbering] {
        var numberings = tables.map { EntityNumbering($0) }
        var pace = BackgroundPace()
        for (index, table) in tables.enumerated() {
            guard let table else { continue }
            for (position, relation) in table.definition.relations.enumerated() {
                let target = Int(relation.target.rawValue) - 1
                // Where no slot of either type is vacant, every one has a number anyhow.
                guard numberings[index].hasVacant || numberings[target].hasVacant else { continue }
                table.forEachList(of: position, from: 0) { holder, targets in
                    numberings[index].need(holder)
                    for slot in targets { numberings[target].need(slot) }
                    pace.step(by: 1 + targets.count)
                    return true
                }
            }
            for slot in numberings[index].tombstones {
                for (relation, targets) in try table.tombstoneLists(of: slot) {
                    guard let target = table.target(of: relation) else { continue }
                    for entity in targets { numberings[target].need(entity) }
                }
            }
        }
        for index in numberings.indices { numberings[index].settle() }
        return numberings
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
