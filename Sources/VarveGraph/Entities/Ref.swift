/// A typed reference to an entity: an id that names its type too.
///
/// A reference says nothing of whether the entity is there. It is hashable, crosses threads, and is coded as its id
/// alone, so that it can be kept in user defaults, in a URL or in the state of a view. Inside an entity use a relation:
/// a reference is no link that the store keeps in step.
public struct Ref<Entity: EntityModelProtocol>: Hashable, Sendable, Identifiable {
    /// The id of the entity.
    public let id: Entity.ID

    /// Refers to the entity of this id, whether it is there or not.
    @inlinable
    public init(_ id: Entity.ID) { self.id = id }

    /// Refers to this entity by its id.
    @inlinable
    public init(_ entity: Entity) { id = entity.id }

    /// The entity, or nil where the context has none with this id. O(log n).
    @inlinable
    public func resolve(in context: Context) -> Entity? { context.find(id) }

    /// The entity. O(log n).
    ///
    /// - Throws: ``ContextError/noSuchEntity(type:id:)``.
    @inlinable
    public func require(in context: Context) throws -> Entity { try .require(id, in: context) }
}

extension Ref: Encodable where Entity.ID: Encodable {
    /// Writes the id alone.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(id)
    }
}

extension Ref: Decodable where Entity.ID: Decodable {
    /// Reads an id.
    public init(from decoder: any Decoder) throws {
        id = try decoder.singleValueContainer().decode(Entity.ID.self)
    }
}

extension Ref: CustomStringConvertible {
    /// The type and the id.
    public var description: String { "\(Entity.self) \(id)" }
}

extension EntityModelProtocol {
    /// A reference to this entity.
    @inlinable public var ref: Ref<Self> { Ref(self) }

    /// The entity with an id, its relations not loaded. O(log n).
    ///
    /// - Throws: ``ContextError/noSuchEntity(type:id:)``. `context.find(id)` gives nil instead.
    @inlinable
    public static func require(_ id: ID, in context: Context) throws -> Self {
        guard let entity: Self = context.find(id) else {
            throw ContextError.noSuchEntity(type: "\(Self.self)", id: "\(id)")
        }
        return entity
    }
}
