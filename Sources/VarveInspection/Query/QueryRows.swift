/// Reads the rows that a query asks for, no further than the last field that it names.
final class QueryRows {
    /// One entity, as far as the query looks at it.
    struct Row {
        let type: TypeNumber
        let slot: UInt32
        let id: StoredContent
        let fields: [StoredContent]
        let updatedAt: Timestamp
        let transaction: TransactionID
        let ordinal: Ordinal
        let isDeleted: Bool
    }

    private let state: ReplayState
    private let fieldCounts: [TypeNumber: Int]
    private var readers: [TypeNumber: TypeReader] = [:]
    private var links: [TypeNumber: [ReplayedLinks]] = [:]

    init(_ state: ReplayState, fieldCounts: [TypeNumber: Int]) {
        self.state = state
        self.fieldCounts = fieldCounts
    }

    /// The entity or tombstone at a slot; nil where an id was only mentioned.
    func row(of type: TypeNumber, at slot: UInt32) throws(InspectionError) -> Row? {
        guard let reader = reader(of: type) else { return nil }
        do throws(CodecError) {
            return try reader.row(at: slot, fieldCount: fieldCounts[type, default: 0])
        } catch {
            throw .entity(type: reader.definition.name, reason: "\(error)")
        }
    }

    /// The id at a slot, also where no entity has it.
    func id(of type: TypeNumber, at slot: UInt32) throws(InspectionError) -> StoredContent {
        guard let definition = state.catalog.definition(of: type) else { return QueryValue.null }
        let bytes = state.withID(of: type, at: slot) { [UInt8]($0) } ?? []
        do throws(CodecError) {
            return try StoredValue(definition.idType, bytes: bytes).content
        } catch {
            throw .entity(type: definition.name, reason: "\(error)")
        }
    }

    /// The slots that a relation of an entity leads to, in their order.
    func targets(of slot: UInt32, _ relation: BoundRelation) -> [UInt32] {
        let known = links[relation.source] ?? state.links(of: relation.source)
        links[relation.source] = known
        return known.first { $0.definition.number == relation.number }?.targets(of: slot) ?? []
    }

    private func reader(of type: TypeNumber) -> TypeReader? {
        if let known = readers[type] { return known }
        guard let definition = state.catalog.definition(of: type),
            let reader = state.reader(of: type)
        else { return nil }
        let made = TypeReader(definition, reader)
        readers[type] = made
        return made
    }
}

/// A class, because the reader of a type cannot be copied into a dictionary.
private final class TypeReader {
    let definition: TypeDefinition
    private var reader: EntityReader

    init(_ definition: TypeDefinition, _ reader: consuming EntityReader) {
        self.definition = definition
        self.reader = reader
    }

    func row(at slot: UInt32, fieldCount: Int) throws(CodecError) -> QueryRows.Row? {
        guard Int(slot) < reader.slotCount else { return nil }
        let definition = definition
        return try reader.read(slot) { entity throws(CodecError) in
            var bytes = ByteReader(entity.row)
            var fields: [StoredContent] = []
            fields.reserveCapacity(fieldCount)
            for field in definition.fields.prefix(fieldCount) {
                fields.append(try StoredValue(field.type, from: &bytes).content)
            }
            return QueryRows.Row(
                type: definition.number, slot: slot,
                id: try StoredValue(definition.idType, bytes: entity.id).content,
                fields: fields, updatedAt: entity.updatedAt, transaction: entity.transaction,
                ordinal: entity.ordinal, isDeleted: entity.isDeleted)
        }
    }
}
