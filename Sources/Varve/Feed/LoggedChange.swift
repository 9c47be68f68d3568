public import VarveGraph

/// What a transaction did to one entity of a type.
public enum LoggedChange<Entity: EntityModelProtocol>: Sendable {
    /// The entity as it was put there, its relations not loaded.
    case inserted(Entity)
    /// The properties that have another value.
    case updated(LoggedUpdate<Entity>)
    /// The entity as it was, its relations not loaded.
    case deleted(Entity)
    /// The entity was put there, or deleted, and the app's type cannot read it as it is there or was.
    case unreadable(Entity.ID, UnreadableValue)
    /// One list of one relation of the entity.
    case linked(LoggedLinks<Entity>)
    /// The tombstone of a deleted entity went: it cannot be restored any more.
    case purged(Entity.ID)

    /// The id of the entity that changed.
    public var id: Entity.ID {
        switch self {
        case .inserted(let entity), .deleted(let entity): entity.id
        case .updated(let update): update.id
        case .linked(let links): links.id
        case .purged(let id), .unreadable(let id, _): id
        }
    }
}
