/// What a transaction says about itself.
package struct TransactionHeader: Hashable, Sendable {
    /// What the transaction is for.
    package enum Kind: Hashable, Sendable {
        case write
        case undo(of: TransactionID)
        case redo(of: TransactionID)
        /// Definitions, and the changes of a migration.
        case schema
        /// Removal of tombstones.
        case purge
    }

    package var id: TransactionID
    /// When it started; the `updatedAt` of everything it touches.
    package var time: Timestamp
    package var kind: Kind
    /// Whether an undo may take it back.
    package var isUndoable: Bool
    package var label: String?
    /// The undo stack it belongs to.
    package var scope: String?
    /// Transactions of one group are undone as one step.
    package var group: String?
    package var author: String?
    package var metadata: [String: String]
    /// The migrations that the transaction performed, or that a new store does not need, in their order.
    package var migrations: [MigrationID]

    package init(
        id: TransactionID, time: Timestamp, kind: Kind = .write, isUndoable: Bool = true,
        label: String? = nil, scope: String? = nil, group: String? = nil, author: String? = nil,
        metadata: [String: String] = [:], migrations: [MigrationID] = []
    ) {
        self.id = id
        self.time = time
        self.kind = kind
        self.isUndoable = isUndoable
        self.label = label
        self.scope = scope
        self.group = group
        self.author = author
        self.metadata = metadata
        self.migrations = migrations
    }
}

extension TransactionHeader {
    private enum KindTag: UInt8 {
        case write = 0
        case undo = 1
        case redo = 2
        case schema = 3
        case purge = 4
    }

    private static let undoableFlag: UInt8 = 0x01
    private static let labelFlag: UInt8 = 0x02
    private static let scopeFlag: UInt8 = 0x04
    private static let groupFlag: UInt8 = 0x08
    private static let authorFlag: UInt8 = 0x10
    private static let metadataFlag: UInt8 = 0x20
    private static let migrationsFlag: UInt8 = 0x40
    private static let knownFlags: UInt8 = 0x7F

    func encode(into writer: inout ByteWriter) {
        writer.writeVarint(id.rawValue)
        writer.writeSigned(time.microseconds)
        encodeKind(into: &writer)
        writer.append(flags)
        if let label { writer.writeText(label) }
        if let scope { writer.writeText(scope) }
        if let group { writer.writeText(group) }
        if let author { writer.writeText(author) }
        if !metadata.isEmpty { encodeMetadata(into: &writer) }
        guard !migrations.isEmpty else { return }
        writer.writeCount(migrations.count)
        for migration in migrations { migration.encode(into: &writer) }
    }

    private func encodeMetadata(into writer: inout ByteWriter) {
        let sorted = metadata.sorted { first, second in
            first.key.utf8.lexicographicallyPrecedes(second.key.utf8)
        }
        writer.writeCount(sorted.count)
        for (key, value) in sorted {
            writer.writeText(key)
            writer.writeText(value)
        }
    }

    private var flags: UInt8 {
        (isUndoable ? Self.undoableFlag : 0) | (label == nil ? 0 : Self.labelFlag)
            | (scope == nil ? 0 : Self.scopeFlag) | (group == nil ? 0 : Self.groupFlag)
            | (author == nil ? 0 : Self.authorFlag)
            | (metadata.isEmpty ? 0 : Self.metadataFlag)
            | (migrations.isEmpty ? 0 : Self.migrationsFlag)
    }

    private func encodeKind(into writer: inout ByteWriter) {
        switch kind {
        case .write: writer.append(KindTag.write.rawValue)
        case .schema: writer.append(KindTag.schema.rawValue)
        case .purge: writer.append(KindTag.purge.rawValue)
        case .undo(let id):
            writer.append(KindTag.undo.rawValue)
            writer.writeVarint(id.rawValue)
        case .redo(let id):
            writer.append(KindTag.redo.rawValue)
            writer.writeVarint(id.rawValue)
        }
    }

    static func decode(from reader: inout ByteReader) throws(CodecError) -> TransactionHeader {
        let offset = reader.position
        let id = try reader.readVarint()
        guard id > 0, id < TransactionID.limit.rawValue else {
            throw .valueOutOfRange(offset: offset, typeName: "TransactionID")
        }
        let time = Timestamp(microseconds: try reader.readSigned())
        let kind = try decodeKind(from: &reader, before: id)
        let flags = try reader.readFlags(known: knownFlags, of: "TransactionHeader")
        func text(_ flag: UInt8) throws(CodecError) -> String? {
            flags & flag == 0 ? nil : try reader.readText()
        }
        return TransactionHeader(
            id: TransactionID(id), time: time, kind: kind,
            isUndoable: flags & undoableFlag != 0, label: try text(labelFlag),
            scope: try text(scopeFlag), group: try text(groupFlag),
            author: try text(authorFlag),
            metadata: flags & metadataFlag == 0 ? [:] : try decodeMetadata(from: &reader),
            migrations: flags & migrationsFlag == 0 ? [] : try decodeMigrations(from: &reader))
    }

    private static func decodeKind(
        from reader: inout ByteReader, before id: UInt64
    ) throws(CodecError) -> Kind {
        let offset = reader.position
        let byte = try reader.readByte()
        guard let tag = KindTag(rawValue: byte) else {
            throw .invalidTag(offset: offset, found: UInt64(byte), typeName: "Kind")
        }
        func earlier() throws(CodecError) -> TransactionID {
            let target = try reader.readVarint()
            guard target > 0, target < id else {
                throw .valueOutOfRange(offset: offset, typeName: "TransactionID")
            }
            return TransactionID(target)
        }
        switch tag {
        case .write: return .write
        case .schema: return .schema
        case .purge: return .purge
        case .undo: return .undo(of: try earlier())
        case .redo: return .redo(of: try earlier())
        }
    }

    private static func decodeMigrations(
        from reader: inout ByteReader
    ) throws(CodecError) -> [MigrationID] {
        let offset = reader.position
        var migrations: [MigrationID] = []
        for _ in 0..<(try reader.readLength()) {
            migrations.append(try MigrationID(from: &reader))
        }
        guard !migrations.isEmpty, Set(migrations).count == migrations.count else {
            throw .invalidValue(offset: offset, typeName: "migrations")
        }
        return migrations
    }

    private static func decodeMetadata(
        from reader: inout ByteReader
    ) throws(CodecError) -> [String: String] {
        let offset = reader.position
        let metadata = try [String: String].load(textsFrom: &reader)
        guard !metadata.isEmpty else {
            throw .lengthOutOfRange(offset: offset, length: 0, available: reader.remaining)
        }
        return metadata
    }
}

extension [String: String] {
    // Keys ascend by their UTF-8, which is the order for people; the stored form of dictionaries
    // orders by the encoded bytes, where the length comes first.
    fileprivate static func load(
        textsFrom reader: inout ByteReader
    ) throws(CodecError) -> [String: String] {
        var texts: [String: String] = [:]
        var previous: String?
        for _ in 0..<(try reader.readCount()) {
            let offset = reader.position
            let key = try reader.readText()
            if let previous, !previous.utf8.lexicographicallyPrecedes(key.utf8) {
                throw .notAscending(offset: offset)
            }
            let value = try reader.readText()
            guard texts.updateValue(value, forKey: key) == nil else {
                throw .notAscending(offset: offset)
            }
            previous = key
        }
        return texts
    }
}
