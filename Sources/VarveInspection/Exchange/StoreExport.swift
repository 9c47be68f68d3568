internal import VarveTables

/// The current entities of a store, to be written for other programs.
///
/// What JSON lines and CSV say, an import brings back: entities, values, relations and their order, ids, and the
/// order of each type; tombstones too where they are included. History is not exported.
public final class StoreExport {
    let types: [ExportedType]
    let schema: StoreSchema
    let includesDeleted: Bool
    /// Whether nothing is missing: of a damaged store only what is sound is exported, and the export says so.
    let isSound: Bool
    let state: State
    private let positions: [TypeNumber: Int]

    /// Reads the state that the inspection shows.
    ///
    /// - Parameter names: the types to export; all if there are none. Relations to other types are left out.
    public init(
        _ inspection: Inspection, types names: [String] = [], includingDeleted: Bool = false
    ) throws(InspectionError) {
        let state = try inspection.replay()
        let known = state.catalog.definitions
        for name in names where state.catalog.definition(named: name) == nil {
            throw .noSuchType(name: name, known: known.map(\.name))
        }
        let chosen = known.filter { names.isEmpty || names.contains($0.name) }
        let numbers = Set(chosen.map(\.number))
        let definitions = chosen.map { definition in
            var trimmed = definition
            trimmed.relations.removeAll { !numbers.contains($0.target) }
            return trimmed
        }
        self.state = state
        includesDeleted = includingDeleted
        isSound = inspection.missing?.isComplete ?? true
        schema = StoreSchema(definitions)
        positions = Dictionary(
            uniqueKeysWithValues: definitions.enumerated().map { ($0.element.number, $0.offset) })
        types = try state.inspecting { () throws(InspectionError) in
            var types: [ExportedType] = []
            for definition in definitions {
                types.append(
                    try Self.reading(definition) { () throws(CodecError) in
                        try ExportedType(definition, state, exportsDeleted: includingDeleted)
                    })
            }
            return types
        }
        try state.inspecting { () throws(InspectionError) in mentionAll() }
    }

    private static func reading<Result>(
        _ definition: TypeDefinition, _ body: () throws(CodecError) -> Result
    ) throws(InspectionError) -> Result {
        do throws(CodecError) {
            return try body()
        } catch {
            throw .entity(type: definition.name, reason: "\(error)")
        }
    }

    /// The file of an exported folder that has the schema.
    public static var schemaFile: String { CSVLayout.schemaName }

    // MARK: Ids without a row

    /// Finds the ids that links mention and no entity has.
    private func mentionAll() {
        for type in types {
            for relation in type.definition.relations {
                guard let target = positions[relation.target] else { continue }
                state.forEachList(of: type.definition.number, relation: relation.number) {
                    holder, slots in
                    if type.presence(of: holder) != .live { type.mention(holder) }
                    for slot in slots where types[target].presence(of: slot) != .live {
                        mention(slot, of: target)
                    }
                    return true
                }
            }
            guard includesDeleted else { continue }
            for slot in type.order where type.presence(of: slot) == .deleted {
                let lists = keptLists(of: type, slot)
                for (relation, slots) in zip(type.definition.relations, lists) {
                    guard let target = positions[relation.target] else { continue }
                    // A deletion takes others along, which its links lead to.
                    for slot in slots where !types[target].isExported(slot) {
                        mention(slot, of: target)
                    }
                }
            }
        }
    }

    private func mention(_ slot: Slot, of position: Int) {
        let type = types[position]
        if !isTombstone(slot, of: type) { type.mention(slot) }
    }

    /// Whether the id is that of an exported tombstone of the type that a type of tombstones is for.
    private func isTombstone(_ slot: Slot, of type: ExportedType) -> Bool {
        guard includesDeleted, let base = type.definition.tombstoneOf,
            let position = positions[base],
            let entry = state.entry(of: type.definition.number, at: slot),
            let own = state.slot(of: base, id: entry.id)
        else { return false }
        return types[position].presence(of: own) == .deleted
    }

    // MARK: Entities

    /// The position among ``types`` of the type that a relation leads to.
    func target(of relation: RelationDefinition) -> Int? { positions[relation.target] }

    /// The id at a slot of a type, also where no entity has it.
    func id(_ slot: Slot, of type: ExportedType) throws(InspectionError) -> StoredValue {
        let definition = type.definition
        return try Self.reading(definition) { () throws(CodecError) in
            let entry = state.entry(of: definition.number, at: slot)
            return try StoredValue(
                definition.idType,
                bytes: entry?.id ?? UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    /// Calls `body` with each entity of a type in its order, then with the ids that are only mentioned, until it
    /// returns false. Returns whether it never did.
    ///
    /// - Parameter linksAlone: the position of the relation whose list alone is read of live entities, and no field.
    func forEach(
        of type: ExportedType, linksAlone relation: Int? = nil,
        _ body: (ExportedEntity) throws(InspectionError) -> Bool
    ) throws(InspectionError) -> Bool {
        for slot in type.order {
            guard let entity = try entity(at: slot, of: type, linksAlone: relation) else {
                continue
            }
            guard try body(entity) else { return false }
        }
        for slot in mentioned(of: type) {
            let isGone =
                type.presence(of: slot) == .deleted
                || state.entry(of: type.definition.number, at: slot)?.presence == .gone
            let entity = ExportedEntity(
                state: isGone ? .gone : .awaited, id: try id(slot, of: type), fields: [],
                lists: lists(of: type, slot), ordinal: 0)
            guard try body(entity) else { return false }
        }
        return true
    }

    /// In the order of their ids' bytes, so that equal stores give equal exports.
    private func mentioned(of type: ExportedType) -> [Slot] {
        type.mentioned.map { slot in
            (slot, state.entry(of: type.definition.number, at: slot).map { [UInt8]($0.id) } ?? [])
        }.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
    }

    private func entity(
        at slot: Slot, of type: ExportedType, linksAlone relation: Int?
    ) throws(InspectionError) -> ExportedEntity? {
        let definition = type.definition
        let decoded = relation == nil ? definition.fields : []
        return try Self.reading(definition) { () throws(CodecError) in
            try type.read(slot) { entity throws(CodecError) in
                var row = ByteReader(entity.row)
                var fields: [StoredValue] = []
                fields.reserveCapacity(decoded.count)
                for field in decoded {
                    fields.append(try StoredValue(field.type, from: &row))
                }
                return ExportedEntity(
                    state: entity.isDeleted ? .deleted : .live,
                    id: try StoredValue(definition.idType, bytes: entity.id), fields: fields,
                    lists: entity.isDeleted
                        ? keptLists(of: type, slot) : lists(of: type, slot, only: relation),
                    ordinal: entity.ordinal.rawValue)
            }
        }
    }

    private func lists(
        of type: ExportedType, _ slot: Slot, only relation: Int? = nil
    ) -> [[Slot]] {
        type.definition.relations.enumerated().map { position, definition in
            if let relation, relation != position { return [] }
            return state.targets(
                of: type.definition.number, at: slot, relation: definition.number)
        }
    }

    private func keptLists(of type: ExportedType, _ slot: Slot) -> [[Slot]] {
        let kept = state.keptLists(of: type.definition.number, at: slot)
        return type.definition.relations.map { relation in
            kept.first { $0.relation == relation.number }?.slots ?? []
        }
    }
}
