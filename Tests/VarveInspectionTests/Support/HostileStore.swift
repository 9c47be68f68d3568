import Foundation
import VarveInspection

/// A store in which every name and every text is full of characters that command a terminal or hide.
struct HostileStore {
    /// One of each: C0, C1, delete, bidirectional, zero-width, separators, tags, private use, noncharacters.
    static let characters =
        "\u{1B}[31m\u{7}\u{7F}\u{9B}2J\u{85}\u{202E}\u{2066}\u{61C}\u{200B}\u{200D}\u{FEFF}\u{AD}\u{2028}\u{2029}"
        + "\u{E0041}\u{E000}\u{F0000}\u{10FFFD}\u{378}\u{3164}\u{FFF9}\r\n\t"
    /// What else a file cannot be named with.
    static let name = "varve-hostile" + characters
    static let text = "text" + characters + "\0"
    static let type = "Type" + text
    static let field = "field" + text
    static let relation = "relation" + text

    private static let json = "{\"a\":\t\"b\u{9B}\u{202E}\u{E0041}\"}"

    static let definition = TypeDefinition(
        number: TypeNumber(1), name: type, idType: .string,
        fields: [
            FieldDefinition(number: FieldNumber(1), name: field, type: .string, rung: .storable),
            FieldDefinition(
                number: FieldNumber(2), name: "url" + text, type: .url, rung: .storable),
            FieldDefinition(
                number: FieldNumber(3), name: "json" + text, type: .json("Form" + text), rung: .json
            ),
            FieldDefinition(
                number: FieldNumber(4), name: "case" + text,
                type: .enumeration(
                    "Enum" + text, [.init("case" + text, [.init("label" + text, .string)])]),
                rung: .storable),
        ],
        relations: [
            RelationDefinition(
                number: RelationNumber(1), name: relation, target: TypeNumber(1), isToMany: true,
                deleteRule: .cascade)
        ])

    let store: SampleStore
    var path: String { store.path }

    /// Six transactions: a definition, insertions, a change, a deletion, another one, a purge.
    init() throws {
        store = try SampleStore(name: Self.name, definitions: [Self.definition])
        try store.transaction("Define" + Self.text, kind: .schema) { encoder in
            try encoder.define(Self.definition)
        }
        let long = String(repeating: Self.text, count: 60)
        try write("Insert") { encoder in
            let entities = ["a", "b", "c"].map { encoder.user($0 + Self.text) }
            for (number, entity) in entities.enumerated() {
                encoder.insert(entity, UInt64(number) + 1, try Self.row(long))
            }
            encoder.link(entities[0], 1, old: 0, insert: [(0, entities[1]), (1, entities[2])])
        }
        try write("Change") { encoder in
            encoder.update(
                encoder.user("a" + Self.text), 2, Self.definition, 0, try long.stored(),
                try ("X" + long.dropFirst()).stored())
        }
        try write("Delete") { encoder in
            let (a, b) = (encoder.user("a" + Self.text), encoder.user("b" + Self.text))
            encoder.delete(
                b, keepsTombstone: true, ordinal: Ordinal(2), previous: SampleStore.version(2),
                cause: .cascade(of: a), row: try Self.row(long), lists: [])
            encoder.link(a, 1, old: 2, remove: [(0, b)])
        }
        try write("Delete another") { encoder in
            let (a, c) = (encoder.user("a" + Self.text), encoder.user("c" + Self.text))
            encoder.delete(
                c, keepsTombstone: true, ordinal: Ordinal(3), previous: SampleStore.version(2),
                cause: .direct, row: try Self.row(long), lists: [])
            encoder.link(a, 1, old: 1, remove: [(0, c)])
        }
        try store.transaction("Purge" + Self.text, kind: .purge) { encoder in
            encoder.purge([encoder.user("c" + Self.text)])
        }
        try store.close()
    }

    private func write(
        _ label: String, events: (inout TransactionEncoder) throws -> Void
    ) throws {
        try store.transaction(label + Self.text) { header in
            header.author = "author" + Self.text
            header.scope = "scope" + Self.text
            header.group = "group" + Self.text
            header.metadata = ["key" + Self.text: "value" + Self.text]
        } events: { encoder in
            try events(&encoder)
        }
    }

    private static func row(_ text: String) throws -> [UInt8] {
        var writer = ByteWriter()
        try text.store(into: &writer)
        // The bytes of a URL are any text: a forged one need not be percent-encoded.
        try ("https://example.com/" + Self.text).store(into: &writer)
        writer.writeText(json)
        writer.writeVarint(0)
        try Self.text.store(into: &writer)
        return writer.copyBytes()
    }
}
