import VarveInspection
import VarveText

/// Stored values as people read them: as Swift would write them, where that is short.
enum ValueText {
    private static let dataBytesMax = 16

    static func text(of value: InspectedValue) -> String { text(of: value.stored.content) }

    /// Texts without quotation marks, which a table does not need.
    static func cell(of cell: QueryCell) -> String {
        switch cell.content {
        case .string(let text), .optional(.string(let text)?): text
        default: text(of: cell.content)
        }
    }

    /// A value as a table shows it: a text without quotation marks.
    static func cell(of value: InspectedValue) -> String {
        switch value.stored.content {
        case .string(let text), .optional(.string(let text)?): text
        default: text(of: value)
        }
    }

    /// `Chat "1"`.
    static func text(of name: EntityName) -> String {
        name.type + " " + text(of: name.id)
    }

    private static func text(of content: StoredContent) -> String {
        switch content {
        case .string(let text): quoted(text)
        case .data(let bytes): data(bytes)
        case .url(let text): text
        case .date, .uuid: content.json.withoutQuotationMarks
        case .json(let bytes): String(decoding: bytes, as: UTF8.self)
        case .optional(let value): value.map { text(of: $0) } ?? "nil"
        case .array(let values), .set(let values):
            "[" + values.map { text(of: $0) }.joined(separator: ", ") + "]"
        case .dictionary(let entries):
            entries.isEmpty
                ? "[:]"
                : "["
                    + entries.map { text(of: $0.key) + ": " + text(of: $0.value) }
                    .joined(separator: ", ") + "]"
        case .structure(let members): content.asset.map(text) ?? "(" + list(members) + ")"
        case .enumeration(_, let name, let payload):
            "." + name + (payload.isEmpty ? "" : "(" + list(payload) + ")")
        case .bool, .signed, .unsigned, .float, .double, .decimal: content.json
        }
    }

    private static let digestDigitsMax = 12

    /// `asset of 3.0 MiB, image/jpeg, ba7816bf8f01…`.
    private static func text(of asset: AssetReference) -> String {
        let digits = asset.digest.description.prefix(digestDigitsMax)
        return
            "asset of \(Numerals.size(ByteCount(asset.byteCount))), \(asset.mediaType), \(digits)…"
    }

    private static func list(_ members: [StoredContent.Member]) -> String {
        members.map { member in
            let label = member.name.isEmpty ? "" : member.name + ": "
            return label + text(of: member.value)
        }.joined(separator: ", ")
    }

    /// In quotation marks, with what would be misread escaped.
    static func quoted(_ text: String) -> String {
        "\"" + text.escaping(["\\", "\""], with: "\\") + "\""
    }

    static func data(_ bytes: [UInt8]) -> String {
        let digits = bytes.prefix(dataBytesMax).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "<" + Numerals.counted(bytes.count, "byte")
            + (bytes.isEmpty ? "" : ": " + digits.joined())
            + (bytes.count > dataBytesMax ? "…>" : ">")
    }
}
