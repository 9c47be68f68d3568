/// A reader of the parts of events, with their errors.
struct EventCursor {
    var reader: ByteReader
    let entityCount: Int
    let id: TransactionID
    let time: Timestamp

    var position: Int { reader.position }

    /// Runs `read` on the reader and turns its error into an ``EventError``.
    @inline(__always)
    mutating func take<Value>(
        _ read: (inout ByteReader) throws(CodecError) -> Value
    ) throws(EventError) -> Value {
        do throws(CodecError) {
            return try read(&reader)
        } catch {
            throw .malformed(error)
        }
    }

    mutating func varint() throws(EventError) -> UInt64 {
        try take { reader throws(CodecError) in try reader.readVarint() }
    }

    /// Nil at the end.
    var nextByte: UInt8? { reader.rest.first }

    mutating func byte() throws(EventError) -> UInt8 {
        try take { reader throws(CodecError) in try reader.readByte() }
    }

    /// A count of parts that take at least a byte each.
    mutating func count() throws(EventError) -> Int {
        try take { reader throws(CodecError) in try reader.readLength() }
    }

    mutating func flags(known: UInt8, of typeName: String) throws(EventError) -> UInt8 {
        try take { reader throws(CodecError) in try reader.readFlags(known: known, of: typeName) }
    }

    mutating func bytes() throws(EventError) -> UnsafeRawBufferPointer {
        try take { reader throws(CodecError) in try reader.readLengthPrefixed() }
    }

    mutating func relation() throws(EventError) -> RelationNumber {
        RelationNumber(try take { reader throws(CodecError) in try reader.readNumber() })
    }

    mutating func entity() throws(EventError) -> EntityIndex {
        let offset = position
        let index = try varint()
        guard index < UInt64(entityCount) else {
            throw .entityOutOfRange(offset: offset, index: index, count: entityCount)
        }
        return EntityIndex(UInt32(truncatingIfNeeded: index))
    }

    mutating func ordinal() throws(EventError) -> Ordinal {
        let offset = position
        let ordinal = try varint()
        guard ordinal > 0, ordinal < Ordinal.limit else {
            throw .malformed(.valueOutOfRange(offset: offset, typeName: "Ordinal"))
        }
        return Ordinal(ordinal)
    }

    mutating func saveOrder() throws(EventError) -> UInt32 {
        let offset = position
        guard let order = UInt32(exactly: try varint()) else {
            throw .malformed(.valueOutOfRange(offset: offset, typeName: "save order"))
        }
        return order
    }

    mutating func previous() throws(EventError) -> PreviousVersion? {
        let offset = position
        let distance = try varint()
        guard distance > 0 else { return nil }
        guard distance - 1 < id.rawValue else { throw .previousOutOfRange(offset: offset) }
        let difference = try take { reader throws(CodecError) in try reader.readSigned() }
        return PreviousVersion(
            transaction: TransactionID(id.rawValue - (distance - 1)),
            updatedAt: Timestamp(microseconds: time.microseconds &- difference))
    }

    mutating func lists() throws(EventError) -> DeletedListSequence {
        let count = try count()
        let start = position
        var last = RelationNumber(0)
        for _ in 0..<count {
            let offset = position
            let relation = try relation()
            guard relation > last else { throw .notCanonical(offset: offset) }
            last = relation
            _ = try entities()
        }
        return DeletedListSequence(count: count, bytes: slice(from: start))
    }

    mutating func entities() throws(EventError) -> (Int, UnsafeRawBufferPointer) {
        let count = try count()
        let start = position
        for _ in 0..<count { _ = try entity() }
        return (count, slice(from: start))
    }

    mutating func cause() throws(EventError) -> DeletionCause {
        let offset = position
        switch try byte() {
        case 0: return .direct
        case 1: return .cascade(of: try entity())
        case 2: return .upsert(by: try entity())
        case let other:
            throw .malformed(
                .invalidTag(offset: offset, found: UInt64(other), typeName: "DeletionCause"))
        }
    }

    /// A slice of what was read since `start`.
    func slice(from start: Int) -> UnsafeRawBufferPointer {
        reader.slice(from: start, to: position)
    }
}
