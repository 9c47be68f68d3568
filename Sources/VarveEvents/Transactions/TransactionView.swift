/// A transaction in its binary form, read in place.
///
/// The view does not own the bytes: it and all that comes from it are valid as long as they are.
package struct TransactionView {
    /// An entity that the transaction mentions.
    package struct Entity {
        package let type: TypeNumber
        package let id: UnsafeRawBufferPointer
    }

    package let header: TransactionHeader
    /// In the order that events refer to them.
    package let entities: [Entity]
    package let eventCount: Int
    private let start: EventCursor

    package var id: TransactionID { header.id }

    /// Reads header and entity table. Events are read, and checked, by iterating.
    package init(_ bytes: UnsafeRawBufferPointer) throws(EventError) {
        var reader = ByteReader(bytes)
        let header: TransactionHeader
        let entities: [Entity]
        do throws(CodecError) {
            let form = try reader.readByte()
            guard form == TransactionForm.current else { throw .invalidForm(form) }
            header = try TransactionHeader.decode(from: &reader)
            entities = try Self.readEntities(from: &reader)
            eventCount = try reader.readLength()
        } catch {
            throw EventError(error)
        }
        self.header = header
        self.entities = entities
        start = EventCursor(
            reader: reader, entityCount: entities.count, id: header.id, time: header.time)
    }

    private static func readEntities(from reader: inout ByteReader) throws(CodecError) -> [Entity] {
        var entities: [Entity] = []
        var lastType: UInt32 = 0
        for _ in 0..<(try reader.readLength()) {
            let offset = reader.position
            let type = try reader.readNumber()
            let count = try reader.readLength()
            // One run per stretch of a type: writers have one way to write a table.
            guard type != lastType, count > 0 else { throw .notAscending(offset: offset) }
            lastType = type
            // Only once: reserving for each of many runs would copy the table each time.
            if entities.isEmpty { entities.reserveCapacity(count) }
            for _ in 0..<count {
                entities.append(
                    Entity(type: TypeNumber(type), id: try reader.readLengthPrefixed()))
            }
        }
        guard entities.count < Int32.max else {
            throw .lengthOutOfRange(
                offset: reader.position, length: UInt64(entities.count),
                available: reader.remaining)
        }
        return entities
    }

    package var events: EventIterator { EventIterator(cursor: start, remaining: eventCount) }

    /// Reads all events, to see whether they can be read.
    package func check() throws(EventError) {
        var events = events
        while try events.next() != nil {}
    }
}

extension CodecError {
    fileprivate static let formName = "Transaction"

    fileprivate static func invalidForm(_ form: UInt8) -> CodecError {
        .invalidTag(offset: 0, found: UInt64(form), typeName: formName)
    }
}

extension EventError {
    fileprivate init(_ error: CodecError) {
        if case .invalidTag(let offset, let found, CodecError.formName) = error {
            self = .unknownForm(offset: offset, found: UInt8(truncatingIfNeeded: found))
        } else {
            self = .malformed(error)
        }
    }
}
