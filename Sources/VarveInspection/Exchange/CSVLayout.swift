/// Which columns the files of an export have, and how they are called: decided once, for what writes and what reads.
struct CSVLayout: Sendable {
    enum Role: Hashable, Sendable {
        case id
        case state
        /// By position in the type.
        case field(Int)
        case relation(Int)
    }

    struct File: Sendable {
        let name: String
        let columns: [(name: String, role: Role)]
        /// The files of the relations to many, by position in the type.
        let links: [String?]
    }

    static let schemaName = "schema.json"
    /// The columns of a relation's file. Those of tombstones say so in a fourth.
    static let linkColumns = ["id", "position", "target"]
    static let stateColumn = "@state"
    private static let nameBytesMax = 100

    /// By position in the schema.
    let files: [File]

    init(_ types: [DeclaredType]) {
        var taken: Set<String> = []
        files = types.enumerated().map { number, type in
            let stem = Self.unique(Self.stem(type.name, "type-\(number + 1)"), &taken)
            let links = type.relations.enumerated().map { position, relation -> String? in
                guard relation.isToMany else { return nil }
                let part = Self.stem(relation.name, "relation-\(position + 1)")
                return Self.unique(stem + "@" + part, &taken) + ".csv"
            }
            return File(name: stem + ".csv", columns: Self.columns(of: type), links: links)
        }
    }

    private static func columns(of type: DeclaredType) -> [(name: String, role: Role)] {
        var taken: Set<String> = [stateColumn]
        func column(_ name: String, _ role: Role) -> (name: String, role: Role) {
            (unique(name, &taken), role)
        }
        return [column("id", .id)]
            + type.fields.enumerated().map { column($0.element.name, .field($0.offset)) }
            + type.relations.enumerated().filter { !$0.element.isToMany }
            .map { column($0.element.name, .relation($0.offset)) }
    }

    private static func unique(_ name: String, _ taken: inout Set<String>) -> String {
        var candidate = name
        var number = 2
        while !taken.insert(candidate.lowercased()).inserted {
            candidate = "\(name)_\(number)"
            number += 1
        }
        return candidate
    }

    /// The name with everything written as `%2F` that a file's name cannot hold or another system reads otherwise.
    private static func stem(_ name: String, _ fallback: String) -> String {
        var stem = ""
        for (position, byte) in name.utf8.enumerated() {
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: "-") || (byte == UInt8(ascii: ".") && position > 0)
            let digits = String(byte, radix: 16, uppercase: true)
            stem +=
                isPlain
                ? String(UnicodeScalar(byte)) : "%" + (digits.count == 1 ? "0" : "") + digits
        }
        return stem.isEmpty || stem.utf8.count > nameBytesMax ? fallback : stem
    }
}
