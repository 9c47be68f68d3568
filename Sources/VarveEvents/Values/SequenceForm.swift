/// The stored form of arrays: a count, then the elements.
@usableFromInline
enum SequenceForm {
    @inlinable
    static func store<Element>(
        _ elements: [Element], into writer: inout ByteWriter,
        element: (Element, inout ByteWriter) throws(CodecError) -> Void
    ) throws(CodecError) {
        writer.writeCount(elements.count)
        let start = writer.count
        for value in elements { try element(value, &writer) }
        try checkWeight(elements.count, bytes: writer.count &- start)
    }

    /// Readers do not believe a large count without bytes behind it.
    @inlinable
    static func checkWeight(_ count: Int, bytes: Int) throws(CodecError) {
        guard bytes >= count || count <= ByteReader.weightlessLimit else {
            throw .notRoundTrippable(property: "")
        }
    }

    @inlinable
    static func load<Element>(
        from reader: inout ByteReader,
        element: (inout ByteReader) throws(CodecError) -> Element
    ) throws(CodecError) -> [Element] {
        let count = try reader.readCount()
        var elements: [Element] = []
        elements.reserveCapacity(min(count, reservationLimit))
        for _ in 0..<count { elements.append(try element(&reader)) }
        return elements
    }

    /// A count is checked against the bytes that remain, but an element may be far larger in
    /// memory than on disk: beyond this many, growth follows what was really decoded.
    @inlinable static var reservationLimit: Int { 4_096 }
}

/// The stored form of sets and dictionaries: a count, then the elements in ascending order of
/// their (key's) bytes, each different from the one before.
enum SortedForm {
    /// `element` writes one element and returns where its key ends.
    static func store<Elements: Collection>(
        _ elements: Elements, into writer: inout ByteWriter,
        element: (Elements.Element, inout ByteWriter) throws(CodecError) -> Int
    ) throws(CodecError) {
        writer.writeCount(elements.count)
        var scratch = ByteWriter(capacity: 256)
        var ranges: [(start: Int, keyEnd: Int, end: Int)] = []
        ranges.reserveCapacity(elements.count)
        for value in elements {
            let start = scratch.count
            let keyEnd = try element(value, &scratch)
            ranges.append((start, keyEnd, scratch.count))
        }
        let distinct = scratch.withBytes { bytes in
            func key(_ range: (start: Int, keyEnd: Int, end: Int)) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: bytes[range.start..<range.keyEnd])
            }
            ranges.sort { key($0).precedes(key($1)) }
            for range in ranges {
                writer.write(UnsafeRawBufferPointer(rebasing: bytes[range.start..<range.end]))
            }
            return zip(ranges, ranges.dropFirst()).allSatisfy { key($0).precedes(key($1)) }
        }
        // Several NaN are different elements of a set, and one after it was read back.
        guard distinct else { throw .notRoundTrippable(property: "") }
    }

    /// Reads the elements, `key` giving the part that orders them.
    static func load(
        from reader: inout ByteReader,
        key: (inout ByteReader) throws(CodecError) -> Void,
        rest: (inout ByteReader) throws(CodecError) -> Void
    ) throws(CodecError) {
        let count = try reader.readCount()
        var previous: UnsafeRawBufferPointer?
        for _ in 0..<count {
            let start = reader.position
            try key(&reader)
            let bytes = reader.slice(from: start, to: reader.position)
            if let previous, !previous.precedes(bytes) { throw .notAscending(offset: start) }
            previous = bytes
            try rest(&reader)
        }
    }

    static func loadSet<Element: Hashable>(
        from reader: inout ByteReader,
        element: (inout ByteReader) throws(CodecError) -> Element
    ) throws(CodecError) -> Set<Element> {
        let start = reader.position
        var set: Set<Element> = []
        var count = 0
        try load(
            from: &reader,
            key: { reader throws(CodecError) in
                set.insert(try element(&reader))
                count += 1
            }, rest: { _ in })
        // Texts of different bytes can be equal elements; no set that was stored held both.
        guard set.count == count else { throw .invalidValue(offset: start, typeName: "Set") }
        return set
    }

    static func loadDictionary<Key: Hashable, Value>(
        from reader: inout ByteReader,
        key: (inout ByteReader) throws(CodecError) -> Key,
        value: (inout ByteReader) throws(CodecError) -> Value
    ) throws(CodecError) -> [Key: Value] {
        let start = reader.position
        var dictionary: [Key: Value] = [:]
        var current: Key?
        var count = 0
        try load(
            from: &reader,
            key: { reader throws(CodecError) in current = try key(&reader) },
            rest: { reader throws(CodecError) in
                let loaded = try value(&reader)
                if let current { dictionary[current] = loaded }
                count += 1
            })
        guard dictionary.count == count else {
            throw .invalidValue(offset: start, typeName: "Dictionary")
        }
        return dictionary
    }
}
