/// Puts the changed fields of an update into a row, checking the old values.
package struct RowMerger {
    private let layout: RowLayout
    private let row: UnsafeRawBufferPointer

    package init(layout: RowLayout, row: UnsafeRawBufferPointer) {
        self.layout = layout
        self.row = row
    }

    /// Appends the new row.
    package func merge(
        _ changes: FieldChangeSequence, into writer: inout ByteWriter
    ) throws(EntityFault) {
        var reader = ByteReader(row)
        var position = 0
        var copied = 0
        for (changed, change) in changes {
            guard changed < layout.fieldCount else { throw .fieldOutOfRange(position: changed) }
            try skip(from: &position, to: changed, &reader)
            let start = reader.position
            try skip(from: &position, to: changed + 1, &reader)
            writer.write(reader.slice(from: copied, to: start))
            let old = reader.slice(from: start, to: reader.position)
            copied = reader.position
            try write(change, at: changed, old: old, into: &writer)
        }
        writer.write(reader.slice(from: copied, to: row.count))
    }

    private func skip(
        from position: inout Int, to end: Int, _ reader: inout ByteReader
    ) throws(EntityFault) {
        do throws(CodecError) {
            while position < end {
                try layout.skip(position, in: &reader)
                position += 1
            }
        } catch {
            throw .malformedRow(error)
        }
    }

    // Taken for errors only: it is a reference to count.
    private func name(of position: Int) -> String { layout.definition.fields[position].name }

    private func write(
        _ change: FieldChangeSequence.Change, at position: Int, old: UnsafeRawBufferPointer,
        into writer: inout ByteWriter
    ) throws(EntityFault) {
        let start = writer.count
        switch change {
        case .values(let expected, let new):
            guard expected.hasSameBytes(as: old) else {
                throw .oldValueDiffers(property: name(of: position))
            }
            writer.write(new)
        case .splice(let splice):
            guard splice.apply(to: old, into: &writer) else {
                throw .oldValueDiffers(property: name(of: position))
            }
        }
        let layout = layout
        do throws(CodecError) {
            try writer.withBytes { bytes throws(CodecError) in
                try layout.check(UnsafeRawBufferPointer(rebasing: bytes[start...]), at: position)
            }
        } catch {
            throw .malformedValue(property: name(of: position), error)
        }
    }
}
