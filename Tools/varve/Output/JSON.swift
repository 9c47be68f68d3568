import VarveInspection

/// JSON text in the making. Objects keep the order of their keys, integers all their digits.
indirect enum JSON: Sendable {
    case null
    case bool(Bool)
    case text(String)
    /// What is JSON already.
    case written(String)
    case array([JSON])
    case object([(key: String, value: JSON)])

    static func number(_ value: some BinaryInteger) -> JSON { .written(String(value)) }

    static func optional(_ text: String?) -> JSON { text.map { .text($0) } ?? .null }

    /// On one line.
    var line: String {
        var text = ""
        write(into: &text)
        return text
    }

    private func write(into text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .text(let value): JSONText.append(value, to: &text)
        case .written(let value): text += value
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

    /// The object with more members behind its own.
    func adding(_ members: KeyValuePairs<String, JSON>) -> JSON {
        guard case .object(let own) = self else { preconditionFailure("only objects have members") }
        return .object(own + members.map { (key: $0.key, value: $0.value) })
    }
}

extension JSON: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { (key: $0.0, value: $0.1) })
    }
}

extension JSON {
    static func value(_ value: InspectedValue) -> JSON { .written(value.json) }

    static func moment(_ moment: Moment) -> JSON { .text(moment.iso8601) }

    static func id(_ id: TransactionID) -> JSON { .number(id.rawValue) }

    static func bytes(_ bytes: ByteCount) -> JSON { .number(bytes.rawValue) }
}
