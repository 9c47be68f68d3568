internal import VarveTables

/// One entity, as far as the query looks at it. One that is scanned is valid during the call that gave it, others
/// as long as the state that they were read from is kept.
// Sendable unchecked: what it points to does not change meanwhile, and one that was kept points to nothing.
struct QueryRow: @unchecked Sendable {
    let type: TypeNumber
    let slot: Slot
    let updatedAt: Timestamp
    let transaction: TransactionID
    let ordinal: Ordinal
    let isDeleted: Bool
    /// Whether the filter has found that it meets the condition.
    let isAdmitted: Bool
    private var idBytes: UnsafeRawBufferPointer
    private var bytes: UnsafeRawBufferPointer
    /// Nil where it is still to be made.
    private var keptID: StoredContent?
    /// By position, where all values were made at once; those that the query does not name are null.
    private var fields: [StoredContent]?
    private let decoder: RowDecoder

    /// - Parameter fields: the values, of a row whose bytes do not stay.
    fileprivate init(
        _ entity: StateEntity, _ decoder: RowDecoder, fields: [StoredContent]?, isAdmitted: Bool
    ) {
        type = decoder.definition.number
        slot = entity.slot
        updatedAt = entity.updatedAt
        transaction = entity.transaction
        ordinal = entity.ordinal
        isDeleted = entity.isDeleted
        self.isAdmitted = isAdmitted
        idBytes = entity.id
        bytes = entity.row
        self.fields = fields
        self.decoder = decoder
    }

    /// The row for as long as it is wanted.
    func kept() throws(InspectionError) -> QueryRow {
        var copy = self
        copy.keptID = try id()
        if fields == nil {
            copy.fields = try decoder.reading { () throws(CodecError) in
                try decoder.values(of: bytes)
            }
        }
        copy.idBytes = UnsafeRawBufferPointer(start: nil, count: 0)
        copy.bytes = copy.idBytes
        return copy
    }

    func id() throws(InspectionError) -> StoredContent {
        if let keptID { return keptID }
        return try decoder.reading { () throws(CodecError) in try decoder.id(idBytes) }
    }

    /// The property at a position in the type.
    func value(at position: Int) throws(InspectionError) -> StoredContent {
        if let fields { return fields[position] }
        return try decoder.reading { () throws(CodecError) in
            try decoder.value(at: position, of: bytes)
        }
    }

    // MARK: Bytes

    /// Adds the bytes of properties; false where they are not kept.
    func hash(_ positions: [Int], into hasher: inout Hasher) throws(InspectionError) -> Bool {
        guard fields == nil else { return false }
        for position in positions { hasher.combine(bytes: try bytes(at: position)) }
        return true
    }

    /// The bytes of properties, one behind the other. The row has them.
    func bytes(of positions: [Int]) throws(InspectionError) -> [UInt8] {
        var found: [UInt8] = []
        for position in positions { found += try bytes(at: position) }
        return found
    }

    /// Whether the bytes of properties are the given ones. The row has them.
    func hasBytes(_ others: [UInt8], in positions: [Int]) throws(InspectionError) -> Bool {
        var rest = others[...]
        for position in positions {
            let own = try bytes(at: position)
            guard rest.prefix(own.count).elementsEqual(own) else { return false }
            rest = rest.dropFirst(own.count)
        }
        return rest.isEmpty
    }

    private func bytes(at position: Int) throws(InspectionError) -> UnsafeRawBufferPointer {
        try decoder.reading { () throws(CodecError) in
            try decoder.bytes(at: position, of: bytes)
        }
    }
}

/// Makes the values of a row, as far as a query names them.
// A class, so that a row counts one reference.
final class RowDecoder: Sendable {
    let definition: TypeDefinition
    private let layout: RowLayout
    private let types: [StoredType]
    /// Whether each field is decoded, up to the last one that is.
    private let isRead: [Bool]
    /// Whether all values are made at once. To find each alone means to pass over those before it again.
    private let isEager: Bool

    private static let soughtFieldsMax = 4

    init(_ definition: TypeDefinition, _ fields: Set<Int>) {
        self.definition = definition
        layout = RowLayout(definition)
        types = definition.fields.map(\.type)
        isRead = (0..<(fields.max().map { $0 + 1 } ?? 0)).map { fields.contains($0) }
        isEager = fields.count > Self.soughtFieldsMax
    }

    /// - Parameter isTransient: whether the row is needed only as long as its bytes are valid.
    func row(
        _ entity: StateEntity, isTransient: Bool, isAdmitted: Bool
    ) throws(CodecError) -> QueryRow {
        let staysLongEnough = isTransient || entity.rowStays
        let fields = isEager || !staysLongEnough ? try values(of: entity.row) : nil
        return QueryRow(entity, self, fields: fields, isAdmitted: isAdmitted)
    }

    fileprivate func id(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> StoredContent {
        var reader = ByteReader(bytes)
        return try StoredContent(definition.idType, from: &reader)
    }

    fileprivate func values(of row: UnsafeRawBufferPointer) throws(CodecError) -> [StoredContent] {
        var reader = ByteReader(row)
        var values: [StoredContent] = []
        values.reserveCapacity(isRead.count)
        for position in isRead.indices {
            if isRead[position] {
                values.append(try StoredContent(types[position], from: &reader))
            } else {
                try layout.skip(position, in: &reader)
                values.append(QueryValue.null)
            }
        }
        return values
    }

    fileprivate func value(
        at position: Int, of row: UnsafeRawBufferPointer
    ) throws(CodecError) -> StoredContent {
        var reader = ByteReader(row)
        for passed in 0..<position { try layout.skip(passed, in: &reader) }
        return try StoredContent(types[position], from: &reader)
    }

    fileprivate func bytes(
        at position: Int, of row: UnsafeRawBufferPointer
    ) throws(CodecError) -> UnsafeRawBufferPointer {
        var reader = ByteReader(row)
        for passed in 0..<position { try layout.skip(passed, in: &reader) }
        let start = reader.position
        try layout.skip(position, in: &reader)
        return reader.slice(from: start, to: reader.position)
    }

    /// Runs what decodes.
    func reading<Result>(
        _ body: () throws(CodecError) -> Result
    ) throws(InspectionError) -> Result {
        do throws(CodecError) {
            return try body()
        } catch {
            throw .entity(type: definition.name, reason: "\(error)")
        }
    }
}
