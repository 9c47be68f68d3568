import Foundation

extension StoredValue {
    /// The value as JSON text, for people and scripts: dates in ISO 8601, data in base 64.
    package var json: String { content.json }
}

extension StoredContent {
    package var json: String {
        var text = ""
        writeJSON(into: &text)
        return text
    }

    /// Appends the value as JSON text.
    ///
    /// - Parameter isExact: whether dates get all the digits that they need to be read back as the same, or become
    ///   numbers of seconds where no text can say them.
    package func writeJSON(into text: inout String, exactly isExact: Bool = false) {
        switch self {
        case .bool(let value): text += value ? "true" : "false"
        case .signed(let value): text += String(value)
        case .unsigned(let value): text += String(value)
        case .float(let value): JSONText.append(Double(value), "\(value)", to: &text)
        case .double(let value): JSONText.append(value, "\(value)", to: &text)
        case .string(let value), .url(let value): JSONText.append(value, to: &text)
        case .data(let bytes): JSONText.append(Data(bytes).base64EncodedString(), to: &text)
        case .date(let seconds):
            if isExact {
                JSONText.append(exactDate: seconds, to: &text)
            } else {
                JSONText.append(date: seconds, to: &text)
            }
        case .uuid(let value): JSONText.append(value.uuidString, to: &text)
        case .decimal(let digits):
            if digits == "NaN" { text += "\"NaN\"" } else { text += digits }
        case .optional(let value):
            if let value {
                value.writeJSON(into: &text, exactly: isExact)
            } else {
                text += "null"
            }
        case .json(let bytes): JSONText.append(document: bytes, to: &text)
        case .array(let values), .set(let values):
            JSONText.append(values, "[", "]", to: &text) {
                $0.writeJSON(into: &$1, exactly: isExact)
            }
        case .dictionary(let entries): Self.write(entries, into: &text, exactly: isExact)
        case .structure(let members): Self.write(members, into: &text, exactly: isExact)
        case .enumeration(_, let name, let payload):
            guard !payload.isEmpty else { return JSONText.append(name, to: &text) }
            text += "{"
            JSONText.append(name, to: &text)
            text += ":"
            Self.write(payload, into: &text, exactly: isExact)
            text += "}"
        }
    }

    private static func write(
        _ members: [Member], into text: inout String, exactly isExact: Bool
    ) {
        JSONText.append(Array(members.enumerated()), "{", "}", to: &text) { member, text in
            let name = member.element.name
            JSONText.append(name.isEmpty ? "_\(member.offset)" : name, to: &text)
            text += ":"
            member.element.value.writeJSON(into: &text, exactly: isExact)
        }
    }

    /// An object where the keys are texts, else an array of pairs.
    private static func write(
        _ entries: [Entry], into text: inout String, exactly isExact: Bool
    ) {
        let haveTextKeys = entries.allSatisfy { if case .string = $0.key { true } else { false } }
        let (open, close) = haveTextKeys ? ("{", "}") : ("[", "]")
        JSONText.append(entries, open, close, to: &text) { entry, text in
            if !haveTextKeys { text += "[" }
            entry.key.writeJSON(into: &text, exactly: isExact)
            text += haveTextKeys ? ":" : ","
            entry.value.writeJSON(into: &text, exactly: isExact)
            if !haveTextKeys { text += "]" }
        }
    }
}

/// Pieces of JSON text.
package enum JSONText {
    package static func append<Element>(
        _ elements: [Element], _ open: String, _ close: String, to text: inout String,
        element: (Element, inout String) -> Void
    ) {
        text += open
        for (index, value) in elements.enumerated() {
            if index > 0 { text += "," }
            element(value, &text)
        }
        text += close
    }

    /// A number that JSON may lack a form for.
    static func append(_ value: Double, _ digits: String, to text: inout String) {
        if value.isNaN {
            text += "\"NaN\""
        } else if value.isInfinite {
            text += value > 0 ? "\"Infinity\"" : "\"-Infinity\""
        } else {
            text += digits
        }
    }

    /// A text as a JSON string.
    package static func quoted(_ string: String) -> String {
        var text = ""
        append(string, to: &text)
        return text
    }

    package static func append(_ string: String, to text: inout String) {
        text += "\""
        defer { text += "\"" }
        // Most texts need no escape, and going through them scalar by scalar is much slower.
        let isPlain = string.utf8.allSatisfy { byte in
            byte >= 0x20 && byte != 0x7F && byte != 0x22 && byte != 0x5C
        }
        if isPlain { return text += string }
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    /// ISO 8601 between the years 1 and 9999, in microseconds where there is a fraction; the bare
    /// number of seconds elsewhere.
    static func append(date seconds: Double, to text: inout String) {
        guard seconds > -63_113_904_000, seconds < 252_423_993_600 else {
            return append(seconds, "\(seconds)", to: &text)
        }
        let microseconds = Int64((seconds * 1_000_000).rounded()) + 978_307_200_000_000
        let time = Timestamp(microseconds: microseconds)
        append(microseconds % 1_000_000 == 0 ? time.iso8601Seconds : time.iso8601, to: &text)
    }

    static func append(exactDate seconds: Double, to text: inout String) {
        if let date = DateText.exact(seconds) {
            append(date, to: &text)
        } else {
            append(seconds, "\(seconds)", to: &text)
        }
    }

    /// A stored document as it is, if it is one; else its bytes as a text.
    static func append(document bytes: [UInt8], to text: inout String) {
        let isDocument =
            (try? JSONForm.checkNesting(of: bytes)) != nil
            && (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed))
                != nil
        // Line breaks and tabs inside a document are space between its parts; outside, one value is one line.
        let line =
            isDocument ? bytes.map { $0 == 0x0A || $0 == 0x0D || $0 == 0x09 ? 0x20 : $0 } : bytes
        let content = String(decoding: line, as: UTF8.self)
        if isDocument { text += content } else { append(content, to: &text) }
    }
}
