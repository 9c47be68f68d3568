/// Reads the rows that a query asks for, and of them the fields that it names.
final class QueryRows {
    /// One entity, as far as the query looks at it.
    struct Row {
        let type: TypeNumber
        let slot: UInt32
        let id: StoredContent
        /// By position; those that the query does not name are null.
        let fields: [StoredContent]
        let updatedAt: Timestamp
        let transaction: TransactionID
        let ordinal: Ordinal
        let isDeleted: Bool
        /// Whether the filter has found that it meets the condition.
        let isAdmitted: Bool
    }

    private let state: ReplayState
    private let fields: [TypeNumber: Set<Int>]
    private var readers: [TypeNumber: TypeReader] = [:]
    private var links: [TypeNumber: [ReplayedLinks]] = [:]

    init(_ state: ReplayState, fields: [TypeNumber: Set<Int>]) {
        self.state = state
        self.fields = fields
    }

    /// The entity or tombstone at a slot; nil where an id was only mentioned, or where the filter refuses it.
    func row(
        of type: TypeNumber, at slot: UInt32, _ filter: RowFilter? = nil
    ) throws(InspectionError) -> Row? {
        guard let reader = reader(of: type) else { return nil }
        do throws(CodecError) {
            return try reader.row(at: slot, filter)
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
        let made = TypeReader(definition, reader, fields[type, default: []])
        readers[type] = made
        return made
    }
}

/// A class, because the reader of a type cannot be copied into a dictionary.
private final class TypeReader {
    let definition: TypeDefinition
    private var reader: EntityReader
    private let layout: RowLayout
    /// Whether each field is decoded, up to the last one that is.
    private let isRead: [Bool]

    init(_ definition: TypeDefinition, _ reader: consuming EntityReader, _ fields: Set<Int>) {
        self.definition = definition
        self.reader = reader
        layout = RowLayout(definition)
        isRead = (0..<(fields.max().map { $0 + 1 } ?? 0)).map { fields.contains($0) }
    }

    func row(at slot: UInt32, _ filter: RowFilter?) throws(CodecError) -> QueryRows.Row? {
        guard Int(slot) < reader.slotCount else { return nil }
        let (definition, layout, isRead) = (definition, layout, isRead)
        let row: QueryRows.Row?? = try reader.read(slot) { entity throws(CodecError) in
            let isMet = try filter?.admits(entity.row)
            if isMet == false { return nil }
            return try Self.row(entity, definition, layout, isRead, isAdmitted: isMet == true)
        }
        return row ?? nil
    }

    private static func row(
        _ entity: ReplayedEntity, _ definition: TypeDefinition, _ layout: RowLayout,
        _ isRead: [Bool], isAdmitted: Bool
    ) throws(CodecError) -> QueryRows.Row {
        var bytes = ByteReader(entity.row)
        var fields: [StoredContent] = []
        fields.reserveCapacity(isRead.count)
        for position in isRead.indices {
            if isRead[position] {
                let type = definition.fields[position].type
                fields.append(try StoredContent(type, from: &bytes))
            } else {
                try layout.skip(position, in: &bytes)
                fields.append(QueryValue.null)
            }
        }
        var id = ByteReader(entity.id)
        return QueryRows.Row(
            type: definition.number, slot: entity.slot,
            id: try StoredContent(definition.idType, from: &id), fields: fields,
            updatedAt: entity.updatedAt, transaction: entity.transaction, ordinal: entity.ordinal,
            isDeleted: entity.isDeleted, isAdmitted: isAdmitted)
    }
}
