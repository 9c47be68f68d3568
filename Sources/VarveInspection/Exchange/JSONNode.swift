/// A JSON value and where it is written.
///
/// Numbers keep their digits and objects the order of their keys, which `JSONSerialization` does not do.
struct JSONNode: Sendable {
    enum Content: Sendable {
        case null
        case bool(Bool)
        /// The digits as they are written.
        case number(String)
        case text(String)
        case array([JSONNode])
        case object([Member])
    }

    struct Member: Sendable {
        let key: String
        let value: JSONNode
    }

    let content: Content
    /// The bytes of the text that say it.
    let place: Range<Int>

    subscript(key: String) -> JSONNode? {
        guard case .object(let members) = content else { return nil }
        return members.first { $0.key == key }?.value
    }

    var text: String? {
        if case .text(let text) = content { text } else { nil }
    }

    var bool: Bool? {
        if case .bool(let value) = content { value } else { nil }
    }

    var elements: [JSONNode]? {
        if case .array(let elements) = content { elements } else { nil }
    }

    var members: [Member]? {
        if case .object(let members) = content { members } else { nil }
    }

    var isNull: Bool {
        if case .null = content { true } else { false }
    }

    /// What an error message calls it.
    var kind: String {
        switch content {
        case .null: "null"
        case .bool: "a truth value"
        case .number: "a number"
        case .text: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONNode {
    /// Reads one document, and nothing behind it. Recurses as deep as it is nested, which is bounded. O(n).
    static func parse(_ bytes: [UInt8]) throws(ExchangeProblem) -> JSONNode {
        var parser = Parser(bytes: bytes)
        let node = try parser.value()
        parser.skipSpace()
        guard parser.position == bytes.count else { throw parser.problem("nothing more") }
        return node
    }

    private struct Parser {
        /// Documents nest 64 deep in a value, and values in a structure.
        private static let depthMax = 160

        let bytes: [UInt8]
        var position = 0
        private var depth = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

        func problem(_ expected: String) -> ExchangeProblem {
            let found =
                position < bytes.count
                ? "'" + String(decoding: bytes[position...].prefix(1), as: UTF8.self) + "'"
                : "the end"
            return ExchangeProblem("expected \(expected), found \(found)", at: position)
        }

        mutating func skipSpace() {
            while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
                position += 1
            }
        }

        private mutating func take(_ sign: Character) -> Bool {
            skipSpace()
            guard current == sign.asciiValue else { return false }
            position += 1
            return true
        }

        private mutating func expect(_ sign: Character) throws(ExchangeProblem) {
            if !take(sign) { throw problem("'\(sign)'") }
        }

        mutating func value() throws(ExchangeProblem) -> JSONNode {
            skipSpace()
            let start = position
            guard depth < Self.depthMax else {
                throw ExchangeProblem("nested deeper than \(Self.depthMax)", at: position)
            }
            depth += 1
            defer { depth -= 1 }
            let content: Content =
                switch current {
                case UInt8(ascii: "{"): .object(try members())
                case UInt8(ascii: "["): .array(try elements())
                case UInt8(ascii: "\""): .text(try text())
                case UInt8(ascii: "t"): try word("true", .bool(true))
                case UInt8(ascii: "f"): try word("false", .bool(false))
                case UInt8(ascii: "n"): try word("null", .null)
                default: .number(try number())
                }
            return JSONNode(content: content, place: start..<position)
        }

        private mutating func word(
            _ word: String, _ content: Content
        ) throws(ExchangeProblem) -> Content {
            guard bytes[position...].starts(with: word.utf8) else { throw problem("a value") }
            position += word.utf8.count
            return content
        }

        private mutating func members() throws(ExchangeProblem) -> [Member] {
            var members: [Member] = []
            try expect("{")
            if take("}") { return [] }
            repeat {
                skipSpace()
                let key = try text()
                try expect(":")
                members.append(Member(key: key, value: try value()))
            } while take(",")
            try expect("}")
            return members
        }

        private mutating func elements() throws(ExchangeProblem) -> [JSONNode] {
            var elements: [JSONNode] = []
            try expect("[")
            if take("]") { return [] }
            repeat { elements.append(try value()) } while take(",")
            try expect("]")
            return elements
        }

        private mutating func number() throws(ExchangeProblem) -> String {
            let start = position
            while let byte = current,
                (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
            {
                position += 1
            }
            let digits = String(decoding: bytes[start..<position], as: UTF8.self)
            guard let first = digits.utf8.first, first != UInt8(ascii: "+"), Double(digits) != nil
            else {
                position = start
                throw problem("a value")
            }
            return digits
        }

        // MARK: Texts

        private mutating func text() throws(ExchangeProblem) -> String {
            guard current == UInt8(ascii: "\"") else { throw problem("a text") }
            position += 1
            let start = position
            while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                position += 1
            }
            var units = Array(bytes[start..<position])
            while let byte = current, byte != UInt8(ascii: "\"") {
                position += 1
                if byte == UInt8(ascii: "\\") {
                    try escape(into: &units)
                } else {
                    units.append(byte)
                }
            }
            guard current != nil else {
                throw ExchangeProblem("the text has no closing quotation mark", at: start - 1)
            }
            position += 1
            guard let text = String(validating: units, as: UTF8.self) else {
                throw ExchangeProblem("the text is not UTF-8", at: start - 1)
            }
            return text
        }

        private static let escapes: [UInt8: UInt8] = [
            UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F,
            UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A,
            UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
        ]

        private mutating func escape(into units: inout [UInt8]) throws(ExchangeProblem) {
            let start = position - 1
            guard let letter = current else { return }
            position += 1
            if let byte = Self.escapes[letter] { return units.append(byte) }
            var scalar = letter == UInt8(ascii: "u") ? codeUnit() : nil
            if let high = scalar, 0xD800..<0xDC00 ~= high {
                let isPair = bytes[position...].starts(with: "\\u".utf8)
                position += isPair ? 2 : 0
                let low = isPair ? codeUnit() : nil
                scalar = low.flatMap {
                    0xDC00..<0xE000 ~= $0 ? 0x10000 + (high - 0xD800) << 10 + ($0 - 0xDC00) : nil
                }
            }
            guard let scalar = scalar.flatMap({ Unicode.Scalar($0) }) else {
                throw ExchangeProblem("the escape is not a character", at: start)
            }
            units.append(contentsOf: String(scalar).utf8)
        }

        /// Four hexadecimal digits.
        private mutating func codeUnit() -> UInt32? {
            let digits = bytes[position...].prefix(4)
            guard digits.count == 4, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
            else { return nil }
            position += 4
            return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        }
    }
}
