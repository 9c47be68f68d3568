/// One change, as slices of the transaction's bytes. Everything in it was checked against the
/// transaction when it was read; whether it fits the state is for the replay to say.
package enum TransactionEvent {
    case define(DefineEvent)
    case insert(InsertEvent)
    case update(UpdateEvent)
    case delete(DeleteEvent)
    case link(LinkEvent)
    case purge(PurgeEvent)
    case former(FormerEvent)
    case withdraw(WithdrawEvent)
    case depart(DepartEvent)
    case saveOrder(SaveOrderEvent)
    /// An event of a later version that may be passed over, and is kept.
    case unknown(tag: UInt8, bytes: UnsafeRawBufferPointer)
}

/// Introduces an entity type, or a new revision of one.
package struct DefineEvent {
    package let bytes: UnsafeRawBufferPointer

    package func definition() throws(EventError) -> TypeDefinition {
        var reader = ByteReader(bytes)
        do throws(CodecError) {
            let definition = try TypeDefinition.decode(from: &reader)
            try reader.expectEnd()
            return definition
        } catch {
            throw .malformed(error)
        }
    }
}

package struct InsertEvent {
    package let entity: EntityIndex
    package let ordinal: Ordinal
    package let previous: PreviousVersion?
    package let row: UnsafeRawBufferPointer
}

package struct UpdateEvent {
    package let entity: EntityIndex
    package let previous: PreviousVersion?
    package let changes: FieldChangeSequence
}

package struct DeleteEvent {
    package let entity: EntityIndex
    package let keepsTombstone: Bool
    package let isRowless: Bool
    package let ordinal: Ordinal
    package let previous: PreviousVersion?
    package let cause: DeletionCause
    package let row: UnsafeRawBufferPointer
    package let lists: DeletedListSequence
}

package struct LinkEvent {
    package let parent: EntityIndex
    package let relation: RelationNumber
    package let oldCount: Int
    package let removals: ListChangeSequence
    package let insertions: ListChangeSequence

    package var newCount: Int { oldCount - removals.count + insertions.count }
}

package struct PurgeEvent {
    package let entities: EntitySequence
}

/// An entity that has gone for good, in this transaction or before it, is as if it had never been:
/// links to its id lead to something that is still to come.
package struct WithdrawEvent {
    package let entity: EntityIndex
}

/// An entity that was still to come has gone for good: an undo brings back that it had.
package struct DepartEvent {
    package let entity: EntityIndex
}

/// Where saves were among those of their transactions: which of several entities with one time was saved later, as far
/// as the order of insertion does not say it. It changes nothing else.
package struct SaveOrderEvent {
    package let orders: SaveOrderSequence
}

/// Where the saves of an entity were among those of their transactions.
package struct EntitySaveOrder: Hashable, Sendable {
    package let entity: EntityIndex
    /// In this transaction.
    package let now: UInt32
    /// In the transaction of the version that this one replaces.
    package let before: UInt32

    package init(entity: EntityIndex, now: UInt32, before: UInt32) {
        self.entity = entity
        self.now = now
        self.before = before
    }
}

/// What was at an entity without a row before the transaction, where its other events do not say:
/// what is needed to take them back. It changes nothing.
package struct FormerEvent {
    package let entity: EntityIndex
    /// When the tombstone was made, or the entity went for good.
    package let previous: PreviousVersion?
    /// Nil where the entity had gone for good.
    package let tombstone: Tombstone?

    package struct Tombstone {
        package let ordinal: Ordinal
        package let row: UnsafeRawBufferPointer
        package let lists: DeletedListSequence
    }
}

// The sequences below read bytes that were checked when the event was read, so their iterators
// never meet an error: `try?` there ends an iteration that cannot fail.

/// The fields that an update changes, in ascending order of position.
package struct FieldChangeSequence: Sequence, IteratorProtocol {
    /// A field's old and new value.
    package enum Change {
        case values(old: UnsafeRawBufferPointer, new: UnsafeRawBufferPointer)
        case splice(Splice)
    }

    package private(set) var count: Int
    private var reader: ByteReader
    private var nextPosition = 0

    init(count: Int, bytes: UnsafeRawBufferPointer) {
        self.count = count
        reader = ByteReader(bytes)
    }

    package mutating func next() -> (position: Int, change: Change)? {
        guard count > 0 else { return nil }
        count -= 1
        guard let (gap, change) = try? Self.read(from: &reader) else { return nil }
        let position = nextPosition + gap
        nextPosition = position + 1
        return (position, change)
    }

    /// No type has as many fields; positions below it add up without overflow.
    static let positionLimit = 1 << 16

    static func read(from reader: inout ByteReader) throws(CodecError) -> (gap: Int, Change) {
        let offset = reader.position
        let head = try reader.readVarint()
        guard head &>> 1 < UInt64(positionLimit) else {
            throw .valueOutOfRange(offset: offset, typeName: "field position")
        }
        let gap = Int(truncatingIfNeeded: head &>> 1)
        if head & 1 == 1 { return (gap, .splice(try Splice(from: &reader))) }
        let old = try reader.readLengthPrefixed()
        return (gap, .values(old: old, new: try reader.readLengthPrefixed()))
    }
}

/// Entities and their positions in a list, in ascending order.
package struct ListChangeSequence: Sequence, IteratorProtocol {
    package private(set) var count: Int
    /// The position of the first, if all are neighbours.
    package let runStart: Int?
    private var reader: ByteReader
    private var nextPosition: Int

    init(count: Int, runStart: Int?, bytes: UnsafeRawBufferPointer) {
        self.count = count
        self.runStart = runStart
        reader = ByteReader(bytes)
        nextPosition = runStart ?? 0
    }

    package mutating func next() -> ListChange? {
        guard count > 0 else { return nil }
        count -= 1
        if runStart == nil {
            guard let gap = try? reader.readVarint() else { return nil }
            nextPosition += Int(truncatingIfNeeded: gap)
        }
        guard let entity = try? reader.readVarint() else { return nil }
        defer { nextPosition += 1 }
        return ListChange(
            position: nextPosition, entity: EntityIndex(UInt32(truncatingIfNeeded: entity)))
    }
}

/// Some entities of the transaction's table.
package struct EntitySequence: Sequence, IteratorProtocol {
    package private(set) var count: Int
    private var reader: ByteReader

    init(count: Int, bytes: UnsafeRawBufferPointer) {
        self.count = count
        reader = ByteReader(bytes)
    }

    package mutating func next() -> EntityIndex? {
        guard count > 0 else { return nil }
        count -= 1
        guard let entity = try? reader.readVarint() else { return nil }
        return EntityIndex(UInt32(truncatingIfNeeded: entity))
    }
}

/// Entities with the orders of their saves.
package struct SaveOrderSequence: Sequence, IteratorProtocol {
    package private(set) var count: Int
    private var reader: ByteReader

    init(count: Int, bytes: UnsafeRawBufferPointer) {
        self.count = count
        reader = ByteReader(bytes)
    }

    package mutating func next() -> EntitySaveOrder? {
        guard count > 0 else { return nil }
        count -= 1
        guard let entity = try? reader.readVarint(), let now = try? reader.readVarint(),
            let before = try? reader.readVarint()
        else { return nil }
        return EntitySaveOrder(
            entity: EntityIndex(UInt32(truncatingIfNeeded: entity)),
            now: UInt32(truncatingIfNeeded: now), before: UInt32(truncatingIfNeeded: before))
    }
}

/// The lists that a deleted entity held.
package struct DeletedListSequence: Sequence, IteratorProtocol {
    package private(set) var count: Int
    private var reader: ByteReader

    init(count: Int, bytes: UnsafeRawBufferPointer) {
        self.count = count
        reader = ByteReader(bytes)
    }

    package mutating func next() -> (relation: RelationNumber, entities: EntitySequence)? {
        guard count > 0 else { return nil }
        count -= 1
        guard let relation = try? reader.readNumber(), let entities = try? reader.readLength()
        else { return nil }
        let start = reader.position
        for _ in 0..<entities {
            guard (try? reader.readVarint()) != nil else { return nil }
        }
        let bytes = reader.slice(from: start, to: reader.position)
        return (RelationNumber(relation), EntitySequence(count: entities, bytes: bytes))
    }
}
