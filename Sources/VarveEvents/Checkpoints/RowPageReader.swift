/// Reads one page of entities: what ``RowPageWriter`` wrote, or anything.
package struct RowPageReader {
    package struct Entry {
        package let presence: EntityPresence
        package let stamps: EntityStamps
        package let id: UnsafeRawBufferPointer
        package let row: UnsafeRawBufferPointer
    }

    private let count: Int
    private let layout: RowLayout
    private let lastTransaction: TransactionID
    private var presences: ByteReader
    private var ordinals: ByteReader
    private var transactions: ByteReader
    private var times: ByteReader
    private var ids: ByteReader
    private var rows: ByteReader
    private var stamps = EntityStamps.beforePage

    package init(
        _ page: UnsafeRawBufferPointer, count: Int, layout: RowLayout,
        lastTransaction: TransactionID
    ) throws(CodecError) {
        self.count = count
        self.layout = layout
        self.lastTransaction = lastTransaction
        var reader = ByteReader(page)
        let lengths = (
            try reader.readLength(), try reader.readLength(), try reader.readLength(),
            try reader.readLength()
        )
        presences = ByteReader(try reader.readBytes(count))
        ordinals = ByteReader(try reader.readBytes(lengths.0))
        transactions = ByteReader(try reader.readBytes(lengths.1))
        times = ByteReader(try reader.readBytes(lengths.2))
        ids = ByteReader(try reader.readBytes(lengths.3))
        rows = ByteReader(reader.rest)
    }

    /// Calls `body` with each entry, and throws unless all of the page is understood.
    package mutating func forEach(
        _ body: (Int, Entry) throws(CodecError) -> Void
    ) throws(CodecError) {
        let idType = layout.definition.idType
        for index in 0..<count {
            let byte = try presences.readByte()
            let isOrdered = byte & EntityPresence.isOrdered != 0
            guard let presence = EntityPresence(rawValue: byte & ~EntityPresence.isOrdered),
                presence.hasRow || !isOrdered
            else {
                throw .invalidTag(offset: index, found: UInt64(byte), typeName: "EntityPresence")
            }
            let id = try ids.readLengthPrefixed()
            var idReader = ByteReader(id)
            try idType.skip(&idReader)
            try idReader.expectEnd()
            guard presence != .vacant else {
                try body(
                    index,
                    Entry(
                        presence: .vacant, stamps: .beforePage, id: id,
                        row: UnsafeRawBufferPointer(start: nil, count: 0)))
                continue
            }
            guard presence.hasRow else {
                try readTime(index)
                var when = stamps
                when.ordinal = 0
                when.saveOrder = 0
                try body(
                    index,
                    Entry(
                        presence: presence, stamps: when, id: id,
                        row: UnsafeRawBufferPointer(start: nil, count: 0)))
                continue
            }
            try readOrdinal(index)
            try readTime(index)
            stamps.saveOrder = try isOrdered ? readSaveOrder(index) : 0
            let row = try rows.readLengthPrefixed()
            try layout.check(row)
            try body(index, Entry(presence: presence, stamps: stamps, id: id, row: row))
        }
        try ordinals.expectEnd()
        try transactions.expectEnd()
        try times.expectEnd()
        try ids.expectEnd()
        try rows.expectEnd()
    }

    @inline(__always)
    private mutating func readOrdinal(_ index: Int) throws(CodecError) {
        stamps.ordinal =
            stamps.ordinal &+ UInt64(bitPattern: try ordinals.readSigned()) &+ 1
        guard stamps.ordinal > 0, stamps.ordinal < Ordinal.limit else {
            throw .valueOutOfRange(offset: index, typeName: "Ordinal")
        }
    }

    private mutating func readSaveOrder(_ index: Int) throws(CodecError) -> UInt32 {
        guard let order = UInt32(exactly: try times.readVarint()), order > 0 else {
            throw .valueOutOfRange(offset: index, typeName: "save order")
        }
        return order
    }

    @inline(__always)
    private mutating func readTime(_ index: Int) throws(CodecError) {
        stamps.transaction =
            stamps.transaction &+ UInt64(bitPattern: try transactions.readSigned())
        stamps.updatedAt = stamps.updatedAt &+ (try times.readSigned())
        guard stamps.transaction <= lastTransaction.rawValue else {
            throw .valueOutOfRange(offset: index, typeName: "TransactionID")
        }
    }
}

extension Ordinal {
    /// What a file may say is below. Tables keep 48 bits, so that 2^47 insertions can follow the greatest that was
    /// read, and no forged file makes the count reach the end.
    package static let limit: UInt64 = 1 << 47
}

extension TransactionID {
    /// More than a store can have. Tables keep 48 bits.
    package static let limit = TransactionID(1 << 48 - 1)
}
