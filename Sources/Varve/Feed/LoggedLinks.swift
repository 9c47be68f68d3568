internal import VarveEvents
public import VarveGraph

/// How one list of one relation of an entity changed.
public struct LoggedLinks<Entity: EntityModelProtocol>: Sendable {
    /// An entity that was linked, or is now.
    public struct Member: Sendable {
        /// In the old list for those removed, in the new list for those inserted.
        public let position: Int
        /// As people read it.
        public let idText: String
        let encodedID: [UInt8]

        /// The id, as the related type has it.
        public func id<Child: EntityModelProtocol>(as type: Child.Type) throws -> Child.ID {
            try encodedID.withReader { reader throws(CodecError) in try Child._loadID(from: &reader)
            }
        }
    }

    /// The id of the entity whose list changed.
    public let id: Entity.ID
    /// The name of the relation.
    public let relation: String
    /// The links that are gone, by position in the old list.
    public let removed: [Member]
    /// The links that are new, by position in the new list.
    public let inserted: [Member]
}
