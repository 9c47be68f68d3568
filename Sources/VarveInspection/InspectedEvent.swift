/// One change of a transaction, with both of its sides.
public enum InspectedEvent: Sendable {
    case define(InspectedType)
    case insert(Insertion)
    case update(Update)
    case delete(Deletion)
    case link(LinkChange)
    /// Tombstones were removed.
    case purge([EntityName])
    /// An event of a later version.
    case unknown(tag: UInt8, bytes: ByteCount)

    /// The version that a change replaced: who wrote it, and when.
    public struct Previous: Hashable, Sendable {
        public let transaction: TransactionID
        public let updatedAt: Moment
    }

    public struct Insertion: Sendable {
        public let entity: EntityName
        /// The entity's place in the default order of its type.
        public let ordinal: UInt64
        /// The tombstone that it replaces.
        public let previous: Previous?
        public let fields: [InspectedField]
    }

    public struct Update: Sendable {
        public let entity: EntityName
        public let previous: Previous?
        public let changes: [FieldChange]
    }

    public struct FieldChange: Sendable {
        public enum Content: Sendable {
            case values(old: InspectedValue, new: InspectedValue)
            /// A part of a long text or of long data.
            case splice(Splice)
        }

        public let name: String
        public let content: Content
    }

    /// The part of a long value that changed, between what stayed.
    public struct Splice: Hashable, Sendable {
        /// How much stayed before and behind the part.
        public let prefix: ByteCount
        public let suffix: ByteCount
        public let old: [UInt8]
        public let new: [UInt8]
    }

    public struct Deletion: Sendable {
        public enum Cause: Sendable {
            case direct
            /// A delete rule, because this entity was deleted.
            case cascade(of: EntityName)
            /// A unique constraint, to make room for this entity.
            case upsert(by: EntityName)
        }

        /// The links of one relation when the entity went.
        public struct Links: Sendable {
            public let relation: String
            public let targets: [EntityName]
        }

        public let entity: EntityName
        public let ordinal: UInt64
        public let previous: Previous?
        public let cause: Cause
        /// Whether the entity can be restored.
        public let keepsTombstone: Bool
        /// There was no live row: only a tombstone appeared.
        public let isRowless: Bool
        public let fields: [InspectedField]
        public let links: [Links]
    }

    /// A change of one list: of one relation of one parent.
    public struct LinkChange: Sendable {
        public struct Member: Sendable {
            public let target: EntityName
            public let position: Int
        }

        public let parent: EntityName
        public let relation: String
        public let oldCount: Int
        /// By position in the old list.
        public let removals: [Member]
        /// By position in the new list.
        public let insertions: [Member]
    }
}

/// A transaction with its events.
public struct InspectedTransaction: Sendable {
    public let summary: TransactionSummary
    /// In the order of the log.
    public let events: [InspectedEvent]
}
