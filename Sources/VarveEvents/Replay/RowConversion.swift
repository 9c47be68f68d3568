/// Turns rows of one definition of a type into rows of another: fields are matched by number,
/// fields that the old rows lack take the fill of the new definition, fields that the new
/// definition lacks are dropped.
package struct RowConversion: Sendable {
    private enum Step: Sendable {
        case copy(Int)
        case transcode(Int, Transcoder)
        case fill([UInt8])
    }

    private let source: RowLayout
    private let steps: [Step]
    /// Whether rows stay as they are.
    package let isIdentity: Bool

    package init(from source: RowLayout, to target: TypeDefinition) throws(CatalogError) {
        self.source = source
        var steps: [Step] = []
        var isIdentity = source.fieldCount == target.fields.count
        let name = target.name
        for (position, field) in target.fields.enumerated() {
            guard
                let index = source.definition.fields
                    .firstIndex(where: { $0.number == field.number })
            else {
                guard let fill = field.fill else {
                    throw .newFieldNeedsDefault(type: name, property: field.name)
                }
                steps.append(.fill(fill))
                isIdentity = false
                continue
            }
            let old = source.definition.fields[index]
            let transcoder: Transcoder
            do throws(CodecError) {
                transcoder = try Transcoder(from: old.type, to: field.type)
            } catch {
                throw .fieldTypeChanged(
                    type: name, property: field.name, from: old.type, to: field.type,
                    reason: "\(error)")
            }
            steps.append(transcoder.isIdentity ? .copy(index) : .transcode(index, transcoder))
            isIdentity = isIdentity && transcoder.isIdentity && index == position
        }
        self.steps = steps
        self.isIdentity = isIdentity
    }

    /// Appends the converted row.
    package func convert(
        _ row: UnsafeRawBufferPointer, into writer: inout ByteWriter
    ) throws(CodecError) {
        if isIdentity { return writer.write(row) }
        var fields: [UnsafeRawBufferPointer] = []
        fields.reserveCapacity(source.fieldCount)
        try source.forEachField(of: row) { fields.append($1) }
        for step in steps {
            switch step {
            case .copy(let index): writer.write(fields[index])
            case .fill(let bytes): writer.write(bytes)
            case .transcode(let index, let transcoder):
                var reader = ByteReader(fields[index])
                try transcoder.transcode(&reader, into: &writer)
            }
        }
    }
}
