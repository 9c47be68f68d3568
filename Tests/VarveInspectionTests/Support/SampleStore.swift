import Foundation
import VarveInspection
import VarveTestSupport

/// A store in a folder of its own, with users and chats and one of every kind of event. Everything
/// in it is fixed: ids, times, salts, so its bytes are the same on every run.
final class SampleStore {
    static let users = TypeDefinition(
        number: TypeNumber(1), name: "User", idType: .string,
        fields: [
            FieldDefinition(number: FieldNumber(1), name: "name", type: .string, rung: .storable),
            FieldDefinition(
                number: FieldNumber(2), name: "age", type: .optional(.int64), rung: .storable,
                fill: [0]),
            FieldDefinition(
                number: FieldNumber(3), name: "bio", type: .string, rung: .storable, fill: [0]),
        ],
        relations: [
            RelationDefinition(
                number: RelationNumber(1), name: "chats", target: TypeNumber(2), isToMany: true,
                inverse: RelationNumber(1), deleteRule: .cascade),
            RelationDefinition(
                number: RelationNumber(2), name: "boss", target: TypeNumber(1), isToMany: false),
        ])

    static let chats = TypeDefinition(
        number: TypeNumber(2), name: "Chat", idType: .int64,
        fields: [
            FieldDefinition(number: FieldNumber(1), name: "title", type: .string, rung: .storable),
            FieldDefinition(number: FieldNumber(2), name: "seen", type: .date, rung: .storable),
        ],
        relations: [
            RelationDefinition(
                number: RelationNumber(1), name: "users", target: TypeNumber(1), isToMany: true,
                inverse: RelationNumber(1))
        ])

    /// 2026-08-03T14:00:00Z.
    static let start: Int64 = 1_785_765_600_000_000

    let url: URL
    var path: String { url.path }
    private let log: Log
    private var encoder = TransactionEncoder()
    /// Changes what is written, to play a forger: given a transaction's number and bytes.
    private var tamper: (UInt64, [UInt8]) -> [UInt8] = { _, bytes in bytes }
    let definitions: [TypeDefinition]
    private(set) var last: UInt64 = 0

    /// An empty store. `segmentBytesMax` makes the log roll soon.
    init(
        segmentBytesMax: UInt64 = 64 << 20, name: String = "varve-inspection",
        definitions: [TypeDefinition] = [SampleStore.users, SampleStore.chats]
    ) throws {
        self.definitions = definitions
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("\(name)-\(UUID().uuidString).varve")
        let fileSystem = POSIXFileSystem(url.path)
        let environment = SimulatedEnvironment()
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(segmentBytesMax)
        try LogCreation.createIfAbsent(in: fileSystem, environment: environment)
        let scanned = try ScannedLog.scan(
            fileSystem, environment: environment, configuration: configuration, mode: .readWrite)
        try scanned.replay { (_: LogRecord) throws(Never) in }
        // The catalog at the head of a later segment holds both types from the start.
        var catalog = Catalog()
        for definition in definitions {
            _ = try catalog.define(definition, in: TransactionID(1))
        }
        var head = ByteWriter()
        try catalog.encodeDefinitions(into: &head)
        let prologue = head.copyBytes()
        (log, _) = try scanned.recover { prologue }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// When a transaction started: a minute after the one before.
    static func time(_ id: UInt64) -> Timestamp {
        Timestamp(microseconds: start + Int64(id) * 60_000_000 + Int64(id))
    }

    static func version(_ id: UInt64) -> PreviousVersion {
        PreviousVersion(transaction: TransactionID(id), updatedAt: time(id))
    }

    /// Appends a transaction.
    func transaction(
        _ label: String? = nil, kind: TransactionHeader.Kind = .write,
        _ change: (inout TransactionHeader) -> Void = { _ in },
        events: (inout TransactionEncoder) throws -> Void
    ) throws {
        last += 1
        var header = TransactionHeader(
            id: TransactionID(last), time: Self.time(last), kind: kind, label: label)
        change(&header)
        encoder.begin(id: header.id, time: header.time)
        try events(&encoder)
        var bytes = ByteWriter()
        encoder.finish(header, into: &bytes)
        try tamper(last, bytes.copyBytes()).withUnsafeBytes { bytes in
            try log.append(
                sequence: LogSequence(last), time: header.time.microseconds, payload: bytes)
        }
    }

    /// Makes what was appended readable beside the writer.
    func flush() throws {
        try log.sync()
        try log.seal()
    }

    func close() throws { try log.close() }

    // MARK: Rows

    static func user(_ name: String, _ age: Int64? = nil, bio: String = "") throws -> [UInt8] {
        var writer = ByteWriter()
        try name.store(into: &writer)
        try age.store(into: &writer)
        try bio.store(into: &writer)
        return writer.copyBytes()
    }

    static func chat(_ title: String, seen: Double = 0) throws -> [UInt8] {
        var writer = ByteWriter()
        try title.store(into: &writer)
        try Date(timeIntervalSinceReferenceDate: seen).store(into: &writer)
        return writer.copyBytes()
    }

    static let longText = String(repeating: "All work and no play. ", count: 60)
}

extension SampleStore {
    /// Nine transactions, closed.
    static func filled(
        segmentBytesMax: UInt64 = 64 << 20,
        tamper: (UInt64, [UInt8]) -> [UInt8] = { _, bytes in bytes }
    ) throws -> SampleStore {
        let store = try SampleStore(segmentBytesMax: segmentBytesMax)
        try withoutActuallyEscaping(tamper) { tamper in
            store.tamper = tamper
            defer { store.tamper = { _, bytes in bytes } }
            try store.writeFirst()
            try store.writeChanges()
            try store.writeDeletions()
        }
        try store.close()
        return store
    }

    private func writeFirst() throws {
        try transaction(kind: .schema) { encoder in
            for definition in definitions { try encoder.define(definition) }
        }
        try transaction("Import") { encoder in
            let (ann, bob, cy) = (encoder.user("ann"), encoder.user("bob"), encoder.user("cy"))
            let chat = encoder.chat(7)
            encoder.insert(ann, 1, try Self.user("Ann", 30, bio: Self.longText))
            encoder.insert(bob, 2, try Self.user("Bob"))
            encoder.insert(cy, 3, try Self.user("Cy \"the\" Third", 7))
            encoder.insert(chat, 1, try Self.chat("Hello", seen: 0.25))
            encoder.link(chat, 1, old: 0, insert: [(0, ann), (1, bob), (2, cy)])
            for user in [ann, bob, cy] { encoder.link(user, 1, old: 0, insert: [(0, chat)]) }
            encoder.link(bob, 2, old: 0, insert: [(0, ann)])
        }
    }

    private func writeChanges() throws {
        try transaction("Rename chat") { header in
            header.author = "ann"
            header.scope = "window 1"
            header.metadata = ["app": "1.2", "host": "desk"]
        } events: { encoder in
            encoder.update(
                encoder.chat(7), 2, Self.chats, 0, try "Hello".stored(), try "Hello, world".stored()
            )
        }
        try transaction("Edit bio") { encoder in
            encoder.update(
                encoder.user("ann"), 2, Self.users, 2, try Self.longText.stored(),
                try ("X" + Self.longText.dropFirst()).stored())
        }
        try transaction("Swap users") { encoder in
            let (ann, cy, chat) = (encoder.user("ann"), encoder.user("cy"), encoder.chat(7))
            encoder.link(chat, 1, old: 3, remove: [(0, ann)], insert: [(2, ann)])
            encoder.update(cy, 2, Self.users, 1, [1, 14], [0])
        }
    }

    private func writeDeletions() throws {
        try transaction("Delete \u{1B}[31mbob\u{1B}[0m 😀 和") { encoder in
            let (ann, bob, chat) = (encoder.user("ann"), encoder.user("bob"), encoder.chat(7))
            encoder.delete(
                bob, keepsTombstone: true, ordinal: Ordinal(2), previous: Self.version(2),
                cause: .direct, row: try Self.user("Bob"),
                lists: [(RelationNumber(1), [chat]), (RelationNumber(2), [ann])])
            encoder.link(chat, 1, old: 3, remove: [(0, bob)])
            encoder.link(bob, 1, old: 1, remove: [(0, chat)])
            encoder.link(bob, 2, old: 1, remove: [(0, ann)])
        }
        try transaction(kind: .undo(of: TransactionID(6))) { encoder in
            let (ann, bob, chat) = (encoder.user("ann"), encoder.user("bob"), encoder.chat(7))
            encoder.insert(bob, 2, try Self.user("Bob"), previous: Self.version(6))
            encoder.link(chat, 1, old: 2, insert: [(0, bob)])
            encoder.link(bob, 1, old: 0, insert: [(0, chat)])
            encoder.link(bob, 2, old: 0, insert: [(0, ann)])
        }
        try transaction("Delete cy") { header in
            header.isUndoable = false
        } events: { encoder in
            let (cy, chat) = (encoder.user("cy"), encoder.chat(7))
            encoder.delete(
                cy, keepsTombstone: true, ordinal: Ordinal(3), previous: Self.version(5),
                cause: .cascade(of: chat), row: try Self.user("Cy \"the\" Third"),
                lists: [(RelationNumber(1), [chat])])
            encoder.link(chat, 1, old: 3, remove: [(1, cy)])
            encoder.link(cy, 1, old: 1, remove: [(0, chat)])
        }
        try transaction(kind: .purge) { encoder in encoder.purge([encoder.user("cy")]) }
    }
}

extension TransactionEncoder {
    mutating func user(_ id: String) -> EntityIndex {
        ((try? id.stored()) ?? []).withUnsafeBytes { entity(TypeNumber(1), $0) }
    }

    mutating func chat(_ id: Int64) -> EntityIndex {
        ((try? id.stored()) ?? []).withUnsafeBytes { entity(TypeNumber(2), $0) }
    }

    mutating func insert(
        _ entity: EntityIndex, _ ordinal: UInt64, _ row: [UInt8],
        previous: PreviousVersion? = nil
    ) {
        row.withUnsafeBytes {
            insert(entity, ordinal: Ordinal(ordinal), previous: previous, row: $0)
        }
    }

    mutating func update(
        _ entity: EntityIndex, _ previous: UInt64, _ type: TypeDefinition, _ position: Int,
        _ old: [UInt8], _ new: [UInt8]
    ) {
        var changes = FieldChanges()
        let append = { (bytes: [UInt8], writer: inout ByteWriter) in writer.write(bytes) }
        try? changes.append(
            position, old: { writer throws(CodecError) in append(old, &writer) },
            new: { writer throws(CodecError) in append(new, &writer) })
        update(
            entity, previous: SampleStore.version(previous), changes: changes, fields: type.fields)
    }

    mutating func delete(
        _ entity: EntityIndex, keepsTombstone: Bool, ordinal: Ordinal, previous: PreviousVersion?,
        cause: DeletionCause, row: [UInt8],
        lists: [(relation: RelationNumber, entities: [EntityIndex])]
    ) {
        row.withUnsafeBytes {
            delete(
                entity, keepsTombstone: keepsTombstone, ordinal: ordinal, previous: previous,
                cause: cause, row: $0, lists: lists)
        }
    }

    mutating func link(
        _ parent: EntityIndex, _ relation: UInt32, old: Int,
        remove: [(Int, EntityIndex)] = [], insert: [(Int, EntityIndex)] = []
    ) {
        link(
            parent, relation: RelationNumber(relation), oldCount: old,
            removals: remove.map { ListChange(position: $0.0, entity: $0.1) },
            insertions: insert.map { ListChange(position: $0.0, entity: $0.1) })
    }
}

extension Storable {
    func stored() throws -> [UInt8] {
        var writer = ByteWriter()
        try store(into: &writer)
        return writer.copyBytes()
    }
}

// MARK: Files

extension SampleStore {
    /// Changes one byte of a file.
    func flip(byteAt offset: Int, of name: String = "segment-0000000001") throws {
        let file = url.appendingPathComponent(name)
        var bytes = try Data(contentsOf: file)
        bytes[offset] ^= 0x40
        try bytes.write(to: file)
    }

    /// Every file with its content.
    func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            files[name] = try Data(contentsOf: url.appendingPathComponent(name))
        }
        return files
    }

    /// The store's files in a folder of their own.
    func copied() throws -> FolderCopy { try FolderCopy(of: url) }
}

/// A copy of a folder, removed when it goes.
final class FolderCopy {
    let url: URL

    init(of original: URL) throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-copy-\(UUID().uuidString).varve")
        try FileManager.default.copyItem(at: original, to: url)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
