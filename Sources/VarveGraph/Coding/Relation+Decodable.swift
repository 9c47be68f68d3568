extension Relation: Decodable where Entity: Decodable, Entity.ID: Decodable {
    /// Reads the relation in the forms that the decoder's strategy allows.
    ///
    /// `null` says nothing; a value that no form can read throws. A decoded relation is no
    /// fragment, and a slice only where the explicit form says so. The keys of an object tell the form,
    /// and what they lead to tells whether it is the form meant: entities are decoded once, however deep they nest.
    ///
    /// Throws `DecodingError.dataCorrupted` where entities nest deeper than the thread's stack allows.
    public init(from decoder: any Decoder) throws {
        let strategy = decoder.relationDecodingStrategy
        guard try !decoder.singleValueContainer().decodeNil() else {
            self = .none
            return
        }
        try CodingDepth.check(decoder)
        guard strategy.hasKeyedForm else {
            self = try Self.plain(decoder)
            return
        }
        var failure: (any Error)?
        let container = try? decoder.container(keyedBy: RelationCodingKey.self)
        let keys = container.map { RelationCodingKey.formKeys(in: $0, strategy) } ?? []
        // Without any of the keys the value says nothing, unless it may be plain.
        guard let container, !keys.isEmpty else {
            self = strategy.contains(.plain) ? try Self.plain(decoder) : .none
            return
        }
        for key in keys {
            do {
                self = try Self.keyed(key, in: container)
                return
            } catch let error as MisreadForm {
                failure = failure ?? error.reason
            }
        }
        do {
            self = try Self.plain(decoder)
        } catch {
            throw failure ?? error
        }
    }

    // MARK: - With keys

    private static func keyed(
        _ key: RelationCodingKey, in container: KeyedDecodingContainer<RelationCodingKey>
    ) throws -> Self {
        do {
            if let isToMany = key.isToMany, isToMany != Cardinality.isToMany {
                throw DecodingError.typeMismatch(
                    Cardinality.Value.self,
                    .init(
                        codingPath: container.codingPath + [key],
                        debugDescription: "the relation to \(Entity.self) is not to "
                            + (isToMany ? "many" : "one")))
            }
            switch key.content {
            case .none: return .none
            case .ids: return try ids(of: key, in: container)
            case .entities where key.isToMany == false && container.isNull(key):
                return try null(key, in: container)
            case .entities: try container.checkKind(of: key)
            }
        } catch {
            throw MisreadForm(reason: error)
        }
        // Not tried again as an entity if it fails: what is inside would be decoded anew at each level.
        return try entities(of: key, in: container)
    }

    private static func ids(
        of key: RelationCodingKey, in container: KeyedDecodingContainer<RelationCodingKey>
    ) throws -> Self {
        guard key == .id else {
            return Self(
                ids: try container.decode([Entity.ID].self, forKey: key),
                isSlice: key == .sliceIDs)
        }
        if container.isNull(key) { return try null(key, in: container) }
        return Self(ids: [try container.decode(Entity.ID.self, forKey: .id)])
    }

    private static func entities(
        of key: RelationCodingKey, in container: KeyedDecodingContainer<RelationCodingKey>
    ) throws -> Self {
        let isFragment = key == .fragment || key == .fragments || key == .sliceFragments
        guard key.isToMany == true else {
            let entity = try container.decode(Entity.self, forKey: key)
            return Self(entities: [entity], isFragment: isFragment)
        }
        return Self(
            entities: try container.decode([Entity].self, forKey: key), isFragment: isFragment,
            isSlice: key == .slice || key == .sliceFragments)
    }

    /// An explicit null, which a required relation cannot be.
    private static func null(
        _ key: RelationCodingKey, in container: KeyedDecodingContainer<RelationCodingKey>
    ) throws -> Self {
        guard Constraints.self != Relations.Required.self else {
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
            guard !CodingDepth.isCause(of: error),
                let reference = try? container.decode(EncodedReference<Entity.ID>.self)
            else { throw error }
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
            guard !CodingDepth.isCause(of: error), let relation = try? references(container) else {
                throw error
            }
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

/// Why an object that has the key of a form may yet be an entity that has a property of that name.
private struct MisreadForm: Error {
    let reason: any Error
}

extension RelationDecodingStrategy {
    fileprivate var hasKeyedForm: Bool {
        contains(.keyedContainer) || contains(.explicitKeyedContainer)
    }
}

extension RelationCodingKey {
    /// The keys of an object that may tell its form: the first one of each form that is to be read, the most explicit
    /// form first.
    fileprivate static func formKeys(
        in container: KeyedDecodingContainer<RelationCodingKey>,
        _ strategy: RelationDecodingStrategy
    ) -> [RelationCodingKey] {
        let present = allCases.filter { container.contains($0) }
        var keys: [RelationCodingKey] = []
        if strategy.contains(.explicitKeyedContainer), let key = present.first { keys.append(key) }
        if strategy.contains(.keyedContainer), let key = present.first(where: \.isPlainlyKeyed),
            !keys.contains(key)
        {
            keys.append(key)
        }
        return keys
    }
}

extension KeyedDecodingContainer<RelationCodingKey> {
    fileprivate func isNull(_ key: RelationCodingKey) -> Bool {
        (try? decodeNil(forKey: key)) ?? false
    }

    /// Throws where a list of entities is no list, or an entity no object. Looks at nothing inside.
    fileprivate func checkKind(of key: RelationCodingKey) throws {
        if key.isToMany == true {
            _ = try nestedUnkeyedContainer(forKey: key)
        } else {
            _ = try nestedContainer(keyedBy: AnyCodingKey.self, forKey: key)
        }
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
    /// Reads the relation in the forms of the decoder's ``RelationDecodingStrategy``.
    public init(from decoder: any Decoder) throws { self.init(try Relation(from: decoder)) }
}
