/// Reads what a transaction wrote of one type as rows of another definition of the type.
package struct VersionLayout {
    private let entry: LayoutCache.Entry

    /// - Parameter definition: that of the rows that are made.
    init(
        _ definition: TypeDefinition, _ catalog: Catalog, after transaction: TransactionID,
        _ cache: LayoutCache
    ) throws(ReversalError) {
        entry = try cache.entry(
            of: definition.number, after: transaction, catalog, as: definition)
    }

    /// A row of the transaction as one of now.
    package func convert(_ row: UnsafeRawBufferPointer) throws(CodecError) -> [UInt8] {
        var writer = ByteWriter(capacity: max(row.count, 1))
        try entry.conversion.convert(row, into: &writer)
        return writer.copyBytes()
    }

    /// The name of a field that the transaction's rows have at a position, if there is one still.
    package func name(ofSource position: Int) -> String? {
        entry.position(ofSource: position).map { entry.target.definition.fields[$0].name }
    }

    /// The row of now before an update, given the one behind it; nil where that row is not the one that the update
    /// left.
    package func restore(
        _ changes: FieldChangeSequence, in row: [UInt8]
    ) throws(CodecError) -> [UInt8]? {
        var restoring = FieldRestoring(
            entry, knownFields: .max, reachesUnknown: true, isForced: false)
        var writer = ByteWriter(capacity: max(row.count, 1))
        try row.withReader { reader throws(CodecError) in
            try restoring.run(changes, from: reader.rest, into: &writer)
        }
        return restoring.differing.isEmpty ? writer.copyBytes() : nil
    }
}
