extension Relation: Decodable where Entity: Decodable, Entity.ID: Decodable {
    /// Reads the relation in the forms that the decoder's strategy allows.
    ///
    /// `null` says nothing; a value that no form can read throws. A decoded relation is no
    /// fragment, and a slice only where the explicit form says so.
    public init(from decoder: any Decoder) throws {
        let strategy = decoder.relationDecodingStrategy
        guard try !decoder.singleValueContainer().decodeNil() else {
            self = .none
            return
        }
        var failure: (any Error)?
        for isExplicit in [true, false] {
            guard strategy.contains(isExplicit ? .explicitKeyedContainer : .keyedContainer) else {
                continue
            }
            do {
                if let relation = try Self.keyed(decoder, isExplicit: isExplicit) {
                    self = relation
                    return
                }
                // Without any of the keys the value says nothing, unless it may be plain.
                guard strategy.contains(.plain) else {
                    self = .none
                    return
                }
            } catch {
                failure = failure ?? error
            }
        }
        do {
            self = try Self.plain(decoder)
        } catch {
            throw failure ?? error
        }
    }

    // MARK: - With keys

    /// Nil where the value is no object, or has none of the keys.
    private static func keyed(_ decoder: any Decoder, isExplicit: Bool) throws -> Self? {
        guard let container = try? decoder.container(keyedBy: RelationCodingKey.self) else {
            return nil
        }
        let key = RelationCodingKey.allCases.first {
            (isExplicit || $0.isPlainlyKeyed) && container.contains($0)
        }
        guard let key else { return nil }
        if let isToMany = key.isToMany, isToMany != Cardinality.isToMany {
            throw DecodingError.typeMismatch(
                Cardinality.Value.self,
                .init(
                    codingPath: container.codingPath + [key],
                    debugDescription: "the relation to \(Entity.self) is not to "
                        + (isToMany ? "many" : "one")))
        }
        return try value(of: key, in: container)
    }

    private static func value(
        of key: RelationCodingKey, in container: KeyedDecodingContainer<RelationCodingKey>
    ) throws -> Self {
        switch key {
        case .none: return .none
        case .id, .object, .fragment:
            guard try !container.decodeNil(forKey: key) else {
                return try null(key, in: container)
            }
            if key == .id { return Self(ids: [try container.decode(Entity.ID.self, forKey: .id)]) }
            let entity = try container.decode(Entity.self, forKey: key)
            return Self(entities: [entity], isFragment: key == .fragment)
        case .ids, .sliceIDs:
            let ids = try container.decode([Entity.ID].self, forKey: key)
            return Self(ids: ids, isSlice: key == .sliceIDs)
        case .objects, .fragments, .slice, .sliceFragments:
            let entities = try container.decode([Entity].self, forKey: key)
            return Self(
                entities: entities, isFragment: key == .fragments || key == .sliceFragments,
                isSlice: key == .slice || key == .sliceFragments)
        }
    }

    /// An explicit null, which a required relation cannot be.
    private static func null(
        _ key: RelationCodingKey, in container: KeyedDecodingContainer<RelationCodingKey>
    ) throws -> Self {
        guard Constraint.self != Relations.Required.self else {
            throw DecodingError.valueNotFound(
                Entity.self,
                .init(
                    codingPath: container.codingPath + [key],
                    debugDescription: "the relation to \(Entity.self) is required"))
        }
        return Self(RelationContent(key == .id ? .nullID : .null, isSlice: false))
    }

    // MARK: - Plain

    private static func plain(_ decoder: any Decoder) throws -> Self {
        Cardinality.isToMany ? try plainList(decoder) : try plainObject(decoder)
    }

    /// An entity, or an object with an id.
    private static func plainObject(_ decoder: any Decoder) throws -> Self {
        let container = try decoder.singleValueContainer()
        if decoder.isReference, !isEntityOfIDAlone {
            return Self(ids: [try container.decode(EncodedReference<Entity.ID>.self).id])
        }
        do {
            return Self(entities: [try container.decode(Entity.self)], isFragment: false)
        } catch {
            guard let reference = try? container.decode(EncodedReference<Entity.ID>.self) else {
                throw error
            }
            return Self(ids: [reference.id])
        }
    }

    /// A list of entities, or one of objects with ids.
    private static func plainList(_ decoder: any Decoder) throws -> Self {
        let container = try decoder.singleValueContainer()
        if !isEntityOfIDAlone, let forms = try? container.decode([ElementForm].self),
            !forms.isEmpty, forms.allSatisfy(\.isReference)
        {
            return try references(container)
        }
        do {
            return Self(entities: try container.decode([Entity].self), isFragment: false)
        } catch {
            guard let relation = try? references(container) else { throw error }
            return relation
        }
    }

    private static func references(_ container: any SingleValueDecodingContainer) throws -> Self {
        Self(ids: try container.decode([EncodedReference<Entity.ID>].self).map(\.id))
    }

    /// Whether `{"id": …}` is all that there is to say of an entity.
    private static var isEntityOfIDAlone: Bool {
        let owner = Entity._descriptor.tombstoneOwner?._descriptor ?? Entity._descriptor
        return owner.fields.isEmpty && owner.relations.isEmpty
    }
}

/// What kind of element of a list it is.
private struct ElementForm: Decodable {
    let isReference: Bool

    init(from decoder: any Decoder) throws { isReference = decoder.isReference }
}

extension Decoder {
    /// Whether the value is an object with an id and nothing else: a reference to an entity, not an
    /// entity of which everything else is missing.
    fileprivate var isReference: Bool {
        guard let container = try? container(keyedBy: AnyCodingKey.self) else { return false }
        return container.allKeys.map(\.stringValue) == ["id"]
    }
}

extension Relationship: Decodable where Entity: Decodable, Entity.ID: Decodable {
    public init(from decoder: any Decoder) throws { self.init(try Relation(from: decoder)) }
}
