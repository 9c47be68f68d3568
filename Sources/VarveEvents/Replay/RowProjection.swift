/// Makes of a row the one of an earlier definition, from before migrations: fields by number, each as it was written
/// then.
///
/// The opposite of ``RowConversion``. It fails where a field has no value that the earlier type could hold.
package struct RowProjection: Sendable {
    private struct Field: Sendable {
        let name: String
        /// In the rows that are read; nil where these have no such field.
        let position: Int?
        let transcoder: Transcoder?
        let type: StoredType
        /// The value where there is none.
        let fill: [UInt8]?
    }

    private let source: RowLayout
    private let target: String
    private let fields: [Field]

    /// - Parameters:
    ///   - source: the definition of the rows that are read.
    ///   - target: an earlier definition of the type.
    package init(from source: TypeDefinition, to target: TypeDefinition) {
        self.source = RowLayout(source)
        self.target = target.name
        fields = target.fields.map { field in
            let position = source.fields.firstIndex { $0.number == field.number }
            return Field(
                name: field.name, position: position,
                transcoder: position.flatMap {
                    try? Transcoder(from: field.type, to: source.fields[$0].type)
                }, type: field.type, fill: field.fill)
        }
    }

    /// The row of the earlier definition.
    package func project(_ row: UnsafeRawBufferPointer) throws(CodecError) -> [UInt8] {
        var values: [UnsafeRawBufferPointer] = []
        values.reserveCapacity(source.fieldCount)
        try source.forEachField(of: row) { values.append($1) }
        var projected: [UInt8] = []
        for field in fields {
            let value = field.position.flatMap { position in
                field.transcoder?.sourceBytes(of: values[position])
            }
            guard let value = value ?? field.fill else {
                throw .notTranscodable(
                    from: .structure(target, []), to: field.type,
                    reason: "the log has no value of '\(field.name)' for that time")
            }
            projected += value
        }
        return projected
    }
}
