/// Puts together one page of entities.
///
/// What is alike stands together, which compresses better: what each slot holds, the ordinals, the
/// transactions, the times, the ids, the rows. Numbers are differences to the entity before.
struct RowPageWriter: ~Copyable {
    private(set) var count = 0
    private var presences = ByteWriter(capacity: 4 << 10)
    private var ordinals = ByteWriter(capacity: 4 << 10)
    private var transactions = ByteWriter(capacity: 4 << 10)
    private var times = ByteWriter(capacity: 4 << 10)
    private var ids = ByteWriter(capacity: 64 << 10)
    private var rows = ByteWriter(capacity: 256 << 10)
    private var previous = EntityStamps.beforePage
    private var scratch = ByteWriter(capacity: 1_024)
    private var lastID = 0
    private var lastRow = 0

    var byteCount: Int {
        presences.count + ordinals.count + transactions.count + times.count + ids.count
            + rows.count
    }

    mutating func addVacant(
        id: (inout ByteWriter) throws(CodecError) -> Void
    ) throws(CodecError) {
        try addID(id)
        lastRow = rows.count
        presences.append(EntityPresence.vacant.rawValue)
        count += 1
    }

    mutating func addVacant(id: (inout ByteWriter) -> Void) {
        scratch.removeAll()
        id(&scratch)
        endID()
        lastRow = rows.count
        presences.append(EntityPresence.vacant.rawValue)
        count += 1
    }

    mutating func addGone(
        _ stamps: EntityStamps, id: (inout ByteWriter) throws(CodecError) -> Void
    ) throws(CodecError) {
        try addID(id)
        lastRow = rows.count
        presences.append(EntityPresence.gone.rawValue)
        addTime(stamps)
        count += 1
    }

    mutating func add(
        _ presence: EntityPresence, _ stamps: EntityStamps,
        id: (inout ByteWriter) throws(CodecError) -> Void,
        row: (inout ByteWriter) throws(CodecError) -> Void
    ) throws(CodecError) {
        try addID(id)
        scratch.removeAll()
        try row(&scratch)
        rows.writeCount(scratch.count)
        lastRow = rows.count
        rows.write(contentsOf: scratch)
        let isOrdered = stamps.saveOrder != 0
        presences.append(presence.rawValue | (isOrdered ? EntityPresence.isOrdered : 0))
        ordinals.writeSigned(
            Int64(bitPattern: stamps.ordinal &- previous.ordinal &- 1))
        previous.ordinal = stamps.ordinal
        addTime(stamps)
        if isOrdered { times.writeVarint(UInt64(stamps.saveOrder)) }
        count += 1
    }

    private mutating func addTime(_ stamps: EntityStamps) {
        transactions.writeSigned(
            Int64(bitPattern: stamps.transaction &- previous.transaction))
        times.writeSigned(stamps.updatedAt &- previous.updatedAt)
        previous.transaction = stamps.transaction
        previous.updatedAt = stamps.updatedAt
    }

    private mutating func addID(
        _ id: (inout ByteWriter) throws(CodecError) -> Void
    ) throws(CodecError) {
        scratch.removeAll()
        try id(&scratch)
        endID()
    }

    private mutating func endID() {
        ids.writeCount(scratch.count)
        lastID = ids.count
        ids.write(contentsOf: scratch)
    }

    /// Id and row of the entity that was added last; no row's bytes are empty.
    borrowing func withLast<Result>(
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Result
    ) -> Result {
        ids.withBytes { ids in
            rows.withBytes { rows in
                body(
                    UnsafeRawBufferPointer(rebasing: ids[lastID...]),
                    UnsafeRawBufferPointer(rebasing: rows[lastRow...]))
            }
        }
    }

    /// Appends the page to `output` and starts the next.
    mutating func finish(into output: inout ByteWriter) {
        for length in [ordinals.count, transactions.count, times.count, ids.count] {
            output.writeCount(length)
        }
        output.write(contentsOf: presences)
        output.write(contentsOf: ordinals)
        output.write(contentsOf: transactions)
        output.write(contentsOf: times)
        output.write(contentsOf: ids)
        output.write(contentsOf: rows)
        presences.removeAll()
        ordinals.removeAll()
        transactions.removeAll()
        times.removeAll()
        ids.removeAll()
        rows.removeAll()
        previous = .beforePage
        count = 0
    }
}

extension EntityStamps {
    /// What the first entity of a page is a difference to.
    static let beforePage = EntityStamps(ordinal: 0, transaction: 0, updatedAt: 0)
}
