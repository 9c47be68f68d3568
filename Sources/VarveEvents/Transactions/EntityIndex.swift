/// The place of an entity in a transaction's entity table.
package struct EntityIndex: Hashable, Comparable, Sendable {
    package let rawValue: UInt32

    package init(_ rawValue: UInt32) { self.rawValue = rawValue }

    package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

/// The version of an entity that an event replaces: when it was last touched, and by which
/// transaction. The history of an entity is the walk along these.
///
/// An entity without row and tombstone has none: a deletion for good, or the purge of its
/// tombstone, ends the chain.
package struct PreviousVersion: Hashable, Sendable {
    package let transaction: TransactionID
    package let updatedAt: Timestamp
    /// Where the save was among those of its transaction. No event says it together with the rest; see
    /// ``SaveOrderEvent``.
    package var saveOrder: UInt32 = 0

    package init(transaction: TransactionID, updatedAt: Timestamp) {
        self.transaction = transaction
        self.updatedAt = updatedAt
    }
}

/// Why an entity was deleted.
package enum DeletionCause: Hashable, Sendable {
    case direct
    /// By a delete rule, because this entity was deleted.
    case cascade(of: EntityIndex)
    /// By a unique constraint, to make room for this entity.
    case upsert(by: EntityIndex)
}

/// An entity removed from, or inserted into, a list at a position.
package struct ListChange: Hashable, Sendable {
    package let position: Int
    package let entity: EntityIndex

    package init(position: Int, entity: EntityIndex) {
        self.position = position
        self.entity = entity
    }
}

/// The tags in front of events.
enum EventTag {
    static let define: UInt8 = 0x01
    static let insert: UInt8 = 0x02
    static let update: UInt8 = 0x03
    static let delete: UInt8 = 0x04
    static let link: UInt8 = 0x05
    static let purge: UInt8 = 0x06
    static let former: UInt8 = 0x80
    static let withdraw: UInt8 = 0x82
    static let depart: UInt8 = 0x84
    static let saveOrder: UInt8 = 0x86
    /// Unknown tags with this bit carry their length: a reader passes over them.
    static let skippable: UInt8 = 0x80
}

/// The bits of a delete event's flags.
enum DeletionFlags {
    static let keepsTombstone: UInt8 = 0x01
    static let isRowless: UInt8 = 0x02
    static let known: UInt8 = 0x03
}

/// The bits of a former event's flags.
enum FormerFlags {
    static let isTombstone: UInt8 = 0x01
    static let known: UInt8 = 0x01
}

/// The bits of a link event's shape.
enum LinkShape {
    /// Removals are neighbours: one position stands for all.
    static let removalsAreRun: UInt8 = 0x01
    /// Insertions are neighbours: one position stands for all.
    static let insertionsAreRun: UInt8 = 0x02
    static let known: UInt8 = 0x03
}

/// The first byte of a transaction's binary form.
enum TransactionForm {
    static let current: UInt8 = 0x01
}
