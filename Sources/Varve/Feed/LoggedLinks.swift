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

    public let id: Entity.ID
    /// The name of the relation.
    public let relation: String
    public let removed: [Member]
    public let inserted: [Member]
}
