/// A transaction as values: what the tool shows.
package struct TransactionDescription: Sendable {
    package let header: TransactionHeader
    package let events: [EventDescription]

    /// Describes a transaction by the definitions in force after it.
    ///
    /// - Parameters:
    ///   - catalog: one that has taken in this transaction's definitions.
    ///   - positions: of the events to describe; all are read.
    ///   - includesLinks: whether changes of links are among them.
    package init(
        _ transaction: TransactionView, catalog: Catalog,
        events positions: Range<Int> = 0..<Int.max, includesLinks: Bool = true
    ) throws(DescriptionError) {
        header = transaction.header
        events = try EventDescriber(
            transaction: transaction, catalog: catalog, includesLinks: includesLinks
        ).describe(positions)
    }
}

/// Why a transaction cannot be described.
package enum DescriptionError: Error, Equatable, Sendable {
    case event(EventError)
    case value(CodecError)
    case unknownType(TypeNumber)
    case unknownField(type: String, position: Int)
    case unknownRelation(type: String, RelationNumber)
}

/// An entity that an event names.
package struct EntityReference: Hashable, Sendable {
    package let type: TypeNumber
    package let typeName: String
    package let id: StoredValue
}

/// One event as values.
package enum EventDescription: Sendable {
    case define(TypeDefinition)
    case insert(EntityReference, ordinal: Ordinal, previous: PreviousVersion?, fields: [Field])
    case update(EntityReference, previous: PreviousVersion?, changes: [Change])
    case delete(Deletion)
    case link(Link)
    case purge([EntityReference])
    /// An event of a later version, kept and passed over.
    case unknown(tag: UInt8, byteCount: Int)

    package struct Field: Sendable {
        package let name: String
        package let value: StoredValue
    }

    package struct Change: Sendable {
        package let name: String
        package let content: Content

        package enum Content: Sendable {
            case values(old: StoredValue, new: StoredValue)
            /// A long text of which a part changed: bytes before and behind it, and the part.
            case splice(prefix: Int, suffix: Int, old: [UInt8], new: [UInt8])
        }
    }

    package struct Deletion: Sendable {
        package let entity: EntityReference
        package let ordinal: Ordinal
        package let previous: PreviousVersion?
        package let cause: Cause
        package let keepsTombstone: Bool
        /// There was no live row, only a tombstone appeared.
        package let isRowless: Bool
        package let fields: [Field]
        package let lists: [(relation: String, entities: [EntityReference])]

        package enum Cause: Sendable {
            case direct
            case cascade(of: EntityReference)
            case upsert(by: EntityReference)
        }
    }

    package struct Link: Sendable {
        package let parent: EntityReference
        package let relation: String
        package let oldCount: Int
        package let removals: [Member]
        package let insertions: [Member]

        package struct Member: Sendable {
            package let position: Int
            package let entity: EntityReference
        }
    }
}
