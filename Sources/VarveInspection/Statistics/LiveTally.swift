internal import VarveEvents
internal import VarveTables

/// What the live entities of a state take.
struct LiveTally {
    struct TypeFigures {
        var live = 0
        var deleted = 0
        var liveBytes: UInt64 = 0
        var deletedBytes: UInt64 = 0
        var links = 0
        /// By position of the field.
        var fields: [UInt64] = []
    }

    private(set) var types: [UInt32: TypeFigures] = [:]
    private(set) var ages: [AgeStatistics.Class: (entities: Int, bytes: UInt64)] = [:]
    private(set) var largest = TopList<InspectedStatistics.EntityFigure>(limit: 20)

    /// Reads every row once. O(n) in the entities of the state.
    init(of state: State, now: Moment) throws(InspectionError) {
        for definition in state.catalog.definitions {
            do throws(CodecError) {
                try count(definition, in: state, now: now)
            } catch {
                throw .entity(type: definition.name, reason: "\(error)")
            }
        }
    }

    private mutating func count(
        _ definition: TypeDefinition, in state: State, now: Moment
    ) throws(CodecError) {
        var figures = TypeFigures()
        figures.fields = Array(repeating: 0, count: definition.fields.count)
        let layout = RowLayout(definition)
        if var reader = state.reader(of: definition.number) {
            try reader.forEach { entity throws(CodecError) in
                let bytes = UInt64(entity.id.count + entity.row.count)
                guard !entity.isDeleted else {
                    figures.deleted += 1
                    figures.deletedBytes &+= bytes
                    return
                }
                figures.live += 1
                figures.liveBytes &+= bytes
                let age = AgeStatistics.Class(
                    of: entity.updatedAt.microseconds, at: now.microseconds)
                let known = ages[age] ?? (0, 0)
                ages[age] = (known.entities + 1, known.bytes &+ bytes)
                try layout.forEachField(of: entity.row) { position, value throws(CodecError) in
                    figures.fields[position] &+= UInt64(value.count)
                }
                guard largest.admits(bytes) else { return }
                let id = InspectedValue(
                    try StoredValue(definition.idType, bytes: entity.id))
                largest.add(
                    bytes,
                    .init(
                        entity: EntityName(type: definition.name, id: id), figure: bytes,
                        transaction: entity.transaction))
            }
        }
        for position in definition.relations.indices {
            figures.links += state.linkCount(of: definition.number, relation: position)
        }
        types[definition.number.rawValue] = figures
    }
}
