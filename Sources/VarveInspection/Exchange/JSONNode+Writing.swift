extension JSONNode {
    /// The document on one line, without space between its parts.
    var json: String {
        var text = ""
        write(into: &text)
        return text
    }

    private func write(into text: inout String) {
        switch content {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let digits): text += digits
        case .text(let value): StoredContent.string(value).writeJSON(into: &text)
        case .array(let elements):
            text += "["
            for (position, element) in elements.enumerated() {
                if position > 0 { text += "," }
                element.write(into: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (position, member) in members.enumerated() {
                if position > 0 { text += "," }
                text += JSONWriting.text(member.key) + ":"
                member.value.write(into: &text)
            }
            text += "}"
        }
    }
}
