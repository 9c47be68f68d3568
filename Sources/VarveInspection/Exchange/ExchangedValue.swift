internal import Foundation

/// Stored values as JSON that reads back as the same bytes: what exports write and imports read.
enum ExchangedValue {
    /// The key of an object that holds a value's bytes, for the few values that JSON cannot say.
    static let storedKey = "$stored"

    static func json(of bytes: [UInt8], as type: StoredType) -> String {
        var text = ""
        if let value = try? StoredValue(type, bytes: bytes) { write(value, into: &text) }
        return text
    }

    static func write(_ value: StoredValue, into text: inout String) {
        if isPlain(value.content, as: value.type) {
            return value.content.writeJSON(into: &text, exactly: true)
        }
        var form = ""
        value.content.writeJSON(into: &form, exactly: true)
        if let node = try? JSONNode.parse(Array(form.utf8)),
            let again = try? bytes(of: node, as: value.type), again == value.bytes
        {
            text += form
        } else {
            text += "{\"\(storedKey)\":\"\(Data(value.bytes).base64EncodedString())\"}"
        }
    }

    /// Whether the JSON of a value is known to be read as the same, so that it need not be tried.
    private static func isPlain(_ content: StoredContent, as type: StoredType) -> Bool {
        switch (type, content) {
        case (.raw(_, let raw), _): isPlain(content, as: raw)
        // Of two optionals, null does not say which is empty.
        case (.optional(let wrapped), _) where SQLValue.isNullable(wrapped): false
        case (.optional(let wrapped), .optional(let value)):
            value.map { isPlain($0, as: wrapped) } ?? true
        case (.array(let element), .array(let values)):
            values.allSatisfy { isPlain($0, as: element) }
        // There are many kinds of NaN, and one name.
        case (_, .double(let value)), (_, .date(let value)): !value.isNaN
        case (_, .float(let value)): !value.isNaN
        case (_, .bool), (_, .signed), (_, .unsigned), (_, .string), (_, .data), (_, .uuid),
            (_, .decimal):
            true
        default: false
        }
    }

    // MARK: Reading

    /// The stored form of a JSON value.
    static func bytes(
        of node: JSONNode, as type: StoredType
    ) throws(ExchangeProblem) -> [UInt8] {
        var writer = ByteWriter()
        try write(node, as: type, into: &writer)
        return writer.copyBytes()
    }

    static func write(
        _ node: JSONNode, as type: StoredType, into writer: inout ByteWriter
    ) throws(ExchangeProblem) {
        if let bytes = storedBytes(node) {
            guard (try? StoredValue(type, bytes: bytes)) != nil else {
                throw ExchangeProblem(
                    "the bytes are no value of \(type)", at: node.place.lowerBound)
            }
            return writer.write(bytes)
        }
        let content = try StoredContent(node, as: type)
        do throws(CodecError) {
            try content.store(as: type, into: &writer)
        } catch {
            throw ExchangeProblem(
                "no value of \(type): elements or keys are there twice",
                at: node.place.lowerBound)
        }
    }

    private static func storedBytes(_ node: JSONNode) -> [UInt8]? {
        guard let members = node.members, members.count == 1, members[0].key == storedKey,
            let text = members[0].value.text
        else { return nil }
        return Data(base64Encoded: text).map { [UInt8]($0) }
    }
}
