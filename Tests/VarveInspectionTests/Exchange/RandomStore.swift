import VarveReplay
import VarveTables
import VarveTestSupport

@testable import VarveInspection

/// A store with random types, which change, and random entities, links and tombstones.
struct RandomStore {
    let store: SampleStore
    private var values: RandomValues

    init(seed: UInt64) throws {
        store = try SampleStore(definitions: [])
        values = RandomValues(seed: seed)
        try define(Self.definitions(&values))
        for _ in 0..<3 { try change() }
        try redefine()
        for _ in 0..<3 { try change() }
        try store.close()
    }

    private func state() throws -> State {
        try store.flush()
        return try Inspection(at: store.path).replay()
    }

    // MARK: Types

    private static func definitions(_ values: inout RandomValues) -> [TypeDefinition] {
        let count = values.number(1..<4)
        var definitions = (1...count).map { number in
            TypeDefinition(
                number: TypeNumber(UInt32(number)),
                name: values.element(["Type", "Outer.Inner", "a/b,\"c\" ", "sqlite_x", ""])
                    + "\(number)",
                idType: values.element([
                    .string, .int64, .uuid, .raw("ID", .string), .uint64,
                    .structure("Pair", [.init("a", .string), .init("b", .int8)]),
                ]),
                fields: (1...UInt32(values.number(1..<7))).map { number in
                    let type = values.type()
                    return FieldDefinition(
                        number: FieldNumber(number),
                        name: values.element(["field", "id", "Field", "'x'\n", "@state"])
                            + "\(number)",
                        type: type, rung: .storable,
                        fill: values.chance(30) ? values.bytes(of: type) : nil)
                }, relations: [])
        }
        for _ in 0..<values.number(0..<5) { relate(&definitions, &values) }
        return definitions
    }

    /// Adds a relation, half of the time with an inverse.
    private static func relate(_ definitions: inout [TypeDefinition], _ values: inout RandomValues)
    {
        let (own, target) = (
            values.number(0..<definitions.count), values.number(0..<definitions.count)
        )
        func add(_ type: Int, _ target: Int, _ isToMany: Bool) {
            let number = UInt32(definitions[type].relations.count + 1)
            definitions[type].relations.append(
                RelationDefinition(
                    number: RelationNumber(number), name: "relation \(number)",
                    target: definitions[target].number, isToMany: isToMany,
                    deleteRule: values.element(RelationDefinition.DeleteRule.allCases),
                    isRequired: isToMany || values.chance(20)))
        }
        add(own, target, values.chance(60))
        guard values.chance(60) else { return }
        let first = definitions[own].relations.count - 1
        if own == target, values.chance(30) {
            return definitions[own].relations[first].inverse =
                definitions[own].relations[first].number
        }
        add(target, own, values.chance(60))
        let second = definitions[target].relations.count - 1
        definitions[own].relations[first].inverse = definitions[target].relations[second].number
        definitions[target].relations[second].inverse = definitions[own].relations[first].number
    }

    private func define(_ definitions: [TypeDefinition]) throws {
        try store.transaction(kind: .schema) { encoder in
            for definition in definitions { try encoder.define(definition) }
        }
    }

    /// Adds a field to each type, makes one optional, and turns the order of the fields around.
    private mutating func redefine() throws {
        var definitions = try state().catalog.definitions
        for index in definitions.indices {
            let type = values.type()
            let number = (definitions[index].fields.map(\.number.rawValue).max() ?? 0) + 1
            definitions[index].fields.append(
                FieldDefinition(
                    number: FieldNumber(number), name: "new field", type: type, rung: .storable,
                    fill: values.bytes(of: type)))
            let first = definitions[index].fields[0]
            definitions[index].fields[0].type = .optional(first.type)
            definitions[index].fields[0].fill = [0]
            definitions[index].fields.reverse()
        }
        try define(definitions)
    }

    // MARK: Entities

    private mutating func change() throws {
        let state = try state()
        let id = TransactionID(store.last + 1)
        let transaction = StateTransaction(state)
        defer { transaction.rollBack() }
        let draft = StateDraft(transaction, running: id, time: SampleStore.time(id.rawValue))
        for _ in 0..<values.number(1..<14) { try change(draft, transaction) }
        try store.transaction("Change") { encoder in try draft.encode(into: &encoder) }
    }

    private mutating func change(_ draft: StateDraft, _ state: StateTransaction) throws {
        let definition = values.element(state.catalog.definitions)
        let place = try anyPlace(draft, definition)
        let presence = draft.presence(of: place)
        switch values.number(0..<10) {
        case 0..<5:
            try draft.setRow(
                of: place, to: row(of: definition), ordinal: ordinal(place, draft, state),
                version: nil)
        case 5 where presence == .live || presence == .vacant:
            try bury(place, definition, draft, state)
        case 6 where presence == .live: try draft.clear(place, as: .goes)
        default: try link(place, definition, draft, state)
        }
    }

    private mutating func anyPlace(
        _ draft: StateDraft, _ definition: TypeDefinition
    ) throws -> EntityPlace {
        // Few ids, so that entities meet.
        var small = RandomValues(seed: UInt64(values.number(0..<9)))
        let id = small.bytes(of: definition.idType)
        let place = try id.withUnsafeBytes { try draft.place(of: definition.number, $0) }
        guard let place else { preconditionFailure("a defined type has a table") }
        return place
    }

    private func ordinal(
        _ place: EntityPlace, _ draft: StateDraft, _ state: StateTransaction
    ) -> UInt64 {
        draft.presence(of: place).hasRow
            ? draft.stamps(of: place).ordinal
            : state.nextOrdinal(of: draft.definition(ofTable: place.table).number).rawValue
    }

    private mutating func row(of definition: TypeDefinition) -> UnsafeRawBufferPointer {
        let row = definition.fields.flatMap { values.bytes(of: $0.type) }
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(row.count, 1), alignment: 1)
        memory.copyBytes(from: row)
        return UnsafeRawBufferPointer(rebasing: memory[..<row.count])
    }

    /// A tombstone in the place of what was there.
    private mutating func bury(
        _ place: EntityPlace, _ definition: TypeDefinition, _ draft: StateDraft,
        _ state: StateTransaction
    ) throws {
        var lists: [(relation: Int, entities: [EntityPlace])] = []
        for relation in definition.relations.indices where values.chance(50) {
            let target = state.catalog.definition(of: definition.relations[relation].target)
            guard let target else { continue }
            lists.append((relation, [try anyPlace(draft, target)]))
        }
        try draft.setTombstone(
            of: place, row: row(of: definition), ordinal: ordinal(place, draft, state),
            lists: lists,
            version: nil)
    }

    /// A link, on both sides, which may lead to or come from an id without an entity.
    private mutating func link(
        _ place: EntityPlace, _ definition: TypeDefinition, _ draft: StateDraft,
        _ state: StateTransaction
    ) throws {
        guard !definition.relations.isEmpty else { return }
        let index = values.number(0..<definition.relations.count)
        guard let target = state.catalog.definition(of: definition.relations[index].target) else {
            return
        }
        let other = try anyPlace(draft, target)
        let relation = draft.relation(at: index, ofTable: place.table)
        func add(_ slot: UInt32, _ index: Int, _ isToMany: Bool, _ place: EntityPlace) {
            var list = draft.list(of: index, at: place).slots
            guard !list.contains(slot) else { return }
            if !isToMany { list = [] }
            list.insert(slot, at: values.number(0..<list.count + 1))
            draft.setList(SlotArray(slots: list), of: index, at: place)
        }
        // Links of to-one relations stay as they are, so that both sides go on to say the same.
        guard relation.isToMany || draft.list(of: index, at: place).count == 0 else { return }
        guard let inverse = relation.inverse else {
            return add(other.slot, index, relation.isToMany, place)
        }
        let mirrored = draft.relation(at: inverse, ofTable: other.table)
        guard mirrored.isToMany || draft.list(of: inverse, at: other).count == 0 else { return }
        if inverse == index, place == other { return }
        add(other.slot, index, relation.isToMany, place)
        add(place.slot, inverse, mirrored.isToMany, other)
    }
}

/// What a store holds, without what only its history says: for comparison.
struct StoreContent: Equatable {
    struct Entity: Equatable {
        let state: String
        let id: [UInt8]
        let row: [UInt8]
    }

    var entities: [String: [Entity]] = [:]
    /// By type, relation and id.
    var links: [String: [[UInt8]]] = [:]
    /// Of ids without a row that are linked to.
    var absent: [String: Bool] = [:]

    /// - Parameter includingDeleted: whether tombstones count.
    init(_ path: String, includingDeleted: Bool = true) throws {
        let state = try Inspection(at: path).replay()
        for definition in state.catalog.definitions {
            let type = definition.number
            var rows: [(UInt64, Entity)] = []
            guard var reader = state.reader(of: type) else { continue }
            try reader.forEach { entity in
                guard includingDeleted || !entity.isDeleted else { return }
                rows.append(
                    (
                        entity.ordinal.rawValue,
                        Entity(
                            state: entity.isDeleted ? "deleted" : "live", id: [UInt8](entity.id),
                            row: [UInt8](entity.row))
                    ))
                for (relation, slots) in state.keptLists(of: type, at: entity.slot)
                where entity.isDeleted {
                    let target = definition.relations[definition.position(of: relation)!].target
                    links["kept \(definition.name) \(relation) \([UInt8](entity.id))"] =
                        slots.map { Self.id($0, target, state) }
                }
            }
            entities[definition.name] = rows.sorted { $0.0 < $1.0 }.map(\.1)
            for relation in definition.relations {
                let target = relation.target
                state.forEachList(of: type, relation: relation.number) { holder, targets in
                    let key =
                        "\(definition.name) \(relation.name) \(Self.id(holder, type, state))"
                    links[key] = targets.map { Self.id($0, target, state) }
                    for (slot, type) in targets.map({ ($0, target) }) + [(holder, type)] {
                        note(slot, type, state, includingDeleted)
                    }
                    return true
                }
            }
        }
    }

    private static func id(_ slot: Slot, _ type: TypeNumber, _ state: State) -> [UInt8] {
        state.entry(of: type, at: slot).map { [UInt8]($0.id) } ?? []
    }

    private mutating func note(
        _ slot: Slot, _ type: TypeNumber, _ state: State, _ includingDeleted: Bool
    ) {
        let presence = state.entry(of: type, at: slot)?.presence ?? .vacant
        let isDeleted = presence == .tombstone
        guard !presence.hasRow || (isDeleted && !includingDeleted) else { return }
        absent["\(type) \(Self.id(slot, type, state))"] = isDeleted || presence == .gone
    }
}
