/// One change of a transaction, with both of its sides.
public enum InspectedEvent: Sendable {
    /// A type was defined, or got a new revision.
    case define(InspectedType)
    /// An entity was inserted.
    case insert(Insertion)
    /// Fields of an entity got other values.
    case update(Update)
    /// An entity was deleted.
    case delete(Deletion)
    /// A list of links changed.
    case link(LinkChange)
    /// Tombstones were removed.
    case purge([EntityName])
    /// An event of a later version.
    case unknown(tag: UInt8, bytes: ByteCount)

    /// The version that a change replaced: who wrote it, and when.
    public struct Previous: Hashable, Sendable {
        /// The transaction that wrote the version.
        public let transaction: TransactionID
        /// When that transaction was written, by its writer's clock.
        public let updatedAt: Moment
    }

    /// An entity that was inserted.
    public struct Insertion: Sendable {
        /// The entity.
        public let entity: EntityName
        /// The entity's place in the default order of its type.
        public let ordinal: UInt64
        /// The tombstone that it replaces.
        public let previous: Previous?
        /// The values of all fields.
        public let fields: [InspectedField]
    }

    /// An entity whose fields got other values.
    public struct Update: Sendable {
        /// The entity.
        public let entity: EntityName
        /// The version that the update replaced.
        public let previous: Previous?
        /// The fields that changed.
        public let changes: [FieldChange]
    }

    /// How one field changed.
    public struct FieldChange: Sendable {
        /// Both sides of a change.
        public enum Content: Sendable {
            /// The whole values.
            case values(old: InspectedValue, new: InspectedValue)
            /// A part of a long text or of long data.
            case splice(Splice)
        }

        /// The name of the field.
        public let name: String
        /// Both sides of the change.
        public let content: Content
    }

    /// The part of a long value that changed, between what stayed.
    public struct Splice: Hashable, Sendable {
        /// How much stayed before and behind the part.
        public let prefix: ByteCount
        /// How many bytes stayed behind the part.
        public let suffix: ByteCount
        /// The bytes of the part before.
        public let old: [UInt8]
        /// The bytes of the part since.
        public let new: [UInt8]
    }

    /// An entity that was deleted.
    public struct Deletion: Sendable {
        /// Why an entity was deleted.
        public enum Cause: Sendable {
            /// The entity itself was to be deleted.
            case direct
            /// A delete rule, because this entity was deleted.
            case cascade(of: EntityName)
            /// A unique constraint, to make room for this entity.
            case upsert(by: EntityName)
        }

        /// The links of one relation when the entity went.
        public struct Links: Sendable {
            /// The name of the relation.
            public let relation: String
            /// The entities that it was linked to, in their order.
            public let targets: [EntityName]
        }

        /// The entity.
        public let entity: EntityName
        /// The entity's place in the default order of its type.
        public let ordinal: UInt64
        /// The version that was deleted.
        public let previous: Previous?
        /// Why the entity was deleted.
        public let cause: Cause
        /// Whether the entity can be restored.
        public let keepsTombstone: Bool
        /// There was no live row: only a tombstone appeared.
        public let isRowless: Bool
        /// The values that it had.
        public let fields: [InspectedField]
        /// The links that it had.
        public let links: [Links]
    }

    /// A change of one list: of one relation of one parent.
    public struct LinkChange: Sendable {
        /// A link that is gone or new.
        public struct Member: Sendable {
            /// The entity that is linked.
            public let target: EntityName
            /// Its position: in the old list of a removal, in the new list of an insertion.
            public let position: Int
        }

        /// The entity whose list changed.
        public let parent: EntityName
        /// The name of the relation.
        public let relation: String
        /// How many links the list had before.
        public let oldCount: Int
        /// By position in the old list.
        public let removals: [Member]
        /// By position in the new list.
        public let insertions: [Member]
    }
}

/// A transaction with its events.
public struct InspectedTransaction: Sendable {
    /// What the transaction says about itself, and how many events it has.
    public let summary: TransactionSummary
    /// In the order of the log, as far as they were asked for.
    public let events: [InspectedEvent]
}
