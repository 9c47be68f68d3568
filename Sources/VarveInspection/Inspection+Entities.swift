internal import VarveTables

extension Inspection {
    /// The current entities of a type, or the tombstones of its deleted ones, in the default order
    /// of the type. Replays the log once, verifying all of it.
    public func entities(
        of type: String, _ selection: EntityList.Selection = .live
    ) throws(InspectionError) -> EntityList {
        try reading { state throws(InspectionError) in
            let definition = try definition(named: type, in: state)
            let slots =
                switch selection {
                case .live: state.slotsInOrder(of: definition.number)
                case .deleted: state.tombstonesInOrder(of: definition.number)
                }
            return EntityList(
                type: InspectedType(definition) { state.catalog.definition(of: $0) },
                definition: definition, state: state, slots: slots)
        }
    }

    /// The entity with an id as people write it: a text without quotes, a number, a UUID, or any
    /// other id in its JSON form.
    public func entity(
        of type: String, id: String, _ selection: EntityList.Selection = .live
    ) throws(InspectionError) -> InspectedEntity {
        try reading { state throws(InspectionError) in
            let definition = try definition(named: type, in: state)
            let entity = try Self.entity(of: definition, id: id, in: state)
            guard let entity, entity.isDeleted == (selection == .deleted) else {
                switch selection {
                case .live:
                    throw .noSuchEntity(type: type, id: id, deletedIn: entity?.transaction)
                case .deleted: throw .noSuchTombstone(type: type, id: id, isLive: entity != nil)
                }
            }
            return InspectedEntity(entity, of: definition)
        }
    }

    /// The entity, or its tombstone; nil where neither is kept. O(1) behind the replay.
    public func entity(_ name: EntityName) throws(InspectionError) -> InspectedEntity? {
        try reading { state throws(InspectionError) in
            let definition = try definition(named: name.type, in: state)
            guard let slot = Self.slot(of: name.id, definition, in: state) else { return nil }
            return try Self.describe(definition, at: slot, in: state).map {
                InspectedEntity($0, of: definition)
            }
        }
    }

    /// The current definition of a type. Replays the log at first use.
    public func type(named name: String) throws(InspectionError) -> InspectedType {
        let state = try replay()
        return InspectedType(try definition(named: name, in: state)) {
            state.catalog.definition(of: $0)
        }
    }

    /// What the current rows and ids of a type take, before compression and without links. O(entities).
    public func liveBytes(of type: String) throws(InspectionError) -> ByteCount {
        try reading { state throws(InspectionError) in
            let definition = try definition(named: type, in: state)
            guard var reader = state.reader(of: definition.number) else { return .zero }
            var total: UInt64 = 0
            do throws(CodecError) {
                try reader.forEach { entity in
                    if !entity.isDeleted { total += UInt64(entity.row.count + entity.id.count) }
                }
            } catch {
                throw .entity(type: definition.name, reason: "\(error)")
            }
            return ByteCount(total)
        }
    }

    static func slot(
        of id: InspectedValue, _ definition: TypeDefinition, in state: State
    ) -> Slot? {
        id.stored.bytes.withUnsafeBytes { state.slot(of: definition.number, id: $0) }
    }

    func definition(
        named name: String, in state: State
    ) throws(InspectionError) -> TypeDefinition {
        guard let definition = state.catalog.definition(named: name) else {
            throw .noSuchType(name: name, known: state.catalog.definitions.map(\.name))
        }
        return definition
    }

    private static func entity(
        of definition: TypeDefinition, id text: String, in state: State
    ) throws(InspectionError) -> DescribedEntity? {
        guard let place = try place(of: definition, id: text, in: state) else { return nil }
        return try describe(definition, at: place.slot, in: state)
    }
}
