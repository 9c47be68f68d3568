internal import Foundation
internal import VarveText

/// Stored values as SQLite has them.
enum SQLValue {
    /// The type of a column. Numbers that SQLite would round, if a column had their type, get a column without one.
    static func columnType(_ type: StoredType) -> String {
        switch type {
        case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: "INTEGER"
        case .float, .double: "REAL"
        case .uint64, .decimal: ""
        case .data: "BLOB"
        case .optional(let wrapped), .raw(_, let wrapped): columnType(wrapped)
        default: "TEXT"
        }
    }

    static func isNullable(_ type: StoredType) -> Bool {
        switch type {
        case .optional: true
        case .raw(_, let raw): isNullable(raw)
        default: false
        }
    }

    static func write(_ content: StoredContent, into text: inout String, isTerminal: Bool) {
        switch content {
        case .bool(let value): text += value ? "1" : "0"
        case .signed(Int64.min): text += "(-9223372036854775807 - 1)"
        case .signed(let value): text += String(value)
        case .unsigned(let value): text += value > Int64.max ? "'\(value)'" : String(value)
        case .float(let value): writeNumber(Double(value), into: &text)
        case .double(let value): writeNumber(value, into: &text)
        case .decimal(let digits):
            // Digits that a Double keeps; others are a text.
            let isShort = digits.utf8.count { 0x30...0x39 ~= $0 } <= 15
            text += isShort && digits != "NaN" ? digits : "'\(digits)'"
        case .data(let bytes): writeHexadecimal(bytes, into: &text)
        case .date(let seconds): text += "'\(date(seconds))'"
        case .uuid(let id): text += "'\(id.uuidString)'"
        case .string(let value), .url(let value):
            writeText(value, into: &text, isTerminal: isTerminal)
        case .optional(nil): text += "NULL"
        case .optional(let value?): write(value, into: &text, isTerminal: isTerminal)
        case .enumeration(_, let name, let payload) where payload.isEmpty:
            writeText(name, into: &text, isTerminal: isTerminal)
        default: writeText(content.json, into: &text, isTerminal: isTerminal)
        }
    }

    /// With the same number of digits in each, so that the order of the texts is that of the dates.
    private static func date(_ seconds: Double) -> String {
        guard seconds > -63_113_904_000, seconds < 252_423_993_600 else { return "\(seconds)" }
        let microseconds = Int64((seconds * 1_000_000).rounded()) + 978_307_200_000_000
        return Moment(microseconds: microseconds).iso8601
    }

    private static func writeNumber(_ value: Double, into text: inout String) {
        if value.isNaN {
            // SQLite has no NaN, and takes it for null.
            text += "'NaN'"
        } else if value.isInfinite {
            text += value > 0 ? "9e999" : "-9e999"
        } else {
            text += "\(value)"
        }
    }

    static func writeText(_ value: String, into text: inout String, isTerminal: Bool) {
        let utf8 = value.utf8
        // NUL ends a statement, and the shell of SQLite drops a carriage return.
        let isPlain =
            utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
            || !utf8.contains { $0 == 0 || $0 == 0x0D }
                && !(isTerminal && value.escapedForDisplay != value)
        guard isPlain else {
            text += "CAST("
            writeHexadecimal(Array(utf8), into: &text)
            return text += " AS TEXT)"
        }
        text += "'"
        if utf8.contains(UInt8(ascii: "'")) {
            text += value.doubling("'")
        } else {
            text += value
        }
        text += "'"
    }

    private static func writeHexadecimal(_ bytes: [UInt8], into text: inout String) {
        let digits = Array("0123456789ABCDEF".utf8)
        text += "X'"
        text += String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
        text += "'"
    }
}
