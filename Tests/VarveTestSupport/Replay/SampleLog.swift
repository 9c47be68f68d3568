package import VarveEvents

/// Builds transactions over two types, users and chats, for tests that damage or replay them.
package struct SampleLog: ~Copyable {
    package static let users = TypeDefinition(
        number: TypeNumber(1), name: "User", idType: .string,
        fields: [
            FieldDefinition(number: FieldNumber(1), name: "name", type: .string, rung: .storable),
            FieldDefinition(
                number: FieldNumber(2), name: "age", type: .optional(.int64), rung: .storable,
                fill: [0]),
        ],
        relations: [
            RelationDefinition(
                number: RelationNumber(1), name: "chats", target: TypeNumber(2), isToMany: true,
                inverse: RelationNumber(1)),
            RelationDefinition(
                number: RelationNumber(2), name: "boss", target: TypeNumber(1), isToMany: false),
        ])

    package static let chats = TypeDefinition(
        number: TypeNumber(2), name: "Chat", idType: .int64, fields: [],
        relations: [
            RelationDefinition(
                number: RelationNumber(1), name: "members", target: TypeNumber(1), isToMany: true,
                inverse: RelationNumber(1))
        ])

    private var encoder = TransactionEncoder()
    package private(set) var transactions: [[UInt8]] = []

    package init() {}

    /// The version that transaction `id` gave what it touched.
    package static func version(_ id: UInt64) -> PreviousVersion {
        PreviousVersion(transaction: TransactionID(id), updatedAt: time(id))
    }

    package static func time(_ id: UInt64) -> Timestamp {
        Timestamp(microseconds: Int64(id) * 1_000)
    }

    package mutating func transaction(
        _ kind: TransactionHeader.Kind = .write, _ body: (inout TransactionEncoder) throws -> Void
    ) rethrows {
        let id = TransactionID(UInt64(transactions.count + 1))
        let header = TransactionHeader(id: id, time: Self.time(id.rawValue), kind: kind)
        encoder.begin(id: id, time: header.time)
        try body(&encoder)
        var writer = ByteWriter()
        encoder.finish(header, into: &writer)
        transactions.append(writer.copyBytes())
    }

    /// Definitions, two users and a chat.
    package static func started() throws -> SampleLog {
        var log = SampleLog()
        try log.transaction(.schema) { encoder in
            try encoder.define(users)
            try encoder.define(chats)
        }
        try log.transaction { encoder in
            let ann = encoder.user("ann")
            let bob = encoder.user("bob")
            let chat = encoder.chat(7)
            encoder.insert(ann, ordinal: Ordinal(1), row: try row("Ann", 30))
            encoder.insert(bob, ordinal: Ordinal(2), row: try row("Bob", nil))
            encoder.insert(chat, ordinal: Ordinal(1), row: [])
            encoder.link(
                ann, relation: RelationNumber(1), oldCount: 0, removals: [],
                insertions: [ListChange(position: 0, entity: chat)])
            encoder.link(
                chat, relation: RelationNumber(1), oldCount: 0, removals: [],
                insertions: [
                    ListChange(position: 0, entity: ann), ListChange(position: 1, entity: bob),
                ])
        }
        return log
    }

    package static func row(_ name: String, _ age: Int?) throws -> [UInt8] {
        var writer = ByteWriter()
        try name.store(into: &writer)
        try age.store(into: &writer)
        return writer.copyBytes()
    }
}

extension TransactionEncoder {
    package mutating func user(_ name: String) -> EntityIndex {
        entity(TypeNumber(1), bytes: (try? name.storedBytes()) ?? [])
    }

    package mutating func chat(_ number: Int) -> EntityIndex {
        entity(TypeNumber(2), bytes: (try? number.storedBytes()) ?? [])
    }
}
