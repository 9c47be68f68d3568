package import VarveEvents

/// Runs `body` with the bytes and gives its error or value.
package func withBytes<Result, Failure: Error>(
    _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
) throws(Failure) -> Result {
    try bytes.withReader { reader throws(Failure) in try body(reader.rest) }
}

extension TransactionEncoder {
    package mutating func entity(_ type: TypeNumber, bytes: [UInt8]) -> EntityIndex {
        bytes.withUnsafeBytes { entity(type, $0) }
    }

    package mutating func insert(
        _ entity: EntityIndex, ordinal: Ordinal, previous: PreviousVersion? = nil, row: [UInt8]
    ) {
        row.withUnsafeBytes { insert(entity, ordinal: ordinal, previous: previous, row: $0) }
    }

    package mutating func delete(
        _ entity: EntityIndex, keepsTombstone: Bool = true, isRowless: Bool = false,
        ordinal: Ordinal, previous: PreviousVersion?, cause: DeletionCause = .direct,
        row: [UInt8], lists: [(relation: RelationNumber, entities: [EntityIndex])] = []
    ) {
        row.withUnsafeBytes {
            delete(
                entity, keepsTombstone: keepsTombstone, isRowless: isRowless, ordinal: ordinal,
                previous: previous, cause: cause, row: $0, lists: lists)
        }
    }
}
