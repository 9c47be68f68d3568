extension Relation: Encodable where Entity: Encodable, Entity.ID: Encodable {
    /// Writes the relation in the form that the encoder's strategy asks for.
    ///
    /// Throws `EncodingError.invalidValue` where entities nest deeper than the thread's stack allows.
    public func encode(to encoder: any Encoder) throws {
        guard let content else { return try Self.encodeNull(to: encoder) }
        if content.hasEntities { try CodingDepth.check(encoder, self) }
        let strategy = encoder.relationEncodingStrategy
        if strategy == .plain {
            try encodePlain(content.state, to: encoder)
        } else {
            try encodeKeyed(content, by: strategy, to: encoder)
        }
    }

    private static func encodeNull(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }

    private func encodePlain(
        _ state: RelationContent<Entity>.State, to encoder: any Encoder
    ) throws {
        switch state {
        case .null, .nullID: try Self.encodeNull(to: encoder)
        case .id, .ids, .covered:
            let references = heldIDs.map { EncodedReference(id: $0) }
            var container = encoder.singleValueContainer()
            if Cardinality.isToMany {
                try container.encode(references)
            } else {
                try references.first.map { try container.encode($0) } ?? container.encodeNil()
            }
        case .entities(let entities, _):
            var container = encoder.singleValueContainer()
            if Cardinality.isToMany {
                try container.encode(entities)
            } else {
                try entities.first.map { try container.encode($0) } ?? container.encodeNil()
            }
        }
    }

    private func encodeKeyed(
        _ content: RelationContent<Entity>, by strategy: RelationEncodingStrategy,
        to encoder: any Encoder
    ) throws {
        let isSlice = content.isSlice && strategy != .keyedContainer
        var container = encoder.container(keyedBy: RelationCodingKey.self)
        switch content.state {
        case .null: try container.encodeNil(forKey: .object)
        case .nullID: try container.encodeNil(forKey: .id)
        case .id, .ids, .covered:
            guard Cardinality.isToMany else {
                return try container.encode(heldIDs.first, forKey: .id)
            }
            try container.encode(heldIDs, forKey: isSlice ? .sliceIDs : .ids)
        case .entities(let entities, let isFragment):
            let isFragment = isFragment && strategy == .lossless
            guard Cardinality.isToMany else {
                return try container.encode(
                    entities.first, forKey: isFragment ? .fragment : .object)
            }
            let key: RelationCodingKey =
                isFragment
                ? (isSlice ? .sliceFragments : .fragments) : (isSlice ? .slice : .objects)
            try container.encode(entities, forKey: key)
        }
    }
}

/// A related entity of which only the id is known: `{"id": …}`.
struct EncodedReference<ID> {
    let id: ID

    enum CodingKeys: CodingKey {
        case id
    }
}

extension EncodedReference: Encodable where ID: Encodable {}
extension EncodedReference: Decodable where ID: Decodable {}

extension Relationship: Encodable where Entity: Encodable, Entity.ID: Encodable {
    /// Writes the relation in the form of the encoder's ``RelationEncodingStrategy``.
    public func encode(to encoder: any Encoder) throws { try relation.encode(to: encoder) }
}
