/// The standard containers, which climb the ladder with their elements: an array of raw-value
/// enumerations is an array of raw values, an optional `Codable` value is nil or JSON.
protocol LadderContainer {
    /// The codec of the container, a `RungCodec<Self>`; nil if its elements have no stored form.
    static func containerCodec(isID: Bool) -> AnyObject?
}

extension Optional: LadderContainer {
    static func containerCodec(isID: Bool) -> AnyObject? {
        OptionalRung(Ladder.codec(for: Wrapped.self, isID: isID))
    }
}

extension Array: LadderContainer {
    static func containerCodec(isID: Bool) -> AnyObject? {
        ArrayRung(Ladder.codec(for: Element.self, isID: isID))
    }
}

extension Set: LadderContainer {
    static func containerCodec(isID: Bool) -> AnyObject? {
        SetRung(Ladder.codec(for: Element.self, isID: isID))
    }
}

extension Dictionary: LadderContainer {
    static func containerCodec(isID: Bool) -> AnyObject? {
        DictionaryRung(
            Ladder.codec(for: Key.self, isID: isID), Ladder.codec(for: Value.self, isID: isID))
    }
}

final class OptionalRung<Wrapped>: RungCodec<Wrapped?> {
    private let wrapped: RungCodec<Wrapped>
    override var kind: FieldKind { wrapped.kind.map { .optional($0) } }

    init?(_ wrapped: RungCodec<Wrapped>) {
        guard wrapped.kind.isStored else { return nil }
        self.wrapped = wrapped
    }

    override func store(_ value: Wrapped?, into writer: inout ByteWriter) throws(CodecError) {
        guard let value else { return writer.append(0) }
        writer.append(1)
        try wrapped.store(value, into: &writer)
    }

    override func load(from reader: inout ByteReader) throws(CodecError) -> Wrapped? {
        guard try reader.readOptionalTag() else { return nil }
        let start = reader
        do throws(CodecError) {
            return try wrapped.load(from: &reader)
        } catch {
            // What a newer version of the app knows, and this one does not. A store keeps its bytes.
            guard case .unknownRawValue = error, case .stored(let type, _) = wrapped.kind else {
                throw error
            }
            reader = start
            try type.skip(&reader)
            return nil
        }
    }

    override func same(_ first: Wrapped?, _ second: Wrapped?) -> Bool {
        switch (first, second) {
        case (nil, nil): true
        case (let left?, let right?): wrapped.same(left, right)
        default: false
        }
    }
}

final class ArrayRung<Element>: RungCodec<[Element]> {
    private let element: RungCodec<Element>
    override var kind: FieldKind { element.kind.map { .array($0) } }

    init?(_ element: RungCodec<Element>) {
        guard element.kind.isStored else { return nil }
        self.element = element
    }

    override func store(_ value: [Element], into writer: inout ByteWriter) throws(CodecError) {
        try SequenceForm.store(value, into: &writer) { value, writer throws(CodecError) in
            try element.store(value, into: &writer)
        }
    }

    override func load(from reader: inout ByteReader) throws(CodecError) -> [Element] {
        try SequenceForm.load(from: &reader) { reader throws(CodecError) in
            try element.load(from: &reader)
        }
    }

    override func same(_ first: [Element], _ second: [Element]) -> Bool {
        guard first.count == second.count else { return false }
        return zip(first, second).allSatisfy { element.same($0, $1) }
    }
}

final class SetRung<Element: Hashable>: RungCodec<Set<Element>> {
    private let element: RungCodec<Element>
    override var kind: FieldKind { element.kind.map { .set($0) } }

    init?(_ element: RungCodec<Element>) {
        guard element.kind.isStored else { return nil }
        self.element = element
    }

    override func store(_ value: Set<Element>, into writer: inout ByteWriter) throws(CodecError) {
        try SortedForm.store(value, into: &writer) { value, writer throws(CodecError) in
            try element.store(value, into: &writer)
            return writer.count
        }
    }

    override func load(from reader: inout ByteReader) throws(CodecError) -> Set<Element> {
        try SortedForm.loadSet(from: &reader) { reader throws(CodecError) in
            try element.load(from: &reader)
        }
    }
}

final class DictionaryRung<Key: Hashable, Element>: RungCodec<[Key: Element]> {
    private let key: RungCodec<Key>
    private let element: RungCodec<Element>
    private let combined: FieldKind
    override var kind: FieldKind { combined }

    init?(_ key: RungCodec<Key>, _ element: RungCodec<Element>) {
        let combined = FieldKind.dictionary(key.kind, element.kind)
        guard combined.isStored else { return nil }
        self.combined = combined
        self.key = key
        self.element = element
    }

    override func store(
        _ value: [Key: Element], into writer: inout ByteWriter
    ) throws(CodecError) {
        try SortedForm.store(value, into: &writer) { entry, writer throws(CodecError) in
            try key.store(entry.key, into: &writer)
            let keyEnd = writer.count
            try element.store(entry.value, into: &writer)
            return keyEnd
        }
    }

    override func load(from reader: inout ByteReader) throws(CodecError) -> [Key: Element] {
        try SortedForm.loadDictionary(
            from: &reader,
            key: { reader throws(CodecError) in try key.load(from: &reader) },
            value: { reader throws(CodecError) in try element.load(from: &reader) })
    }
}

extension FieldKind {
    /// The kind of a dictionary of these; its rung is the lower one of both.
    static func dictionary(_ key: FieldKind, _ value: FieldKind) -> FieldKind {
        guard case .stored(let keyType, let keyRung) = key else { return key }
        guard case .stored(let valueType, let valueRung) = value else { return value }
        let lower = keyRung.rawValue > valueRung.rawValue ? keyRung : valueRung
        return .stored(.dictionary(keyType, valueType), lower)
    }

    var isStored: Bool {
        if case .stored = self { true } else { false }
    }

    func map(_ transform: (StoredType) -> StoredType) -> FieldKind {
        guard case .stored(let type, let rung) = self else { return self }
        return .stored(transform(type), rung)
    }
}
