internal import VarveTables

/// One pass over the rows of a type.
///
/// It owns its reader and its filter: a class would check for exclusive access at every row.
struct RowScan: ~Copyable {
    /// What the bytes of a row say.
    enum Verdict {
        /// The condition is not met, or this is no row of the kind that is looked for.
        case refused
        case admitted
        /// Only the values tell.
        case undecided
    }

    private var reader: StateReader
    private let decoder: RowDecoder
    private var filter: RowFilter?
    private let hasCondition: Bool
    private let takesDeleted: Bool

    init(
        _ reader: consuming StateReader, _ decoder: RowDecoder, _ filter: RowFilter?,
        hasCondition: Bool, takesDeleted: Bool
    ) {
        self.reader = reader
        self.decoder = decoder
        self.filter = filter
        self.hasCondition = hasCondition
        self.takesDeleted = takesDeleted
    }

    /// Judges the row at a slot without making its values.
    mutating func verdict(at slot: Slot) throws(InspectionError) -> Verdict {
        try read(slot) { (_, _, isAdmitted) in isAdmitted ? .admitted : .undecided } ?? .refused
    }

    /// The row at a slot; nil where it is refused.
    mutating func row(at slot: Slot) throws(InspectionError) -> QueryRows.Row? {
        try read(slot) { (entity, decoder, isAdmitted) throws(CodecError) in
            try decoder.row(entity, isAdmitted: isAdmitted)
        }
    }

    private mutating func read<Result>(
        _ slot: Slot, _ body: (StateEntity, RowDecoder, Bool) throws(CodecError) -> Result
    ) throws(InspectionError) -> Result? {
        do throws(CodecError) {
            return try reader.read(slot) { entity throws(CodecError) -> Result? in
                guard entity.isDeleted == takesDeleted else { return nil }
                let isMet = hasCondition ? try filter?.admits(entity.row) : true
                return isMet == false ? nil : try body(entity, decoder, isMet == true)
            } ?? nil
        } catch {
            throw .entity(type: decoder.definition.name, reason: "\(error)")
        }
    }
}

/// Makes the values of a row, as far as a query names them.
struct RowDecoder {
    let definition: TypeDefinition
    private let layout: RowLayout
    /// Whether each field is decoded, up to the last one that is.
    private let isRead: [Bool]

    init(_ definition: TypeDefinition, _ fields: Set<Int>) {
        self.definition = definition
        layout = RowLayout(definition)
        isRead = (0..<(fields.max().map { $0 + 1 } ?? 0)).map { fields.contains($0) }
    }

    func row(
        _ entity: StateEntity, isAdmitted: Bool
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
