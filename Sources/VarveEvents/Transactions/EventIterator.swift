/// Reads the events of a transaction one by one.
package struct EventIterator {
    private var cursor: EventCursor
    private var remaining: Int

    init(cursor: EventCursor, remaining: Int) {
        self.cursor = cursor
        self.remaining = remaining
    }

    /// The offset of the next event in the transaction's bytes.
    package var offset: Int { cursor.position }

    /// The next event, nil behind the last. Throws for every malformed one, and for bytes left
    /// over behind the last.
    package mutating func next() throws(EventError) -> TransactionEvent? {
        guard remaining > 0 else {
            try cursor.take { reader throws(CodecError) in try reader.expectEnd() }
            return nil
        }
        remaining -= 1
        let offset = cursor.position
        let tag = try cursor.byte()
        switch tag {
        case EventTag.insert: return .insert(try readInsert())
        case EventTag.update: return .update(try readUpdate())
        case EventTag.link: return .link(try readLink())
        case EventTag.delete: return .delete(try readDelete())
        case EventTag.define: return .define(try readDefine())
        case EventTag.purge:
            let (count, bytes) = try cursor.entities()
            return .purge(PurgeEvent(entities: EntitySequence(count: count, bytes: bytes)))
        case EventTag.withdraw:
            return .withdraw(WithdrawEvent(entity: try readLoneEntity()))
        case EventTag.depart: return .depart(DepartEvent(entity: try readLoneEntity()))
        case EventTag.saveOrder: return .saveOrder(try readSaveOrders())
        case EventTag.former: return .former(try readFormer())
        case _ where tag & EventTag.skippable != 0:
            return .unknown(tag: tag, bytes: try cursor.bytes())
        default: throw .unknownEvent(offset: offset, tag: tag)
        }
    }

    /// The next event where that is an insertion, as most are. An event of any kind is large, and copied several times
    /// on its way; ``next()`` reads what this does not.
    package mutating func nextInsert() throws(EventError) -> InsertEvent? {
        guard remaining > 0, cursor.nextByte == EventTag.insert else { return nil }
        remaining -= 1
        _ = try cursor.byte()
        return try readInsert()
    }

    private mutating func readDefine() throws(EventError) -> DefineEvent {
        let event = DefineEvent(bytes: try cursor.bytes())
        _ = try event.definition()
        return event
    }

    private mutating func readInsert() throws(EventError) -> InsertEvent {
        InsertEvent(
            entity: try cursor.entity(), ordinal: try cursor.ordinal(),
            previous: try cursor.previous(), row: try cursor.bytes())
    }

    private mutating func readUpdate() throws(EventError) -> UpdateEvent {
        let entity = try cursor.entity()
        let previous = try cursor.previous()
        let offset = cursor.position
        let count = try cursor.count()
        guard count > 0 else { throw .notCanonical(offset: offset) }
        let start = cursor.position
        var position = 0
        for _ in 0..<count {
            let (gap, _) = try cursor.take { reader throws(CodecError) in
                try FieldChangeSequence.read(from: &reader)
            }
            position += gap
            guard position < FieldChangeSequence.positionLimit else {
                throw .positionOutOfRange(offset: offset)
            }
            position += 1
        }
        return UpdateEvent(
            entity: entity, previous: previous,
            changes: FieldChangeSequence(count: count, bytes: cursor.slice(from: start)))
    }

    private mutating func readDelete() throws(EventError) -> DeleteEvent {
        let entity = try cursor.entity()
        let offset = cursor.position
        let flags = try cursor.flags(known: DeletionFlags.known, of: "DeleteEvent")
        let keepsTombstone = flags & DeletionFlags.keepsTombstone != 0
        let isRowless = flags & DeletionFlags.isRowless != 0
        // Without a row and without a tombstone nothing would happen.
        guard keepsTombstone || !isRowless else { throw .notCanonical(offset: offset) }
        let ordinal = try cursor.ordinal()
        let previous = try cursor.previous()
        let cause = try cursor.cause()
        let row = try cursor.bytes()
        return DeleteEvent(
            entity: entity, keepsTombstone: keepsTombstone, isRowless: isRowless,
            ordinal: ordinal, previous: previous, cause: cause, row: row,
            lists: try cursor.lists())
    }

    /// Behind its length, so that readers which do not know it can pass it over.
    private mutating func readFormer() throws(EventError) -> FormerEvent {
        let length = try cursor.count()
        let end = cursor.position + length
        let entity = try cursor.entity()
        let flags = try cursor.flags(known: FormerFlags.known, of: "FormerEvent")
        let previous = try cursor.previous()
        var tombstone: FormerEvent.Tombstone?
        if flags & FormerFlags.isTombstone != 0 {
            tombstone = FormerEvent.Tombstone(
                ordinal: try cursor.ordinal(), row: try cursor.bytes(),
                lists: try cursor.lists())
        }
        guard cursor.position == end else { throw .notCanonical(offset: end) }
        return FormerEvent(entity: entity, previous: previous, tombstone: tombstone)
    }

    /// Behind its length, like every event that may be passed over.
    private mutating func readLoneEntity() throws(EventError) -> EntityIndex {
        let length = try cursor.count()
        let end = cursor.position + length
        let entity = try cursor.entity()
        guard cursor.position == end else { throw .notCanonical(offset: end) }
        return entity
    }

    /// Behind its length, like every event that may be passed over.
    private mutating func readSaveOrders() throws(EventError) -> SaveOrderEvent {
        let length = try cursor.count()
        let end = cursor.position + length
        let count = try cursor.count()
        let start = cursor.position
        guard count > 0 else { throw .notCanonical(offset: start) }
        for _ in 0..<count {
            _ = try cursor.entity()
            let offset = cursor.position
            let (now, before) = (try cursor.saveOrder(), try cursor.saveOrder())
            guard now > 0 || before > 0 else { throw .notCanonical(offset: offset) }
        }
        guard cursor.position == end else { throw .notCanonical(offset: end) }
        return SaveOrderEvent(
            orders: SaveOrderSequence(count: count, bytes: cursor.slice(from: start)))
    }

    // MARK: Links

    private mutating func readLink() throws(EventError) -> LinkEvent {
        let parent = try cursor.entity()
        let relation = try cursor.relation()
        let offset = cursor.position
        let oldCount = try cursor.varint()
        guard oldCount < UInt64(Int32.max) else { throw .positionOutOfRange(offset: offset) }
        let shape = try cursor.flags(known: LinkShape.known, of: "LinkEvent")
        let old = Int(truncatingIfNeeded: oldCount)
        let removals = try readLinkChanges(
            asRun: shape & LinkShape.removalsAreRun != 0, countLimit: { _ in old })
        let kept = old - removals.count
        let insertions = try readLinkChanges(
            asRun: shape & LinkShape.insertionsAreRun != 0, countLimit: { kept + $0 })
        guard removals.count + insertions.count > 0 else { throw .notCanonical(offset: offset) }
        return LinkEvent(
            parent: parent, relation: relation, oldCount: old, removals: removals,
            insertions: insertions)
    }

    /// Reads and checks one side of a link event. `countLimit` gives the length of the list that
    /// positions are in, from the number of changes.
    private mutating func readLinkChanges(
        asRun isRun: Bool, countLimit: (Int) -> Int
    ) throws(EventError) -> ListChangeSequence {
        let offset = cursor.position
        let count = try cursor.count()
        let limit = UInt64(countLimit(count))
        guard count > 0 || !isRun else { throw .notCanonical(offset: offset) }
        guard UInt64(count) <= limit else { throw .positionOutOfRange(offset: offset) }
        var runStart: Int?
        if isRun {
            let start = try cursor.varint()
            guard start <= limit - UInt64(count) else {
                throw .positionOutOfRange(offset: offset)
            }
            runStart = Int(truncatingIfNeeded: start)
        }
        let start = cursor.position
        var next: UInt64 = 0
        for _ in 0..<count {
            if !isRun {
                let gap = try cursor.varint()
                guard gap < limit, next + gap < limit else {
                    throw .positionOutOfRange(offset: offset)
                }
                next += gap + 1
            }
            _ = try cursor.entity()
        }
        return ListChangeSequence(
            count: count, runStart: runStart, bytes: cursor.slice(from: start))
    }
}
