internal import VarveEvents

extension StoredType {
    /// The bytes of the next value of this type.
    func readSlice(_ reader: inout ByteReader) throws(CodecError) -> UnsafeRawBufferPointer {
        let start = reader.position
        try skip(&reader)
        return reader.slice(from: start, to: reader.position)
    }
}
