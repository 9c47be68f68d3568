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
        case .text(let value): JSONText.append(value, to: &text)
        case .array(let elements):
            JSONText.append(elements, "[", "]", to: &text) { $0.write(into: &$1) }
        case .object(let members):
            JSONText.append(members, "{", "}", to: &text) { member, text in
                JSONText.append(member.key, to: &text)
                text += ":"
                member.value.write(into: &text)
            }
        }
    }
}
