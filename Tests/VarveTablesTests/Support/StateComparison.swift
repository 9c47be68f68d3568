import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Compares a state with the naive model by its reading interfaces, which digests do not go through.
struct StateComparison {
    private let state: State
    /// By type, in the order of their slots.
    private let ids: [TypeNumber: [[UInt8]]]
    private let seed: Int

    init(_ state: State, ids: [TypeNumber: [[UInt8]]], seed: Int) {
        self.state = state
        self.ids = ids
        self.seed = seed
    }

    func compare(to model: borrowing ReplayModel) throws {
        #expect(state.catalog.definitions.count == model.types.count)
        for definition in model.types {
            #expect(state.catalog.definition(of: definition.number) == definition)
            try compareCounts(of: definition, to: model)
            for (position, id) in (ids[definition.number] ?? []).enumerated() {
                let slot = Slot(UInt32(position))
                try compare(ReplayModel.Key(type: definition.number, id: id), slot, to: model)
                compareLists(
                    of: ReplayModel.Key(type: definition.number, id: id), slot, definition, model)
            }
            try compareRows(of: definition, to: model)
        }
    }

    private func compareCounts(
        of definition: TypeDefinition, to model: borrowing ReplayModel
    ) throws {
        let type = definition.number
        let rows = model.rows.filter { $0.key.type == type }
        let live = rows.filter { !$0.value.isDeleted }
        #expect(
            state.counts(of: type)
                == TypeCounts(
                    live: live.count, tombstones: rows.count - live.count,
                    slots: ids[type]?.count ?? 0), "seed \(seed)")
        let inOrder = live.sorted { $0.value.ordinal < $1.value.ordinal }.map(\.key.id)
        let found = try state.slotsInOrder(of: type).map { slot in
            [UInt8](try #require(state.entry(of: type, at: slot)).id)
        }
        #expect(found == inOrder, "seed \(seed)")
    }

    private func compare(
        _ key: ReplayModel.Key, _ slot: Slot, to model: borrowing ReplayModel
    ) throws {
        let entry = try #require(state.entry(of: key.type, at: slot))
        let row = model.rows[key]
        #expect([UInt8](entry.id) == key.id, "seed \(seed)")
        #expect(state.slot(of: key.type, id: entry.id) == slot, "seed \(seed)")
        #expect(entry.version == row?.version, "seed \(seed)")
        let departure = model.departures[key]
        let absent: EntityPresence = departure == nil ? .vacant : .gone
        #expect(
            entry.presence == row.map { $0.isDeleted ? .tombstone : .live } ?? absent,
            "seed \(seed)")
        if let departure { #expect(entry.stamps.transaction == departure.rawValue) }
        if let row { #expect(entry.stamps.ordinal == row.ordinal, "seed \(seed)") }
    }

    private func compareLists(
        of key: ReplayModel.Key, _ slot: Slot, _ definition: TypeDefinition,
        _ model: borrowing ReplayModel
    ) {
        for (position, relation) in definition.relations.enumerated() {
            let list = ReplayModel.ListKey(holder: key, relation: relation.number)
            let expected = slots(of: model.lists[list] ?? [])
            #expect(
                state.targets(of: key.type, at: slot, relation: position) == expected,
                "seed \(seed)")
            #expect(
                state.targetCount(of: key.type, at: slot, relation: position) == expected.count)
            var found: [UInt32] = []
            let holders = slot.rawValue..<slot.rawValue + 1
            state.forEachTargets(of: key.type, relation: relation.number, in: holders) {
                holder, targets in
                #expect(holder == slot.rawValue)
                found = Array(targets)
                return true
            }
            #expect(found == expected.map(\.rawValue), "seed \(seed)")
        }
        let kept = (model.rows[key]?.kept ?? [:]).sorted { $0.key < $1.key }
        let found = state.keptLists(of: key.type, at: slot)
        #expect(found.map(\.relation) == kept.map(\.key), "seed \(seed)")
        #expect(found.map(\.slots) == kept.map { slots(of: $0.value) }, "seed \(seed)")
    }

    private func slots(of keys: [ReplayModel.Key]) -> [Slot] {
        keys.compactMap { key in
            ids[key.type]?.firstIndex(of: key.id).map { Slot(UInt32($0)) }
        }
    }

    /// In the newest layout, and in one whose fields are the other way round.
    private func compareRows(
        of definition: TypeDefinition, to model: borrowing ReplayModel
    ) throws {
        var turned = definition
        turned.fields.reverse()
        let type = definition.number
        let count = ids[type]?.count ?? 0
        let rows = model.rows
        for layout in [definition, turned] {
            guard var reader = state.reader(of: type, as: layout) else {
                Issue.record("seed \(seed): the type is there")
                return
            }
            func check(_ entity: StateEntity) {
                let row = rows[ReplayModel.Key(type: type, id: [UInt8](entity.id))]
                #expect(
                    [UInt8](entity.row) == row.map { ReplayModel.bytes($0, layout) } ?? [],
                    "seed \(seed)")
                #expect(entity.presence.hasRow == (row != nil), "seed \(seed)")
            }
            for slot in 0..<count { _ = try reader.read(Slot(UInt32(slot)), check) }
            // In parts, as several threads read them.
            var seen: [Slot] = []
            for start in stride(from: 0, to: count + 7, by: 7) {
                try reader.forEachSlot(in: start..<start + 7, willReplace: {}) { entity in
                    check(entity)
                    seen.append(entity.slot)
                }
            }
            #expect(seen == (0..<UInt32(count)).map { Slot($0) }, "seed \(seed)")
        }
    }
}
