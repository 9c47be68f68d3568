/// Values of Swift types as stored values, for code that names properties by texts.
package enum DynamicCodec {
    /// The bytes of a value, with their type.
    package static func store<Value>(
        _ value: Value
    ) throws(CodecError) -> (type: StoredType, bytes: [UInt8]) {
        let type = try storedType(of: Value.self)
        var writer = ByteWriter()
        try _FieldCodec.store(value, "", into: &writer)
        return (type, writer.copyBytes())
    }

    /// Reads a value of `source`, which may become one of the Swift type without loss.
    package static func load<Value>(
        _ type: Value.Type, from source: StoredType, _ bytes: UnsafeRawBufferPointer
    ) throws(CodecError) -> Value {
        let target = try storedType(of: type)
        var reader = ByteReader(bytes)
        if source == target { return try load(&reader) }
        let transcoder = try Transcoder(from: source, to: target)
        if transcoder.isIdentity { return try load(&reader) }
        var writer = ByteWriter()
        try transcoder.transcode(&reader, into: &writer)
        return try writer.withBytes { bytes throws(CodecError) in
            var reader = ByteReader(bytes)
            return try load(&reader)
        }
    }

    private static func load<Value>(_ reader: inout ByteReader) throws(CodecError) -> Value {
        try _FieldCodec.load(from: &reader)
    }

    private static func storedType<Value>(of type: Value.Type) throws(CodecError) -> StoredType {
        switch _FieldCodec.kind(type) {
        case .stored(let stored, _): return stored
        case .unsupported(let name): throw .notStorable(property: "", typeName: name)
        }
    }

    /// A value of an enumeration as one of the enumeration without a case; nil where it is that case.
    ///
    /// - Parameter name: the name of the case, or its raw value as a text.
    package static func removing(
        case name: String, _ type: StoredType, _ bytes: [UInt8]
    ) throws(CodecError) -> (type: StoredType, bytes: [UInt8])? {
        let content = try bytes.withReader { reader throws(CodecError) in
            try StoredContent(type, from: &reader)
        }
        guard !content.isCase(name) else { return nil }
        let rest = type.removing(case: name)
        guard rest != type else { return (type, bytes) }
        var writer = ByteWriter()
        try content.renumbered(as: rest).store(as: rest, into: &writer)
        return (rest, writer.copyBytes())
    }
}

extension StoredType {
    fileprivate func removing(case name: String) -> StoredType {
        switch self {
        case .optional(let wrapped): .optional(wrapped.removing(case: name))
        case .enumeration(let type, let cases):
            .enumeration(type, cases.filter { $0.name != name })
        default: self
        }
    }
}

extension StoredContent {
    fileprivate func isCase(_ name: String) -> Bool {
        switch self {
        case .optional(let wrapped): wrapped?.isCase(name) ?? false
        case .enumeration(_, let found, _): found == name
        case .string(let raw): raw == name
        case .signed(let raw): "\(raw)" == name
        case .unsigned(let raw): "\(raw)" == name
        default: false
        }
    }

    /// With the number that its case has in another form of the enumeration.
    fileprivate func renumbered(as type: StoredType) -> StoredContent {
        switch (self, type) {
        case (.optional(let wrapped?), .optional(let type)):
            .optional(wrapped.renumbered(as: type))
        case (.enumeration(let index, let name, let payload), .enumeration(_, let cases)):
            .enumeration(
                index: cases.firstIndex { $0.name == name } ?? index, name: name, payload: payload)
        default: self
        }
    }
}
