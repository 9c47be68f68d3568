internal import VarveEvents
public import VarveGraph

/// One version of an entity: what a transaction made of it.
public struct EntityVersion<Entity: EntityModelProtocol>: Sendable {
    /// The transaction that made the version.
    public let transaction: TransactionInfo
    /// What that transaction did to the entity.
    public let change: VersionChange
    /// The properties that have another value than in the version before; all of a new entity.
    public let changedProperties: [String]
    /// The entity from then on, its relations not loaded; of a deleted one, what can be restored.
    /// Nil where it went for good, and where the app's type cannot read it.
    public let entity: Entity?
    /// What the app's type cannot read of it.
    public let unreadable: UnreadableValue?
}

/// What happened to an entity.
public enum VersionChange: Sendable, Hashable {
    /// The entity is new.
    case inserted
    /// Properties have other values.
    case updated
    /// The entity was deleted, by itself.
    case deleted
    /// By a delete rule of another entity: its type and id.
    case deletedWith(type: String, id: String)
    /// By a unique constraint, to make room for another: its type and id.
    case replaced(byType: String, id: String)
    /// The tombstone went: the entity cannot be restored any more.
    case purged
}

extension VersionChange {
    init(_ change: RowHistory.Change) {
        self =
            switch change {
            case .inserted: .inserted
            case .updated: .updated
            case .deleted: .deleted
            case .deletedWith(let type, let id): .deletedWith(type: type, id: id)
            case .replaced(let type, let id): .replaced(byType: type, id: id)
            case .purged: .purged
            }
    }
}
