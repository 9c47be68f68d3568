/// Writes one transaction after the other into their binary form. Reusable; it keeps its memory.
///
/// Begin, name entities and append events in any order, finish:
///
///     encoder.begin(id: id, time: time)
///     let chat = encoder.entity(chats, idBytes)
///     encoder.insert(chat, ordinal: ordinal, previous: nil, row: row)
///     encoder.finish(header, into: &writer)
package struct TransactionEncoder: ~Copyable {
    private var entities = EntityTable()
    private var body = ByteWriter(capacity: 4_096)
    private var scratch = ByteWriter()
    private var id = TransactionID(0)
    private var time = Timestamp(microseconds: 0)

    /// The number of events appended since ``begin(id:time:)``.
    package private(set) var eventCount = 0

    package init() {}

    /// The number of entities named so far.
    package var entityCount: Int { entities.count }

    /// Forgets what was appended and starts a transaction. Previous versions are written as
    /// distances from its id and time.
    package mutating func begin(id: TransactionID, time: Timestamp) {
        entities.removeAll()
        body.removeAll()
        eventCount = 0
        self.id = id
        self.time = time
    }

    /// The index of an entity in this transaction. Hashes the id: a caller that mentions an entity
    /// often keeps the index.
    package mutating func entity(
        _ type: TypeNumber, _ id: UnsafeRawBufferPointer
    ) -> EntityIndex {
        entities.index(of: type, id)
    }

    /// The index of an entity of which the caller knows that nothing but ``entity(_:_:)`` may have entered it:
    /// mostly nothing did, and the id need not be hashed.
    package mutating func unlistedEntity(
        _ type: TypeNumber, _ id: UnsafeRawBufferPointer
    ) -> EntityIndex {
        entities.indexOfUnlisted(type, id)
    }

    /// Calls `body` with the id of an entity of this transaction.
    package borrowing func withID(of entity: EntityIndex, _ body: (UnsafeRawBufferPointer) -> Void)
    {
        entities.withID(of: entity, body)
    }

    // MARK: Events

    package mutating func define(_ definition: TypeDefinition) throws(CodecError) {
        var encoded = ByteWriter(capacity: 512)
        try definition.encode(into: &encoded)
        begin(EventTag.define)
        encoded.withBytes { body.writeLengthPrefixed($0) }
    }

    /// - Parameters:
    ///   - previous: the version that a tombstone of this id keeps, else nil.
    ///   - row: the fields' bytes in the order of the type's current definition.
    package mutating func insert(
        _ entity: EntityIndex, ordinal: Ordinal, previous: PreviousVersion?,
        row: UnsafeRawBufferPointer
    ) {
        begin(EventTag.insert)
        write(entity)
        body.writeVarint(ordinal.rawValue)
        write(previous)
        body.writeLengthPrefixed(row)
    }

    /// - Parameter fields: the fields of the type's current definition, which the positions in
    ///   `changes` count.
    package mutating func update(
        _ entity: EntityIndex, previous: PreviousVersion, changes: borrowing FieldChanges,
        fields: [FieldDefinition]
    ) {
        begin(EventTag.update)
        write(entity)
        write(previous)
        body.writeCount(changes.count)
        var next = 0
        changes.forEach { position, old, new in
            writeChange(position - next, type: fields[position].type, old: old, new: new)
            next = position + 1
        }
    }

    private mutating func writeChange(
        _ gap: Int, type: StoredType, old: UnsafeRawBufferPointer, new: UnsafeRawBufferPointer
    ) {
        if old.count + new.count > Splice.threshold,
            let splice = Splice(type: type, old: old, new: new)
        {
            body.writeCount(gap << 1 | 1)
            return splice.encode(into: &body)
        }
        body.writeCount(gap << 1)
        body.writeLengthPrefixed(old)
        body.writeLengthPrefixed(new)
    }

    /// - Parameters:
    ///   - keepsTombstone: whether a tombstone stays: row, ordinal and lists, for restoration.
    ///   - isRowless: there was no live row; only a tombstone appears.
    ///   - row: the row that goes (or that the tombstone shows).
    ///   - lists: the links that the tombstone shows. The links themselves change by link events.
    package mutating func delete(
        _ entity: EntityIndex, keepsTombstone: Bool, isRowless: Bool = false, ordinal: Ordinal,
        previous: PreviousVersion?, cause: DeletionCause, row: UnsafeRawBufferPointer,
        lists: [(relation: RelationNumber, entities: [EntityIndex])]
    ) {
        begin(EventTag.delete)
        write(entity)
        body.append(
            (keepsTombstone ? DeletionFlags.keepsTombstone : 0)
                | (isRowless ? DeletionFlags.isRowless : 0))
        body.writeVarint(ordinal.rawValue)
        write(previous)
        write(cause)
        body.writeLengthPrefixed(row)
        write(lists)
    }

    private mutating func write(
        _ lists: [(relation: RelationNumber, entities: [EntityIndex])]
    ) {
        body.writeCount(lists.count)
        for list in lists {
            body.writeVarint(UInt64(list.relation.rawValue))
            body.writeCount(list.entities.count)
            for entity in list.entities { write(entity) }
        }
    }

    /// - Parameters:
    ///   - removals: in ascending order of their positions in the old list.
    ///   - insertions: in ascending order of their positions in the new list.
    package mutating func link(
        _ parent: EntityIndex, relation: RelationNumber, oldCount: Int,
        removals: [ListChange], insertions: [ListChange]
    ) {
        begin(EventTag.link)
        write(parent)
        body.writeVarint(UInt64(relation.rawValue))
        body.writeCount(oldCount)
        let removalsAreRun = Self.areRun(removals)
        let insertionsAreRun = Self.areRun(insertions)
        body.append(
            (removalsAreRun ? LinkShape.removalsAreRun : 0)
                | (insertionsAreRun ? LinkShape.insertionsAreRun : 0))
        write(removals, asRun: removalsAreRun)
        write(insertions, asRun: insertionsAreRun)
    }

    /// The link event that there are most of: one entity came behind all others.
    package mutating func link(
        _ parent: EntityIndex, relation: RelationNumber, oldCount: Int, appended: EntityIndex
    ) {
        begin(EventTag.link)
        write(parent)
        body.writeVarint(UInt64(relation.rawValue))
        body.writeCount(oldCount)
        body.append(LinkShape.insertionsAreRun)
        // No removals; one insertion, where the old list ended.
        body.append(0)
        body.append(1)
        body.writeCount(oldCount)
        write(appended)
    }

    /// The entities whose tombstones go.
    package mutating func purge(_ entities: [EntityIndex]) {
        begin(EventTag.purge)
        body.writeCount(entities.count)
        for entity in entities { write(entity) }
    }

    /// Enters an entity behind the others, without asking whether it is there already: so that the
    /// table becomes that of another transaction, place by place.
    package mutating func append(_ entity: TransactionView.Entity) {
        entities.append(entity.type, entity.id)
    }

    /// Appends events in their binary form, of a transaction with the same id and time whose entity
    /// table begins as this one's does.
    package mutating func copy(_ events: UnsafeRawBufferPointer, count: Int) {
        body.write(events)
        eventCount += count
    }

    /// What an entity without a row was before the transaction: it had gone for good at `previous`.
    package mutating func formerlyGone(_ entity: EntityIndex, previous: PreviousVersion) {
        skippable(EventTag.former) { encoder in
            encoder.write(entity)
            encoder.body.append(0)
            encoder.write(previous)
        }
    }

    /// The tombstone that an entity had before the transaction, which takes it away or replaces it.
    package mutating func formerTombstone(
        _ entity: EntityIndex, ordinal: Ordinal, previous: PreviousVersion,
        row: UnsafeRawBufferPointer,
        lists: [(relation: RelationNumber, entities: [EntityIndex])]
    ) {
        skippable(EventTag.former) { encoder in
            encoder.write(entity)
            encoder.body.append(FormerFlags.isTombstone)
            encoder.write(previous)
            encoder.body.writeVarint(ordinal.rawValue)
            encoder.body.writeLengthPrefixed(row)
            encoder.write(lists)
        }
    }

    /// An entity that has gone, in this transaction or before it, is as if it had never been.
    package mutating func withdraw(_ entity: EntityIndex) {
        skippable(EventTag.withdraw) { $0.write(entity) }
    }

    /// An entity that was still to come is one that has gone for good.
    package mutating func depart(_ entity: EntityIndex) {
        skippable(EventTag.depart) { $0.write(entity) }
    }

    /// Where saves were among those of their transactions. None of the orders says zero twice.
    package mutating func saveOrders(_ orders: [EntitySaveOrder]) {
        begin(EventTag.saveOrder)
        var event = ByteWriter(capacity: 16 + 4 * orders.count)
        event.writeCount(orders.count)
        for order in orders {
            event.writeVarint(UInt64(order.entity.rawValue))
            event.writeVarint(UInt64(order.now))
            event.writeVarint(UInt64(order.before))
        }
        event.withBytes { body.writeLengthPrefixed($0) }
    }

    /// Writes an event that readers may pass over: behind its length.
    private mutating func skippable(
        _ tag: UInt8, _ write: (inout TransactionEncoder) -> Void
    ) {
        begin(tag)
        swap(&body, &scratch)
        body.removeAll()
        write(&self)
        swap(&body, &scratch)
        scratch.withBytes { body.writeLengthPrefixed($0) }
    }

    /// Appends the whole transaction to `writer`.
    package mutating func finish(_ header: TransactionHeader, into writer: inout ByteWriter) {
        precondition(
            header.id == id && header.time == time, "The header is of the transaction begun")
        writer.append(TransactionForm.current)
        header.encode(into: &writer)
        entities.encode(into: &writer)
        writer.writeCount(eventCount)
        writer.write(contentsOf: body)
    }

    // MARK: Parts

    private mutating func begin(_ tag: UInt8) {
        body.append(tag)
        eventCount += 1
    }

    private mutating func write(_ entity: EntityIndex) {
        body.writeVarint(UInt64(entity.rawValue))
    }

    private mutating func write(_ previous: PreviousVersion?) {
        guard let previous else { return body.append(0) }
        precondition(previous.transaction <= id, "A previous version is earlier")
        body.writeVarint(id.rawValue - previous.transaction.rawValue + 1)
        // Wrapping, and undone by wrapping: any two times have a distance.
        body.writeSigned(time.microseconds &- previous.updatedAt.microseconds)
    }

    private mutating func write(_ cause: DeletionCause) {
        switch cause {
        case .direct:
            body.append(0)
        case .cascade(let entity):
            body.append(1)
            write(entity)
        case .upsert(let entity):
            body.append(2)
            write(entity)
        }
    }

    private static func areRun(_ changes: [ListChange]) -> Bool {
        guard let first = changes.first, let last = changes.last else { return false }
        return last.position - first.position == changes.count - 1
    }

    private mutating func write(_ changes: [ListChange], asRun isRun: Bool) {
        body.writeCount(changes.count)
        if isRun, let first = changes.first { body.writeCount(first.position) }
        var next = 0
        for change in changes {
            if !isRun { body.writeCount(change.position - next) }
            next = change.position + 1
            write(change.entity)
        }
    }
}
