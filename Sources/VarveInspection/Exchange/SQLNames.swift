internal import VarveText

/// Names that SQLite can tell apart: it takes upper and lower case of ASCII for the same.
struct SQLNames {
    private var taken: Set<String> = []

    /// A name that was not given before, as near to the wanted one as may be, in quotation marks.
    mutating func name(_ wanted: String) -> String {
        // NUL ends a statement, the shell of SQLite drops a carriage return, and names are read on terminals.
        var plain = wanted.escapedForDisplay
        if plain.isEmpty { plain = "unnamed" }
        if Self.folded(plain).utf8.starts(with: "sqlite_".utf8) { plain = "_" + plain }
        var name = plain
        var number = 2
        while !taken.insert(Self.folded(name)).inserted {
            name = "\(plain)_\(number)"
            number += 1
        }
        return Self.quoted(name)
    }

    private static func folded(_ name: String) -> String {
        String(
            decoding: name.utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    private static func quoted(_ name: String) -> String {
        "\"" + name.doubling("\"") + "\""
    }
}
