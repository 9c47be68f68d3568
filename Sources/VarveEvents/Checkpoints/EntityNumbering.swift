/// The numbers that the entities of one type have inside a checkpoint: dense, in order of slots.
/// Slots of entities that are still to come get one when a list mentions them.
struct EntityNumbering {
    static let none = UInt32.max

    /// By slot.
    private(set) var numbers: [UInt32] = []
    /// By number.
    private(set) var slots: [UInt32] = []
    /// Ids without a slot, which only lists of tombstones mention. Their numbers follow.
    private(set) var extras: [[UInt8]] = []
    private var extraPositions: [[UInt8]: Int] = [:]
    private(set) var hasVacant = false
    private var isNeeded: [Bool] = []

    var count: Int { slots.count + extras.count }

    init(_ table: (any CheckpointTable)?) {
        guard let table else { return }
        isNeeded = (0..<table.slotCount).map {
            table.presence(of: UInt32(truncatingIfNeeded: $0)) != .vacant
        }
        hasVacant = isNeeded.contains(false)
    }

    mutating func need(_ slot: UInt32) { isNeeded[Int(slot)] = true }

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
        numbers = Array(repeating: Self.none, count: isNeeded.count)
        slots.reserveCapacity(isNeeded.count)
        for slot in isNeeded.indices where isNeeded[slot] {
            numbers[slot] = UInt32(truncatingIfNeeded: slots.count)
            slots.append(UInt32(truncatingIfNeeded: slot))
        }
        isNeeded = []
    }

    func number(of slot: UInt32) -> UInt32 { numbers[Int(slot)] }

    func number(of target: TombstoneTarget) -> UInt32 {
        switch target {
        case .slot(let slot): number(of: slot)
        case .id(let id):
            UInt32(truncatingIfNeeded: slots.count + (extraPositions[id] ?? 0))
        }
    }
}

extension CheckpointSource {
    /// The numbers of all types' entities.
    func numberEntities() throws(CodecError) -> [EntityNumbering] {
        var numberings = tables.map { EntityNumbering($0) }
        for (index, table) in tables.enumerated() {
            guard let table else { continue }
            for (position, relation) in table.definition.relations.enumerated() {
                let target = Int(relation.target.rawValue) - 1
                // Where no slot of either type is vacant, every one has a number anyhow.
                guard numberings[index].hasVacant || numberings[target].hasVacant else { continue }
                table.forEachList(of: position) { holder, targets in
                    numberings[index].need(holder)
                    for slot in targets { numberings[target].need(slot) }
                }
            }
            try table.forEachTombstone { slot throws(CodecError) in
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

    func forEachTombstone(
        _ body: (UInt32) throws(CodecError) -> Void
    ) throws(CodecError) {
        for slot in 0..<UInt32(truncatingIfNeeded: slotCount)
        where presence(of: slot) == .tombstone {
            try body(slot)
        }
    }
}
