extension Optional: Storable where Wrapped: Storable {
    public static var storedType: StoredType { .optional(Wrapped.storedType) }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        guard let value = self else { return writer.append(0) }
        writer.append(1)
        try value.store(into: &writer)
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> Wrapped? {
        try reader.readOptionalTag() ? try Wrapped.load(from: &reader) : nil
    }

    @inlinable
    public static func sameBytes(_ first: Wrapped?, _ second: Wrapped?) -> Bool {
        switch (first, second) {
        case (nil, nil): true
        case (let left?, let right?): Wrapped.sameBytes(left, right)
        default: false
        }
    }
}

extension ByteReader {
    /// Reads the byte in front of an optional: whether a value follows.
    @inlinable
    public mutating func readOptionalTag() throws(CodecError) -> Bool {
        let byte = try readByte()
        guard byte <= 1 else {
            throw .invalidTag(offset: position &- 1, found: UInt64(byte), typeName: "Optional")
        }
        return byte == 1
    }
}

extension Array: Storable where Element: Storable {
    public static var storedType: StoredType { .array(Element.storedType) }

    @inlinable
    public func store(into writer: inout ByteWriter) throws(CodecError) {
        try SequenceForm.store(self, into: &writer) { element, writer throws(CodecError) in
            try element.store(into: &writer)
        }
    }

    @inlinable
    public static func load(from reader: inout ByteReader) throws(CodecError) -> [Element] {
        try SequenceForm.load(from: &reader) { reader throws(CodecError) in
            try Element.load(from: &reader)
        }
    }

    @inlinable
    public static func sameBytes(_ first: [Element], _ second: [Element]) -> Bool {
        guard first.count == second.count else { return false }
        return zip(first, second).allSatisfy { Element.sameBytes($0, $1) }
    }
}

extension Set: Storable where Element: Storable {
    public static var storedType: StoredType { .set(Element.storedType) }

    public func store(into writer: inout ByteWriter) throws(CodecError) {
        try SortedForm.store(self, into: &writer) { element, writer throws(CodecError) in
            try element.store(into: &writer)
            return writer.count
        }
    }

    public static func load(from reader: inout ByteReader) throws(CodecError) -> Set<Element> {
        try SortedForm.loadSet(from: &reader) { reader throws(CodecError) in
            try Element.load(from: &reader)
        }
    }
}

extension Dictionary: Storable where Key: Storable, Value: Storable {
    public static var storedType: StoredType { .dictionary(Key.storedType, Value.storedType) }

    public func store(into writer: inout ByteWriter) throws(CodecError) {
        try SortedForm.store(self, into: &writer) { element, writer throws(CodecError) in
            try element.key.store(into: &writer)
            let keyEnd = writer.count
            try element.value.store(into: &writer)
            return keyEnd
        }
    }

    public static func load(from reader: inout ByteReader) throws(CodecError) -> [Key: Value] {
        try SortedForm.loadDictionary(
            from: &reader,
            key: { reader throws(CodecError) in try Key.load(from: &reader) },
            value: { reader throws(CodecError) in try Value.load(from: &reader) })
    }
}
