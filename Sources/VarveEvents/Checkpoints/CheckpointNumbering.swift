/// The numbers of all types' entities inside a checkpoint, which are given out a stretch at a time: who
/// writes a checkpoint in the background looks up between two.
struct CheckpointNumbering {
    private enum Place {
        case presences(type: Int)
        case lists(type: Int, relation: Int, slot: UInt32)
        case tombstones(type: Int, position: Int)
        case settling(type: Int)
        case end
    }

    /// Slots that are looked at, or entities in lists, in one stretch.
    private static let stretch = 8_192
    /// Tombstones in one: each is read as a whole, with the lists that it kept.
    private static let tombstoneStretch = 256

    /// By position of the type. Complete when ``advance(_:)`` answers false.
    private(set) var types: [EntityNumbering]
    private var place = Place.presences(type: 0)

    init(of source: CheckpointSource) { types = source.tables.map { _ in EntityNumbering() } }

    /// Goes on; false when all numbers are given out.
    mutating func advance(_ source: CheckpointSource) throws(CodecError) -> Bool {
        switch place {
        case .presences(let type): takePresences(source, type)
        case .lists(let type, let relation, let slot):
            takeLists(source, type, relation, from: slot)
        case .tombstones(let type, let position):
            try takeTombstones(source, type, from: position)
        case .settling(let type):
            types[type].settle()
            place = type + 1 < types.count ? .settling(type: type + 1) : .end
        case .end: return false
        }
        return true
    }

    private mutating func takePresences(_ source: CheckpointSource, _ type: Int) {
        guard type < types.count else {
            place = .lists(type: 0, relation: 0, slot: 0)
            return
        }
        guard let table = source.tables[type],
            types[type].takePresences(of: table, atMost: Self.stretch)
        else {
            place = .presences(type: type + 1)
            return
        }
    }

    private mutating func takeLists(
        _ source: CheckpointSource, _ type: Int, _ position: Int, from first: UInt32
    ) {
        guard type < types.count else {
            place = types.isEmpty ? .end : .settling(type: 0)
            return
        }
        guard let table = source.tables[type], position < table.definition.relations.count else {
            place = .tombstones(type: type, position: 0)
            return
        }
        let target = Int(table.definition.relations[position].target.rawValue) - 1
        place = .lists(type: type, relation: position + 1, slot: 0)
        // Where no slot of either type is vacant, every one has a number anyhow.
        guard types[type].hasVacant || types[target].hasVacant else { return }
        var count = 0
        table.forEachList(of: position, from: first) { holder, targets in
            guard count < Self.stretch else {
                place = .lists(type: type, relation: position, slot: holder)
                return false
            }
            types[type].need(holder)
            for slot in targets { types[target].need(slot) }
            count += 1 + targets.count
            return true
        }
    }

    private mutating func takeTombstones(
        _ source: CheckpointSource, _ type: Int, from first: Int
    ) throws(CodecError) {
        guard let table = source.tables[type], first < types[type].tombstones.count else {
            place = .lists(type: type + 1, relation: 0, slot: 0)
            return
        }
        let end = min(first + Self.tombstoneStretch, types[type].tombstones.count)
        for slot in types[type].tombstones[first..<end] {
            for (relation, targets) in try table.tombstoneLists(of: slot) {
                guard let target = table.target(of: relation) else { continue }
                for entity in targets { types[target].need(entity) }
            }
        }
        place = .tombstones(type: type, position: end)
    }
}
