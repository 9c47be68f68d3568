extension Catalog {
    /// Writes the newest definition of every type: what stands at the head of each segment but the
    /// first, so that a segment can be read alone.
    package func encodeDefinitions(into writer: inout ByteWriter) throws(CodecError) {
        let definitions = definitions
        writer.writeCount(definitions.count)
        for definition in definitions {
            var bytes = ByteWriter(capacity: 512)
            try definition.encode(into: &bytes)
            bytes.withBytes { writer.writeLengthPrefixed($0) }
        }
    }

    /// What ``encodeDefinitions(into:)`` writes of definitions that were logged; empty where there
    /// are none.
    package func encodedDefinitions() -> [UInt8] {
        guard !isEmpty else { return [] }
        var writer = ByteWriter(capacity: 4_096)
        do throws(CodecError) {
            try encodeDefinitions(into: &writer)
        } catch {
            // Each definition was encoded before, when it was logged.
            preconditionFailure("a logged definition cannot be encoded: \(error)")
        }
        return writer.copyBytes()
    }

    /// Reads what ``encodeDefinitions(into:)`` wrote.
    package static func decodeDefinitions(
        _ bytes: UnsafeRawBufferPointer
    ) throws(CodecError) -> [TypeDefinition] {
        var reader = ByteReader(bytes)
        var definitions: [TypeDefinition] = []
        for _ in 0..<(try reader.readCount()) {
            var inner = ByteReader(try reader.readLengthPrefixed())
            definitions.append(try TypeDefinition.decode(from: &inner))
            try inner.expectEnd()
        }
        try reader.expectEnd()
        return definitions
    }
}
