import VarveEvents
import VarveLog
import VarveTestSupport

/// A small good store, for inputs to start from.
struct FuzzSample: Sendable {
    static let shared = FuzzSample()
    static let names = [
        "manifest-0000000001", "manifest-0000000002", "segment-0000000001", "segment-0000000002",
        "segment-0000000003", "checkpoint-0000000001", "checkpoint-0000000002",
    ]

    /// Just created.
    let empty: DiskImage
    /// With segments and a checkpoint.
    let image: DiskImage

    /// A store of two entities.
    var queried: SimulatedDisk { SimulatedDisk(users) }
    private let users: DiskImage

    private init() {
        do {
            let disk = SimulatedDisk()
            let test = TestLog(disk)
            try test.create()
            let scanned = try test.scan(.readWrite)
            _ = try TestLog.replay(scanned)
            // What other logs of tests have at their heads is no definition.
            let (log, _) = try scanned.recover { [] }
            for transaction in Self.transactions { try log.append(transaction) }
            try log.close()
            users = disk.image
            empty = try LogWorkload([]).disk.image.withoutLock
            image = try LogWorkload([.commit, .commit, .compact, .commit, .reopen])
                .disk.image.withoutLock
        } catch {
            preconditionFailure("a sample can be written: \(error)")
        }
    }

    private func files(_ prefix: String) -> [[UInt8]] {
        image.files.filter { $0.key.hasPrefix(prefix) }.map(\.value)
    }

    /// Behind their headers.
    var segments: [[UInt8]] { files("segment").map { Array($0.dropFirst(128)) } }
    var manifests: [[UInt8]] { files("manifest") }
    var checkpoints: [[UInt8]] { files("checkpoint") }

    /// As the directory target reads it.
    var directory: [UInt8] {
        Self.names.flatMap { name -> [UInt8] in
            let bytes = image.files[name, default: []]
            return [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
        }
    }

    /// Definitions, then two entities with links.
    static let transactions: [[UInt8]] = {
        let users = TypeDefinition(
            number: TypeNumber(1), name: "User", idType: .string,
            fields: [
                FieldDefinition(
                    number: FieldNumber(1), name: "name", type: .string, rung: .storable),
                FieldDefinition(
                    number: FieldNumber(2), name: "age", type: .optional(.int64), rung: .storable,
                    fill: [0]),
            ],
            relations: [
                RelationDefinition(
                    number: RelationNumber(1), name: "friends", target: TypeNumber(1),
                    isToMany: true, inverse: RelationNumber(1))
            ])
        do {
            var encoder = TransactionEncoder()
            let schema = try encode(1, .schema, &encoder) { encoder in
                try encoder.define(users)
            }
            let entities = try encode(2, .write, &encoder) { encoder in
                let ids = ["ann", "bob"].map { name in
                    (try? name.storedBytes()) ?? []
                }.map { id in
                    id.withUnsafeBytes { encoder.entity(TypeNumber(1), $0) }
                }
                for (position, entity) in ids.enumerated() {
                    var row = ByteWriter()
                    try "name \(position)".store(into: &row)
                    try Optional(position).store(into: &row)
                    row.copyBytes().withUnsafeBytes { bytes in
                        encoder.insert(
                            entity, ordinal: Ordinal(UInt64(position + 1)), previous: nil,
                            row: bytes)
                    }
                }
                encoder.link(
                    ids[0], relation: RelationNumber(1), oldCount: 0, removals: [],
                    insertions: [ListChange(position: 0, entity: ids[1])])
                encoder.link(
                    ids[1], relation: RelationNumber(1), oldCount: 0, removals: [],
                    insertions: [ListChange(position: 0, entity: ids[0])])
            }
            return [schema, entities]
        } catch {
            preconditionFailure("a sample can be encoded: \(error)")
        }
    }()

    /// An entity with more bytes than a leaf of rows takes, in a third transaction.
    static let longRow: [UInt8] = {
        do {
            var encoder = TransactionEncoder()
            return try encode(3, .write, &encoder) { encoder in
                let entity = try "cy".storedBytes().withUnsafeBytes {
                    encoder.entity(TypeNumber(1), $0)
                }
                var row = ByteWriter()
                try String(repeating: "long ", count: 300).store(into: &row)
                try Int?.none.store(into: &row)
                row.copyBytes().withUnsafeBytes { bytes in
                    encoder.insert(entity, ordinal: Ordinal(3), previous: nil, row: bytes)
                }
            }
        } catch {
            preconditionFailure("a sample can be encoded: \(error)")
        }
    }()

    private static func encode(
        _ number: UInt64, _ kind: TransactionHeader.Kind, _ encoder: inout TransactionEncoder,
        _ body: (inout TransactionEncoder) throws -> Void
    ) throws -> [UInt8] {
        let id = TransactionID(number)
        let time = Timestamp(microseconds: Int64(number) * 1_000)
        encoder.begin(id: id, time: time)
        try body(&encoder)
        var writer = ByteWriter()
        encoder.finish(TransactionHeader(id: id, time: time, kind: kind), into: &writer)
        return writer.copyBytes()
    }
}
