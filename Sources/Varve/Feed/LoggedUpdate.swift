public import VarveEvents
public import VarveGraph

/// The properties of one entity that a transaction gave other values.
public struct LoggedUpdate<Entity: EntityModelProtocol>: Sendable {
    /// One property's old and new value.
    public struct Property: Sendable {
        /// The name of the property, as the log has it.
        public let name: String
        let position: Int
        let type: StoredType
        let content: Content

        enum Content: Sendable {
            case values(old: [UInt8], new: [UInt8])
            /// A long text: what differs, in values of the transcoder's source.
            case splice([UInt8], Transcoder)
        }

        /// Whether the log holds only what differs between two long texts: then there are no values, and
        /// ``LoggedUpdate/applied(to:)`` makes the new one from the old one.
        public var isSplice: Bool {
            if case .splice = content { true } else { false }
        }

        /// As JSON; nil of a long text of which only the difference is known.
        public var oldText: String? { text { $0.old } }
        /// As JSON; nil of a long text of which only the difference is known.
        public var newText: String? { text { $0.new } }

        private func text(_ side: ((old: [UInt8], new: [UInt8])) -> [UInt8]) -> String? {
            guard case .values(let old, let new) = content else { return nil }
            return side((old, new)).withUnsafeBytes { type.text(of: $0) }
        }
    }

    /// The id of the entity that was updated.
    public let id: Entity.ID
    /// The properties that have another value, in the order of their declaration.
    public let properties: [Property]

    /// The names of the properties, in the order of their declaration.
    public var changedProperties: [String] { properties.map(\.name) }

    /// The value that a property had; nil where it has not changed, or where only the difference of a
    /// long text is known.
    public func old<Value: Storable>(_ path: KeyPath<Entity, Value>) throws -> Value? {
        try value(of: path) { $0.old }
    }

    /// The value that a property has since; nil as for ``old(_:)``.
    public func new<Value: Storable>(_ path: KeyPath<Entity, Value>) throws -> Value? {
        try value(of: path) { $0.new }
    }

    private func value<Value: Storable>(
        of path: KeyPath<Entity, Value>, _ side: ((old: [UInt8], new: [UInt8])) -> [UInt8]
    ) throws -> Value? {
        let name = Entity.propertyName(of: path)
        guard let property = properties.first(where: { $0.name == name }),
            case .values(let old, let new) = property.content
        else { return nil }
        return try Value.load(storedBytes: side((old, new)))
    }

    /// The entity as it is since, given the entity as it was: for consumers that keep a copy.
    ///
    /// - Throws: ``StoreError/notTheFormerVersion(type:id:)`` where a long text is not the one that was
    ///   changed.
    public func applied(to entity: Entity) throws -> Entity {
        var old = ByteWriter()
        try entity._store(into: &old)
        var new = ByteWriter()
        let isDone = try old.withBytes { row throws(CodecError) in
            try replaceFields(of: row, into: &new)
        }
        guard isDone else {
            throw StoreError.notTheFormerVersion(
                type: Entity._descriptor.name, id: String(describing: id))
        }
        return try new.withBytes { row throws(CodecError) in
            var reader = ByteReader(row)
            return try Entity(_id: entity.id, from: &reader)
        }
    }

    private func replaceFields(
        of row: UnsafeRawBufferPointer, into writer: inout ByteWriter
    ) throws(CodecError) -> Bool {
        let fields = Entity._descriptor.fields
        var reader = ByteReader(row)
        for (position, field) in fields.enumerated() {
            guard case .stored(let type, _) = field.kind else { continue }
            let start = reader.position
            try type.skip(&reader)
            let value = reader.slice(from: start, to: reader.position)
            guard let property = properties.first(where: { $0.position == position }) else {
                writer.write(value)
                continue
            }
            switch property.content {
            case .values(_, let new): writer.write(new)
            case .splice(let bytes, let transcoder):
                let isDone = try bytes.withReader { reader throws(CodecError) in
                    try Splice(from: &reader).apply(to: value, through: transcoder, into: &writer)
                }
                guard isDone else { return false }
            }
        }
        return true
    }
}
