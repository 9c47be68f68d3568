import VarveEvents

/// What a root says of a state: everything but its pages.
struct StateRecord: Sendable {
    /// An index of a table: its tree, and what its keys depend on.
    struct Index: Sendable {
        var declaration: IndexDeclaration
        var form: KeyForm
        var tree: KeyTree
    }

    struct TableRecord: Sendable {
        var parts = Table.Parts()
        var indexes: [Index] = []
        var staleTrees: [KeyTree] = []
    }

    var lastTransaction: TransactionID
    var lastTime: Timestamp
    var unknownEventCount: Int
    var catalog: Catalog
    var tables: [TableRecord]
    var timeline: Timeline

    init(_ state: State) {
        lastTransaction = state.lastTransaction
        lastTime = state.lastTime
        unknownEventCount = state.unknownEventCount
        catalog = state.catalog
        timeline = state.timeline
        tables = state.tables.map { table in
            TableRecord(
                parts: table.parts,
                indexes: table.indexes.map {
                    Index(declaration: $0.declaration, form: $0.index.form, tree: $0.index.tree)
                }, staleTrees: table.staleTrees)
        }
    }

    private init(
        _ lastTransaction: TransactionID, _ lastTime: Timestamp, _ unknownEventCount: Int,
        _ catalog: Catalog, _ tables: [TableRecord], _ timeline: Timeline
    ) {
        self.lastTransaction = lastTransaction
        self.lastTime = lastTime
        self.unknownEventCount = unknownEventCount
        self.catalog = catalog
        self.tables = tables
        self.timeline = timeline
    }
}

// MARK: - Writing

extension StateRecord {
    func encode(into writer: inout ByteWriter) throws(CodecError) {
        writer.writeVarint(lastTransaction.rawValue)
        writer.writeSigned(lastTime.microseconds)
        writer.writeCount(unknownEventCount)
        let revisions = catalog.revisions
        writer.writeCount(revisions.count)
        for revision in revisions {
            var bytes = ByteWriter(capacity: 512)
            try revision.definition.encode(into: &bytes)
            writer.writeVarint(revision.since.rawValue)
            bytes.withBytes { writer.writeLengthPrefixed($0) }
        }
        writer.writeCount(tables.count)
        for table in tables { Self.encode(table, into: &writer) }
        var bytes = ByteWriter(capacity: 512)
        timeline.encode(into: &bytes)
        bytes.withBytes { writer.writeLengthPrefixed($0) }
        guard !timeline.migrations.isEmpty else { return }
        bytes.removeAll()
        timeline.encodeMigrations(into: &bytes)
        writer.writeCount(timeline.migrations.count)
        bytes.withBytes { writer.writeLengthPrefixed($0) }
    }

    private static func encode(_ table: TableRecord, into writer: inout ByteWriter) {
        let parts = table.parts
        writer.writeVarint(UInt64(parts.rows.count))
        encode(parts.rows.root, into: &writer)
        for word in [parts.ids.key.first, parts.ids.key.second, parts.ids.key.third] {
            writer.write(littleEndian: word)
        }
        writer.write(littleEndian: parts.ids.root.rawValue)
        writer.writeCount(parts.links.count)
        for map in parts.links { encode(map.root, into: &writer) }
        writer.writeCount(parts.keptLists.count)
        for kept in parts.keptLists {
            writer.writeVarint(UInt64(kept.relation.rawValue))
            encode(kept.lists.root, into: &writer)
        }
        writer.writeVarint(UInt64(parts.liveCount))
        writer.writeVarint(UInt64(parts.tombstoneCount))
        writer.writeVarint(parts.nextOrdinal.rawValue)
        writer.writeVarint(parts.lastNumber)
        writer.writeCount(parts.slotOrder.encoded)
        writer.writeCount(table.indexes.count)
        for index in table.indexes {
            writer.writeCount(index.declaration.fields.count)
            for field in index.declaration.fields {
                writer.writeVarint(UInt64(field.number.rawValue))
                writer.append(field.isDescending ? 1 : 0)
            }
            index.form.encode(into: &writer)
            encode(index.tree, into: &writer)
        }
        writer.writeCount(table.staleTrees.count)
        for tree in table.staleTrees { encode(tree, into: &writer) }
    }

    private static func encode(_ root: PageArray.Root, into writer: inout ByteWriter) {
        writer.append(UInt8(truncatingIfNeeded: root.height))
        writer.write(littleEndian: root.page.rawValue)
    }

    private static func encode(_ tree: KeyTree, into writer: inout ByteWriter) {
        writer.writeVarint(UInt64(tree.pageBytes))
        writer.append(UInt8(truncatingIfNeeded: tree.height))
        writer.write(littleEndian: tree.root.rawValue)
    }
}

// MARK: - Reading

extension StateRecord {
    /// - Parameter form: of the root.
    static func decode(
        _ reader: inout ByteReader, form: UInt32
    ) throws(CodecError) -> StateRecord {
        let start = reader.position
        let last = TransactionID(try reader.readVarint())
        guard last < TransactionID.limit else {
            throw .valueOutOfRange(offset: start, typeName: "TransactionID")
        }
        let time = Timestamp(microseconds: try reader.readSigned())
        let unknownEventCount = try readCount(&reader, max: UInt64(Int32.max))
        let catalog = try decodeCatalog(&reader, through: last)
        let definitions = catalog.definitions
        let offset = reader.position
        guard try reader.readLength() == definitions.count else {
            throw .invalidValue(offset: offset, typeName: "count of tables")
        }
        var tables: [TableRecord] = []
        for definition in definitions {
            tables.append(try decodeTable(&reader, definition, form))
        }
        var timeline = try Timeline(try reader.readLengthPrefixed(), through: last)
        if !reader.isAtEnd {
            let count = UInt32(try readCount(&reader, max: UInt64(UInt32.max)))
            try timeline.readMigrations(
                try reader.readLengthPrefixed(), count: count, through: last)
        }
        return StateRecord(last, time, unknownEventCount, catalog, tables, timeline)
    }

    private static func readCount(
        _ reader: inout ByteReader, max: UInt64
    ) throws(CodecError) -> Int {
        let offset = reader.position
        let count = try reader.readVarint()
        guard count <= max else { throw .valueOutOfRange(offset: offset, typeName: "count") }
        return Int(count)
    }

    private static func decodeCatalog(
        _ reader: inout ByteReader, through last: TransactionID
    ) throws(CodecError) -> Catalog {
        let start = reader.position
        func invalid(_ reason: String) -> CodecError {
            .invalidValue(offset: start, typeName: "Catalog (\(reason))")
        }
        func checking<Result>(
            _ body: () throws(CatalogError) -> Result
        ) throws(CodecError) -> Result {
            do throws(CatalogError) { return try body() } catch { throw invalid("\(error)") }
        }
        var catalog = Catalog()
        for _ in 0..<(try reader.readLength()) {
            let since = TransactionID(try reader.readVarint())
            var inner = ByteReader(try reader.readLengthPrefixed())
            let definition = try TypeDefinition.decode(from: &inner)
            try inner.expectEnd()
            guard since <= last else { throw invalid("a definition of a later transaction") }
            let isNew = try checking { () throws(CatalogError) in
                try catalog.define(definition, in: since)
            }
            // It would make the root and the table disagree about revisions.
            guard isNew else { throw invalid("a definition that is there already") }
        }
        try checking { () throws(CatalogError) in try catalog.checkReferences() }
        return catalog
    }

    private static func decodeTable(
        _ reader: inout ByteReader, _ definition: TypeDefinition, _ form: UInt32
    ) throws(CodecError) -> TableRecord {
        let start = reader.position
        var table = TableRecord()
        let count = try readCount(&reader, max: UInt64(Slot.limit))
        table.parts.rows = RowTree(try decodeArray(&reader), count: count)
        let key = KeyedHash.Key(
            first: try reader.readLittleEndian(), second: try reader.readLittleEndian(),
            third: try reader.readLittleEndian())
        table.parts.ids = IDMap(root: PageNumber(try reader.readLittleEndian()), key: key)
        guard try reader.readLength() == definition.relations.count else {
            throw .invalidValue(offset: start, typeName: "count of relations")
        }
        for _ in definition.relations {
            table.parts.links.append(LinkMap(try decodeArray(&reader)))
        }
        for _ in 0..<(try reader.readLength()) {
            let relation = RelationNumber(
                UInt32(try readCount(&reader, max: UInt64(UInt32.max))))
            let lists = LinkMap(try decodeArray(&reader))
            guard !table.parts.keptLists.contains(where: { $0.relation == relation }) else {
                throw .invalidValue(offset: start, typeName: "kept lists")
            }
            table.parts.keptLists.append((relation, lists))
        }
        table.parts.liveCount = try readCount(&reader, max: UInt64(count))
        table.parts.tombstoneCount = try readCount(
            &reader, max: UInt64(count - table.parts.liveCount))
        let ordinal = try reader.readVarint()
        guard ordinal > 0, ordinal <= Ordinal.limit else {
            throw .valueOutOfRange(offset: start, typeName: "Ordinal")
        }
        table.parts.nextOrdinal = Ordinal(ordinal)
        table.parts.lastNumber = try reader.readVarint()
        table.parts.slotOrder =
            ImageRoot.formerVersions.contains(form)
            ? (count == 0 ? .empty : .unknown)
            : SlotOrder(encoded: try readCount(&reader, max: UInt64(count) + 1))
        for _ in 0..<(try reader.readLength()) {
            let index = try decodeIndex(&reader)
            guard !table.indexes.contains(where: { $0.declaration == index.declaration }) else {
                throw .invalidValue(offset: start, typeName: "indexes")
            }
            table.indexes.append(index)
        }
        for _ in 0..<(try reader.readLength()) { table.staleTrees.append(try decodeTree(&reader)) }
        return table
    }

    private static func decodeIndex(_ reader: inout ByteReader) throws(CodecError) -> Index {
        let start = reader.position
        var fields: [IndexDeclaration.Field] = []
        for _ in 0..<(try reader.readLength()) {
            let number = FieldNumber(UInt32(try readCount(&reader, max: UInt64(UInt32.max))))
            fields.append(.init(number, isDescending: try reader.readByte() != 0))
        }
        guard !fields.isEmpty else {
            throw .invalidValue(offset: start, typeName: "fields of an index")
        }
        let form = try KeyForm.decode(&reader)
        return Index(
            declaration: IndexDeclaration(fields), form: form, tree: try decodeTree(&reader))
    }

    private static func decodeArray(
        _ reader: inout ByteReader
    ) throws(CodecError) -> PageArray.Root {
        let offset = reader.position
        let height = Int(try reader.readByte())
        let page = PageNumber(try reader.readLittleEndian())
        guard height <= PageArray.heightMax, (height == 0) == (page == .none) else {
            throw .invalidValue(offset: offset, typeName: "root of an array")
        }
        return PageArray.Root(page: page, height: height)
    }

    private static func decodeTree(_ reader: inout ByteReader) throws(CodecError) -> KeyTree {
        let offset = reader.position
        let bytes = try readCount(&reader, max: UInt64(KeyPage.Geometry.capacityMax))
        let height = Int(try reader.readByte())
        let root = PageNumber(try reader.readLittleEndian())
        guard bytes >= KeyPage.Geometry.capacityMin, FrameSize.rounded(bytes) == bytes,
            height < PageKind.levelMax, root != .none || height == 0
        else { throw .invalidValue(offset: offset, typeName: "root of an index") }
        return KeyTree(pageBytes: bytes, root: root, height: height)
    }
}
